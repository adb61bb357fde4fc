"""The command line in this process."""

import os
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO

from castad.cli.app import app
from castad.cli.boundary import run
from resources.process.settings import settings


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def castad(*arguments: str | bytes) -> Done:
    """Run `castad` with these arguments as `main` does; bytes are what a shell may hand over."""
    settings.cache_clear()
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        status = run(app, [os.fsdecode(argument) for argument in arguments])
    return Done(status, out.getvalue(), err.getvalue())
