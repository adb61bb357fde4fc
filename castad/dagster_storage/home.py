"""DAGSTER_HOME, a folder inside the state folder."""

import os
import tempfile
from pathlib import Path

from resources.process.file_locks import translate_state_folder_errors
from resources.process.setting_types import PROJECT_VARIABLE
from resources.process.settings import PROJECT_ROOT, Settings, find_project_file

_CONFIG = "dagster.yaml"


def make_dagster_home(settings: Settings) -> Path:
    """Make the folder and link its dagster.yaml to the project's; many processes may call it at once."""
    home = settings.home / "dagster"
    with translate_state_folder_errors(settings.home):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        target, link = find_project_file(_CONFIG), home / _CONFIG
        if not link.is_symlink() or link.readlink() != target:
            with tempfile.TemporaryDirectory(dir=home, prefix=".link-") as folder:
                fresh = Path(folder) / _CONFIG
                fresh.symlink_to(target)
                fresh.replace(link)
        (settings.home / "logs").mkdir(exist_ok=True)
    return home


def build_dagster_environment(settings: Settings) -> dict[str, str]:
    """Return the environment in which Dagster's programs use this project's state, in any working folder."""
    return {
        # A heap per thread keeps its peak size; with one shared heap a run that renders a video needs 20 MB less.
        "MALLOC_ARENA_MAX": "1",
        # On a stop request the code server does not wait for its ticks to time out.
        "DAGSTER_GRPC_SHUTDOWN_GRACE_PERIOD": "1",
        **os.environ,
        "CASTAD_HOME": str(settings.home),
        PROJECT_VARIABLE: str(PROJECT_ROOT),
        "DAGSTER_HOME": str(make_dagster_home(settings)),
        "PYTHONWARNINGS": "ignore",
        "PYTHONUNBUFFERED": "1",
    }


def log_file(settings: Settings, name: str) -> Path:
    """Return the path of the log file of this name."""
    return settings.home / "logs" / f"{name}.log"
