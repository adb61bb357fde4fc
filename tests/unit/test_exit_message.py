import subprocess
import sys

import pytest

LAST = "region: expected a value"


def stderr_of(script: str) -> list[str]:
    command = [
        sys.executable,
        "-c",
        f"from resources.dagster.request_resource import set_exit_message\n{script}",
        "job",
        "execute",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.stderr.splitlines()


@pytest.mark.parametrize(
    "end",
    ["", "raise SystemExit(1)", "raise RuntimeError('a trace')", "print('x', file=sys.stderr)"],
    ids=["plainly", "by exit", "by a trace", "after other words"],
)
def test_last_words_are_the_last_line_however_the_process_ends(end):
    assert stderr_of(f"import sys\nset_exit_message({LAST!r})\n{end}")[-1] == LAST


def test_only_the_last_of_the_last_words_is_said():
    assert stderr_of(f"set_exit_message('too early')\nset_exit_message({LAST!r})") == [LAST]


def test_nothing_is_said_where_there_are_no_last_words():
    assert stderr_of("") == []
