"""`castad analyse`, as it is typed."""

import json
import os
import tempfile
from pathlib import Path

import pytest

from tests.command_line import castad
from tests.fakes.github import FakeGitHub
from tests.git_repositories import new_repository

FILES = {
    "a.py": b"x = 1\n",
    "tests/test_a.py": b"import pytest\n\n\ndef test_a():\n    pass\n",
    "<b>/한국어.py": b"y = 2\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    new_repository(tmp_path / "shop", FILES)
    return tmp_path / "shop"


def test_analyse_counts_languages_and_tests_of_a_local_repository(repository):
    done = castad("analyse", str(repository), "--json")
    found = json.loads(done.stdout)
    assert [(each["name"], each["files"]) for each in found["languages"]] == [("Python", 3)]
    assert [(each["framework"], each["tests"]) for each in found["tests"]] == [("pytest", 1)]


def test_analyse_reads_what_is_not_committed_only_where_it_is_asked_to(repository):
    (repository / "b.py").write_text("z = 3\n")
    counts = [
        json.loads(castad("analyse", str(repository), "--json", *more).stdout)["files"]
        for more in ([], ["--dirty"])
    ]
    assert counts == [3, 4]


def test_analyse_writes_the_page_with_every_name_escaped(repository, tmp_path):
    page = tmp_path / "report.html"
    done = castad("analyse", str(repository), "--page", str(page), "--korean")
    assert done.returncode == 0
    text = page.read_text("utf-8")
    assert "한국어.py" in text
    assert "<b>/" not in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["{folder}/nothing"], "repository_not_found"),
        (["{shop}/nothing"], "repository_not_found"),
        (["{shop}/" + "a" * 300], "repository_not_found"),
        (["{folder}"], "repository_not_found"),
        (["{shop}", "--ref", "nosuch"], "ref_not_found"),
        (["{shop}", "--dirty", "--ref", "main"], "invalid_input"),
        (["{shop}", "--page", "{folder}"], "invalid_input"),
        (["{shop}", "--nosuch"], "usage"),
    ],
)
def test_analyse_refuses_in_one_sentence_with_a_code(repository, tmp_path, arguments, code):
    done = castad("analyse", *(each.format(folder=tmp_path, shop=repository) for each in arguments))
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].endswith(f"[{code}]")
    assert len(done.stderr.splitlines()) == 1


def test_analyse_fetches_owner_and_name_from_github_where_no_such_folder_is_here(
    tmp_path, monkeypatch
):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with FakeGitHub(tmp_path / "github") as github:
        monkeypatch.setenv("GITHUB_API_URL", github.url)
        sha = github.add("Shop", "Till").push(FILES, "main")
        found = castad("analyse", "shop/till", "--json")
        shown = castad("analyse", "https://github.com/shop/till")
        wrong = (["shop/none"], ["shop/till", "--dirty"], ["shop/till", "--ref", "no"])
        refused = [castad("analyse", *given).stderr.splitlines()[-1] for given in wrong]
        asked = len(github.calls)
        new_repository(tmp_path / "shop" / "till", FILES)
        monkeypatch.chdir(tmp_path)
        here = castad("analyse", "shop/till", "--json")
        assert len(github.calls) == asked
    assert json.loads(found.stdout) == json.loads(here.stdout)
    assert sha[:12] in shown.stdout
    codes = ("repository_not_found", "invalid_input", "ref_not_found")
    assert all(line.endswith(f"[{code}]") for line, code in zip(refused, codes, strict=True))
    assert list(temporary.iterdir()) == []


def test_analyse_executes_nothing_of_the_repository_that_it_is_typed_in(tmp_path, monkeypatch):
    modules = ("pydantic.py", "resource.py", "pipeline_defs/__init__.py")
    new_repository(tmp_path / "shop", dict.fromkeys(modules, b"raise SystemExit\n")).close()
    monkeypatch.chdir(tmp_path / "shop")
    assert json.loads(castad("analyse", "--json").stdout)["files"] == len(modules)


def test_analyse_in_a_folder_whose_name_is_no_text_says_so(tmp_path, monkeypatch):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/n\xff"))
    new_repository(tmp_path / "shop", FILES).close()
    (tmp_path / "shop").rename(folder)
    monkeypatch.chdir(folder)
    done = castad("analyse")
    assert done.returncode != 0
    assert done.stderr == "castad: REPOSITORY: expected a path of UTF-8 text [invalid_input]\n"
