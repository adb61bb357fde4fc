"""A folder that cannot work is refused when it is loaded: one sentence with its name and the field."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extension.clone import CATALOG, REGISTRY, Clone, Shell, copy_project

pytestmark = pytest.mark.processes

FAULTS = {
    "no pipeline": ("pipeline.py", "PIPELINE = ", "OTHER = ", "expected `PIPELINE` in pipeline.py"),
    "unknown maker": (
        *("pipeline.py", 'makers=("printshop",)', 'makers=("printhouse",)'),
        "stages[1].makers: expected at least one of openai, suno, creatomate, studio, comfyui, "
        "local, printshop, got printhouse",
    ),
    "metadata function": (
        *("pipeline.py", "previews:layout_metadata", "previews:layout_preview"),
        "stages[0].metadata: expected module:function, got pipeline_defs.poster.previews:layout_preview",
    ),
    "error in the previews' file": (
        *("previews.py", "def layout_metadata", "def layout_metadata("),
        "stages[0].metadata: SyntaxError: ",
    ),
    "error in the file": (
        *("pipeline.py", "from pipeline_defs.poster.order import Order", "import no_such_thing"),
        "pipeline.py: No module named 'no_such_thing'",
    ),
}
PREVIEWS = (
    "previews.py",
    "from collections.abc import Mapping",
    "from collections.abc import Maping",
)
PREVIEWS_SAID = "layout.metadata: cannot import name 'Maping'"
_COMMAND = ("make", "poster", "--headline", "Sale", "--dry-run")


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A copy with a pipeline that works."""
    # A file that changes twice within a second would be taken for the one that was compiled.
    variables = {"PRINTSHOP_API_KEY": "none-is-needed", "PYTHONDONTWRITEBYTECODE": "1"}
    clone = copy_project(tmp_path_factory.mktemp("clone"), variables)
    clone.drop_vendor("printshop")
    clone.drop_pipeline("poster")
    return clone


@pytest.fixture(scope="module")
def shell(pristine: Clone) -> Iterator[Shell]:
    with pristine.shell() as shell:
        yield shell


@pytest.fixture
def clone(pristine: Clone) -> Clone:
    """That copy, as it was before the last test."""
    for file in (pristine.folder / "pipeline_defs" / "poster").glob("*.py"):
        file.write_text(
            (Path(__file__).parent / "pipeline_defs" / "poster" / file.name).read_text()
        )
    return pristine


def spoil(clone: Clone, file: str, text: str, other: str) -> None:
    path = clone.folder / "pipeline_defs" / "poster" / file
    content = path.read_text()
    assert text in content
    path.write_text(content.replace(text, other))


@pytest.mark.parametrize("fault", FAULTS)
def test_command_says_the_folder_and_the_field_in_one_sentence(clone, shell, fault):
    file, text, other, expected = FAULTS[fault]
    spoil(clone, file, text, other)
    done = shell.castad(*_COMMAND)
    [line] = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert line.startswith(f"castad: pipeline_defs/poster: {expected}")
    assert line.endswith("[invalid_pipeline]")


def test_worker_does_not_start_where_a_job_cannot_be_built(clone):
    spoil(clone, *PREVIEWS)
    done = clone.castad("worker")
    [line] = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"castad: pipeline_defs/poster: {PREVIEWS_SAID}")


def test_command_says_which_folder_of_the_line_is_not_there(tmp_path):
    clone = copy_project(tmp_path, {})
    clone.add_line(CATALOG, "PIPELINES", "placard")
    assert clone.castad(*_COMMAND).stderr == (
        "castad: pipeline_defs/placard: expected a file pipeline.py [invalid_pipeline]\n"
    )


@pytest.mark.parametrize("file", [REGISTRY, CATALOG, "resources/process/settings.py"])
def test_file_of_castad_that_cannot_be_loaded_is_one_sentence_with_its_line(tmp_path, file):
    clone = copy_project(tmp_path, {})
    broken = clone.folder / file
    broken.write_text(f"  VENDORS = (\n{broken.read_text()}")
    for command in ("dead", "doctor", "make"):
        done = clone.castad(command)
        [line] = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (1, "")
        assert "IndentationError: unexpected indent" in line
        assert broken.name in line
        assert "line 1" in line
        assert line.endswith("[internal_error]")


def test_doctor_reports_a_folder_that_cannot_work_among_its_findings(clone, shell):
    spoil(clone, *FAULTS["unknown maker"][:3])
    done = shell.castad("doctor")
    assert done.returncode == 1
    assert "pipeline_defs/poster: stages[1].makers" in " ".join(done.stdout.split())
    assert "database" in done.stdout


def test_doctor_reports_a_job_that_cannot_be_built(clone, shell):
    spoil(clone, *PREVIEWS)
    done = shell.castad("doctor", "--json")
    checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert checks["poster: job"]["message"].startswith(f"pipeline_defs/poster: {PREVIEWS_SAID}")
    assert checks["song_video: job"]["fine"]
    assert not checks["code location"]["fine"]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (FAULTS["metadata function"][:3], "stages[0].metadata: expected module:function"),
        (PREVIEWS, PREVIEWS_SAID),
    ],
)
def test_dagster_says_the_same_sentence(clone, fault, expected):
    spoil(clone, *fault)
    done = clone.run("-m", "dagster", "definitions", "validate", "-w", "workspace.yaml")
    assert done.returncode == 1
    assert f"pipeline_defs/poster: {expected}" in done.stdout + done.stderr
