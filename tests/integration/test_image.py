"""Orders of pictures: by runs of the pipeline's own job, over HTTP, and with ComfyUI's stand-in as the maker."""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from dagster import DagsterInstance
from PIL import Image

from castad.api.order_schema import build_order_model
from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from pipeline_defs.image.order import Order
from pipeline_defs.image.pipeline import PIPELINE
from pipeline_defs.image.templates import Template, _read_template, list_templates, load_templates
from resources.contract.errors import InvalidInputError
from resources.files.artifacts import open_artifact_store
from resources.files.pictures import get_picture_source
from resources.ledger.db.database import Database
from resources.ledger.queries.status import get_request, read_stage_result
from resources.ledger.retention_rules import KeepTimes, Part
from resources.ledger.schema.tables import Status
from resources.process.settings import settings
from studio.graphs import set_prefixes
from tests.api_house import House, served
from tests.fakes.comfyui import FakeComfyUI
from tests.fakes.faults import Fault
from tests.tables import read_beside

SIZE = (48, 32)


@pytest.fixture
def comfyui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeComfyUI]:
    """A server that executes graphs by castad's own engine."""
    with FakeComfyUI(tmp_path / "comfyui", executes=True) as fake:
        monkeypatch.setenv("CASTAD_COMFYUI_URLS", fake.url)
        for name in ("POLL_SECONDS", "POLL_LONGEST", "STEP_RETRY_DELAY", "RETRY_RENDER"):
            monkeypatch.setenv(f"CASTAD_{name}", "0.05")
        settings.cache_clear()
        yield fake


def photo(colour: str = "orange", **saved: Any) -> bytes:
    """A small photograph with the place where it was taken."""
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize(SIZE).convert("RGB").save(buffer, "JPEG", exif=exif, **saved)
    return buffer.getvalue()


def upload(content: bytes) -> str:
    """The reference of an uploaded picture."""
    return get_picture_source(settings()).store_bytes(content, "images[0]")


def run(instance: DagsterInstance, task_id: str = "i", **order: Any) -> None:
    """The order has run once, started by hand."""
    config = {"task_id": task_id, "images": [upload(photo())], **order}
    make_job(PIPELINE).execute_in_process(
        run_config=config, instance=instance, raise_on_error=False
    )


def delivered(ledger: Database, task_id: str = "i") -> list[Path]:
    """The finished pictures."""
    request = get_request(ledger, task_id)
    assert request.status is Status.COMPLETED, request.error_message
    result = read_stage_result(ledger, task_id, "deliver") or {}
    return [open_artifact_store(settings()).open(file) for file in result["files"]]


def seen(file: Path) -> tuple[str | None, tuple[int, int]]:
    """The format and the size of a picture."""
    with Image.open(file) as picture:
        return picture.format, picture.size


def quick(template: Template) -> dict[str, Any]:
    """Parameters that make small pictures."""
    sizes = ("megapixels", "tile", "side", "width", "height")
    return {
        name: type(about.default)(about.minimum)
        for name, about in template.parameters.items()
        if name in sizes and about.minimum is not None
    }


# Orders


@pytest.mark.parametrize("name", sorted(load_templates()))
def test_template_makes_its_pictures(instance, ledger, name):
    template = load_templates()[name]
    images = [upload(photo()), upload(photo(quality=50))][: template.images.minimum]
    run(instance, template=name, images=images, parameters=quick(template))
    kinds = [seen(file)[0] for file in delivered(ledger)]
    assert kinds == ["PNG"] * template.pictures


@pytest.mark.parametrize(("form", "kind"), [("jpeg", "JPEG"), ("webp", "WEBP"), ("png", "PNG")])
def test_pictures_come_in_the_ordered_format_and_size_without_metadata(
    instance, ledger, form, kind
):
    run(instance, template="square", format=form, longest_side=100)
    [file] = delivered(ledger)
    with Image.open(file) as picture:
        seen = (picture.format, picture.size, dict(picture.getexif()), "exif" in picture.info)
    assert seen == (kind, (100, 100), {}, False)


def test_workflow_of_ones_own_is_executed(instance, ledger):
    workflow = {
        "a": {"class_type": "LoadImage", "inputs": {"image": "$image"}},
        "b": {"class_type": "ImageInvert", "inputs": {"image": ["a", 0]}},
        "c": {"class_type": "SaveImage", "inputs": {"images": ["b", 0], "filename_prefix": "x"}},
    }
    run(instance, workflow=workflow)
    [file] = delivered(ledger)
    assert seen(file) == ("PNG", SIZE)


def test_queued_order_keeps_its_graph_when_the_template_changes(instance, ledger, monkeypatch):
    queued = PIPELINE.normalize({"template": "square", "images": [upload(photo())]})
    changed: Template = load_templates()["poster"]
    monkeypatch.setattr("pipeline_defs.image.order.load_templates", lambda: {"square": changed})
    assert PIPELINE.normalize(queued) == queued
    make_job(PIPELINE).execute_in_process(run_config={"task_id": "i", **queued}, instance=instance)
    [file] = delivered(ledger)
    assert seen(file) == ("PNG", (1080, 1080))


SAVED = read_beside(__file__)["SAVED"]


def test_pictures_come_in_the_order_of_their_nodes_with_node_and_label(instance, ledger):
    run(instance, workflow=SAVED)
    result = read_stage_result(ledger, "i", "deliver")
    assert result is not None
    named = [(each["node"], each["label"]) for each in result["pictures"]]
    assert named == [("2", "First"), ("9", "b"), ("10", "c")]


UNUSABLE: list[tuple[dict[str, Any], str]] = [
    ({}, "template"),
    ({"template": "poster", "workflow": SAVED, "images": ["upload"]}, "template"),
    (
        {
            "template": "poster",
            "parameters": {"colors": 6},
            "workflow": SAVED,
            "images": ["upload"],
        },
        "template",
    ),
    ({"workflow": SAVED, "parameters": {"colors": 6}}, "parameters"),
    ({"template": "nope"}, "template"),
    (
        {"template": "poster", "parameters": {"colors": 1}, "images": ["upload"]},
        "parameters.colors",
    ),
    (
        {"template": "poster", "parameters": {"colors": True}, "images": ["upload"]},
        "parameters.colors",
    ),
    (
        {"template": "poster", "parameters": {"dither": "x"}, "images": ["upload"]},
        "parameters.dither",
    ),
    ({"template": "poster", "parameters": {"x": 1}, "images": ["upload"]}, "parameters.x"),
    ({"template": "poster"}, "images"),
    ({"template": "before-after", "images": ["upload"]}, "images"),
    ({"workflow": {}}, "workflow"),
    ({"workflow": {"1": {"class_type": "SaveImage"}}}, "workflow"),
    ({"template": 7}, "template"),
    ({"template": "poster", "parameters": []}, "parameters"),
]


def is_valid(order: Mapping[str, Any]) -> bool:
    """Return whether the order fits the published schema."""
    schema = build_order_model(PIPELINE, is_default=False).model_json_schema()
    return bool(jsonschema_rs.validator_for(schema).is_valid({"pipeline": "image", **order}))


@pytest.mark.parametrize(("order", "field"), UNUSABLE)
def test_order_that_cannot_be_used_names_its_field_and_fits_no_schema(order, field):
    given = {**order, "images": [f"upload:{'0' * 64}" for _ in order.get("images", [])]}
    with pytest.raises(InvalidInputError) as refused:
        PIPELINE.parse(given)
    assert refused.value.field == field
    assert "expected" in refused.value.message
    assert not is_valid(order)


LINKED = ["https://example.com/a.jpg"]


@pytest.mark.parametrize(
    "order",
    [
        {"template": "poster", "images": LINKED},
        {"template": "poster", "parameters": {"colors": 6}, "images": LINKED},
        {"workflow": SAVED, "images": LINKED},
        PIPELINE.normalize({"template": "square", "images": LINKED}),
    ],
)
def test_schema_takes_what_the_door_takes(order):
    assert PIPELINE.parse(order)
    assert is_valid(order)


def test_graph_that_this_machine_cannot_execute_is_refused_at_the_order(ledger):
    order = {"workflow": {"1": {"class_type": "KSampler", "inputs": {}}}}
    with pytest.raises(
        InvalidInputError, match=r"1 \(KSampler\) .*CASTAD_COMFYUI_URLS.*ImageBlur"
    ) as refused:
        get_catalog().accept_order(PIPELINE, order, settings())
    assert refused.value.code == "invalid_workflow"


def test_graph_that_loads_more_pictures_than_there_are_ends_the_order(instance, ledger, comfyui):
    load = {"class_type": "LoadImage", "inputs": {"image": "$image_2"}}
    run(instance, workflow={"1": load})
    request = get_request(ledger, "i")
    assert (request.status, request.error_code) == (Status.DEAD, "picture_missing")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"graph": {"1": {"class_type": "Nope", "inputs": {}}}}, "does not exist"),
        ({"graph": {"1": {"class_type": "SaveImage", "inputs": {"images": ["2", 0]}}}}, "node 1"),
        ({"example": {"parameters": {"nope": 1}}}, "parameters.nope"),
        ({"pictures": 0}, "pictures"),
        ({"title": {"en": "A"}}, "title"),
    ],
)
def test_template_that_cannot_work_is_refused_when_it_is_read(tmp_path, change, fault):
    content = load_templates()["poster"].model_dump(mode="json")
    file = tmp_path / "poster.json"
    file.write_text(json.dumps({**content, **change}))
    with pytest.raises(InvalidInputError, match=fault) as refused:
        _read_template(file)
    assert refused.value.code == "invalid_template"


@pytest.mark.parametrize(("status", "days"), [(Status.COMPLETED, 1), (Status.DEAD, 7)])
def test_order_that_has_ended_is_kept_for_its_own_time(status, days):
    times = KeepTimes({"requests": 400, "dead": 90}, {"image": PIPELINE.retention})
    assert times.days("image", status, Part.REQUEST) == days


# ComfyUI


@pytest.mark.parametrize("name", sorted(load_templates()))
def test_comfyui_gets_the_graph_that_this_machine_executes_byte_by_byte(
    instance, ledger, comfyui, name
):
    template = load_templates()[name]
    images = [upload(photo()), upload(photo(quality=50))][: template.images.minimum]
    run(instance, template=name, images=images, parameters=quick(template))
    assert len(delivered(ledger)) == template.pictures
    prepared = read_stage_result(ledger, "i", "prepare") or {}
    [sent] = [call.body for call in comfyui.calls if call.route == "submit"]
    expected = set_prefixes(prepared["graph"], f"castad/{sent['prompt_id']}/picture")
    assert json.dumps(sent["prompt"], sort_keys=True) == json.dumps(expected, sort_keys=True)


def test_order_whose_reply_was_lost_waits_and_is_charged_once(instance, ledger, comfyui):
    comfyui.script(Fault("lose_reply", "submit"))
    run(instance, template="square")
    request = get_request(ledger, "i")
    assert request.status is Status.FAILED
    assert request.error_code == "submission_unknown"
    assert len(comfyui.charges()) == 1


# Over HTTP


@pytest.fixture
def house(sqlite_ledger_url: str) -> Iterator[House]:
    with served() as opened:
        yield opened


def test_form_with_files_is_an_order(house, client):
    fields = {"template": "poster", "parameters": '{"colors": 5}', "task_id": "p"}
    answer = client.post("/v1/image/jobs", data=fields, files=[("images", ("a.jpg", photo()))])
    assert (answer.status_code, answer.headers["location"]) == (202, "/v1/image/jobs/p")
    order = json.loads(get_request(house.db, "p").payload)
    assert order["parameters"]["colors"] == 5
    assert order["images"][0].startswith("upload:")
    assert client.get("/v1/image/jobs/p").json()["pipeline"] == "image"


def test_json_is_an_order_and_the_same_again_is_the_same(client):
    order = {"task_id": "p", "template": "poster", "images": ["https://example.com/a.jpg"]}
    codes = [client.post("/v1/image/jobs", json=order).status_code for _ in range(2)]
    assert codes == [202, 200]


def test_order_that_is_none_is_refused_by_its_field(client):
    form = {"content-type": "multipart/form-data"}
    other = {"content-type": "multipart/form-data; boundary=y"}
    refused: list[tuple[dict[str, Any], str]] = [
        (
            {"data": {"template": "poster", "parameters": "{"}, "files": {"images": b""}},
            "parameters",
        ),
        ({"data": {"template": "poster"}, "files": {"images": b"no picture"}}, "images[0]"),
        ({"data": {"template": "poster"}, "files": {"other": b"x"}}, "other"),
        ({"data": {"pipeline": "song_video"}, "files": {"images": photo()}}, "pipeline"),
        ({"content": b"x", "headers": form}, "the body"),
        ({"content": b"--x\r\nbad", "headers": other}, "the body"),
        ({"json": {"template": "poster", "images": ["http://10.0.0.1/a"]}}, "images[0]"),
        ({"json": {"pipeline": "analysis"}}, "pipeline"),
        ({"json": []}, "the body"),
    ]
    for sent, field in refused:
        answer = client.post("/v1/image/jobs", **sent)
        assert (answer.status_code, answer.json()["field"]) == (422, field), sent


def test_job_of_another_pipeline_is_not_found(client):
    song = {"task_id": "s", "customer_name": "A", "region": "B"}
    assert client.post("/v1/pipeline/start", json=song).status_code == 202
    assert client.get("/v1/image/jobs/s").status_code == 404


def test_templates_are_listed_with_their_parameters(client):
    found = client.get("/v1/image/templates").json()["templates"]
    assert found == json.loads(json.dumps(list_templates()))
    [poster] = [each for each in found if each["name"] == "poster"]
    assert poster["parameters"]["colors"]["maximum"] == 64
    assert "graph" not in poster


def test_every_template_speaks_both_languages():
    texts = [
        text
        for template in load_templates().values()
        for text in (template.title, template.help, *(p.help for p in template.parameters.values()))
    ]
    assert all(any("가" <= letter <= "힣" for letter in text.ko) for text in texts)
    assert all(text.en.isascii() for text in texts)


def test_order_stores_what_it_parses_again(ledger):
    first = PIPELINE.normalize({"template": "poster", "images": ["https://example.com/a.jpg"]})
    again: Order = PIPELINE.parse(first)
    assert again.model_dump(mode="json") == first
