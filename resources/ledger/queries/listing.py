"""List requests: by filters, by groups of statuses, by batches, and by the words they contain."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Self

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    LargeBinary,
    Row,
    Select,
    and_,
    bindparam,
    cast,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
)

from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.queries.money import is_lost
from resources.ledger.queries.overview import ArtifactView
from resources.ledger.queries.status import is_readable_by, list_columns
from resources.ledger.request import Request
from resources.ledger.schema.sqltime import now
from resources.ledger.schema.tables import (
    AT_WORK,
    HELD,
    IS_ENDED,
    IS_OPEN,
    StageStatus,
    Status,
    artifacts,
    provider_jobs,
    requests,
    stages,
)

_IS_HELD: ColumnElement[bool] = literal_column(f"({HELD})")
ESCAPE = "!"
ESCAPED_TEXT = "%\\u%"
"""A pattern for JSON text in which a character may be written by its number."""
# The last one is written in either form.
_IN_JSON = {'"': r"\"", "\\": r"\\", "/": "%/"}
_SPECIAL = frozenset("%_!")
StageNames = Mapping[str, Collection[str]]
"""The stages whose results contain words, by pipeline."""


class Group(StrEnum):
    """A group of requests. A pending request is in exactly one of `waiting`, `paused` and `held`."""

    WAITING = "waiting"
    """Pending, and due, or waiting for a limit or for its time."""
    WORKING = "working"
    """Dispatched or processing."""
    PAUSED = "paused"
    """Pending until a vendor is no longer paused, money may be spent again, or the settings are changed."""
    HELD = "held"
    """Pending until a person approves a stage's product."""
    DEAD = "dead"
    """Dead, and no submission is in doubt: a retry or a correction helps."""
    IN_DOUBT = "in_doubt"
    """No attempt runs, and a submission is lost: a person has to resolve it."""


def build_group_condition(group: Group) -> ColumnElement[bool]:
    """Build the SQL condition on `requests` that a request is in the group."""
    is_pending = requests.c.status == Status.PENDING
    if group is Group.WORKING:
        return requests.c.status.in_(AT_WORK)
    if group is Group.HELD:
        return _IS_HELD
    if group is Group.PAUSED:
        return and_(is_pending, _IS_PAUSED)
    if group is Group.DEAD:
        return and_(requests.c.status == Status.DEAD, not_(_HAS_LOST_SUBMISSION))
    if group is Group.IN_DOUBT:
        return and_(requests.c.status.not_in(AT_WORK), _HAS_LOST_SUBMISSION)
    is_in_line = and_(requests.c.waits_for.like("%:%"), not_(_IS_HELD))
    return and_(is_pending, or_(requests.c.waits_for.is_(None), is_in_line))


def is_paused(waits_for: str | None) -> bool:
    """Return whether a pending request with this `waits_for` is paused.

    It is if it waits for a paused vendor, the budget, or other settings. A None value is not paused.
    """
    return waits_for is not None and ":" not in waits_for


_IS_PAUSED = and_(requests.c.waits_for.is_not(None), requests.c.waits_for.not_like("%:%"))
_HAS_LOST_SUBMISSION = exists().where(provider_jobs.c.request_id == requests.c.id, is_lost())


def build_batch_condition(name: str) -> ColumnElement[bool]:
    """Build the SQL condition that selects the requests of a batch, whose task_ids are `<name>-<5 digits>`.

    The condition can use the index on task_id.
    """
    # Locales sort punctuation in many ways, and some ignore it; digits after the same text are sorted alike.
    numbered = requests.c.task_id.between(f"{name}-00000", f"{name}-99999")
    return and_(numbered, requests.c.task_id.startswith(f"{name}-", autoescape=True))


def count_batch(db: Database, name: str, owner: str | None) -> Mapping[Status, int]:
    """Count the batch's requests by status; `owner` counts only that owner's, None counts all.

    A status without requests is left out.
    """
    own = () if owner is None else (requests.c.owner == owner,)
    query = (
        select(requests.c.status, func.count())
        .where(build_batch_condition(name), *own)
        .group_by(requests.c.status)
    )
    return {Status(status): count for status, count in db.fetch_all(query)}


@dataclass(frozen=True)
class RequestFilter:
    """A filter of requests; a field that is None matches any value.

    `code` is an error code. `before` matches requests last changed before that time. `completed_from` matches
    requests completed at that time or later. `created_until` is exclusive.
    """

    owner: str | None = None
    pipeline: str | None = None
    status: Status | None = None
    stage: str | None = None
    code: str | None = None
    source: str | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    before: datetime | None = None
    completed_from: datetime | None = None
    cancel_requested: bool | None = None
    group: Group | None = None
    batch: str | None = None

    def build_conditions(self) -> list[ColumnElement[bool]]:
        """Build the filter's SQL conditions on `requests`; all of them must hold."""
        same = {
            requests.c.owner: self.owner,
            requests.c.pipeline: self.pipeline,
            requests.c.status: self.status,
            requests.c.stage: self.stage,
            requests.c.error_code: self.code,
            requests.c.source: self.source,
            requests.c.cancel_requested: self.cancel_requested,
        }
        conditions = [column == value for column, value in same.items() if value is not None]
        if self.created_from is not None:
            conditions.append(requests.c.created_at >= self.created_from)
        if self.created_until is not None:
            conditions.append(requests.c.created_at < self.created_until)
        if self.before is not None:
            conditions.append(requests.c.updated_at < self.before)
        if self.completed_from is not None:
            conditions.append(requests.c.completed_at >= self.completed_from)
        if self.group is not None:
            conditions.append(build_group_condition(self.group))
        if self.batch is not None:
            conditions.append(build_batch_condition(self.batch))
        return conditions


@dataclass(frozen=True)
class ListedRow:
    """A request as a list shows it: the row, the database's time, and its cost so far.

    `cost` is the possible cost of all submissions, in micro-dollars.
    """

    request: Request
    at: datetime
    cost: int

    @classmethod
    def of(cls, row: Row[Any]) -> Self:
        """Build the entry from a row of `select_listed_rows`."""
        return cls(Request.of(row), row.at, int(row.spent or 0))


@dataclass(frozen=True)
class StageState:
    """The status of a stage's newest generation; `progress` in [0, 1] is None if none was reported."""

    status: str
    progress: float | None


@dataclass(frozen=True)
class Picture:
    """An image among a request's artifacts; `name` is its file name."""

    stage: str
    generation: int
    name: str


@dataclass(frozen=True)
class ListDetails:
    """The stages and pictures that a list shows, by request id; pictures in the order of creation."""

    stages: dict[int, dict[str, StageState]]
    pictures: dict[int, list[Picture]]


def list_requests_page(
    db: Database, wanted: RequestFilter, *, after: int | None, limit: int
) -> list[ListedRow]:
    """List up to `limit` matching requests, the newest first; `after` skips ids from that one upwards."""
    query = select_listed_rows(wanted, after).limit(limit)
    return [ListedRow.of(row) for row in db.fetch_all(query)]


def read_listing_rows(db: Database, request_ids: Sequence[int]) -> list[ListedRow]:
    """Read the requests with these ids, the newest first; missing ids are skipped."""
    query = select_listed_rows(RequestFilter(), None).where(requests.c.id.in_(request_ids))
    return [ListedRow.of(row) for row in db.fetch_all(query)]


def select_listed_rows(wanted: RequestFilter, after: int | None) -> Select[Any]:
    """Build the SELECT of the rows for `ListedRow`, the newest first; only ids below `after`, if it is given."""
    spent = select(func.sum(provider_jobs.c.cost)).where(
        provider_jobs.c.request_id == requests.c.id
    )
    query = select(requests, now().label("at"), spent.scalar_subquery().label("spent"))
    return restrict_to_older(query, wanted, after)


def restrict_to_older(query: Select[Any], wanted: RequestFilter, after: int | None) -> Select[Any]:
    """Restrict a query to matching requests with an id below `after`, and order it newest first.

    If `after` is None, requests of any id match.
    """
    query = query.where(*wanted.build_conditions())
    if after is not None:
        query = query.where(requests.c.id < after)
    return query.order_by(requests.c.id.desc())


@retry_transient
def read_list_details(db: Database, request_ids: Sequence[int]) -> ListDetails:
    """Read the stage states and pictures of the requests with these ids."""
    found = ListDetails(defaultdict(dict), defaultdict(list))
    with db.reading() as tx:
        for row in tx.execute(_STATES, {"ids": request_ids}):
            found.stages[row.request_id][row.stage] = StageState(row.status, row.progress)
        for row in tx.execute(_PICTURES, {"ids": request_ids}):
            found.pictures[row.request_id].append(Picture(row.stage, row.generation, row.name))
    return found


def list_oldest_task_ids(db: Database, wanted: RequestFilter, limit: int) -> Sequence[str]:
    """List the task_ids of matching requests, the oldest first."""
    query = select(requests.c.task_id).where(*wanted.build_conditions())
    return db.fetch_column(query.order_by(requests.c.id).limit(limit))


def count_requests(db: Database, wanted: RequestFilter) -> int:
    """Count the requests that match the filter."""
    query = select(func.count()).select_from(requests).where(*wanted.build_conditions())
    return int(db.fetch_value(query) or 0)


def count_codes(db: Database, wanted: RequestFilter) -> Counter[str]:
    """Count the requests that match the filter by error code; those without a code are left out."""
    code = requests.c.error_code
    found: Counter[str] = Counter()
    # Completed requests have no error, and all of them would be read.
    for part in (IS_OPEN, and_(IS_ENDED, requests.c.status.in_((Status.DEAD, Status.CANCELED)))):
        counts = select(code, func.count()).where(
            *wanted.build_conditions(), part, code.is_not(None)
        )
        found.update(dict(map(tuple, db.fetch_all(counts.group_by(code)))))
    return found


def find_artifact(
    db: Database, task_id: str, name: str, reader: str | None = None
) -> ArtifactView | None:
    """Find an artifact of the request by its file name; return None if it does not exist.

    With a `reader`, also return None if this owner may not read the request.
    """
    may_read = () if reader is None else (is_readable_by(reader),)
    query = (
        select(*list_columns(artifacts, ArtifactView))
        .join(requests)
        .where(requests.c.task_id == task_id, artifacts.c.name == name, *may_read)
    )
    row = db.fetch_one(query)
    return None if row is None else ArtifactView(*row)


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_STATES = (
    select(stages.c.request_id, stages.c.stage, stages.c.status, stages.c.progress)
    .where(stages.c.request_id.in_(_IDS))
    .order_by(stages.c.generation)
)
_PICTURES = (
    select(*(artifacts.c[name] for name in ("request_id", "stage", "generation", "name")))
    .where(artifacts.c.request_id.in_(_IDS), artifacts.c.media_type.startswith("image/"))
    .order_by(artifacts.c.id)
)


def fold_text(text: str) -> str:
    """Normalize a text for comparison without regard to case, in composed Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def build_like_patterns(word: str) -> Sequence[str]:
    """Build LIKE patterns of which at least one matches every JSON text that contains this word.

    The word is folded by `fold`. The patterns cover composed and decomposed text. They also match other texts:
    a letter that a text may have in another shape, such as ſ for s, ς for σ or ß for ss, is a wildcard. LIKE
    ignores the case of ASCII letters only. So a word without ASCII letters is also matched in capitals, and
    with a capital first letter.
    """
    unsure = _find_wildcard_positions(word)
    if any(map(_has_one_form, word)):
        unsure |= {place for place, each in enumerate(word) if not _has_one_form(each)}
        forms = [_build_like_pattern(word, unsure)]
    else:
        large = [each.upper() for each in word]
        forms = [_build_like_pattern(each, unsure) for each in (word, large, [large[0], *word[1:]])]
    return [*dict.fromkeys((*forms, *(unicodedata.normalize("NFD", form) for form in forms)))]


def _has_one_form(character: str) -> bool:
    """Return whether one literal in a LIKE pattern finds the character in any case.

    Hangul syllables count too: their two Unicode forms are both searched.
    """
    if character.isascii() or "\uac00" <= character <= "\ud7a3":
        return True
    is_caseless = character.lower() == character.upper()
    return is_caseless and unicodedata.normalize("NFD", character) == character


def _find_wildcard_positions(word: str) -> set[int]:
    """Find the positions in the word where a text may have another character than this letter in either case."""
    # With a mark a letter may be another character, as İ is.
    marks = {place for place, each in enumerate(word) if unicodedata.combining(each)}
    places = marks | {place - 1 for place in marks}
    bases = _strip_marks(word)
    for letters in _collect_folded_letters():
        for begin in range(len(word)):
            if bases.startswith(letters, begin):
                places |= {*range(begin, begin + len(letters))}
    return places


def _strip_marks(text: str) -> str:
    """Remove combining marks such as accents from each character."""
    return "".join(unicodedata.normalize("NFD", each)[0] for each in text)


@cache
def _collect_folded_letters() -> Collection[str]:
    """Collect the folded forms of characters of which folding changes more than the case, such as "ss" for ß.

    The result is cached.
    """
    found = set()
    for character in map(chr, range(0x80, 0x20000)):
        if character == character.casefold() or not unicodedata.is_normalized("NFC", character):
            continue
        folded = fold_text(character)
        plain = "".join(
            each for each in unicodedata.normalize("NFD", folded) if not unicodedata.combining(each)
        )
        is_marked = len(folded) > 1 and len(plain) == 1
        if character not in (folded, folded.upper()) and not is_marked:
            found.add(plain if len(folded) > 1 else folded)
    return found


def _build_like_pattern(characters: Sequence[str], wildcard_positions: Collection[int]) -> str:
    """Build a LIKE pattern from the characters, with the wildcard `%` at these positions and at both ends."""
    parts = (
        "%" if place in wildcard_positions else "".join(map(_escape_literal, each))
        for place, each in enumerate(characters)
    )
    return f"%{''.join(parts)}%"


def _escape_literal(character: str) -> str:
    """Escape a character so that LIKE finds it literally in JSON text."""
    if character in _SPECIAL:
        return ESCAPE + character
    return _IN_JSON.get(character, character)


def read_last_looked_at(
    db: Database, wanted: RequestFilter, after: int | None, count: int
) -> int | None:
    """Find the id of the `count`-th newest matching request with an id below `after`; None if there are fewer."""
    query = restrict_to_older(select(requests.c.id), wanted, after).offset(count - 1).limit(1)
    return db.fetch_value(query)


def read_rows_with_words(
    db: Database,
    wanted: RequestFilter,
    words: Sequence[str],
    worded: StageNames,
    *,
    after: int | None,
    down_to: int | None,
    limit: int,
) -> list[ListedRow]:
    """List the newest matching requests that may contain all these words, which are folded by `fold`.

    False positives are possible, missed matches are not: the caller must check each row.

    Args:
        wanted: the filter that the requests match.
        worded: the stages whose results are searched, by pipeline.
        after: only ids below this one; None for all.
        down_to: only ids from this one upwards; None for all.
    """
    may_have = [_build_word_condition(word, worded, is_sqlite=db.is_sqlite) for word in words]
    is_escaped = requests.c.payload.like(ESCAPED_TEXT, escape=ESCAPE)
    query = select_listed_rows(wanted, after).where(or_(and_(*may_have), is_escaped))
    if down_to is not None:
        query = query.where(requests.c.id >= down_to)
    return [ListedRow.of(row) for row in db.fetch_all(query.limit(limit))]


def read_results(
    db: Database, request_ids: Collection[int], stage_names: Collection[str]
) -> Mapping[int, Mapping[str, bytes | str]]:
    """Read the stored results of these stages, by request id and stage name.

    Each is the newest completed generation's. Requests and stages without one are left out. A result may be
    bytes, because an operator may have stored bytes that are no text.
    """
    # An operator may have stored bytes that are no text.
    result = cast(stages.c.result, LargeBinary) if db.is_sqlite else stages.c.result
    query = (
        select(stages.c.request_id, stages.c.stage, result.label("result"))
        .where(
            stages.c.request_id.in_(request_ids),
            stages.c.stage.in_(stage_names),
            stages.c.status == StageStatus.COMPLETED.value,
            stages.c.result.is_not(None),
        )
        .order_by(stages.c.generation)
    )
    found: dict[int, dict[str, bytes | str]] = defaultdict(dict)
    for row in db.fetch_all(query):
        found[row.request_id][row.stage] = row.result
    return found


def _build_word_condition(word: str, worded: StageNames, *, is_sqlite: bool) -> ColumnElement[bool]:
    """Build the SQL condition that a request's payload, task_id or stage results may contain the folded word.

    `worded` has the stages whose results are searched, by pipeline.
    """
    patterns = build_like_patterns(word)

    def has(column: Any) -> ColumnElement[bool]:
        # SQLite's LIKE takes capital letters of ASCII as small ones, as ILIKE does.
        like = column.like if is_sqlite else column.ilike
        return or_(*(like(pattern, escape=ESCAPE) for pattern in patterns))

    # A pipeline each: with all stages in one condition, SQLite reads the results of every stage.
    said = (
        and_(
            requests.c.pipeline == pipeline,
            exists().where(
                stages.c.request_id == requests.c.id,
                stages.c.stage.in_(names),
                has(stages.c.result),
            ),
        )
        for pipeline, names in worded.items()
    )
    named = [has(requests.c.task_id)] if word.isascii() else []
    return or_(has(requests.c.payload), *named, *said)
