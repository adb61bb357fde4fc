"""The trigger that records an operator's SQL as a move.

Every INSERT writes the `created` event. An UPDATE that does not raise seq is an operator's: it gets the next seq
and an `edited` event. If it invalidates a running attempt (a new status, payload, run …), the fence rises too. A
change of policy (max_retries, priority …) does not: the moves read policy from the row when they decide.
"""

from collections.abc import Sequence

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW
from resources.ledger.schema.tables import FOLDED

_HARD = ("status", "payload", "pipeline", "attempt", "run_id", "lease_owner", "fence")
_WATCHED = (
    *_HARD,
    *("stage", "retry_count", "max_retries", "deaths", "priority", "not_before", "owner"),
    *("callback_url", "cancel_requested", "error_code", "error_message"),
)
_COLUMNS = '(request_id, seq, type, "from", "to", data, at)'


def trigger_statements(dialect: str) -> tuple[str, ...]:
    """The DDL, one statement each."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def edited_trigger(dialect: str, *more: str) -> str:
    """The DDL of the trigger on edits that watches these columns besides."""
    watched = (*_WATCHED, *more)
    return _sqlite_edited(watched) if dialect == "sqlite" else _postgres_edited(watched)


def _state(function: str, row: str) -> str:
    pairs = ", ".join(f"'{name}', {row}{name}" for name in FOLDED)
    return f"{function}('set', {function}({pairs}))"


def _stop_work(now: str) -> tuple[str, str]:
    """End the attempt and the stage of a request whose edit ends them: the attempt itself may no longer write."""
    return (
        f"""UPDATE attempts SET ended_at = {now}, error_code = 'edited',
            error_message = 'the request was changed by hand'
            WHERE request_id = NEW.id AND ended_at IS NULL""",
        """UPDATE stages SET status = 'pending'
            WHERE request_id = NEW.id AND status = 'processing'""",
    )


def _sqlite() -> tuple[str, ...]:
    return (
        f"""CREATE TRIGGER requests_created AFTER INSERT ON requests BEGIN
            INSERT INTO events {_COLUMNS} VALUES (NEW.id, NEW.seq, 'created', NULL, NEW.status,
                {_state("json_object", "NEW.")}, {SQLITE_NOW});
        END""",
        _sqlite_edited(_WATCHED),
    )


def _sqlite_edited(names: Sequence[str]) -> str:
    hard = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in _HARD)
    watched = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in names)
    attempts, stages = _stop_work(SQLITE_NOW)
    return f"""CREATE TRIGGER requests_edited AFTER UPDATE OF {", ".join(names)} ON requests
        WHEN NEW.seq = OLD.seq AND ({watched}) BEGIN
            UPDATE requests SET
                seq = OLD.seq + 1,
                updated_at = {SQLITE_NOW},
                fence = NEW.fence + (CASE WHEN {hard} THEN 1 ELSE 0 END),
                attempt = max(NEW.attempt, OLD.attempt),
                not_before = CASE WHEN NEW.status = 'pending' AND OLD.status <> 'pending'
                    AND NEW.not_before IS OLD.not_before THEN NULL ELSE NEW.not_before END,
                cancel_requested = CASE WHEN NEW.status = 'pending' AND OLD.status <> 'pending'
                    THEN 0 ELSE NEW.cancel_requested END,
                lease_owner = CASE WHEN NEW.status = 'processing' THEN NEW.lease_owner END,
                lease_until = CASE WHEN NEW.status = 'processing' THEN NEW.lease_until END
            WHERE id = NEW.id;
            {attempts} AND NEW.status <> 'processing';
            {stages} AND NEW.status <> 'processing';
            INSERT INTO events {_COLUMNS} SELECT id, seq, 'edited', OLD.status, status,
                {_state("json_object", "")}, updated_at FROM requests WHERE id = NEW.id;
        END"""


def _postgres() -> tuple[str, ...]:
    hard_new = ", ".join(f"NEW.{name}" for name in _HARD)
    hard_old = ", ".join(f"OLD.{name}" for name in _HARD)
    attempts, stages = _stop_work(POSTGRES_NOW)
    return (
        f"""CREATE FUNCTION castad_request_created() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO events {_COLUMNS} VALUES (NEW.id, NEW.seq, 'created', NULL, NEW.status,
                {_state("jsonb_build_object", "NEW.")}, {POSTGRES_NOW});
            RETURN NULL;
        END $$""",
        """CREATE TRIGGER requests_created AFTER INSERT ON requests
        FOR EACH ROW EXECUTE FUNCTION castad_request_created()""",
        f"""CREATE FUNCTION castad_request_edited() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.status = 'pending' AND OLD.status <> 'pending' THEN
                IF NEW.not_before IS NOT DISTINCT FROM OLD.not_before THEN
                    NEW.not_before := NULL;
                END IF;
                NEW.cancel_requested := FALSE;
            END IF;
            IF ROW({hard_new}) IS DISTINCT FROM ROW({hard_old}) THEN
                NEW.fence := NEW.fence + 1;
            END IF;
            IF NEW.status <> 'processing' THEN
                NEW.lease_owner := NULL;
                NEW.lease_until := NULL;
                {attempts};
                {stages};
            END IF;
            NEW.attempt := greatest(NEW.attempt, OLD.attempt);
            NEW.seq := OLD.seq + 1;
            NEW.updated_at := {POSTGRES_NOW};
            INSERT INTO events {_COLUMNS} VALUES (NEW.id, NEW.seq, 'edited', OLD.status, NEW.status,
                {_state("jsonb_build_object", "NEW.")}, NEW.updated_at);
            RETURN NEW;
        END $$""",
        _postgres_edited(_WATCHED),
    )


def _postgres_edited(names: Sequence[str]) -> str:
    new = ", ".join(f"NEW.{name}" for name in names)
    old = ", ".join(f"OLD.{name}" for name in names)
    return f"""CREATE TRIGGER requests_edited BEFORE UPDATE ON requests FOR EACH ROW
        WHEN (NEW.seq = OLD.seq AND ROW({new}) IS DISTINCT FROM ROW({old}))
        EXECUTE FUNCTION castad_request_edited()"""
