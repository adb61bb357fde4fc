"""How to reach the broker that the settings name, never waiting long for one that hangs."""

from typing import Any
from urllib.parse import urlsplit

from castad.engine import files
from resources.settings import Settings

_CONNECT_SECONDS = 5
_ANSWER_SECONDS = 5
_HEARTBEAT_SECONDS = 10
_FILES_LOOK_EVERY = 0.02
# A task that was taken and not begun goes to another worker after so long; a run is executed once however
# often it is delivered, and what is lost is delivered again by `rescue_sensor` much sooner.
_VISIBILITY_SECONDS = 3600


def broker_options(settings: Settings) -> dict[str, Any]:
    """Celery's options of the broker; a folder in the state folder where none is set."""
    if settings.broker_url is None:
        return _of_files(settings)
    scheme = urlsplit(settings.broker_url).scheme
    return _of_redis(settings.broker_url) if "redis" in scheme else _of_amqp(settings.broker_url)


def broker_name(settings: Settings) -> str:
    """The broker in words, without user and password."""
    if settings.broker_url is None:
        return str(settings.home / "broker")
    parts = urlsplit(settings.broker_url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def _of_files(settings: Settings) -> dict[str, Any]:
    messages, control = settings.home / "broker", settings.home / "broker" / "control"
    for folder in (messages, control):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {
        "broker_url": f"{files.SCHEME}://localhost",
        "broker_transport_options": {
            "data_folder_in": str(messages),
            "data_folder_out": str(messages),
            "control_folder": str(control),
            "polling_interval": _FILES_LOOK_EVERY,
        },
    }


def _of_redis(url: str) -> dict[str, Any]:
    return {
        "broker_url": url,
        "broker_transport_options": {
            "socket_connect_timeout": _CONNECT_SECONDS,
            "socket_timeout": _ANSWER_SECONDS,
            "socket_keepalive": True,
            "health_check_interval": _HEARTBEAT_SECONDS,
            "visibility_timeout": _VISIBILITY_SECONDS,
            "max_retries": 0,
        },
    }


def _of_amqp(url: str) -> dict[str, Any]:
    return {
        "broker_url": url,
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
