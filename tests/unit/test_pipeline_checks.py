"""A pipeline that cannot work is refused with its folder, the field, and what was expected."""

import builtins
import keyword
import re
from dataclasses import replace
from typing import Any

import pytest
from dagster import DagsterInvalidDefinitionError
from pydantic import BaseModel, create_model

from castad.orders.submit import check_uploads
from pipeline_defs.build import make_job
from pipeline_defs.capabilities import (
    Changeable,
    MainFile,
    Pace,
    SourceCheck,
    TypicalProducts,
    UniqueKey,
)
from pipeline_defs.checks import RESERVED_BY_CASTAD, RESERVED_BY_DAGSTER, check_pipeline
from pipeline_defs.pipeline import Choices, Pipeline, Revision
from resources.contract.errors import InvalidInputError
from resources.files.pictures import get_picture_source
from resources.process.settings import Settings
from tests.small_pipelines import small_pipeline, with_extras
from tests.song_video import SONG_VIDEO
from tests.tables import rows_beside

FOLDER = SONG_VIDEO.name


def fault_of(pipeline: Pipeline) -> str:
    """What is said of the pipeline, in a folder that has a job; "" if it is complete."""
    try:
        check_pipeline(FOLDER, pipeline)
    except InvalidInputError as error:
        return error.message.removeprefix(f"pipeline_defs/{FOLDER}: ")
    return ""


FIRST, *OTHERS = SONG_VIDEO.stages


def of_stage(**chosen: Any) -> dict[str, Any]:
    """The stages, of which the first has these values."""
    return {"stages": (replace(FIRST, **chosen), *OTHERS)}


def fails(*arguments: Any) -> Any:
    raise KeyError("x")


def no_maker(brief: Any, makers: Any, settings: Any) -> None:
    raise InvalidInputError("CASTAD_PUBLIC_URL", "expected an address")


def one(brief: Any) -> str:
    return "one"


def having(extra: Any, fault: str) -> tuple[dict[str, Any], str]:
    """A capability, and what is said of it."""
    return {"extras": with_extras(SONG_VIDEO, extra).extras}, fault


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": None}, "name: expected text"),
    ({"name": "film"}, "name: expected the folder's name, song_video; expected small letters"),
    ({"title": None}, "title: expected text"),
    ({"queue": None}, "queue: expected text"),
    ({"queue": 1}, "queue: expected text"),
    ({"stages": None}, "stages: expected a tuple"),
    ({"stages": ()}, "stages: expected at least 1 entries"),
    ({"stages": ("lyric",)}, "stages[0]: expected an instance of BoughtStage or LocalStage"),
    ({"order_model": {}}, "order_model: expected a subclass of BaseModel"),
    ({"order_model": 3}, "order_model: expected a subclass of BaseModel"),
    ({"example": None}, "example: expected a mapping"),
    ({"example": [1]}, "example: expected a mapping"),
    ({"example": {}}, "example: customer_name: expected a value, got none"),
    ({"summary": None}, "summary: expected a function"),
    ({"summary": lambda: ""}, "summary: expected a function of 1 argument"),
    ({"summary": fails}, "summary: expected text for the example, got KeyError"),
    ({"summary": lambda brief: 3}, "summary: expected text for the example, got TypeError: int"),
    ({"acceptance": None}, "acceptance: expected a function"),
    ({"acceptance": fails}, "acceptance: expected nothing, or InvalidInputError, for the example"),
    having(TypicalProducts(lambda brief: [1]), "TypicalProducts.of: expected products by their"),
    ({"result": None}, "result: expected a function"),
    ({"uploads": "images"}, "uploads: expected a tuple"),
    ({"extras": (Pace("song"),) * 2}, "extras: expected each capability once; Pace is there twice"),
    ({"extras": (3,)}, "extras[0]: expected an instance of Capability"),
    having(MainFile(3), "MainFile.media_type: expected text"),
    having(MainFile("layout.txt"), "MainFile.media_type: expected the type of a file: appl"),
    having(MainFile("image/jpg"), "MainFile.media_type: expected the type of a file: appl"),
    having(Pace("film"), "Pace.stage: expected one of lyric, song, video, got film"),
    having(Changeable(["orientation"]), "Changeable.fields: expected a mapping"),
    having(Changeable({"takes": "film"}), "Changeable.fields: expected stages: lyric, song"),
    having(Changeable({"colour": "video"}), "Changeable.fields: expected fields of the order: "),
    having(UniqueKey("customer_name"), "UniqueKey.of: expected a function"),
    having(UniqueKey(fails), "UniqueKey.of: expected text for the example, got KeyError"),
    having(UniqueKey(one, shared=1), "UniqueKey.shared: expected true or false"),
    having(UniqueKey(one, settled={"film": fails}), "UniqueKey.settled: expected stages: lyric"),
    (of_stage(name=None), "stages[0].name: expected text"),
    (of_stage(choices=Choices(len, 3)), "stages[0].choices.choose: expected a function"),
    (
        of_stage(revision=Revision(SONG_VIDEO.order_model, fails)),
        "stages[0].revision.model: expected fields of",
    ),
    (of_stage(title=None), "stages[0].title: expected text"),
    (of_stage(product=dict), "stages[0].product: expected a subclass of BaseModel"),
    (of_stage(needs="lyric"), "stages[0].needs: expected a tuple"),
    (of_stage(retry_seconds="60"), "stages[0].retry_seconds: expected a number"),
    (of_stage(retry_seconds=0), "stages[0].retry_seconds: expected more than 0"),
    (of_stage(retry_seconds=float("inf")), "stages[0].retry_seconds: expected a finite number"),
    (of_stage(slots="2"), "stages[0].slots: expected a whole number"),
    (of_stage(slots=0), "stages[0].slots: expected at least 1"),
    (of_stage(deadline=-1), "stages[0].deadline: expected more than 0"),
    (of_stage(deadline="x"), "stages[0].deadline: expected a number"),
    (of_stage(metadata=3), "stages[0].metadata: expected text"),
    (of_stage(metadata="json"), "stages[0].metadata: expected module:function, got json"),
    (
        of_stage(needs=("song",)),
        "stages[0].needs: expected stages before it: there is none, got song",
    ),
    (of_stage(makers=("typist",)), "stages[0].makers: expected at least one of openai, suno, "),
    (of_stage(kind="film"), "stages[0].kind: expected what openai makes: "),
    having(
        TypicalProducts(lambda brief: {}), "stages[1].job_input: expected an input for the example"
    ),
    (of_stage(makers=None), "stages[0].makers: expected a tuple"),
    (of_stage(makers=()), "stages[0].makers: expected at least one of openai"),
    (of_stage(job_input=None), "stages[0].job_input: expected a function"),
    (
        {"stages": (FIRST, replace(OTHERS[0], needs=("lyric", "lyric")))},
        "stages[1].needs: expected each stage once; lyric is there twice",
    ),
]


@pytest.mark.parametrize(("chosen", "fault"), WRONG, ids=[fault for _, fault in WRONG])
def test_value_that_cannot_be_is_refused_by_its_field(chosen, fault):
    assert fault_of(replace(SONG_VIDEO, **chosen)).startswith(fault)


SOURCE_CHECK = SourceCheck(
    "look", fails, "pipeline_defs.analysis.reanalysis:find_commit", "github", fails
)


@rows_beside
def test_source_check_that_cannot_work_is_refused(chosen, fault):
    key = UniqueKey(one, shared=True, settled={"look": fails})
    small = small_pipeline(FOLDER, extras=(key, replace(SOURCE_CHECK, **chosen)))
    assert fault_of(small).startswith(f"SourceCheck.{fault}" if fault else "")
    assert bool(fault_of(small)) == bool(fault)


def test_source_check_of_orders_with_owners_is_refused():
    key = UniqueKey(one, settled={"look": fails})
    small = small_pipeline(FOLDER, extras=(key, SOURCE_CHECK))
    assert fault_of(small).startswith("SourceCheck.stage: expected a stage that settles the key")


def test_pipeline_whose_example_needs_other_settings_is_accepted():
    assert fault_of(replace(SONG_VIDEO, acceptance=no_maker)) == ""


def test_result_is_tried_where_the_typical_products_are_all():
    small = small_pipeline(
        FOLDER, result=fails, extras=(TypicalProducts(lambda brief: {"look": brief}),)
    )
    expected = "result: expected JSON for the example and its TypicalProducts, got KeyError: 'x'"
    assert fault_of(small) == expected


NAMES = sorted(
    name
    for name in {*dir(builtins), *keyword.kwlist, *RESERVED_BY_DAGSTER, "result", "step"}
    if re.fullmatch("[a-z][a-z0-9_]*", name)
)


@pytest.mark.parametrize("name", NAMES)
def test_stage_is_refused_a_name_that_dagster_refuses_an_op(name):
    small = small_pipeline(FOLDER)
    renamed = replace(small, stages=(replace(small.stages[0], name=name),))
    try:
        make_job(renamed)
    except DagsterInvalidDefinitionError:
        assert fault_of(renamed).startswith("stages[0].name: expected")
    else:
        assert fault_of(renamed) == ""


@pytest.mark.parametrize("name", ["config", *sorted(RESERVED_BY_CASTAD)])
def test_pipeline_is_refused_a_name_that_no_other_job_may_have(name):
    with pytest.raises(InvalidInputError, match=f"name: expected another name; .* reserves {name}"):
        check_pipeline(name, small_pipeline(name))


def with_pictures(kind: Any) -> Pipeline:
    brief: type[BaseModel] = create_model("Order", photos=(kind, None))
    summary = {"order_model": brief, "example": {}, "summary": lambda brief: ""}
    return replace(small_pipeline(FOLDER), uploads=("photos",), **summary)


@pytest.mark.parametrize("kind", [str, list[int], list[str | None], dict[str, str]])
def test_pictures_that_are_no_list_of_texts_are_refused(kind):
    assert fault_of(with_pictures(kind)) == "uploads: expected lists of texts, got photos"


@pytest.mark.parametrize("kind", [list[str], list[str] | None])
def test_pictures_may_be_an_optional_list(kind):
    assert fault_of(with_pictures(kind)) == ""


@pytest.mark.parametrize("photos", [None, [], ["https://example.com/a.jpg"]])
def test_order_without_pictures_has_no_unknown_upload(photos, tmp_path):
    pictures = get_picture_source(Settings(home=tmp_path))
    check_uploads(with_pictures(list[str] | None), {"photos": photos}, pictures)
