"""Make the ledger in a database: in an empty one, or with the rows of the ledger of an earlier castad.

Its tables are then set aside under other names, made as they are now, and filled by the database alone: no row
passes through this process. The caller's transaction holds it all, so that a failure leaves what was there.
"""

from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import Connection, ForeignKeyConstraint, Table, inspect, text
from sqlalchemy.schema import AddConstraint, CreateIndex, CreateTable

from resources.ledger.schema.check_constraints import with_checks
from resources.ledger.schema.guards import guard_statements
from resources.ledger.schema.tables import SCRATCH_TABLE, VERSION_TABLE, metadata
from resources.ledger.schema.triggers import build_trigger_statements

TAKEN_OVER = tuple(f"ledger_{number:04}" for number in range(28, 35))
"""The revisions of the ledgers that are taken over."""
_FORMER_NAMES = {
    "shared_access": "readers",
    "source_checks": "recurring_orders",
    "source_checks.used_at": "looked_at",
    "requests.slot": "place",
    "requests.permit": "turn",
    "workers.slots": "places",
    "workers.queues": "lanes",
    "providers.paused_until": "parked_until",
    "providers.pause_reason": "parked_why",
}
"""The former names of renamed tables, and of columns as `table.column`."""
_FORMER_WAITS = {"slot": "place", "permit": "turn", "final_status": "verdict"}
"""The former prefixes of `waits_for`."""
_FORMER_CODES = {
    "no_slot": "no_place",
    "no_permit": "no_turn",
    "no_final_status": "no_verdict",
    "provider_paused": "provider_parked",
    "illegal_transition": "illegal_move",
    "submission_changed": "submission_moved",
}
"""The former names of renamed error codes."""
_ASIDE = "before_"
_SQLITE_PARTS = """SELECT type, name, tbl_name FROM sqlite_master
    WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"""
_POSTGRES_FUNCTIONS = """SELECT oid::regprocedure FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND prorettype = 'trigger'::regtype
    AND starts_with(proname, 'castad_')"""
# Constraints, indexes and sequences keep their names when their table gets another.
_POSTGRES_RENAMES = text(
    f"""WITH whole AS (SELECT oid, relname AS name FROM pg_class
        WHERE relname = ANY(:names) AND relnamespace = current_schema()::regnamespace),
    bound AS (SELECT * FROM pg_constraint JOIN whole ON conrelid = whole.oid WHERE contype <> 'c')
    SELECT format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', name, conname, '{_ASIDE}' || conname)
    FROM bound
    UNION ALL SELECT format('ALTER TABLE %I RENAME TO %I', relname, '{_ASIDE}' || relname)
    FROM pg_class WHERE oid IN (SELECT oid FROM whole) OR oid IN (
        SELECT indexrelid FROM pg_index JOIN whole ON indrelid = whole.oid
        WHERE indexrelid NOT IN (SELECT conindid FROM bound WHERE contype IN ('p', 'u'))
    ) OR relkind = 'S' AND oid IN (SELECT objid FROM pg_depend JOIN whole ON refobjid = whole.oid)"""
)
_POSTGRES_RIGHTS = text(
    """SELECT privilege_type AS what, is_grantable,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS who
    FROM pg_class, aclexplode(relacl) WHERE oid = CAST(:name AS regclass) AND grantee <> relowner"""
)
# Ledgers before ledger_0031 have such rows; the trigger gives the reason, and the event says so.
_GIVE_REASONS = (
    """UPDATE requests SET error_code = 'edited'
    WHERE status IN ('dead', 'failed') AND error_code IS NULL""",
    """UPDATE requests SET error_message = 'set by an operator''s SQL'
    WHERE status IN ('dead', 'failed') AND error_message IS NULL""",
)


def make_ledger(connection: Connection) -> None:
    """Create the ledger's tables, indexes and triggers in an empty database."""
    with_checks(metadata).create_all(connection, checkfirst=False)
    _make_triggers(connection)


def take_over(connection: Connection) -> None:
    """Replace the ledger of an earlier castad by a new one with its rows, and continue its ids.

    On SQLite the connection must have foreign keys switched off, because rows of a request that was deleted
    by hand are copied too.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    tables = with_checks(metadata).sorted_tables
    former = dict(_list_former_tables(connection, tables))
    names = [name for name, _ in former.values()]
    if is_sqlite:
        _set_aside_on_sqlite(connection, names)
    else:
        _set_aside_on_postgres(connection, names)
    inline: list[ForeignKeyConstraint] | None = None if is_sqlite else []
    for table in tables:
        connection.execute(CreateTable(table, include_foreign_key_constraints=inline))
    for table, (name, columns) in former.items():
        _copy_rows(connection, table, f"{_ASIDE}{name}", columns)
    _rename_values(connection, former)
    for table in tables:
        for index in table.indexes:
            connection.execute(CreateIndex(index))
        # Postgres checks all rows at once, and needs no list of them.
        for key in () if is_sqlite else table.foreign_key_constraints:
            connection.execute(AddConstraint(key, isolate_from_table=False))
    for name in reversed(names):
        connection.exec_driver_sql(f"DROP TABLE {_ASIDE}{name}")
    _make_triggers(connection)
    for statement in _GIVE_REASONS:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"DELETE FROM {VERSION_TABLE}")


def _rename_values(connection: Connection, tables: Iterable[Table]) -> None:
    """Rename stored values that have new names; texts that were shown to people stay as they were."""
    for table in tables:
        for name in {"error_code", "last_code"} & {*table.columns.keys()}:
            for code, former in _FORMER_CODES.items():
                connection.exec_driver_sql(
                    f"UPDATE {table.name} SET {name} = '{code}' WHERE {name} = '{former}'"
                )
    for wait, former in _FORMER_WAITS.items():
        connection.exec_driver_sql(
            f"UPDATE requests SET waits_for = '{wait}:' || substr(waits_for, {len(former) + 2}) "
            f"WHERE substr(waits_for, 1, {len(former) + 1}) = '{former}:'"
        )
    # A vendor's window calls its submissions so.
    connection.exec_driver_sql(
        """UPDATE providers SET bucket = replace(bucket, '"orders"', '"submissions"')"""
    )
    # The triggers write their JSON without spaces, this program with them.
    texts = {f'"{former}"': f'"{code}"' for code, former in _FORMER_CODES.items()}
    for wait, former in _FORMER_WAITS.items():
        for gap in ("", " "):
            texts[f'"waits_for":{gap}"{former}:'] = f'"waits_for":{gap}"{wait}:'
    for where, name in (("events", "data"), ("reports", "codes"), ("reports", "unusual")):
        for before, after in texts.items():
            connection.execute(
                text(
                    f"UPDATE {where} SET {name} = replace({name}, :before, :after) "
                    f"WHERE {name} LIKE :has"
                ),
                {"before": before, "after": after, "has": f"%{before}%"},
            )
    connection.exec_driver_sql(
        """UPDATE events SET data = replace(data, '"place":', '"slot":') WHERE type = 'dispatched'"""
    )


def _make_triggers(connection: Connection) -> None:
    """Create all triggers of the ledger."""
    dialect = connection.dialect.name
    for statement in (*build_trigger_statements(dialect), *guard_statements(dialect)):
        # psycopg2 would take a % for a parameter.
        connection.exec_driver_sql(statement, execution_options={"no_parameters": True})


def _list_former_tables(
    connection: Connection, tables: Iterable[Table]
) -> Iterator[tuple[Table, tuple[str, set[str]]]]:
    """Yield each new table that the former ledger has too, with its former name and its former columns."""
    inspector = inspect(connection)
    there = inspector.get_table_names()
    for table in tables:
        name = _FORMER_NAMES.get(table.name, table.name)
        if name in there:
            yield table, (name, {column["name"] for column in inspector.get_columns(name)})


def _set_aside_on_sqlite(connection: Connection, names: Collection[str]) -> None:
    """Rename these tables, with the prefix `before_`, and drop their indexes and triggers."""
    for part in connection.exec_driver_sql(_SQLITE_PARTS).all():
        if part.tbl_name in names:
            connection.exec_driver_sql(f'DROP {part.type} "{part.name}"')
    connection.exec_driver_sql(f"DROP TABLE {SCRATCH_TABLE}")
    # Otherwise an operator's view would name what is dropped in the end.
    connection.exec_driver_sql("PRAGMA legacy_alter_table = ON")
    for name in names:
        connection.exec_driver_sql(f"ALTER TABLE {name} RENAME TO {_ASIDE}{name}")
    connection.exec_driver_sql("PRAGMA legacy_alter_table = OFF")


def _set_aside_on_postgres(connection: Connection, names: Collection[str]) -> None:
    """Rename these tables, with the prefix `before_`, and drop the functions of their triggers."""
    for function in connection.exec_driver_sql(_POSTGRES_FUNCTIONS).scalars().all():
        connection.exec_driver_sql(f"DROP FUNCTION {function} CASCADE")
    for statement in connection.execute(_POSTGRES_RENAMES, {"names": [*names]}).scalars().all():
        connection.exec_driver_sql(statement)


def _copy_rows(connection: Connection, table: Table, aside: str, had: Collection[str]) -> None:
    """Copy the rows of the former table `aside` into the new one, with its id counter and its rights.

    Only the columns that both have are copied; `had` are those of the former table.
    """
    names = [column.name for column in table.columns]
    formerly = {name: _FORMER_NAMES.get(f"{table.name}.{name}", name) for name in names}
    both = [(name, before) for name, before in formerly.items() if before in had]
    into, of = (", ".join(f'"{name}"' for name in column) for column in zip(*both, strict=True))
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"INSERT INTO {table.name} ({into}) SELECT {of} FROM {aside}")
        counter = f"name = '{table.name}' WHERE name = '{aside}'"
        connection.exec_driver_sql(f"DELETE FROM sqlite_sequence WHERE name = '{table.name}'")
        connection.exec_driver_sql(f"UPDATE sqlite_sequence SET {counter}")
        return
    given = "OVERRIDING SYSTEM VALUE"
    connection.exec_driver_sql(
        f"INSERT INTO {table.name} ({into}) {given} SELECT {of} FROM {aside}"
    )
    _copy_rights(connection, "TABLE", aside, table.name)
    if table.autoincrement_column is not None:
        key = table.autoincrement_column.name
        before, now = (
            connection.exec_driver_sql(f"SELECT pg_get_serial_sequence({column})").scalar_one()
            for column in (f"'{aside}', '{formerly[key]}'", f"'{table.name}', '{key}'")
        )
        connection.exec_driver_sql(f"SELECT setval('{now}', last_value, is_called) FROM {before}")
        _copy_rights(connection, "SEQUENCE", before, now)


def _copy_rights(connection: Connection, kind: str, before: str, now: str) -> None:
    """Give the new relation the rights of the former one, and no others; `kind` is TABLE or SEQUENCE."""
    for right in connection.execute(_POSTGRES_RIGHTS, {"name": now}).all():
        connection.exec_driver_sql(f"REVOKE {right.what} ON {kind} {now} FROM {right.who}")
    for right in connection.execute(_POSTGRES_RIGHTS, {"name": before}).all():
        option = " WITH GRANT OPTION" if right.is_grantable else ""
        connection.exec_driver_sql(f"GRANT {right.what} ON {kind} {now} TO {right.who}{option}")
