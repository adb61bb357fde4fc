"""`castad migrate` brings a ledger and a file of settings to this castad's form."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.process.setting_types import get_current_name, rename_variables
from tests.command_line import castad
from tests.integration.test_former_ledgers import leave_ledger

FORMER = """# how many at once
CASTAD_PLACES_SONG=2
export CASTAD_PLACES_SONG_VIDEO = 9
#CASTAD_PLACES_LYRIC=
COMFYUI_PLACES=1
CASTAD_MAX_COST=5 # CASTAD_PLACES_SONG is above
"""
TODAY = """# how many at once
CASTAD_SLOTS_SONG=2
export CASTAD_SLOTS_SONG_VIDEO = 9
#CASTAD_SLOTS_LYRIC=
COMFYUI_SLOTS=1
CASTAD_MAX_COST=5 # CASTAD_PLACES_SONG is above
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of settings of an earlier castad, which only its owner reads."""
    file = tmp_path / "castad.env"
    file.write_text(FORMER, "utf-8")
    file.chmod(0o600)
    return file


def test_settings_of_a_file_are_renamed(file):
    done = castad("migrate", "--env", str(file))
    assert (done.returncode, file.read_text("utf-8")) == (0, TODAY)
    assert "CASTAD_PLACES_SONG is CASTAD_SLOTS_SONG\n" in done.stdout


def test_file_that_is_renamed_keeps_its_mode(file):
    castad("migrate", "--env", str(file))
    assert file.stat().st_mode & 0o777 == 0o600


def test_file_without_former_names_stays_as_it_is(file):
    file.write_text(TODAY, "utf-8")
    before = file.stat()
    assert castad("migrate", "--env", str(file)).returncode == 0
    assert file.stat() == before


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_file_that_is_no_text_is_refused(tmp_path, content):
    file = tmp_path / "castad.env"
    if content is not None:
        file.write_bytes(content)
    done = castad("migrate", "--env", str(file))
    assert done.returncode == 2
    assert done.stderr.startswith("castad: --env: expected a file of UTF-8 text")


@given(st.text())
def test_text_is_renamed_once(text):
    renamed, _ = rename_variables(text)
    assert rename_variables(renamed) == (renamed, {})


def test_name_of_today_stays():
    assert get_current_name("CASTAD_SLOTS_SONG") is None


def test_settings_with_former_names_are_refused_together(monkeypatch):
    for name in ("SONG", "LYRIC"):
        monkeypatch.setenv(f"CASTAD_PLACES_{name}", "1")
    done = castad("list")
    assert done.returncode == 2
    for said in ("PLACES_LYRIC", "PLACES_SONG", "SLOTS_LYRIC", "SLOTS_SONG"):
        assert f"CASTAD_{said}" in done.stderr
    assert "castad migrate --env" in done.stderr


def test_ledger_of_an_earlier_castad_is_migrated(sqlite_url, monkeypatch):
    url = leave_ledger(sqlite_url, "ledger_0028")
    monkeypatch.setenv("CASTAD_HOME", str(Path(url.removeprefix("sqlite:///")).parent))
    Path(url.removeprefix("sqlite:///")).rename(
        Path(url.removeprefix("sqlite:///")).parent / "castad.db"
    )
    done = castad("migrate")
    assert (done.returncode, done.stderr) == (0, "the ledger has this castad's form\n")
