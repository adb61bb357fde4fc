"""The command line of a copy of the project: one process for many commands, since loading it takes seconds.

Each line of input is a JSON object with the arguments of a command and the variables that it has; each line of
output is its exit code and what it said.
"""

import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from unittest import mock

from castad.cli.app import app
from castad.cli.boundary import run
from pipeline_defs.catalog import PIPELINES, get_catalog
from resources.process.settings import settings


def forget_pipelines() -> None:
    """The next command reads their files as they are then."""
    folders = tuple(f"pipeline_defs.{name}" for name in PIPELINES)
    for module in [module for module in sys.modules if module.startswith(folders)]:
        del sys.modules[module]
    get_catalog.cache_clear()


for line in sys.stdin:
    asked = json.loads(line)
    with (
        mock.patch.dict(os.environ, asked["variables"]),
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
    ):
        settings.cache_clear()
        forget_pipelines()
        status = run(app, asked["arguments"])
    sys.__stdout__.write(json.dumps([status, out.getvalue(), err.getvalue()]) + "\n")
    sys.__stdout__.flush()
