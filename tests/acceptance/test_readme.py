"""README keeps to what there is. What its lines do beside a running castad is in test_up.py."""

import os
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest

from resources.process.settings import PROJECT_ROOT
from tests.acceptance.desk import with_sqlite3
from tests.acceptance.readme import BLOCKS, README, SQL_SHELL, lines_of

MAKEFILE = (PROJECT_ROOT / "Makefile").read_text()


def test_readme_names_targets_that_there_are():
    named = set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE))
    assert named
    assert {name for name in named if f"\n{name}:" not in MAKEFILE} == set()


@pytest.mark.parametrize("typed", ["the order", "the shell"])
def test_sql_typed_as_in_readme_waits_for_who_writes(typed, new_ledger_file, tmp_path):
    file = tmp_path / ".castad" / "castad.db"
    file.parent.mkdir()
    shutil.copy(new_ledger_file, file)
    [order] = [
        line
        for language, block in BLOCKS
        if language == "sh"
        for line in lines_of(block)
        if line.startswith("sqlite3")
    ]
    insert = "INSERT INTO requests (task_id, payload) VALUES ('sql-1', '{}')"
    line, given = (order, "") if typed == "the order" else (SQL_SHELL[0], insert)
    environment = {**os.environ, "PATH": with_sqlite3(tmp_path)}
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        shell = subprocess.Popen(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            shell.communicate(given, timeout=1)
        writer.execute("COMMIT")
        _, said = shell.communicate(timeout=60)
        assert (shell.returncode, said) == (0, "")
        assert writer.execute("SELECT task_id FROM requests").fetchall() == [("sql-1",)]
