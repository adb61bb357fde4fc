"""Read how much of each limit is held, and which due requests may be tried."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Executable,
    FromClause,
    Row,
    ScalarSelect,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    union_all,
)

from resources.contract.protocol import Rate
from resources.ledger.db.database import Database
from resources.ledger.db.retry import retry_transient
from resources.ledger.limits import (
    DEFAULT_QUEUE,
    ORDER_PREFIX,
    PERMIT_PREFIX,
    SLOT_PREFIX,
    Candidate,
    Limits,
    RateWindow,
    Room,
    admit,
    find_free_worker,
    parse_queues,
    rank_workers,
)
from resources.ledger.schema.sqltime import after, now
from resources.ledger.schema.tables import (
    AT_WORK,
    IS_OPEN,
    IS_WAITING_FOR_LIMIT,
    MAY_BE_DUE,
    TERMINAL,
    Status,
    events,
    providers,
    requests,
    workers,
)

LEASE_OWNER = workers.c.name + ":" + workers.c.nonce
"""The `lease_owner` of the requests that a worker processes."""
LEAD_SECONDS = 2.0
"""A run is started this long before a permit is free for it, so that it is ready in time."""
_RECHECK_SECONDS = 0.25
# Limits with known capacity come first among them: SQL can write any wait.
_MAX_LINES = 64
# The last dispatch of each queue is searched among this many events: a queue without one was served long ago.
_MOST_EVENTS = 200
# An alias copies every column, so these are made once.
_OTHER = requests.alias("other")
_AHEAD = requests.alias("ahead")
# A kind of limit is a line here: the columns of a request at work that name the limit of this kind that it holds.
# A due request needs the one that the same columns name, or those of `_build_limit_expressions`.
_HELD = {"pipeline": ("pipeline",), "stage": ("pipeline", "slot"), "vendor": ("permit",)}
_WAITS = {"stage": SLOT_PREFIX, "vendor": PERMIT_PREFIX}
"""The prefixes of `waits_for` of the kinds that a run takes for itself."""
_WAITED_LIMIT = case((IS_WAITING_FOR_LIMIT, cast(requests.c.waits_for, String)))
_HELD_COLUMNS = tuple(dict.fromkeys(name for names in _HELD.values() for name in names))
_COUNTED = (*_HELD_COLUMNS, "status", "lease_owner", "waits_for", "queues")


@dataclass(frozen=True)
class DispatchSnapshot:
    """The requests that could be dispatched at one moment, and the limits that prevent more.

    `ready` is the number of requests that could be dispatched now, at most the number that the caller asked
    for. `offered` is the number of slots of all workers, free or not. `room` is the free capacity. `is_paused`
    is whether a vendor is paused. `changes_in` is the seconds until a request may become due just because time
    passes; None if none can. `unserved` are the queues that have a due request but no living worker, `full`
    the served queues without a free slot.
    """

    ready: int
    offered: int
    room: Room
    is_paused: bool
    changes_in: float | None
    unserved: tuple[str, ...] = ()
    full: tuple[str, ...] = ()

    @property
    def free(self) -> int:
        """The number of further runs that the workers could take."""
        return self.room.free_run_count


class _Line(NamedTuple):
    """The requests with this `waits_for` value, of one pipeline, or of all if `pipeline` is None."""

    waits_for: str
    pipeline: str | None


class _QueryPart(NamedTuple):
    """One part of a query: the first `most` requests of these `queues`.

    They are requests that are due (`line` is None), or that wait in this line.
    """

    queues: tuple[str, ...]
    line: _Line | None
    most: int


@dataclass(frozen=True)
class _Ledger:
    """What was read of the capacity and of the requests that wait for it.

    `room` is the free capacity, `offered` the number of slots of all workers. `lines` has the number of
    waiting requests by queue and line. `next_permit_in` is the seconds until a vendor has a free permit; None
    if none is waited for.
    """

    room: Room
    offered: int
    lines: Mapping[tuple[str, _Line], int]
    next_permit_in: float | None


def build_due_condition() -> ColumnElement[bool]:
    """Build the SQL condition on `requests` that a request can begin, with a slot and permits as its only needs.

    A request in a line for a limit is not due.
    """
    return and_(
        MAY_BE_DUE,
        _build_begin_reached_condition(),
        ~exists().where(providers.c.name == requests.c.waits_for, providers.c.paused_until > now()),
        _build_no_order_wait_condition(),
        or_(requests.c.status == Status.PENDING, requests.c.retry_count <= requests.c.max_retries),
    )


def _build_no_order_wait_condition() -> ColumnElement[bool]:
    """Build the SQL condition on `requests` that a request does not wait for another open request."""
    # A scalar subquery: Postgres would read the whole table for a NOT EXISTS.
    status = select(_OTHER.c.status).where(
        _OTHER.c.task_id == func.substr(requests.c.waits_for, len(ORDER_PREFIX) + 1)
    )
    return or_(
        requests.c.waits_for.is_(None),
        func.substr(requests.c.waits_for, 1, len(ORDER_PREFIX)) != ORDER_PREFIX,
        func.coalesce(status.scalar_subquery(), Status.DEAD).in_(TERMINAL),
    )


def _build_begin_reached_condition(table: FromClause = requests) -> ColumnElement[bool]:
    """Build the SQL condition that the row's `not_before` is empty or over.

    `table` is `requests` or an alias of it.
    """
    return or_(table.c.not_before.is_(None), table.c.not_before <= now())


def read_dispatch_snapshot(db: Database, limits: Limits, at_most: int) -> DispatchSnapshot:
    """Read what could be dispatched now, counting up to `at_most` requests.

    The number of statements does not depend on the number of queues.
    """
    with db.reading() as tx:
        ledger = _read_ledger(tx, limits)
        found = _read_candidates(tx, limits, ledger, at_most)
        later, resumes_at, at = tx.execute(_LATER).one()
    room = ledger.room
    waits = [(moment - at).total_seconds() for moment in (later, resumes_at) if moment is not None]
    waits += [] if ledger.next_permit_in is None else [ledger.next_permit_in]
    served = [queue for queue in limits.queue_names if room.is_served(queue)]
    return DispatchSnapshot(
        ready=len(admit(found, room, at_most)),
        offered=ledger.offered,
        room=room,
        is_paused=resumes_at is not None,
        changes_in=min(waits, default=None),
        unserved=tuple(dict.fromkeys(each.queue for each in found if each.queue not in served)),
        full=tuple(queue for queue in served if not room.count_free(queue)),
    )


def count_starved_requests(
    db: Database, limits: Limits, at_most: int, queues: frozenset[str] | None = None
) -> int:
    """Count the requests that could begin if a worker had a free slot for them, up to `at_most`.

    `queues` limits the count to these queues; None counts all.
    """
    with db.reading() as tx:
        ledger = _read_ledger(tx, limits)
        room = ledger.room
        starved = {
            queue: (queues is None or queue in queues) and not room.count_free(queue)
            for queue in limits.queue_names
        }
        room = replace(
            room,
            free={**room.free, "missing": at_most, "others": 0},
            workers={queue: ("missing" if starved[queue] else "others",) for queue in starved},
        )
        found = _read_candidates(tx, limits, replace(ledger, room=room), at_most)
    return len(admit(found, room, at_most))


@retry_transient
def list_queues_without_worker(db: Database, limits: Limits) -> dict[str, bool]:
    """Return the queues that no living worker serves, each with whether a request is due in it.

    Returns an empty dict if no worker at all is alive.
    """
    snapshot = read_dispatch_snapshot(db, limits, 1)
    if not snapshot.room.workers:
        return {}
    lacking = (queue for queue in limits.queue_names if not snapshot.room.is_served(queue))
    return {queue: queue in snapshot.unserved for queue in lacking}


def list_due_task_ids(db: Database, limit: int) -> list[str]:
    """List the task_ids of due requests, whether or not a slot is free: highest priority first, then oldest."""
    query = select(requests.c.task_id).where(build_due_condition())
    first = query.order_by(requests.c.priority.desc(), requests.c.id).limit(limit)
    with db.reading() as tx:
        return list(tx.execute(first).scalars())


def lock_candidates(
    tx: Connection, limits: Limits, at_most: int, exclude: Collection[int] = ()
) -> tuple[Room, list[Candidate]]:
    """Lock up to `at_most` requests that free capacity allows to begin; return the free capacity and the requests.

    Rows that another transaction has locked are skipped, and so are the ids in `exclude`. The list is empty if
    no run fits.
    """
    ledger = _read_ledger(tx, limits)
    if not ledger.room.free_run_count:
        return ledger.room, []
    found = _read_candidates(tx, limits, ledger, at_most, tuple(exclude), lock=True)
    queues = (limits.get_queue(pipeline) for pipeline in tx.execute(_LAST_DISPATCHED).scalars())
    return replace(ledger.room, served=tuple(dict.fromkeys(queues))), found


def _read_ledger(tx: Connection, limits: Limits) -> _Ledger:
    """Count the limits that are held, the workers' free slots, and the requests that wait in lines."""
    rows: dict[str, list[Row[Any]]] = {"held": [], "worker": [], "line": []}
    for row in tx.execute(_build_counts_query(limits.lease_seconds)):
        rows[row.what].append(row)
    held, at_work, dispatched, busy = (Counter[str]() for _ in range(4))
    for row in rows["held"]:
        queue = limits.get_queue(row.pipeline)
        at_work[queue] += row.number
        if row.status == Status.DISPATCHED:
            dispatched[queue] += row.number
        else:
            busy[row.lease_owner] += row.number
        held.update(dict.fromkeys(_list_limit_names(row, _HELD), row.number))
    free = {
        each.name: each.capacity - held[each.name] for each in limits.limits if not each.seconds
    }
    served: dict[str, frozenset[str] | None] = {}
    for row in rows["worker"]:
        name = f"worker:{'*' if row.queues is None else row.queues}"
        served[name] = parse_queues(row.queues)
        free[name] = free.get(name, 0) + max(row.number - busy[row.lease_owner], 0)
    if not served and limits.on_demand:
        served, free["worker:*"] = {"worker:*": None}, limits.on_demand
    workers_of = rank_workers(served, limits.queue_names) if served else {}
    for queue, count in sorted(dispatched.items()):
        for _ in range(count):
            worker = find_free_worker(workers_of, free, queue)
            if worker is None:
                break
            free[worker] -= 1
    lines = _list_lines(limits, rows["line"])
    permits, next_permit_in = _read_permits(tx, limits, held, {line for _, line in lines})
    offered = sum(row.number for row in rows["worker"]) if rows["worker"] else limits.on_demand
    return _Ledger(Room({**free, **permits}, workers_of, at_work), offered, lines, next_permit_in)


def _list_limit_names(row: Row[Any], kinds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the name of one limit for each kind whose columns are all set in the row."""
    for kind, columns in kinds.items():
        parts = [row._mapping[column] for column in columns]
        if None not in parts:
            yield f"{kind}:{'.'.join(parts)}"


def _list_lines(limits: Limits, rows: Iterable[Row[Any]]) -> dict[tuple[str, _Line], int]:
    """Count the waiting requests by queue and line, for the 64 first lines.

    Lines of configured limits come first; the others are of limits that no longer exist.
    """
    lines: Counter[tuple[str, _Line]] = Counter()
    for row in rows:
        pipeline = row.pipeline if row.waits_for.startswith(SLOT_PREFIX) else None
        lines[limits.get_queue(row.pipeline), _Line(row.waits_for, pipeline)] += row.number
    known = {get_line(each.name) for each in limits.limits}
    first = sorted(lines, key=lambda line: line[1] not in known)[:_MAX_LINES]
    return {line: lines[line] for line in first}


def get_line(limit: str) -> _Line | None:
    """Return the line of the requests that wait for the limit; None for a kind of limit without lines."""
    kind, _, name = limit.partition(":")
    if kind not in _WAITS:
        return None
    pipeline, _, stage = name.partition(".") if kind == "stage" else ("", "", name)
    return _Line(f"{_WAITS[kind]}{stage}", pipeline or None)


def _read_permits(
    tx: Connection, limits: Limits, held: Mapping[str, int], lines: Collection[_Line]
) -> tuple[dict[str, int], float | None]:
    """Read the free permits of the vendors that are waited for, by the limit's name.

    Returns also the seconds until the next permit is free, None if each of these vendors has one. `held` is
    the number of running requests by the limit that they hold.
    """
    permits: dict[str, int] = {}
    next_in: list[float] = []
    for limit in limits.limits:
        if not limit.seconds or get_line(limit.name) not in lines:
            continue
        vendor, rate = limit.name.partition(":")[2], Rate(limit.capacity, limit.seconds)
        row = tx.execute(_WINDOW, {"vendor": vendor}).one_or_none()
        moment, bucket, is_paused = (
            (tx.execute(select(now())).scalar_one(), None, False) if row is None else row
        )
        at, taken = moment.timestamp(), held.get(limit.name, 0)
        window = RateWindow.read(bucket, rate, at)
        left = window.count_room_for_submissions(at + LEAD_SECONDS) - taken
        permits[limit.name] = 0 if is_paused else left
        if left <= 0:
            wait = window.find_next_submission_at(at, taken + 1) - at - LEAD_SECONDS
            next_in.append(max(wait, _RECHECK_SECONDS))
    return permits, min(next_in, default=None)


def _read_candidates(
    tx: Connection,
    limits: Limits,
    ledger: _Ledger,
    at_most: int,
    exclude: tuple[int, ...] = (),
    *,
    lock: bool = False,
) -> list[Candidate]:
    """Read the requests that may be dispatched: the first ones of each queue, and of each line with free capacity.

    With `lock` the rows are locked; those locked elsewhere are skipped.
    """
    parts = tuple(_list_query_parts(limits, ledger, at_most, apart=lock))
    if not parts:
        return []
    full = tuple(each.name for each in limits.limits if ledger.room.free.get(each.name, 1) <= 0)
    rows = tx.execute(_build_candidates_query(limits, parts, full, exclude, lock))
    return [
        Candidate(
            id=row.id,
            priority=row.priority,
            asked=row.asked,
            needs=tuple(_list_limit_names(row, _LABELS)),
            queue=limits.get_queue(row.pipeline),
        )
        for row in rows
    ]


def _list_query_parts(
    limits: Limits, ledger: _Ledger, at_most: int, *, apart: bool
) -> Iterator[_QueryPart]:
    """Yield the parts of the query for requests to dispatch.

    The first parts take due requests of queues with a free slot. The next ones take one request of each queue
    that no worker serves. The last ones take requests that wait in a line with free places. With `apart` each
    queue is a separate part, so that many requests of one queue do not hide those of another.
    """
    room = ledger.room
    free = {queue: min(room.count_free(queue), at_most) for queue in limits.queue_names}
    has_slots = tuple(queue for queue, count in free.items() if count)
    if apart:
        yield from (_QueryPart((queue,), None, free[queue]) for queue in has_slots)
    else:
        if has_slots:
            yield _QueryPart(has_slots, None, min(room.free_run_count, at_most))
        # One request of a queue that no worker serves is enough to know of it.
        lacking = [queue for queue in free if room.workers and not room.is_served(queue)]
        yield from (_QueryPart((queue,), None, 1) for queue in lacking)
    left = {get_line(each.name): room.free.get(each.name, at_most) for each in limits.limits}
    for (queue, line), waiting in ledger.lines.items():
        count = min(free[queue], left.get(line, at_most), waiting)
        if count > 0:
            yield _QueryPart((queue,), line, _round_up_to_power_of_two(count, at_most))


def _round_up_to_power_of_two(count: int, at_most: int) -> int:
    """Round the number of rows up to a power of two, at most `at_most`.

    So only few different statements are built.
    """
    return min(1 << (count - 1).bit_length(), at_most)


# Cached: building the statement takes longer than executing it, and it is executed often.
@lru_cache(maxsize=128)
def _build_candidates_query(
    limits: Limits,
    parts: tuple[_QueryPart, ...],
    full: tuple[str, ...],
    exclude: tuple[int, ...],
    lock: bool,
) -> Executable:
    """Build the statement that reads the rows of `Candidate` for all parts; cached.

    Requests that need a limit in `full`, or whose id is in `exclude`, are left out.
    """
    queries = [_build_part_query(limits, part, full) for part in parts]
    if exclude:
        queries = [query.where(requests.c.id.not_in(exclude)) for query in queries]
    if lock:
        queries = [query.with_for_update(skip_locked=True) for query in queries]
    if len(queries) == 1:
        return queries[0]
    return union_all(*(select(query.subquery()) for query in queries))


def _build_part_query(limits: Limits, part: _QueryPart, full: tuple[str, ...]) -> Select[Any]:
    """Build the SELECT of one part; requests that need a limit in `full` are left out."""
    needed = _build_limit_expressions(limits)
    # Only the columns that decide, as text: an operator may have written invalid values into others.
    query = select(
        requests.c.id,
        cast(requests.c.priority, BigInteger).label("priority"),
        cast(func.coalesce(requests.c.asked_at, requests.c.created_at), String).label("asked"),
        cast(requests.c.pipeline, String).label("pipeline"),
        *(
            part.label(label)
            for kind, labels in _LABELS.items()
            for label, part in zip(labels, needed[kind], strict=True)
        ),
    )
    for name in full:
        query = query.where(func.coalesce(not_(_build_names_condition(needed, name)), True))
    others = [pipeline for pipeline, queue in limits.queues if queue not in part.queues]
    if DEFAULT_QUEUE not in part.queues:
        these = [pipeline for pipeline, queue in limits.queues if queue in part.queues]
        query = query.where(requests.c.pipeline.in_(these))
    elif others:
        query = query.where(requests.c.pipeline.not_in(others))
    first: tuple[Any, ...] = (requests.c.priority.desc(), requests.c.id)
    if part.line is None:
        query = query.where(build_due_condition())
    else:
        waits_for, pipeline = part.line
        query = query.where(
            IS_WAITING_FOR_LIMIT,
            requests.c.waits_for == waits_for,
            _build_begin_reached_condition(),
        )
        if pipeline is not None:
            query = query.where(requests.c.pipeline == pipeline)
        first = (requests.c.priority.desc(), requests.c.asked_at, requests.c.id)
    return query.order_by(*first).limit(part.most)


def _build_limit_expressions(limits: Limits) -> Mapping[str, tuple[ColumnElement[Any], ...]]:
    """Build, for each kind of limit, the SQL expressions that together name the limit that a due request needs."""
    columns = {
        kind: tuple(cast(requests.c[name], String) for name in names)
        for kind, names in _HELD.items()
    }
    waited_stage = _build_waited_name(SLOT_PREFIX)
    own_stage = func.coalesce(waited_stage, cast(requests.c.stage, String))
    is_new = and_(requests.c.stage.is_(None), _WAITED_LIMIT.is_(None))
    first = dict(limits.first_stages)
    stage = (
        case((is_new, case(first, value=requests.c.pipeline)), else_=own_stage)
        if first
        else own_stage
    )
    return {
        **columns,
        "stage": (columns["pipeline"][0], stage),
        "vendor": (_build_waited_name(PERMIT_PREFIX),),
    }


def _build_waited_name(prefix: str) -> ColumnElement[str | None]:
    """Build the SQL expression of the name after the prefix in `waits_for`; NULL for another prefix."""
    is_it = func.substr(_WAITED_LIMIT, 1, len(prefix)) == prefix
    return case((is_it, func.nullif(func.substr(_WAITED_LIMIT, len(prefix) + 1), "")))


def _build_names_condition(
    columns: Mapping[str, Sequence[ColumnElement[Any]]], limit: str
) -> ColumnElement[bool]:
    """Build the SQL condition that the columns of the limit's kind have the parts of the limit's name."""
    kind, _, name = limit.partition(":")
    parts = name.split(".", len(columns[kind]) - 1)
    return and_(*(column == part for column, part in zip(columns[kind], parts, strict=True)))


def select_limit_state(limit: str) -> tuple[ColumnElement[Any], ...]:
    """Build three columns for a query on `requests`: `has_one`, `taken` and `others`.

    `has_one` is whether the request holds the limit, `taken` the number of other requests that hold it.
    `others` is whether another request waits for it with the same or a higher priority. Requests of other
    queues count, because the queues are served in rotation and a request that overtook them would get more
    than its share.
    """
    line = get_line(limit)
    ahead: ColumnElement[bool] = false()
    if line is not None:
        ahead = exists().where(
            IS_WAITING_FOR_LIMIT,
            _AHEAD.c.waits_for == line.waits_for,
            *(() if line.pipeline is None else (_AHEAD.c.pipeline == line.pipeline,)),
            _build_begin_reached_condition(_AHEAD),
            _AHEAD.c.priority >= requests.c.priority,
            _AHEAD.c.id != requests.c.id,
        )
    return (
        func.coalesce(_build_holds_condition(requests, limit), False).label("has_one"),
        select(func.count(_OTHER.c.id))
        .where(IS_OPEN, _build_holds_condition(_OTHER, limit), _OTHER.c.id != requests.c.id)
        .correlate(requests)
        .scalar_subquery()
        .label("taken"),
        ahead.label("others"),
    )


def _build_holds_condition(table: FromClause, limit: str) -> ColumnElement[bool]:
    """Build the SQL condition that a row at work holds the limit; `table` is `requests` or an alias of it."""
    columns = {kind: [table.c[name] for name in names] for kind, names in _HELD.items()}
    return and_(_build_names_condition(columns, limit), table.c.status.in_(AT_WORK))


def select_holder_count(limit: str) -> ScalarSelect[int]:
    """Build the scalar subquery that counts the requests that hold the limit."""
    return (
        select(func.count())
        .where(IS_OPEN, _build_holds_condition(requests, limit))
        .scalar_subquery()
    )


def build_waiting_condition(limit: str) -> ColumnElement[bool]:
    """Build the SQL condition that a request waits for the limit and its `not_before` is over."""
    line = get_line(limit)
    waits_for = None if line is None else line.waits_for
    return exists().where(
        IS_WAITING_FOR_LIMIT, requests.c.waits_for == waits_for, _build_begin_reached_condition()
    )


@lru_cache(maxsize=8)
def _build_counts_query(lease_seconds: float) -> Executable:
    """Build the statement whose rows count the limits held, the slots of living workers, and the waiting requests.

    The column `what` of a row is "held", "worker" or "line".
    """
    held = [requests.c[name] for name in (*_HELD_COLUMNS, "status", "lease_owner")]
    waiting = [requests.c.waits_for, requests.c.pipeline]
    is_working = and_(workers.c.slots > 0, workers.c.beat_at > after(-lease_seconds))
    return union_all(
        _select_counts("held", func.count(), held)
        .where(IS_OPEN, requests.c.status.in_(AT_WORK))
        .group_by(*held),
        _select_counts(
            "worker", workers.c.slots, [workers.c.queues, LEASE_OWNER.label("lease_owner")]
        ).where(is_working),
        _select_counts("line", func.count(), waiting)
        .where(IS_WAITING_FOR_LIMIT)
        .group_by(*waiting),
    )


def _select_counts(
    label: str, number: ColumnElement[int], columns: Sequence[ColumnElement[Any]]
) -> Any:
    """Select rows with the same columns for one part of the union; `label` becomes the column `what`.

    Columns that are not given are NULL.
    """
    given = {column.name: cast(column, String).label(column.name) for column in columns}
    return select(
        literal(label).label("what"),
        number.label("number"),
        *(given.get(name, cast(null(), String).label(name)) for name in _COUNTED),
    )


def _select_earliest(
    column: ColumnElement[datetime], *conditions: ColumnElement[bool]
) -> ScalarSelect[datetime]:
    """Build the scalar subquery of the column's earliest future time; NULL if there is none."""
    return select(func.min(column)).where(*conditions, column > now()).scalar_subquery()


_LABELS = {kind: tuple(f"{kind}_{name}" for name in names) for kind, names in _HELD.items()}
"""The names of a candidate's columns that name the limits it needs."""
_LATER = select(
    _select_earliest(requests.c.not_before, MAY_BE_DUE),
    _select_earliest(providers.c.paused_until),
    now(),
)
_WINDOW = select(now(), providers.c.bucket, (providers.c.paused_until > now())).where(
    providers.c.name == bindparam("vendor")
)
_LAST_EVENTS = (
    select(events.c.id, events.c.request_id, events.c.type)
    .order_by(events.c.id.desc())
    .limit(_MOST_EVENTS)
    .subquery()
)
_LAST_DISPATCHED = (
    select(requests.c.pipeline)
    .join(_LAST_EVENTS, _LAST_EVENTS.c.request_id == requests.c.id)
    .where(_LAST_EVENTS.c.type == "dispatched")
    .order_by(_LAST_EVENTS.c.id.desc())
)
