"""The broker is killed, hangs or forgets, and no run fails of it."""

import threading

import pytest
from celery.contrib.testing.worker import start_worker
from dagster import DagsterInstance

from castad.dagster_storage.home import make_dagster_home
from castad.engine.app import (
    EXECUTE_RUN,
    BrokerRefusesError,
    make_app,
    publish,
    raise_if_broker_refuses,
)
from castad.engine.launcher import CastadRunLauncher
from resources.process.settings import Settings, settings
from tests.brokers import RabbitServer
from tests.eventually import eventually
from tests.faults.breaks import broker_down, broker_hanging, kill_worker, lose_messages
from tests.faults.ends import done
from tests.faults.pairs import on_every_pair, on_postgres

pytestmark = pytest.mark.timeout(300)


@on_every_pair
def test_run_that_is_lost_with_the_broker_is_delivered_again(case):
    kill_worker(case.stand, "one")
    with case.slots_that_nobody_has() as beat:
        case.order()
        case.until(lambda: beat() or case.messages.waiting(), "the run is published")
        lose_messages(case.stand)
    case.until(lambda: "redelivered" in case.events, "the run is delivered again")
    case.stand.start_worker("one")
    assert case.end() == done()


@on_postgres
def test_broker_that_hangs_when_an_order_comes_fails_no_run(case):
    with broker_hanging(case.stand):
        case.order()
        case.until(lambda: case.is_delivery_given_up, "the launcher has given up")
    assert case.end() == done()


@on_every_pair
def test_broker_that_is_down_when_an_order_is_dispatched_fails_no_run(case):
    with broker_down(case.stand):
        case.order()
        case.until(lambda: case.is_delivery_given_up, "the launcher has given up")
    assert case.end() == done()


@pytest.mark.parametrize("wrong", ["password", "vhost"])
def test_rabbitmq_that_refuses_takes_no_run_and_is_named(monkeypatch, tmp_path, wrong):
    with RabbitServer() as server:
        refused = {
            "password": server.url.replace(server.password, "no"),
            "vhost": f"{server.url}no",
        }
        monkeypatch.setenv("CASTAD_HOME", str(tmp_path))
        monkeypatch.setenv("CASTAD_BROKER_URL", refused[wrong])
        settings.cache_clear()
        with DagsterInstance.from_config(str(make_dagster_home(settings()))) as instance:
            launcher = instance.run_launcher
            assert isinstance(launcher, CastadRunLauncher)
            assert not launcher.publish_run("a run")
        with pytest.raises(BrokerRefusesError):
            raise_if_broker_refuses(settings())


@pytest.mark.usefixtures("root_logger_as_it_was")
def test_worker_whose_channel_rabbitmq_closed_takes_runs_again(tmp_path):
    begun = {run_id: threading.Event() for run_id in ("at work", "held unbegun", "later")}
    may_end = threading.Event()
    with RabbitServer() as server:
        server.lose_patience()
        app = make_app(Settings(home=tmp_path, broker_url=server.url))

        @app.task(name=EXECUTE_RUN)
        def execute_run(run_id: str) -> None:
            begun[run_id].set()
            may_end.wait()

        with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
            publish(app, "at work")
            assert eventually(begun["at work"].is_set)
            publish(app, "held unbegun")
            assert eventually(lambda: server.channels_closed() > 0)
            may_end.set()
            assert eventually(begun["held unbegun"].is_set)
            publish(app, "later")
            assert eventually(begun["later"].is_set)
