"""The ledger while its database restarts, crashes, cuts connections, loses replies, is locked or full."""

import inspect
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pkgutil import iter_modules
from queue import Queue
from resource import RLIM_INFINITY, RLIMIT_FSIZE, prlimit

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from resources.ledger import queries, transitions
from resources.ledger.db.database import Database, make_postgres_engine
from resources.ledger.db.retry import begin, was_committed
from resources.ledger.queries.access import Scope, Secret
from resources.ledger.queries.overview import build_overview
from resources.ledger.queries.status import get_request
from resources.ledger.rules import Failure, FailureAction, Outcome
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.access import create_key
from resources.ledger.transitions.claims import fail_attempt
from resources.ledger.transitions.core import transition
from resources.ledger.transitions.housekeeping import pause_provider
from resources.ledger.transitions.orders import cancel_request
from tests.chaos_proxy import ChaosProxy
from tests.ledger_laws import assert_laws
from tests.ledger_steps import Steps
from tests.postgres_server import PostgresServer

_PATIENCE = 60.0
_CANCELED = {"status": Status.CANCELED}
# The suite's server answers before it has written; a crash must not forget what it had promised.
_DURABLE = {"options": "-c synchronous_commit=on"}


@pytest.fixture
def url(postgres_ledger_url: str) -> str:
    """An empty Postgres ledger that keeps its promises."""
    durable = make_url(postgres_ledger_url).update_query_dict(_DURABLE)
    return durable.render_as_string(hide_password=False)


@pytest.fixture
def patient(url: str) -> Iterator[Steps]:
    database = Database(url)
    yield Steps(database.with_retry_budget(_PATIENCE))
    database.close()


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[ChaosProxy]:
    with ChaosProxy(postgres_server.port) as chaos:
        yield chaos


@pytest.fixture
def through(url: str, proxy: ChaosProxy) -> Iterator[Steps]:
    """Patient steps whose every byte passes the proxy."""
    database = Database(make_url(url).set(port=proxy.port).render_as_string(hide_password=False))
    yield Steps(database.with_retry_budget(_PATIENCE))
    database.close()


def types(steps: Steps, task_id: str = "r") -> list[str]:
    return [event.type for event in steps.events(task_id)]


# The server goes


def fail_while(steps: Steps, trouble: "Once") -> None:
    """A failure whose transaction is open, and holds its row, when the trouble begins."""
    lease = steps.working()
    steps.begin(lease)

    def outcome_of(request: object, unknown_for: float) -> Outcome:
        trouble.begin()
        return Outcome(Status.FAILED, 1, 0.0)

    failure = Failure("broken", "it broke", FailureAction.RETRY)
    fail_attempt(steps.db, lease, "lyric", failure, outcome_of)


class Once:
    """The server is brought down once, and up again after two seconds by somebody else."""

    def __init__(self, server: PostgresServer, *, in_order: bool) -> None:
        self._down = server.shut_down if in_order else server.kill
        self._up = threading.Timer(2, server.start_again)

    def begin(self) -> None:
        if self._up.ident is None:
            self._down()
            self._up.start()

    def is_over(self) -> None:
        self._up.join()


@pytest.mark.parametrize("in_order", [True, False], ids=["restart", "crash"])
def test_transition_in_the_middle_of_a_restart_is_made_once(patient, postgres_server, in_order):
    trouble = Once(postgres_server, in_order=in_order)
    fail_while(patient, trouble)
    trouble.is_over()
    assert types(patient) == ["created", "dispatched", "claimed", "stage_started", "failed"]
    assert_laws(patient)


def test_pooled_connection_that_died_idle_is_never_handed_out(patient, postgres_server):
    patient.order()
    postgres_server.restart(0)
    assert get_request(patient.db.with_retry_budget(0), "r").task_id == "r"


def test_weather_beyond_the_patience_raises_its_own_error(through, proxy):
    through.order()
    proxy.refuse()
    with pytest.raises(OperationalError):
        get_request(through.db.with_retry_budget(0.2), "r")


# Commits without an answer


def test_commit_whose_reply_is_lost_is_not_made_twice(through, proxy):
    through.order()
    through.cancel()
    lost = proxy.lose_reply_to(b"COMMIT")
    through.retry()
    assert lost.is_set()
    assert types(through) == ["created", "canceled", "retried"]


def test_commit_whose_reply_is_lost_is_no_error_without_patience(through, proxy):
    through.order()
    lost = proxy.lose_reply_to(b"COMMIT")
    assert cancel_request(through.db.with_retry_budget(0), "r").status is Status.CANCELED
    assert lost.is_set()


def test_commit_that_never_arrived_is_made_after_all(through, proxy):
    through.order()
    lost = proxy.lose_message_with(b"COMMIT")
    through.cancel()
    assert lost.is_set()
    assert types(through) == ["created", "canceled"]


def test_commit_that_never_arrived_is_an_error_without_patience(through, proxy):
    through.order()
    proxy.lose_message_with(b"COMMIT")
    with pytest.raises(OperationalError):
        cancel_request(through.db.with_retry_budget(0), "r")
    assert types(through) == ["created"]


@pytest.mark.parametrize("name", ["order", "key", "paused"])
def test_write_without_a_transition_is_made_once_though_its_reply_is_lost(through, proxy, name):
    secret = Secret.new()

    def write() -> None:
        if name == "order":
            through.order()
        elif name == "key":
            create_key(through.db, secret, name="k", owner="k", scopes=[Scope.READ])
        else:
            pause_provider(through.db, "v", "no credits", 60)

    def count() -> int:
        table = {"order": "events", "key": "api_keys", "paused": "providers"}[name]
        with through.db.reading() as tx:
            return tx.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()

    before = count()
    lost = proxy.lose_reply_to(b"COMMIT")
    write()
    assert lost.is_set()
    assert count() == before + 1


def test_commit_before_a_crash_is_known_to_have_been_made(patient, url, postgres_server):
    request = patient.order()
    engine = make_postgres_engine(url)
    with engine.connect() as connection:
        transaction = begin(connection)
        transition(connection, request, "canceled", _CANCELED)
        connection.exec_driver_sql("COMMIT")
    _crash(postgres_server)
    assert was_committed(engine, transaction, _PATIENCE)
    engine.dispose()


def test_same_transition_of_another_is_not_taken_for_the_one_that_a_crash_forgot(
    patient, url, postgres_server
):
    request = patient.order()
    engine = make_postgres_engine(url)
    with engine.connect() as connection:
        transaction = begin(connection)
        transition(connection, request, "canceled", _CANCELED)
        _crash(postgres_server)
        connection.invalidate()
    with patient.db.writing() as tx:
        transition(tx, request, "canceled", _CANCELED)
    assert not was_committed(engine, transaction, _PATIENCE)
    engine.dispose()


def _crash(server: PostgresServer) -> None:
    server.kill()
    server.start_again()


# Connections go


def test_transaction_left_by_an_error_goes_no_further(patient):
    with pytest.raises(ZeroDivisionError):
        _leave_half_done(patient.db)
    patient.order()
    with patient.db.reading() as tx:
        assert tx.execute(text("SELECT name FROM providers")).all() == []


def _leave_half_done(db: Database) -> None:
    with db.writing() as tx:
        tx.execute(text("INSERT INTO providers (name) VALUES ('half done')"))
        raise ZeroDivisionError


def test_transitions_of_many_threads_survive_a_killer_of_connections(patient, url):
    names = [f"r{number}" for number in range(8)]
    for name in names:
        patient.order(name)
    changed: Queue[bool] = Queue()
    killer = threading.Thread(target=_kill_connections, args=(url, changed))
    killer.start()

    def work(name: str) -> None:
        for _ in range(10):
            patient.cancel(name)
            changed.put(True)
            patient.retry(name)

    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(work, names))
    changed.put(False)
    killer.join()
    for name in names:
        assert types(patient, name) == ["created", *["canceled", "retried"] * 10]


def _kill_connections(url: str, changed: "Queue[bool]") -> None:
    """One dies for each that got on: killed by the clock, a busy machine's would all die being made."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    others = "state IS NOT NULL AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    kill = text(
        "SELECT pg_terminate_backend(pid) FROM "
        f"(SELECT pid FROM pg_stat_activity WHERE {others} ORDER BY random() LIMIT 1) AS victim"
    )
    with engine.connect() as connection:
        while changed.get():
            connection.execute(kill)
    engine.dispose()


def test_transition_waits_for_a_locked_table(patient, url):
    patient.order()
    engine = create_engine(url)
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with engine.connect() as holder, ThreadPoolExecutor(1) as pool:
        holder.execute(text("LOCK TABLE requests IN ACCESS EXCLUSIVE MODE"))
        canceled = pool.submit(cancel_request, patient.db.with_retry_budget(0), "r")
        while not holder.execute(waiting).scalar():
            assert not canceled.done()
        holder.commit()
        assert canceled.result(timeout=_PATIENCE).status is Status.CANCELED
    engine.dispose()


def test_transition_waits_until_a_server_that_writes_has_taken_over(patient, url, caplog):
    patient.order()
    patient.db.close()
    name = make_url(url).database
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as operator, ThreadPoolExecutor(1) as pool:
        operator.execute(text(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'))
        canceled = pool.submit(patient.cancel)
        while not caplog.messages:
            assert not canceled.done()
        operator.execute(text(f'ALTER DATABASE "{name}" RESET default_transaction_read_only'))
        assert canceled.result(timeout=_PATIENCE).status is Status.CANCELED
    engine.dispose()


def test_reader_of_many_threads_needs_one_connection_each(patient):
    request = patient.order()
    held = threading.Barrier(20)

    def look(number: int) -> int:
        held.wait()
        return len(build_overview(patient.db.with_retry_budget(0), request.task_id).stages)

    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(look, range(20))) == {0}


# SQLite


def test_transition_waits_for_a_locked_file(sqlite_url, caplog):
    steps = Steps(Database(f"{sqlite_url}?timeout=0").with_retry_budget(_PATIENCE))
    steps.order()
    holder = create_engine(sqlite_url)
    with holder.connect() as connection, ThreadPoolExecutor(1) as pool:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        canceled = pool.submit(steps.cancel)
        while not caplog.messages:
            assert not canceled.done()
        connection.exec_driver_sql("ROLLBACK")
        assert canceled.result(timeout=_PATIENCE).status is Status.CANCELED
    holder.dispose()
    steps.db.close()


_ON_A_FULL_DISK = """
import sys
from resource import RLIM_INFINITY, RLIMIT_FSIZE, setrlimit
from pathlib import Path
from queue import Queue
from resources.ledger import queries, transitions
from resources.ledger.db.database import Database
from tests.ledger_steps import Steps
steps = Steps(Database("sqlite:///" + sys.argv[1]).with_retry_budget(60))
steps.order()
full = Path(sys.argv[1] + "-wal").stat().st_size
setrlimit(RLIMIT_FSIZE, (full, RLIM_INFINITY))
steps.cancel()
print([event.type for event in steps.events()])
"""


def test_transition_waits_for_a_full_disk(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", _ON_A_FULL_DISK, str(tmp_path / "castad.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    told = child.stderr.readline()
    assert "database unavailable, retrying" in told
    prlimit(child.pid, RLIMIT_FSIZE, (RLIM_INFINITY, RLIM_INFINITY))
    said, complaint = child.communicate(timeout=_PATIENCE)
    assert (said, complaint) == ("['created', 'canceled']\n", "")


# All of them


# A worker repeats its heartbeat, a sensor its tick, and a person a look or a click.
_REPEATED_BY_ITS_CALLER = {
    *(
        "renew_leases",
        "save_heartbeat",
        "list_unclaimed_requests",
        "requeue_request",
        "save_redelivery",
    ),
    *(
        "read_newest_attempt",
        "read_open_run_ids",
        "rescue_expired_leases",
        "dead_letter_exhausted_requests",
    ),
    *(
        "count_starved_requests",
        "dispatch_due_requests",
        "list_due_task_ids",
        "read_dispatch_snapshot",
    ),
}


@pytest.mark.parametrize("package", [transitions, queries])
def test_everything_that_is_asked_of_the_ledger_is_steady(package):
    asked = {
        name: function
        for module in iter_modules(package.__path__, f"{package.__name__}.")
        for name, function in inspect.getmembers(import_module(module.name), inspect.isfunction)
        if function.__module__ == module.name
        and not name.startswith("_")
        and next(iter(inspect.signature(function).parameters), "") == "db"
    }
    # The database's own methods repeat what they read.
    restless = {
        name
        for name, function in asked.items()
        if not hasattr(function, "__wrapped__")
        and {"reading", "writing"} & {*function.__code__.co_names}
    }
    assert hasattr(Database.fetch_all, "__wrapped__")
    assert restless <= _REPEATED_BY_ITS_CALLER
