"""Publish runs to the broker by Celery: Redis, RabbitMQ, or a folder of message files.

The app has a broker queue per queue, one task, and JSON only: a message names a run and cannot carry code. The
folder is kombu's filesystem transport with atomic writes and claims. The stock channel writes a message under its
final name, so that a consumer may read half of it. It claims a message by a move that may cross file systems, so
that two consumers may both get it.
"""

import ssl
import time
import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from amqp.exceptions import AccessRefused, NotAllowed
from celery import Celery
from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import OperationalError
from kombu.transport import TRANSPORT_ALIASES
from kombu.transport import filesystem as stock
from kombu.utils.json import dumps, loads

from resources.contract.errors import CastadError, InvalidInputError
from resources.ledger.limits import DEFAULT_QUEUE
from resources.process.settings import Settings

SCHEME = "castad-files"
_CLAIMED = "taken-"
_MAX_WAIT = 0.2


class Channel(stock.Channel):
    """Messages as files, oldest first; a consumer claims one by renaming it."""

    def _put(self, queue: str, payload: Mapping[str, Any], **options: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        # The folder may have been removed; lost messages are published again from the ledger.
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns():020d}_{uuid.uuid4().hex}.{queue}.msg"
        fresh = folder / f".{name}"
        fresh.write_text(dumps(payload))
        fresh.replace(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for waiting in sorted(self._list_messages(queue)):
            claimed = waiting.with_name(f"{_CLAIMED}{waiting.name}")
            try:
                waiting.rename(claimed)
            except FileNotFoundError:
                continue
            payload = loads(claimed.read_text())
            claimed.unlink()
            return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._list_messages(queue))

    def _list_messages(self, queue: str) -> list[Path]:
        return list(Path(self.data_folder_in).glob(f"[0-9]*.{queue}.msg"))


class Transport(stock.Transport):
    """Kombu's filesystem transport with this channel and short waits.

    Celery waits two seconds at a time, and once more after a stop request (`synloop` of Celery 5.7).
    """

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **options: Any) -> None:
        """Wait until a message was delivered; raises TimeoutError after `timeout` seconds or sooner."""
        super().drain_events(connection, timeout=timeout and min(timeout, _MAX_WAIT), **options)  # type: ignore[no-untyped-call] # the library has no types


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"


_CONNECT_SECONDS = 5
_ANSWER_SECONDS = 5
_HEARTBEAT_SECONDS = 10
_FILES_POLL_INTERVAL = 0.02
# Redis redelivers an unacknowledged task after this time. A run is executed once however often it is delivered,
# and `rescue_sensor` publishes a lost run again much sooner.
_VISIBILITY_SECONDS = 3600

_TLS_SCHEMES = ("rediss", "amqps")
_TLS_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")
_CERTIFICATES = {"required": ssl.CERT_REQUIRED, "none": ssl.CERT_NONE}
# The value is not repeated: with an unencoded `@` or `/`, any part of it may belong to the password.
_EXPECTED = (
    "expected scheme://user:password@host:port/name (special characters of the password percent-encoded); after "
    "rediss:// and amqps:// also ?ssl_cert_reqs=required (or none), ssl_ca_certs, ssl_certfile, ssl_keyfile"
)


def build_broker_options(settings: Settings) -> dict[str, Any]:
    """Build Celery's options for the broker; without a broker URL it is a folder in the state folder.

    Certificates and host names are verified unless the URL has `ssl_cert_reqs=none`. Raises InvalidInputError.
    """
    if settings.broker_url is None:
        return _build_file_options(settings)
    parts = urlsplit(settings.broker_url)
    tls = _parse_tls(parts)
    url = parts._replace(query="").geturl()
    return (
        _build_redis_options(url, tls)
        if "redis" in parts.scheme
        else _build_amqp_options(url, tls, parts.hostname)
    )


def get_broker_name(settings: Settings) -> str:
    """Get the broker's URL without user and password, or its folder."""
    if settings.broker_url is None:
        return str(settings.home / "broker")
    parts = urlsplit(settings.broker_url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def _parse_tls(parts: SplitResult) -> dict[str, Any]:
    """Parse the TLS options of the URL, by redis-py's names; empty without TLS."""
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme not in _TLS_SCHEMES:
        if asked:
            raise _make_refusal()
        return {}
    certificates = asked.pop("ssl_cert_reqs", "required")
    if certificates not in _CERTIFICATES or not set(asked) <= set(_TLS_FILES):
        raise _make_refusal()
    return {"ssl_cert_reqs": _CERTIFICATES[certificates], **asked}


def _make_refusal() -> InvalidInputError:
    return InvalidInputError("CASTAD_BROKER_URL", _EXPECTED, code="invalid_setting")


def _build_file_options(settings: Settings) -> dict[str, Any]:
    messages, control = settings.home / "broker", settings.home / "broker" / "control"
    for folder in (messages, control):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {
        "broker_url": f"{SCHEME}://localhost",
        "broker_transport_options": {
            "data_folder_in": str(messages),
            "data_folder_out": str(messages),
            "control_folder": str(control),
            "polling_interval": _FILES_POLL_INTERVAL,
        },
    }


def _build_redis_options(url: str, tls: dict[str, Any]) -> dict[str, Any]:
    return {
        "broker_url": url,
        "broker_use_ssl": tls,
        # Otherwise a worker prefetches as many runs as it has slots while other workers are idle. RabbitMQ has
        # no such option.
        "worker_disable_prefetch": True,
        "broker_transport_options": {
            "socket_connect_timeout": _CONNECT_SECONDS,
            "socket_timeout": _ANSWER_SECONDS,
            "socket_keepalive": True,
            "health_check_interval": _HEARTBEAT_SECONDS,
            "visibility_timeout": _VISIBILITY_SECONDS,
            "max_retries": 0,
        },
    }


def _build_amqp_options(url: str, tls: dict[str, Any], host: str | None) -> dict[str, Any]:
    named = {name.removeprefix("ssl_"): value for name, value in tls.items()}
    if named.get("cert_reqs") is ssl.CERT_REQUIRED:
        # py-amqp verifies the host name only if one is given.
        named["server_hostname"] = host
    return {
        "broker_url": url,
        "broker_use_ssl": named,
        "broker_heartbeat": _HEARTBEAT_SECONDS,
        "broker_transport_options": {
            "connect_timeout": _CONNECT_SECONDS,
            "read_timeout": _ANSWER_SECONDS,
            "write_timeout": _ANSWER_SECONDS,
            "confirm_publish": True,
            "confirm_timeout": _ANSWER_SECONDS,
            "max_retries": 0,
        },
    }


RECONNECT_SECONDS = 1.0
EXECUTE_RUN = "castad.execute_run"
BROKER_QUEUE = "castad"
# A wrong password, missing rights or virtual host: not transient.
_AMQP_REFUSALS = (AccessRefused, NotAllowed)
_NO_SUCH_DATABASE = "DB index"


class PromptConnection(Connection):
    """A connection that is retried every second, however long the broker was down.

    Kombu's stock connection waits longer after each try, up to half a minute.
    """

    def _ensure_connection(self, *args: Any, **known: Any) -> Any:
        seconds = RECONNECT_SECONDS
        waits = {"interval_start": seconds, "interval_step": 0, "interval_max": seconds}
        return super()._ensure_connection(*args, **{**known, **waits})  # type: ignore[no-untyped-call] # no types


def get_broker_queue(queue: str) -> str:
    """Get the queue's name at the broker."""
    return BROKER_QUEUE if queue == DEFAULT_QUEUE else f"{BROKER_QUEUE}-{queue}"


def make_app(settings: Settings, queues: Collection[str] = (DEFAULT_QUEUE,)) -> Celery:
    """Make an app for the broker of these settings and these queues; it connects at first use."""
    names = [get_broker_queue(queue) for queue in queues]
    app = Celery("castad", set_as_current=False)
    app.amqp.Connection = PromptConnection
    app.conf.update(
        **build_broker_options(settings),
        broker_connection_timeout=5,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # RabbitMQ closes a channel whose message is unacknowledged for 30 min; Celery would then consume no more.
        broker_channel_error_retry=True,
        task_queues=[
            Queue(name, Exchange(name, type="direct"), routing_key=name) for name in names
        ],
        task_default_queue=BROKER_QUEUE,
        task_default_exchange=BROKER_QUEUE,
        task_default_routing_key=BROKER_QUEUE,
        task_serializer="json",
        accept_content=["json"],
        # No caller reads results: the ledger holds the state of every run.
        result_backend=None,
        task_ignore_result=True,
        # Early: a lost message is published again from the ledger, a redelivered one would only be dropped.
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        event_queue_durable=False,
    )
    return app


def publish(app: Celery, run_id: str, queue: str = DEFAULT_QUEUE) -> None:
    """Publish the run to the broker, with the run id as Celery task id; raises kombu's errors."""
    name = get_broker_queue(queue)
    app.send_task(EXECUTE_RUN, args=[run_id], task_id=run_id, queue=name, retry=False)


class BrokerRefusesError(CastadError):
    """The broker answers and refuses the connection."""

    code = "broker_refuses"


class BrokerDownError(CastadError):
    """The broker does not answer."""

    code = "broker_down"


def ping_broker(settings: Settings) -> None:
    """Connect to the broker; raises BrokerRefusesError and BrokerDownError."""
    with make_app(settings).connection_for_write() as connection:
        try:
            # For Redis, only opening a channel connects.
            _ = connection.default_channel
        except (
            OperationalError,
            *connection.connection_errors,
            *connection.channel_errors,
        ) as error:
            # kombu wraps most errors of the broker's library, but not all.
            raise _make_broker_error(settings, error.__cause__ or error) from None


def raise_if_broker_refuses(settings: Settings) -> None:
    """Raise BrokerRefusesError if the broker refuses a connection; a broker that is down passes."""
    with suppress(BrokerDownError):
        ping_broker(settings)


def _make_broker_error(settings: Settings, error: BaseException) -> CastadError:
    reply = getattr(error, "reply_text", "") or error
    where = f"CASTAD_BROKER_URL: {get_broker_name(settings)}"
    if _is_refusal(error):
        return BrokerRefusesError(
            f"{where} refuses the connection ({reply}); check user, password, rights and database"
        )
    return BrokerDownError(f"{where} does not answer: {reply}")


def _is_refusal(error: BaseException) -> bool:
    # Here, because the library takes 8 MB of every process that asks a broker which is not Redis.
    from redis.exceptions import AuthenticationError, NoPermissionError

    refusals = (*_AMQP_REFUSALS, AuthenticationError, NoPermissionError)
    return isinstance(error, refusals) or _NO_SUCH_DATABASE in str(error)
