"""A person at the command line for whom an order waits."""

import getpass
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from castad.cli.boundary import WAITS_FOR_PERSON
from resources.ledger.db.database import open_database
from resources.ledger.queries.money import read_pauses
from resources.ledger.rules import FailureAction
from tests.command_line import castad
from tests.ledger_steps import Steps
from tests.song_video import SONG_VIDEO

LYRIC = {"title": "봄날", "text": "빵 냄새\n아침"}
ME = f"cli:{getpass.getuser()}"
Editor = Callable[[str], None]


@pytest.fixture
def steps(sqlite_ledger_url: str) -> Steps:
    """The order `x`, which waits for the approval of its lyric."""
    steps = Steps(open_database(sqlite_ledger_url))
    steps.order("x", SONG_VIDEO.normalize(SONG_VIDEO.example), hold="lyric")
    lease = steps.take("x")
    steps.complete(lease, steps.begin(lease, "lyric"), result=LYRIC)
    steps.meets_hold(lease, "song")
    return steps


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Whoever edits does these commands of sed."""

    def edits(commands: str) -> None:
        script = tmp_path / "editor"
        script.write_text(f"#!/bin/sh\nexec sed -i '{commands}' \"$1\"\n")
        script.chmod(0o700)
        monkeypatch.setenv("EDITOR", str(script))

    monkeypatch.delenv("VISUAL", raising=False)
    return edits


def lyric(steps: Steps) -> dict[str, Any]:
    """As it is now."""
    result: dict[str, Any] = json.loads(steps.stages("x")[-1].result)
    return result


def test_watching_an_order_that_waits_for_a_person_ends_and_says_what_to_do(steps):
    done = castad("watch", "x")
    assert (done.returncode, done.stdout) == (WAITS_FOR_PERSON, "")
    assert "waiting for a person to approve the lyric" in done.stderr
    assert "`castad approve x` goes on" in done.stderr


def test_status_of_such_an_order_says_so(steps):
    assert "waiting for a person to approve the lyric" in castad("status", "x").stdout


def test_approval_is_by_the_user_of_the_machine(steps):
    done = castad("approve", "x")
    assert (done.returncode, done.stdout) == (0, "x is pending; `castad watch x` continues it\n")
    assert steps.stages("x")[-1].approved_by == ME


def test_every_act_on_an_order_is_by_the_user_of_the_machine(steps):
    acts = [("cancel", "x"), ("retry", "x"), ("redo", "x", "--from", "lyric")]
    for act in acts:
        if act[0] == "redo":
            steps.fail(steps.take("x"), FailureAction.DEAD_LETTER)
        castad(*act)
    who = [(each.type, each.data["by"]) for each in steps.events("x") if "by" in each.data]
    assert who == [("canceled", ME), ("retried", ME), ("redone", ME)]


def test_vendor_is_paused_by_the_user_of_the_machine(steps):
    done = castad("pause", "suno", "--for", "2h", "--reason", "they repair")
    assert done.returncode == 0, done.stderr
    [paused] = read_pauses(steps.db)
    assert (paused.provider, paused.why) == ("suno", f"paused by {ME}: they repair")


def test_resolution_is_by_the_user_of_the_machine(steps):
    steps.lost_for_good("doubt")
    castad("resolve", "doubt", "--give-up")
    assert steps.last("doubt").data["by"] == ME


def test_approval_of_what_waits_for_none_fails(steps):
    castad("approve", "x")
    done = castad("approve", "x")
    assert done.returncode == 1
    assert done.stderr.endswith("[not_held]\n")


def test_rejection_cancels_with_its_reason(steps):
    assert castad("reject", "x", "--reason", "too long").stdout == "x is canceled\n"
    assert steps.row("x").error_message == f"lyric: rejected by {ME}: too long"


def test_lyric_prints_the_words(steps):
    assert castad("lyric", "x").stdout == f"{LYRIC['text']}\n"


def test_words_of_a_file_become_the_lyric(steps, tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("새 노래\n")
    done = castad("lyric", "x", "--text", str(file))
    assert done.stdout == "x waits for a person to approve the lyric: `castad approve x`\n"
    assert lyric(steps) == {**LYRIC, "text": "새 노래"}


@pytest.mark.parametrize("command", [("edit", "x"), ("lyric", "x", "--edit")])
def test_words_are_edited_as_they_are_read(steps, editor, command):
    editor("s/빵 냄새/빵 굽는 냄새/")
    assert castad(*command).returncode == 0
    assert lyric(steps) == {**LYRIC, "text": "빵 굽는 냄새\n아침"}


SLOW_EDITOR = """#!{python}
import pathlib, sqlite3, sys
with sqlite3.connect({ledger!r}) as ledger:
    ledger.execute("UPDATE stages SET generation = 2")
file = pathlib.Path(sys.argv[1])
file.write_text(file.read_text().replace("빵", "떡"))
"""


def test_words_that_somebody_changed_while_they_were_edited_stay(steps, tmp_path, monkeypatch):
    script = tmp_path / "editor"
    script.write_text(SLOW_EDITOR.format(python=sys.executable, ledger=steps.db.url.database))
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))
    done = castad("edit", "x")
    assert (done.returncode, done.stderr.endswith("[changed_meanwhile]\n")) == (1, True)
    assert lyric(steps) == LYRIC


def test_words_that_are_left_are_no_change(steps, editor):
    editor("")
    done = castad("edit", "x")
    assert (done.returncode, done.stderr) == (0, "nothing was changed\n")
    assert steps.last("x").type == "waiting"


def test_words_that_are_refused_are_shown_again_with_the_reason(steps, editor):
    editor('s/^title: .*/title: ""/; /^# title: /,$ s/^title: .*/title: 새봄/')
    assert castad("edit", "x").returncode == 0
    assert lyric(steps)["title"] == "새봄"


def test_words_that_are_left_as_they_were_refused_are_refused(steps, editor):
    editor('s/^title: .*/title: ""/')
    done = castad("edit", "x")
    assert done.returncode == 2
    assert "title: expected" in done.stderr


def test_editor_that_does_not_start_is_named(steps, monkeypatch):
    monkeypatch.setenv("EDITOR", "/nowhere/editor")
    done = castad("edit", "x")
    assert (done.returncode, "EDITOR: expected an editor" in done.stderr) == (2, True)


def test_status_lists_the_takes_and_which_one_is_used(steps):
    steps.order("y", {"customer_name": "봄날", "region": "전주"}, hold="song")
    lease = steps.take("y")
    steps.complete(lease, steps.begin(lease, "lyric"))
    files = [
        {
            "name": name,
            "sha256": "0" * 64,
            "bytes": 1,
            "media_type": "audio/wav",
            "where": f"x/{name}",
        }
        for name in ("song.wav", "song-b.wav")
    ]
    takes = [{"id": name, "title": "", "seconds": 10} for name in "12"]
    song = {"seconds": 10, "genre": "pop", "timeline": [], "songs": takes, "files": files}
    steps.complete(lease, steps.begin(lease, "song"), result=song)
    steps.meets_hold(lease, "video")
    told = castad("status", "y").stdout.splitlines()
    shown = [line.split()[:2] + line.split()[-1:] for line in told if line.startswith("choice")]
    assert shown == [["choice", "a:", "(used)"], ["choice", "b:", "b`"]]


def test_choice_of_a_stage_that_has_none_is_refused(steps):
    done = castad("choose", "x", "b")
    assert done.returncode == 2
    assert "stage: expected a stage whose product has choices: song" in done.stderr


def test_order_is_made_with_a_hold(sqlite_ledger_url, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(
        'customer_name,region,task_id,hold,hold_seconds\nShop,Busan,a,"lyric,song",600\n'
    )
    assert castad("submit", str(file)).returncode == 0
    row = Steps(open_database(sqlite_ledger_url)).row("a")
    assert (row.hold, row.hold_seconds, row.hold_then) == ("lyric,song", 600, "cancel")


def test_hold_of_a_stage_that_does_not_exist_is_refused():
    done = castad(
        "make", "--customer-name", "Shop", "--region", "Busan", "--hold", "x", "--dry-run"
    )
    assert done.returncode == 2
    assert "hold: expected stages of song_video before its last one: lyric, song" in done.stderr


def test_many_are_retried_but_for_those_that_a_retry_does_not_help(steps):
    steps.cancel("x")
    for name, code in (("dead-1", "provider_failed"), ("dead-2", "provider_failed")):
        steps.order(name, {"customer_name": "봄날", "region": "전주"})
        steps.fail(steps.take(name), FailureAction.DEAD_LETTER)
        steps.edit(f"error_code = '{code}'", name)
    steps.lost_for_good("doubtful")
    planned = castad("retry", "--status", "dead", "--dry-run")
    assert planned.stdout == "orders that would be retried: 2\n"
    assert castad("retry", "--status", "dead").stdout == "orders that are retried: 2\n"
    found = {name: str(steps.row(name).status) for name in ("x", "dead-1", "dead-2", "doubtful")}
    assert found == {"x": "canceled", "dead-1": "pending", "dead-2": "pending", "doubtful": "dead"}


@pytest.mark.parametrize(
    "options", [(), ("x", "--status", "dead"), ("x", "--dry-run"), ("--status", "completed")]
)
def test_retry_of_neither_one_nor_many_is_refused(steps, options):
    assert castad("retry", *options).returncode == 2
