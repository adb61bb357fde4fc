"""Triggers that refuse what would break the ledger, each with a sentence, and that store what was paid.

`requests.seq` counts a request's events: it is unchanged, or rises with an event. The ledger assigns ids, and
they never change. An operator's impossible value is refused before a CHECK shows the raw row; castad's transition,
which raises seq, is not looked at: the CHECKs stand behind it.

A submission keeps its identity, and is not deleted while its request may still wait for it. One that is deleted
while in doubt is saved in `orphans`, and what any other has cost in the sum of its day, `spent_days`. The
submissions of a deleted request are deleted before it, because a cascade would find neither owner nor pipeline.
"""

from collections.abc import Mapping, Sequence

from resources.ledger.schema.check_constraints import MOST
from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW
from resources.ledger.schema.tables import HOLDS_KEY, SCRATCH_TABLE, JobStatus, StageStatus, Status
from resources.ledger.schema.triggers import (
    build_postgres_function,
    build_postgres_trigger,
    build_sqlite_trigger,
)

_COUNTED = ("requests", "stages", "provider_jobs", "events", "attempts", "artifacts", "orphans")
"""The tables whose ids are never reused."""
_ID_STEP = 1000
_OPEN = "('pending', 'dispatched', 'processing', 'failed')"
_IN_DOUBT = "('intent', 'submitted', 'unknown')"

_SEQ = "requests.seq: only castad raises it, with an event each time; leave it out of the statement"
_ATTEMPT = "requests.attempt: it never goes back; leave it out of the statement"
_FIRST_SEQ = "requests.seq: a new request begins at 1; leave it out of the statement"
_ID = "{}.id: it is given by the ledger and never changes; leave it out of the statement"
_SAME = "provider_jobs: request_id, stage, generation and token say whose submission it is; they never change"
_MONEY = "money is under way for this request; cancel it first (castad cancel {}), then delete it"
_REPLACED = (
    "money may be under way for this request; cancel it (castad cancel TASK_ID) and delete it, "
    "instead of replacing it"
)
_TRUNCATED = (
    "money may be under way for a request; cancel it (castad cancel TASK_ID) and use DELETE"
)
_EXPECTED_ID = (
    "1 to 128 letters, digits, ''_'', ''.'', '':'' or ''-'', beginning with a letter or digit"
)
_TAKEN = "SELECT 1 FROM events WHERE request_id = NEW.id AND seq = NEW.seq - 1"
_JOBS_IN_DOUBT = f"FROM provider_jobs WHERE request_id = OLD.id AND status IN {_IN_DOUBT}"
_IDENTITY = ("request_id", "stage", "generation", "token")
_ORPHANS = "orphans (token, provider, external_id, task_id, stage, cost, at, why)"
_DELETED = "'deleted before anybody knew what became of it'"
_DAY = "day, owner, pipeline, stage, provider"
_COST_IS_SETTLED = f"OLD.cost > 0 AND OLD.status NOT IN {_IN_DOUBT}"
_DELETE_JOBS = "DELETE FROM provider_jobs WHERE request_id = OLD.id;"


def guard_statements(dialect: str) -> list[str]:
    """Build the DDL statements of the triggers that refuse what would break the ledger."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def _lost(job: str, task_id: str, clock: str) -> str:
    """Build the SQL values that a trigger inserts into `orphans` for a deleted row of provider_jobs.

    `job` is the row's name in SQL, `task_id` and `clock` are SQL expressions.
    """
    return (
        f"{job}.token, {job}.provider, coalesce({job}.external_id, {job}.heard_id), "
        f"{task_id}, {job}.stage, {job}.cost, {clock}, {_DELETED}"
    )


def _keep_cost(day: str) -> str:
    """Build the SQL statement that adds a deleted submission's cost to the sum of its day.

    `day` is an SQL expression. The cost of an orphan is not added, because it is counted there.
    """
    owner, pipeline = (
        f"coalesce((SELECT {name} FROM requests WHERE id = OLD.request_id), '')"
        for name in ("owner", "pipeline")
    )
    return f"""INSERT INTO spent_days ({_DAY}, cost, submissions)
        SELECT {day}, {owner}, {pipeline}, OLD.stage, OLD.provider, OLD.cost, 1
        WHERE NOT EXISTS (SELECT 1 FROM orphans WHERE token = OLD.token)
        ON CONFLICT ({_DAY}) DO UPDATE SET cost = spent_days.cost + excluded.cost,
            submissions = spent_days.submissions + 1;"""


def _bad_values(is_bad_id: str) -> list[tuple[str, str, str, str, str]]:
    """Describe the values that triggers refuse.

    Returns for each: the trigger's name, the table, the SQL condition for a new row, the one for an edit by
    hand, and the quoted error message.
    """
    statuses: Mapping[str, Sequence[str]] = {
        "requests": [*Status],
        "stages": [*StageStatus],
        "provider_jobs": [*JobStatus],
    }
    bad = []
    for table, known in statuses.items():
        listed = ", ".join(f"'{status}'" for status in known)
        expected = f"{', '.join(known[:-1])} or {known[-1]}"
        bad.append((table, "status", f"NEW.status NOT IN ({listed})", expected))
    bad += [
        ("requests", name, f"NEW.{name} < 0", f"a whole number from 0 to {MOST}")
        for name in ("attempt", "retry_count", "max_retries", "deaths")
    ]
    bad.append(("requests", "task_id", is_bad_id, _EXPECTED_ID))
    # Postgres executes triggers by their names, and `requests_edited` raises seq.
    return [
        (
            *(f"{table}_bad_{column}", table, is_bad),
            f"NEW.seq = OLD.seq AND ({is_bad})" if table == "requests" else is_bad,
            f"'{table}.{column}: expected {expected}'",
        )
        for table, column, is_bad, expected in bad
    ]


def _quoted(sentence: str) -> str:
    """Quote a sentence as an SQL string."""
    return "'" + sentence.replace("'", "''") + "'"


def _sqlite() -> list[str]:
    """Build the DDL statements for SQLite."""

    def refuse(name: str, event: str, table: str, when: str, sentence: str) -> str:
        return build_sqlite_trigger(name, event, table, when, f"SELECT RAISE(ABORT, {sentence});")

    raised = f"NEW.seq IS NOT OLD.seq + 1 AND NOT (NEW.seq > OLD.seq AND EXISTS ({_TAKEN}))"
    open_request = f"SELECT 1 FROM requests WHERE id = OLD.request_id AND status IN {_OPEN}"
    changed = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in _IDENTITY)
    money, delete = _quoted(_MONEY.format("TASK_ID")), "BEFORE DELETE"
    day = "coalesce(strftime('%Y-%m-%d', OLD.created_at), substr(OLD.created_at, 1, 10))"
    is_bad_id = (
        "NEW.task_id NOT GLOB '[A-Za-z0-9]*' OR NEW.task_id GLOB '*[^A-Za-z0-9_.:-]*' "
        "OR length(NEW.task_id) > 128"
    )
    statements = [
        refuse(
            *("requests_seq_kept", "BEFORE UPDATE OF seq", "requests"),
            *(f"NEW.seq IS NOT OLD.seq AND {raised}", _quoted(_SEQ)),
        ),
        refuse(
            *("requests_attempt_kept", "BEFORE UPDATE OF seq, attempt", "requests"),
            *("NEW.seq IS NOT OLD.seq AND NEW.attempt < OLD.attempt", _quoted(_ATTEMPT)),
        ),
        refuse(
            *("requests_seq_begins", "BEFORE INSERT", "requests"),
            *("NEW.seq IS NOT 1", _quoted(_FIRST_SEQ)),
        ),
        refuse(
            *("requests_money_kept", delete, "requests"),
            *(f"OLD.status IN {_OPEN} AND EXISTS (SELECT 1 {_JOBS_IN_DOUBT})", money),
        ),
        refuse(
            *("provider_jobs_money_kept", delete, "provider_jobs"),
            *(f"OLD.status IN {_IN_DOUBT} AND EXISTS ({open_request})", money),
        ),
        refuse(
            *("provider_jobs_same", f"BEFORE UPDATE OF {', '.join(_IDENTITY)}", "provider_jobs"),
            *(changed, _quoted(_SAME)),
        ),
        build_sqlite_trigger(
            *("requests_orphans_kept", delete, "requests", ""),
            f"INSERT OR IGNORE INTO {_ORPHANS} "
            f"SELECT {_lost('provider_jobs', 'OLD.task_id', SQLITE_NOW)} {_JOBS_IN_DOUBT};",
        ),
        build_sqlite_trigger(
            *("provider_jobs_orphan_kept", delete, "provider_jobs", f"OLD.status IN {_IN_DOUBT}"),
            f"INSERT OR IGNORE INTO {_ORPHANS} "
            f"SELECT {_lost('OLD', 'task_id', SQLITE_NOW)} FROM requests WHERE id = OLD.request_id;",
        ),
        build_sqlite_trigger(
            *("provider_jobs_spent_kept", delete, "provider_jobs", _COST_IS_SETTLED),
            _keep_cost(day),
        ),
        build_sqlite_trigger("requests_spent_kept", delete, "requests", "", _DELETE_JOBS),
        *_sqlite_replacing(),
    ]
    for table in _COUNTED:
        counter = f"coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0)"
        follows = f"EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id - 1)"
        given = f"NEW.id <= {counter} OR (NEW.id > {counter} + {_ID_STEP} AND NOT {follows})"
        sentence, changed = _quoted(_ID.format(table)), "NEW.id IS NOT OLD.id"
        statements += [
            refuse(f"{table}_id_kept", "BEFORE UPDATE OF id", table, changed, sentence),
            refuse(f"{table}_id_given", "AFTER INSERT", table, given, sentence),
        ]
    for name, table, is_bad, by_hand, sentence in _bad_values(is_bad_id):
        statements += [
            refuse(f"{name}_new", "BEFORE INSERT", table, is_bad, sentence),
            refuse(f"{name}_edit", "BEFORE UPDATE", table, by_hand, sentence),
        ]
    return statements


def _sqlite_replacing() -> list[str]:
    """Build the DDL that keeps REPLACE from deleting a request or a submission with money under way.

    REPLACE fires no delete trigger, and only an AFTER INSERT trigger can tell that a row was replaced, when
    it is gone. So a BEFORE trigger notes the row that would be replaced, and an INSERT that replaces a noted
    row is refused.
    """
    refused = f"SELECT RAISE(ABORT, '{_REPLACED}');"
    in_doubt = f"provider_jobs.status IN {_IN_DOUBT}"
    job = f"SELECT 1 FROM provider_jobs WHERE request_id = requests.id AND {in_doubt}"
    paid = f"SELECT 1 FROM requests JOIN provider_jobs ON request_id = requests.id WHERE {in_doubt}"
    of_request = f"EXISTS ({paid} AND task_id = NEW.task_id AND requests.id IS NOT NEW.id)"
    of_stage = (
        f"EXISTS ({paid} AND (token = NEW.token OR provider_jobs.request_id = NEW.request_id"
        " AND provider_jobs.stage = NEW.stage AND generation = NEW.generation AND NEW.status <> 'failed'))"
    )
    note = f"""DELETE FROM {SCRATCH_TABLE};
        INSERT INTO {SCRATCH_TABLE} SELECT NEW.task_id WHERE EXISTS (
            SELECT 1 FROM requests WHERE task_id = NEW.task_id AND id IS NOT NEW.id AND EXISTS ({job})
        ) OR EXISTS (
            SELECT 1 FROM requests WHERE pipeline = NEW.pipeline AND unique_key = NEW.unique_key
            AND {HOLDS_KEY} AND id IS NOT NEW.id AND EXISTS ({job})
        );"""
    noted = f"EXISTS (SELECT 1 FROM {SCRATCH_TABLE} WHERE task_id = NEW.task_id)"
    return [
        f"CREATE TABLE {SCRATCH_TABLE} (task_id TEXT)",
        build_sqlite_trigger("requests_replaced", "BEFORE INSERT", "requests", "", note),
        build_sqlite_trigger("requests_not_replaced", "AFTER INSERT", "requests", noted, refused),
        build_sqlite_trigger(
            *("requests_not_renamed_over", "BEFORE UPDATE OF task_id", "requests"),
            *(of_request, refused),
        ),
        build_sqlite_trigger(
            "provider_jobs_not_replaced", "BEFORE INSERT", "provider_jobs", of_stage, refused
        ),
    ]


def _postgres() -> list[str]:
    """Build the DDL statements for Postgres."""

    def refusal(sentence: str, code: str = "check_violation") -> str:
        return f"RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = {sentence};"

    def trigger(name: str, event: str, table: str, when: str, body: str) -> list[str]:
        return [
            build_postgres_function(name, body),
            build_postgres_trigger(name, event, table, name, when),
        ]

    def money(task_id: str) -> str:
        sentence = _quoted(_MONEY.format("%s"))
        return refusal(f"format({sentence}, {task_id})", "restrict_violation")

    def keep(what: str) -> str:
        return f"INSERT INTO {_ORPHANS} SELECT {what} ON CONFLICT (token) DO NOTHING; RETURN OLD;"

    seq = f"""IF NEW.seq <> OLD.seq + 1 AND NOT (NEW.seq > OLD.seq AND EXISTS ({_TAKEN})) THEN
            {refusal(_quoted(_SEQ))}
        END IF;
        IF NEW.attempt < OLD.attempt THEN {refusal(_quoted(_ATTEMPT))} END IF;
        RETURN NEW;"""
    of_request = f"""IF OLD.status IN {_OPEN} AND EXISTS (SELECT 1 {_JOBS_IN_DOUBT}) THEN
            {money("OLD.task_id")}
        END IF;
        {keep(f"{_lost('provider_jobs', 'OLD.task_id', POSTGRES_NOW)} {_JOBS_IN_DOUBT}")}"""
    parent = "FROM requests WHERE id = OLD.request_id"
    of_submission = f"""IF EXISTS (SELECT 1 {parent} AND status IN {_OPEN}) THEN
            {money(f"(SELECT task_id {parent})")}
        END IF;
        {keep(f"{_lost('OLD', 'task_id', POSTGRES_NOW)} {parent}")}"""
    truncated = f"""IF EXISTS (SELECT 1 FROM provider_jobs WHERE status IN {_IN_DOUBT}) THEN
            {refusal(_quoted(_TRUNCATED), "restrict_violation")}
        END IF;
        RETURN NULL;"""
    changed = " OR ".join(f"NEW.{name} IS DISTINCT FROM OLD.{name}" for name in _IDENTITY)
    day = "to_char(OLD.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    is_bad_id = "NEW.task_id !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$'"
    truncate, delete = "provider_jobs_not_truncated", "BEFORE DELETE"
    # Triggers fire in the order of their names: what must not be deleted is refused before its cost is kept.
    statements = [
        *trigger("requests_seq_kept", "BEFORE UPDATE", "requests", "NEW.seq <> OLD.seq", seq),
        *trigger(
            *("requests_seq_begins", "BEFORE INSERT", "requests", "NEW.seq <> 1"),
            refusal(_quoted(_FIRST_SEQ)),
        ),
        *trigger("requests_money_kept", delete, "requests", "", of_request),
        *trigger(
            *("provider_jobs_money_kept", delete, "provider_jobs"),
            *(f"OLD.status IN {_IN_DOUBT}", of_submission),
        ),
        *trigger(
            *("provider_jobs_same", "BEFORE UPDATE", "provider_jobs"),
            *(changed, refusal(_quoted(_SAME))),
        ),
        *trigger(
            *("provider_jobs_spent_kept", delete, "provider_jobs"),
            *(_COST_IS_SETTLED, f"{_keep_cost(day)} RETURN OLD;"),
        ),
        *trigger("requests_spent_kept", delete, "requests", "", f"{_DELETE_JOBS} RETURN OLD;"),
        build_postgres_function(truncate, truncated),
        build_postgres_trigger(
            truncate, "BEFORE TRUNCATE", "provider_jobs", truncate, each="STATEMENT"
        ),
    ]
    for name, table, is_bad, by_hand, sentence in _bad_values(is_bad_id):
        statements += [
            build_postgres_function(name, refusal(sentence)),
            build_postgres_trigger(f"{name}_new", "BEFORE INSERT", table, name, is_bad),
            build_postgres_trigger(f"{name}_edit", "BEFORE UPDATE", table, name, by_hand),
        ]
    return statements
