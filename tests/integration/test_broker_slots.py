"""A worker has no more in its hands than it has slots: what waits stays with the broker, for others to take."""

import threading

import pytest
import redis
from celery.contrib.testing.worker import start_worker

from castad.engine.app import BROKER_QUEUE, EXECUTE_RUN, make_app, publish
from resources.process.settings import Settings
from tests.brokers import RedisServer

PATIENCE = 20


@pytest.mark.usefixtures("root_logger_as_it_was")
def test_runs_beyond_the_slots_of_a_worker_stay_in_the_broker(tmp_path):
    begun, may_end, next_begun = threading.Event(), threading.Event(), threading.Event()
    with RedisServer() as server, redis.Redis.from_url(server.url) as broker:
        app = make_app(Settings(home=tmp_path, broker_url=server.url))

        @app.task(name=EXECUTE_RUN)
        def execute_run(run_id: str) -> None:
            (begun if run_id == "first" else next_begun).set()
            may_end.wait(PATIENCE)

        with start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
            publish(app, "first")
            assert begun.wait(PATIENCE)
            publish(app, "second")
            # A second trip to the broker: a worker that takes ahead has the first of the two by now.
            publish(app, "third")
            assert broker.llen(BROKER_QUEUE) == 2
            may_end.set()
            assert next_begun.wait(PATIENCE)
