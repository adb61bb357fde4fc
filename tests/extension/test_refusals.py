"""A folder that cannot work is refused when it is loaded: one sentence with its name and the field."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.extension.clone import CATALOG, REGISTRY, Clone, Shell, copy_project

pytestmark = pytest.mark.processes

FAULTS = {
    "no pipeline": ("pipeline.py", "PIPELINE = ", "OTHER = ", "expected `PIPELINE` in pipeline.py"),
    "wrong name": (
        *("pipeline.py", 'name="poster"', 'name="placard"'),
        "name: expected the folder's name, poster; expected small letters",
    ),
    "later stage": (
        *("pipeline.py", "work=make_layout,", 'work=make_layout, needs=("printing",),'),
        "stages[0].needs: expected stages before it: there is none, got printing",
    ),
    "unknown maker": (
        *("pipeline.py", 'makers=("printshop",)', 'makers=("printhouse",)'),
        "stages[1].makers: expected at least one of openai, suno, creatomate, studio, comfyui, "
        "local, printshop, got printhouse",
    ),
    "kind that the maker does not make": (
        *("pipeline.py", 'makers=("printshop",)', 'makers=("printshop",), kind="song"'),
        "stages[1].kind: expected what printshop makes: printing, got song",
    ),
    "type that JSON lacks": (
        *("order.py", "footer: Line | None", "footer: bytes | None"),
        "order_model: footer: expected a type that JSON has, got bytes",
    ),
    "set of annotated texts": (
        *("order.py", "lines: list[Line]", "lines: set[Line]"),
        "order_model: lines: expected a type that JSON has, got set",
    ),
    "choice of two types": (
        *("order.py", "footer: Line | None", "footer: Line | int"),
        "order_model: footer: expected one type, or one type and None, got str | int",
    ),
    "name of a command's own option": (
        *("order.py", "    paper: Literal", "    target: Literal"),
        "order_model: target: expected another name",
    ),
    "alias": (
        *("order.py", 'Field("A3",', 'Field("A3", alias="size",'),
        "order_model: paper: expected a field without an alias",
    ),
    "invalid example": (
        *("pipeline.py", '"copies": 20', '"copies": 9000'),
        "example: copies: expected at most 500",
    ),
    "metadata function": (
        *("pipeline.py", "previews:layout_metadata", "previews:layout_preview"),
        "stages[0].metadata: expected module:function, got pipeline_defs.poster.previews:layout_preview",
    ),
    "no typical product": (
        *("pipeline.py", 'return {"layout": Layout(', 'return {"lyric": Layout('),
        "stages[1].job_input: expected an input for the example and its TypicalProducts, got KeyError: 'layout'",
    ),
    "changeable": (
        *("pipeline.py", 'Changeable({"copies": "printing"})', 'Changeable({"copies": "song"})'),
        "Changeable.fields: expected stages: layout, printing, got song",
    ),
    "summary": (
        *("pipeline.py", "{order.copies} x", "{order.sheets} x"),
        "summary: expected text for the example, got AttributeError",
    ),
    "error in the previews' file": (
        *("previews.py", "def layout_metadata", "def layout_metadata("),
        "stages[0].metadata: SyntaxError: ",
    ),
    "retry in words": (
        *("pipeline.py", "retry_seconds=60", 'retry_seconds="60"'),
        "stages[1].retry_seconds: expected a number",
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
def test_command_says_the_folder_and_the_field_in_one_sentence(
    clone: Clone, shell: Shell, fault: str
) -> None:
    file, text, other, expected = FAULTS[fault]
    spoil(clone, file, text, other)
    done = shell.castad(*_COMMAND)
    [line] = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert line.startswith(f"castad: pipeline_defs/poster: {expected}")
    assert line.endswith("[invalid_pipeline]")


def test_worker_does_not_start_where_a_job_cannot_be_built(clone: Clone) -> None:
    spoil(clone, *PREVIEWS)
    done = clone.castad("worker")
    [line] = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"castad: pipeline_defs/poster: {PREVIEWS_SAID}")


def test_command_says_which_folder_of_the_line_is_not_there(tmp_path: Path) -> None:
    clone = copy_project(tmp_path, {})
    clone.add_line(CATALOG, "PIPELINES", "placard")
    assert clone.castad(*_COMMAND).stderr == (
        "castad: pipeline_defs/placard: expected a file pipeline.py [invalid_pipeline]\n"
    )


@pytest.mark.parametrize("file", [REGISTRY, CATALOG, "resources/process/settings.py"])
def test_file_of_castad_that_cannot_be_loaded_is_one_sentence_with_its_line(
    tmp_path: Path, file: str
) -> None:
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


def test_doctor_reports_a_folder_that_cannot_work_among_its_findings(
    clone: Clone, shell: Shell
) -> None:
    spoil(clone, *FAULTS["unknown maker"][:3])
    done = shell.castad("doctor")
    assert done.returncode == 1
    assert "pipeline_defs/poster: stages[1].makers" in " ".join(done.stdout.split())
    assert "database" in done.stdout


def test_doctor_reports_a_job_that_cannot_be_built(clone: Clone, shell: Shell) -> None:
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
def test_dagster_says_the_same_sentence(
    clone: Clone, fault: tuple[str, ...], expected: str
) -> None:
    spoil(clone, *fault)
    done = clone.run("-m", "dagster", "definitions", "validate", "-w", "workspace.yaml")
    assert done.returncode == 1
    assert f"pipeline_defs/poster: {expected}" in done.stdout + done.stderr
