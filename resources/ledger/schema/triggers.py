"""Triggers: what a write to a request sets off, in its transaction, by castad or by an operator.

Every INSERT writes the `created` event. An UPDATE that does not raise seq is an operator's SQL, and becomes a
transition: it gets the next seq and an `edited` event. If it invalidates a running attempt (a new status, payload,
run …), the fence rises too. A change of policy (max_retries, priority …) does not: transitions read it from the
row when they decide. A request that SQL makes dead, failed or canceled without a reason says that SQL did it.

Every end of a request writes its webhook or mail and closes its projection; so does every approval that is waited
for, where the request has an e-mail address. On Postgres, what may make a request due or a
slot free notifies the dispatchers.
"""

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW
from resources.ledger.schema.tables import BY_SQL, FOLDED, WAKE_CHANNEL

_HARD = ("status", "payload", "pipeline", "attempt", "run_id", "lease_owner", "fence")
WATCHED = (
    *_HARD,
    *("stage", "retry_count", "max_retries", "deaths", "priority", "not_before", "owner"),
    *("callback_url", "cancel_requested", "error_code", "error_message"),
    *("hold", "hold_seconds", "hold_then"),
)
"""The columns whose change without a transition is an edit."""
_EVENT = 'INSERT INTO events (request_id, seq, type, "from", "to", data, at)'
_BY = "'by', 'an operator''s SQL', "
_SQLITE_REASON = "'set by an operator''s SQL at ' || strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
_POSTGRES_REASON = (
    "'set by an operator''s SQL at ' "
    """|| to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"""
)
_WITH_REASON = "('dead', 'failed', 'canceled')"
_NEEDS_REASON = "('dead', 'failed')"
_ENDED = "('completed', 'dead', 'canceled')"
_HELD = "'request.held'"
_IS_HELD = (
    "NEW.status = 'pending' AND substr(NEW.waits_for, 1, 9) = 'approval:' AND NEW.seq <> OLD.seq"
)
"""Only by a transition: `waits_for` is not watched, and its edit by SQL has no event to tell of."""
_IS_MAIL = "substr(NEW.callback_url, 1, 7) = 'mailto:'"
_DUE = "status IN ('pending', 'failed')"
_BUSY = "status IN ('dispatched', 'processing')"


def build_trigger_statements(dialect: str) -> list[str]:
    """Build the DDL statements of the triggers on requests, workers and providers."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def build_sqlite_trigger(name: str, event: str, table: str, when: str, body: str) -> str:
    """Build the DDL of a trigger on SQLite.

    `event` is such as "AFTER INSERT", `when` a condition or empty, `body` its statements.
    """
    condition = f" WHEN {when}" if when else ""
    return f"CREATE TRIGGER {name} {event} ON {table}{condition} BEGIN {body} END"


def build_postgres_function(name: str, body: str, rights: str = "") -> str:
    """Build the DDL of the function that a Postgres trigger executes; its name gets the prefix `castad_`.

    `rights` are further attributes of the function, with a space before them.
    """
    return (
        f"CREATE FUNCTION castad_{name}() RETURNS trigger LANGUAGE plpgsql{rights} AS $$ "
        f"BEGIN {body} END $$"
    )


def build_postgres_trigger(
    name: str, event: str, table: str, function: str, when: str = "", each: str = "ROW"
) -> str:
    """Build the DDL of a trigger on Postgres; `function` is without its prefix `castad_`.

    `event` is such as "AFTER INSERT", `when` a condition or empty, `each` ROW or STATEMENT.
    """
    condition = f" WHEN ({when})" if when else ""
    return (
        f"CREATE TRIGGER {name} {event} ON {table} FOR EACH {each}{condition} "
        f"EXECUTE FUNCTION castad_{function}()"
    )


def _state(function: str, row: str, by: str = "") -> str:
    """Build the SQL expression of an event's JSON data: the folded columns of a row under the key "set".

    `function` builds a JSON object in this SQL dialect, `row` is the row's prefix, and `by` are further
    pairs.
    """
    pairs = ", ".join(f"'{name}', {row}{name}" for name in FOLDED)
    return f"{function}({by}'set', {function}({pairs}))"


def _give_reason(reason: str) -> str:
    """Build the SQL statement that gives a new dead or failed row an error code and a message if it has none."""
    return f"""UPDATE requests SET error_code = coalesce(error_code, '{BY_SQL}'),
            error_message = coalesce(error_message, {reason})
        WHERE id = NEW.id AND status IN {_NEEDS_REASON}
            AND (error_code IS NULL OR error_message IS NULL);"""


def _is_silent(differs: str, equals: str) -> str:
    """Build the SQL condition that an edit ends the request and leaves its error as it was.

    `differs` and `equals` are the operators of this SQL dialect for values that may be NULL.
    """
    return (
        f"(NEW.status IN {_WITH_REASON} AND NEW.status {differs} OLD.status"
        f" AND NEW.error_code {equals} OLD.error_code AND NEW.error_message {equals} OLD.error_message)"
    )


def _lacks(name: str) -> str:
    """Build the SQL condition that a dead or failed row has no value in this column."""
    return f"(NEW.status IN {_NEEDS_REASON} AND NEW.{name} IS NULL)"


def _stop_work(now: str, condition: str = "") -> str:
    """Build the SQL statements that end the attempt and stop the stage of an edited request."""
    return f"""UPDATE attempts SET ended_at = {now}, error_code = 'edited',
            error_message = 'the request was changed by hand'
        WHERE request_id = NEW.id AND ended_at IS NULL{condition};
        UPDATE stages SET status = 'pending'
        WHERE request_id = NEW.id AND status = 'processing'{condition};"""


def _add_webhook(host: str, now: str, event: str = "'request.' || NEW.status") -> str:
    """Build the SQL statement that inserts a delivery; `host`, `now` and `event`, its type, are SQL expressions.

    Its seq is that of the event: a transition has raised the request's seq, an edit raises it afterwards.
    """
    return f"""INSERT INTO webhook_deliveries
            (request_id, seq, type, url, host, due_at, created_at, updated_at)
        VALUES (NEW.id, NEW.seq + CASE WHEN NEW.seq = OLD.seq THEN 1 ELSE 0 END,
            {event}, NEW.callback_url, {host}, {now}, {now}, {now});"""


def _close_projection(now: str) -> str:
    """Build the SQL statement that sets the running projection of an ended request to the request's status."""
    return f"""UPDATE analyses SET status = NEW.status, finished_at = {now}
        WHERE request_id = NEW.id AND status = 'running';"""


def _sqlite() -> list[str]:
    """Build the DDL statements for SQLite."""
    hard = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in _HARD)
    watched = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in WATCHED)
    silent = _is_silent("IS NOT", "IS")
    parts = "replace(replace(NEW.callback_url, '?', '/'), '#', '/')"
    rest = f"substr({parts}, instr({parts}, '://') + 3)"
    host = (
        f"CASE WHEN {_IS_MAIL} THEN lower(substr(NEW.callback_url, instr(NEW.callback_url, '@') + 1))"
        f" ELSE lower(substr({rest}, 1, instr({rest} || '/', '/') - 1)) END"
    )
    held = f"{_IS_HELD} AND NEW.waits_for IS NOT OLD.waits_for AND {_IS_MAIL}"
    ends = f"NEW.status IN {_ENDED} AND NEW.status IS NOT OLD.status"
    created = f"""{_EVENT} VALUES (NEW.id, NEW.seq, 'created', NULL, NEW.status,
            {_state("json_object", "NEW.")}, {SQLITE_NOW});
        {_give_reason(_SQLITE_REASON)}"""
    edited = f"""UPDATE requests SET
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
        {_stop_work(SQLITE_NOW, " AND NEW.status <> 'processing'")}
        {_EVENT} SELECT id, seq, 'edited', OLD.status, status,
            {_state("json_object", "", _BY)}, updated_at FROM requests WHERE id = NEW.id;"""
    of_status = ("AFTER UPDATE OF status", "requests")
    return [
        build_sqlite_trigger("requests_created", "AFTER INSERT", "requests", "", created),
        build_sqlite_trigger(
            *("requests_edited", f"AFTER UPDATE OF {', '.join(WATCHED)}", "requests"),
            *(f"NEW.seq = OLD.seq AND ({watched})", edited),
        ),
        build_sqlite_trigger(
            *("requests_ended", *of_status, f"{ends} AND NEW.callback_url IS NOT NULL"),
            _add_webhook(host, SQLITE_NOW),
        ),
        build_sqlite_trigger(
            *("requests_held", "AFTER UPDATE OF waits_for", "requests", held),
            _add_webhook(host, SQLITE_NOW, _HELD),
        ),
        build_sqlite_trigger(
            "requests_close_analysis", *of_status, ends, _close_projection(SQLITE_NOW)
        ),
    ]


def _postgres() -> list[str]:
    """Build the DDL statements for Postgres."""
    hard, watched = (
        "ROW({}) IS DISTINCT FROM ROW({})".format(
            *(", ".join(f"{row}.{name}" for name in names) for row in ("NEW", "OLD"))
        )
        for names in (_HARD, WATCHED)
    )
    host = (
        f"CASE WHEN {_IS_MAIL} THEN coalesce(lower(substring(NEW.callback_url from '@(.*)$')), '')"
        " ELSE coalesce(lower(substring(NEW.callback_url from '://([^/?#]*)')), '') END"
    )
    held = f"{_IS_HELD} AND NEW.waits_for IS DISTINCT FROM OLD.waits_for AND {_IS_MAIL}"
    ends = f"NEW.status IN {_ENDED} AND NEW.status <> OLD.status"
    created = f"""{_EVENT} VALUES (NEW.id, NEW.seq, 'created', NULL, NEW.status,
            {_state("jsonb_build_object", "NEW.")}, {POSTGRES_NOW});
        {_give_reason(_POSTGRES_REASON)}
        RETURN NULL;"""
    edited = f"""IF {_is_silent("<>", "IS NOT DISTINCT FROM")} THEN
            NEW.error_code := '{BY_SQL}';
            NEW.error_message := {_POSTGRES_REASON};
        END IF;
        IF {_lacks("error_code")} THEN NEW.error_code := '{BY_SQL}'; END IF;
        IF {_lacks("error_message")} THEN NEW.error_message := {_POSTGRES_REASON}; END IF;
        IF NEW.status = 'pending' AND OLD.status <> 'pending' THEN
            IF NEW.not_before IS NOT DISTINCT FROM OLD.not_before THEN NEW.not_before := NULL; END IF;
            NEW.cancel_requested := FALSE;
        END IF;
        IF {hard} THEN NEW.fence := NEW.fence + 1; END IF;
        IF NEW.status <> 'processing' THEN
            NEW.lease_owner := NULL;
            NEW.lease_until := NULL;
            {_stop_work(POSTGRES_NOW)}
        END IF;
        NEW.attempt := greatest(NEW.attempt, OLD.attempt);
        NEW.seq := OLD.seq + 1;
        NEW.updated_at := {POSTGRES_NOW};
        {_EVENT} VALUES (NEW.id, NEW.seq, 'edited', OLD.status, NEW.status,
            {_state("jsonb_build_object", "NEW.", _BY)}, NEW.updated_at);
        RETURN NEW;"""
    # A role that ends the request, such as the API that cancels it, needs no right to write projections.
    with_rights = " SECURITY DEFINER SET search_path FROM CURRENT"
    after = ("AFTER UPDATE", "requests")
    return [
        build_postgres_function("request_created", created),
        build_postgres_trigger("requests_created", "AFTER INSERT", "requests", "request_created"),
        build_postgres_function("request_edited", edited),
        build_postgres_trigger(
            *("requests_edited", "BEFORE UPDATE", "requests", "request_edited"),
            f"NEW.seq = OLD.seq AND {watched}",
        ),
        build_postgres_function(
            "request_ended", f"{_add_webhook(host, POSTGRES_NOW)} RETURN NULL;"
        ),
        build_postgres_trigger(
            *("requests_ended", *after, "request_ended"),
            f"{ends} AND NEW.callback_url IS NOT NULL",
        ),
        build_postgres_function(
            "request_held", f"{_add_webhook(host, POSTGRES_NOW, _HELD)} RETURN NULL;"
        ),
        build_postgres_trigger("requests_held", *after, "request_held", held),
        build_postgres_function(
            "close_analysis", f"{_close_projection(POSTGRES_NOW)} RETURN NULL;", with_rights
        ),
        build_postgres_trigger("requests_close_analysis", *after, "close_analysis", ends),
        *_wake(),
    ]


def _wake() -> list[str]:
    """Build the DDL of the triggers that notify the dispatchers.

    A commit with a NOTIFY waits for every other such commit, so only changes that may make a request due or a
    slot free send one. UPDATE OF matches the columns that a statement sets, so heartbeats and transitions
    within an attempt never reach the condition.
    """
    due = ("status", "not_before", "waits_for", "retry_count", "max_retries")
    new, old = (", ".join(f"{row}.{name}" for name in due) for row in ("NEW", "OLD"))
    newly_due = f"NEW.{_DUE} AND ROW({new}) IS DISTINCT FROM ROW({old})"
    new_slot = f"OLD.{_BUSY} AND NOT NEW.{_BUSY}"
    left = "OLD.slot IS NOT NULL AND NEW.slot IS DISTINCT FROM OLD.slot"
    more = "NEW.slots IS DISTINCT FROM OLD.slots"
    sooner = "NEW.paused_until IS NULL OR NEW.paused_until < OLD.paused_until"
    woken_by = (
        ("requests_wake_new", "INSERT ON requests", "STATEMENT"),
        (
            *("requests_wake_due", f"UPDATE OF {', '.join(due)} ON requests"),
            f"ROW WHEN (({newly_due}) OR ({new_slot}))",
        ),
        ("requests_wake_slot", "UPDATE OF slot ON requests", f"ROW WHEN ({left})"),
        ("requests_wake_gone", "DELETE ON requests", f"ROW WHEN (OLD.{_BUSY})"),
        ("workers_wake", "INSERT OR DELETE ON workers", "STATEMENT"),
        ("workers_wake_slots", "UPDATE OF slots ON workers", f"ROW WHEN ({more})"),
        ("providers_wake", "UPDATE OF paused_until ON providers", f"ROW WHEN ({sooner})"),
        ("providers_wake_gone", "DELETE ON providers", "STATEMENT"),
    )
    return [
        build_postgres_function("wake", f"PERFORM pg_notify('{WAKE_CHANNEL}', ''); RETURN NULL;"),
        *(
            f"CREATE TRIGGER {name} AFTER {event} FOR EACH {each} EXECUTE FUNCTION castad_wake()"
            for name, event, each in woken_by
        ),
    ]
