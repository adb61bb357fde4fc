"""DAGSTER_HOME, a folder inside the state folder."""

import os
import tempfile
from pathlib import Path

from resources.process.file_locks import state_folder_errors
from resources.process.settings import PROJECT_ROOT, Settings

_CONFIG = "dagster.yaml"


def dagster_home(settings: Settings) -> Path:
    """The folder exists and its dagster.yaml links to the project's; safe to call from many processes."""
    home = settings.home / "dagster"
    with state_folder_errors(settings.home):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        _link(PROJECT_ROOT / _CONFIG, home / _CONFIG)
        (settings.home / "logs").mkdir(exist_ok=True)
    return home


def dagster_environment(settings: Settings) -> dict[str, str]:
    """The environment in which Dagster's programs use this project's state, whatever their working folder."""
    return {
        # A heap per thread keeps its peak size; with one shared heap a run that renders a video needs 20 MB less.
        "MALLOC_ARENA_MAX": "1",
        # On a stop request the code server does not wait for its ticks to time out.
        "DAGSTER_GRPC_SHUTDOWN_GRACE_PERIOD": "1",
        **os.environ,
        "CASTAD_HOME": str(settings.home),
        "DAGSTER_HOME": str(dagster_home(settings)),
        "PYTHONWARNINGS": "ignore",
        "PYTHONUNBUFFERED": "1",
    }


def log_file(settings: Settings, name: str) -> Path:
    """The path of the log file of this name."""
    return settings.home / "logs" / f"{name}.log"


def _link(target: Path, link: Path) -> None:
    if link.is_symlink() and link.readlink() == target:
        return
    with tempfile.TemporaryDirectory(dir=link.parent, prefix=".link-") as folder:
        fresh = Path(folder) / link.name
        fresh.symlink_to(target)
        fresh.replace(link)
