"""The trigger that writes a webhook for every request that ends, in the transaction that ends it.

A move raises `seq` itself; an operator's SQL does not, and its event then has the next one.
"""

from resources.ledger.schema.sqltime import POSTGRES_NOW, SQLITE_NOW

_ENDED = "('completed', 'dead', 'canceled')"
_COLUMNS = "(request_id, seq, type, url, host, due_at, created_at, updated_at)"


def webhook_statements(dialect: str) -> tuple[str, ...]:
    """The DDL, one statement each."""
    return _sqlite() if dialect == "sqlite" else _postgres()


def _values(host: str, now: str) -> str:
    seq = "NEW.seq + CASE WHEN NEW.seq = OLD.seq THEN 1 ELSE 0 END"
    return (
        f"(NEW.id, {seq}, 'request.' || NEW.status, NEW.callback_url, {host}, {now}, {now}, {now})"
    )


def _sqlite() -> tuple[str, ...]:
    parts = "replace(replace(NEW.callback_url, '?', '/'), '#', '/')"
    rest = f"substr({parts}, instr({parts}, '://') + 3)"
    host = f"lower(substr({rest}, 1, instr({rest} || '/', '/') - 1))"
    return (
        f"""CREATE TRIGGER requests_ended AFTER UPDATE OF status ON requests
        WHEN NEW.status IN {_ENDED} AND NEW.status IS NOT OLD.status AND NEW.callback_url IS NOT NULL BEGIN
            INSERT INTO webhook_deliveries {_COLUMNS} VALUES {_values(host, SQLITE_NOW)};
        END""",
    )


def _postgres() -> tuple[str, ...]:
    host = "coalesce(lower(substring(NEW.callback_url from '://([^/?#]*)')), '')"
    return (
        f"""CREATE FUNCTION castad_request_ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO webhook_deliveries {_COLUMNS} VALUES {_values(host, POSTGRES_NOW)};
            RETURN NULL;
        END $$""",
        f"""CREATE TRIGGER requests_ended AFTER UPDATE ON requests FOR EACH ROW
        WHEN (NEW.status IN {_ENDED} AND NEW.status <> OLD.status AND NEW.callback_url IS NOT NULL)
        EXECUTE FUNCTION castad_request_ended()""",
    )
