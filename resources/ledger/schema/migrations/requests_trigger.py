"""The trigger that records an operator's SQL as a move.

Every INSERT writes the `created` event. An UPDATE that does not raise seq is an operator's: it gets the next seq
and an `edited` event. If it invalidates a running attempt (a new status, payload, run …), the fence rises too. A
change of policy (max_retries, priority …) does not: the moves read policy from the row when they decide.

A request that SQL makes dead, failed or canceled without a reason says that SQL did it, and when.
"""

from collections.abc import Sequence

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW
from resources.ledger.schema.tables import BY_SQL, FOLDED

_HARD = ("status", "payload", "pipeline", "attempt", "run_id", "lease_owner", "fence")
_WATCHED = (
    *_HARD,
    *("stage", "retry_count", "max_retries", "deaths", "priority", "not_before", "owner"),
    *("callback_url", "cancel_requested", "error_code", "error_message"),
)
_COLUMNS = '(request_id, seq, type, "from", "to", data, at)'


_SQLITE_REASON = "'set by an operator''s SQL at ' || strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
_POSTGRES_REASON = (
    "'set by an operator''s SQL at ' "
    """|| to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""
)
_ENDED = "('dead', 'failed', 'canceled')"
_NEEDS_REASON = "('dead', 'failed')"


def trigger_statements(dialect: str) -> tuple[str, ...]:
    """The DDL, one statement each."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def edited_trigger(dialect: str, *more: str) -> str:
    """The DDL of the trigger on edits that watches these columns besides."""
    watched = (*_WATCHED, *more)
    return _sqlite_edited(watched) if dialect == "sqlite" else _postgres_edited(watched)


def _state(function: str, row: str, by: str = "") -> str:
    pairs = ", ".join(f"'{name}', {row}{name}" for name in FOLDED)
    return f"{function}({by}'set', {function}({pairs}))"


_BY = "'by', 'an operator''s SQL', "


def _give_reason(reason: str) -> str:
    """Return the statement that gives a row that was inserted as dead or failed a reason."""
    return f"""UPDATE requests SET error_code = coalesce(error_code, '{BY_SQL}'),
                error_message = coalesce(error_message, {reason})
            WHERE id = NEW.id AND status IN {_NEEDS_REASON} AND (error_code IS NULL OR error_message IS NULL)"""


def _is_silent(differs: str, equals: str) -> str:
    """Return the condition that an edit has ended the request and says nothing about it."""
    return f"""(NEW.status IN {_ENDED} AND NEW.status {differs} OLD.status
                    AND NEW.error_code {equals} OLD.error_code AND NEW.error_message {equals} OLD.error_message)"""


def _lacks(name: str) -> str:
    return f"(NEW.status IN {_NEEDS_REASON} AND NEW.{name} IS NULL)"


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
            {_give_reason(_SQLITE_REASON)};
        END""",
        _sqlite_edited(_WATCHED),
    )


def _sqlite_edited(names: Sequence[str]) -> str:
    hard = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in _HARD)
    watched = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in names)
    attempts, stages = _stop_work(SQLITE_NOW)
    silent = _is_silent("IS NOT", "IS")
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
                error_code = CASE WHEN {silent} OR {_lacks("error_code")}
                    THEN '{BY_SQL}' ELSE NEW.error_code END,
                error_message = CASE WHEN {silent} OR {_lacks("error_message")}
                    THEN {_SQLITE_REASON} ELSE NEW.error_message END,
                lease_owner = CASE WHEN NEW.status = 'processing' THEN NEW.lease_owner END,
                lease_until = CASE WHEN NEW.status = 'processing' THEN NEW.lease_until END
            WHERE id = NEW.id;
            {attempts} AND NEW.status <> 'processing';
            {stages} AND NEW.status <> 'processing';
            INSERT INTO events {_COLUMNS} SELECT id, seq, 'edited', OLD.status, status,
                {_state("json_object", "", _BY)}, updated_at FROM requests WHERE id = NEW.id;
        END"""


def _postgres() -> tuple[str, ...]:
    hard_new = ", ".join(f"NEW.{name}" for name in _HARD)
    hard_old = ", ".join(f"OLD.{name}" for name in _HARD)
    attempts, stages = _stop_work(POSTGRES_NOW)
    silent = _is_silent("<>", "IS NOT DISTINCT FROM")
    return (
        f"""CREATE OR REPLACE FUNCTION castad_request_created() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO events {_COLUMNS} VALUES (NEW.id, NEW.seq, 'created', NULL, NEW.status,
                {_state("jsonb_build_object", "NEW.")}, {POSTGRES_NOW});
            {_give_reason(_POSTGRES_REASON)};
            RETURN NULL;
        END $$""",
        """CREATE TRIGGER requests_created AFTER INSERT ON requests
        FOR EACH ROW EXECUTE FUNCTION castad_request_created()""",
        f"""CREATE OR REPLACE FUNCTION castad_request_edited() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN
            IF {silent} THEN
                NEW.error_code := '{BY_SQL}';
                NEW.error_message := {_POSTGRES_REASON};
            END IF;
            IF {_lacks("error_code")} THEN
                NEW.error_code := '{BY_SQL}';
            END IF;
            IF {_lacks("error_message")} THEN
                NEW.error_message := {_POSTGRES_REASON};
            END IF;
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
                {_state("jsonb_build_object", "NEW.", _BY)}, NEW.updated_at);
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
