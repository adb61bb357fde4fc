"""Triggers that refuse statements which would break the ledger, each with a sentence, and that record orphans.

`requests.seq` counts a request's events: it is unchanged, or rises with an event. The ledger assigns ids, and
they never change. A submission keeps its identity, and is not deleted while its request may still wait for it;
one that is deleted while in doubt is recorded in `orphans`.
"""

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW

COUNTED = ("requests", "stages", "provider_jobs", "events", "attempts", "artifacts", "orphans")
"""The tables whose ids are never reused."""
_ID_STEP = 1000
_OPEN = "('pending', 'dispatched', 'processing', 'failed')"
_IN_DOUBT = "('intent', 'submitted', 'unknown')"

_SEQ = "requests.seq: only castad raises it, with an event each time; leave it out of the statement"
_ATTEMPT = "requests.attempt: it never goes back; leave it out of the statement"
_FIRST_SEQ = "requests.seq: a new request begins at 1; leave it out of the statement"
_ID = "{table}.id: it is given by the ledger and never changes; leave it out of the statement"
_SAME = "provider_jobs: request_id, stage, generation and token say whose submission it is; they never change"
_MONEY = (
    "money is under way for this request; cancel it first (castad cancel {name}), then delete it"
)
_TAKEN = "SELECT 1 FROM events WHERE request_id = NEW.id AND seq = NEW.seq - 1"
_ORPHANS = "(token, provider, external_id, task_id, stage, cost, at, why)"
_DELETED = "deleted before anybody knew what became of it"


def guard_statements(dialect: str) -> list[str]:
    """The DDL, one statement each."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def _lost(job: str, clock: str) -> str:
    """The values that `orphans` takes from a row of provider_jobs, with the task_id left open."""
    return (
        f"{job}.token, {job}.provider, coalesce({job}.external_id, {job}.heard_id), "
        f"{{task_id}}, {job}.stage, {job}.cost, {clock}, '{_DELETED}'"
    )


def _sqlite() -> list[str]:
    def refuse(name: str, event: str, table: str, when: str, sentence: str) -> str:
        text = sentence.replace("'", "''")
        return (
            f"CREATE TRIGGER {name} {event} ON {table} WHEN {when} "
            f"BEGIN SELECT RAISE(ABORT, '{text}'); END"
        )

    raised = f"NEW.seq IS NOT OLD.seq + 1 AND NOT (NEW.seq > OLD.seq AND EXISTS ({_TAKEN}))"
    open_request = f"SELECT 1 FROM requests WHERE id = OLD.request_id AND status IN {_OPEN}"
    jobs = f"FROM provider_jobs WHERE request_id = OLD.id AND status IN {_IN_DOUBT}"
    same = ("request_id", "stage", "generation", "token")
    moved = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in same)
    money = _MONEY.format(name="TASK_ID")
    of_jobs = _lost("provider_jobs", SQLITE_NOW).format(task_id="OLD.task_id")
    of_job = _lost("OLD", SQLITE_NOW).format(task_id="task_id")
    statements = [
        refuse(
            *("requests_seq_kept", "BEFORE UPDATE OF seq", "requests"),
            *(f"NEW.seq IS NOT OLD.seq AND {raised}", _SEQ),
        ),
        refuse(
            *("requests_attempt_kept", "BEFORE UPDATE OF seq, attempt", "requests"),
            *("NEW.seq IS NOT OLD.seq AND NEW.attempt < OLD.attempt", _ATTEMPT),
        ),
        refuse("requests_seq_begins", "BEFORE INSERT", "requests", "NEW.seq IS NOT 1", _FIRST_SEQ),
        refuse(
            *("requests_money_kept", "BEFORE DELETE", "requests"),
            *(f"OLD.status IN {_OPEN} AND EXISTS (SELECT 1 {jobs})", money),
        ),
        refuse(
            *("provider_jobs_money_kept", "BEFORE DELETE", "provider_jobs"),
            *(f"OLD.status IN {_IN_DOUBT} AND EXISTS ({open_request})", money),
        ),
        refuse(
            *("provider_jobs_same", f"BEFORE UPDATE OF {', '.join(same)}", "provider_jobs"),
            *(moved, _SAME),
        ),
        f"""CREATE TRIGGER requests_orphans_kept BEFORE DELETE ON requests BEGIN
            INSERT OR IGNORE INTO orphans {_ORPHANS} SELECT {of_jobs} {jobs};
        END""",
        f"""CREATE TRIGGER provider_jobs_orphan_kept BEFORE DELETE ON provider_jobs
        WHEN OLD.status IN {_IN_DOUBT} BEGIN
            INSERT OR IGNORE INTO orphans {_ORPHANS}
            SELECT {of_job} FROM requests WHERE id = OLD.request_id;
        END""",
    ]
    for table in COUNTED:
        sentence = _ID.format(table=table)
        counter = f"coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0)"
        follows = f"EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id - 1)"
        given = f"NEW.id <= {counter} OR (NEW.id > {counter} + {_ID_STEP} AND NOT {follows})"
        statements += [
            refuse(
                *(f"{table}_id_kept", "BEFORE UPDATE OF id", table),
                *("NEW.id IS NOT OLD.id", sentence),
            ),
            refuse(f"{table}_id_given", "AFTER INSERT", table, given, sentence),
        ]
    return statements


def _postgres() -> list[str]:
    def trigger(name: str, event: str, table: str, when: str, body: str) -> list[str]:
        condition = f" WHEN ({when})" if when else ""
        return [
            f"CREATE FUNCTION castad_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN {body} END $$",
            f"CREATE TRIGGER {name} {event} ON {table} FOR EACH ROW{condition} "
            f"EXECUTE FUNCTION castad_{name}()",
        ]

    def refusal(sentence: str, code: str) -> str:
        return f"RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = {sentence};"

    def quoted(sentence: str) -> str:
        return "'" + sentence.replace("'", "''") + "'"

    money = "format(" + quoted(_MONEY.replace("{name}", "%s")) + ", {name})"
    refused = refusal(money, "restrict_violation")
    jobs = f"FROM provider_jobs WHERE request_id = OLD.id AND status IN {_IN_DOUBT}"
    same = ("request_id", "stage", "generation", "token")
    moved = " OR ".join(f"NEW.{name} IS DISTINCT FROM OLD.{name}" for name in same)
    of_jobs = _lost("provider_jobs", POSTGRES_NOW).format(task_id="OLD.task_id")
    of_job = _lost("OLD", POSTGRES_NOW).format(task_id="task_id")
    keep = f"INSERT INTO orphans {_ORPHANS} SELECT {{what}} ON CONFLICT (token) DO NOTHING;"
    seq = f"""IF NEW.seq <> OLD.seq + 1 AND NOT (NEW.seq > OLD.seq AND EXISTS ({_TAKEN})) THEN
            {refusal(quoted(_SEQ), "check_violation")}
        END IF;
        IF NEW.attempt < OLD.attempt THEN {refusal(quoted(_ATTEMPT), "check_violation")} END IF;
        RETURN NEW;"""
    of_request = f"""IF OLD.status IN {_OPEN} AND EXISTS (SELECT 1 {jobs}) THEN
            {refused.format(name="OLD.task_id")}
        END IF;
        {keep.format(what=f"{of_jobs} {jobs}")}
        RETURN OLD;"""
    parent = "FROM requests WHERE id = OLD.request_id"
    task_id = f"(SELECT task_id {parent})"
    of_submission = f"""IF EXISTS (SELECT 1 {parent} AND status IN {_OPEN}) THEN
            {refused.format(name=task_id)}
        END IF;
        {keep.format(what=f"{of_job} {parent}")}
        RETURN OLD;"""
    return [
        *trigger("requests_seq_kept", "BEFORE UPDATE", "requests", "NEW.seq <> OLD.seq", seq),
        *trigger(
            *("requests_seq_begins", "BEFORE INSERT", "requests", "NEW.seq <> 1"),
            refusal(quoted(_FIRST_SEQ), "check_violation"),
        ),
        *trigger("requests_money_kept", "BEFORE DELETE", "requests", "", of_request),
        *trigger(
            *("provider_jobs_money_kept", "BEFORE DELETE", "provider_jobs"),
            *(f"OLD.status IN {_IN_DOUBT}", of_submission),
        ),
        *trigger(
            *("provider_jobs_same", "BEFORE UPDATE", "provider_jobs", moved),
            refusal(quoted(_SAME), "check_violation"),
        ),
    ]
