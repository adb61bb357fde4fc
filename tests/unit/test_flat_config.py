import json
import traceback
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
import yaml
from dagster import DagsterInvalidConfigError, JobDefinition, validate_run_config
from dagster._cli import create_dagster_cli
from dagster._config import ConfigType, ConfigTypeKind, validate_config
from dagster._core.snap.snap_to_yaml import default_values_yaml_from_type_snap

from pipeline_defs.build import make_job
from pipeline_defs.catalog import get_catalog
from pipeline_defs.song_video.brief import Brief
from tests.song_video import JOBS, song_video

GOOD: Mapping[str, Any] = {"customer_name": "스테이 머뭄", "region": "군산"}
FORM: Any = song_video.run_config_schema.config_type
FROM_THE_ENVIRONMENT = {"env": "HOME"}

REFUSED = [
    ("customer_name", ""),
    ("customer_name", "a\0b"),
    ("customer_name", "\ud800"),
    ("customer_name", 7),
    ("region", "\u202eb"),
    ("region", ["b"]),
    ("detail_region_info", "y" * 501),
    ("language", "Klingon"),
    ("orientation", "diagonal"),
    ("genre", "y" * 101),
    ("images", "https://example.com/a.png"),
    ("images", ["../a.png"]),
    ("duration_seconds", 9),
    ("duration_seconds", 20.5),
    ("duration_seconds", True),
    ("task_id", "../x"),
    ("task_id", ""),
    ("pipeline", "poster"),
    ("colour", "red"),
]


def types_within(kind: ConfigType) -> Iterator[ConfigType]:
    yield kind
    for inner in kind.type_params or ():
        yield from types_within(inner)
    for field in getattr(kind, "fields", {}).values():
        yield from types_within(field.config_type)


def order_of(config: Mapping[str, Any]) -> Any:
    resource = validate_run_config(song_video, dict(config))["resources"]["request"]["config"]
    return json.loads(resource["order"])


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_config_form_holds_no_type_that_reads_the_environment(job):
    form: Any = job.run_config_schema.config_type
    kinds = [(kind.key, kind.kind) for kind in types_within(form)]
    assert not [key for key, kind in kinds if "Source" in key or kind is ConfigTypeKind.SELECTOR]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, FROM_THE_ENVIRONMENT) for field in ("task_id", *Brief.model_fields)),
        ("images", [FROM_THE_ENVIRONMENT]),
    ],
)
def test_config_refuses_an_environment_variable_in_place_of_a_value(field, value):
    with pytest.raises(DagsterInvalidConfigError):
        validate_run_config(song_video, {**GOOD, field: value})


def test_config_keeps_text_that_looks_like_an_environment_variable():
    assert order_of({**GOOD, "customer_name": '{"env": "HOME"}'})["customer_name"] == (
        '{"env": "HOME"}'
    )


def test_config_form_has_the_briefs_fields_the_task_id_and_the_pipeline_and_no_more():
    assert set(FORM.fields) == {"task_id", "pipeline", *Brief.model_fields}


def prefill(job: JobDefinition) -> dict[str, Any]:
    """What a Launchpad that opens is filled with, as Dagster's UI makes it."""
    form: Any = job.run_config_schema.config_type
    text = default_values_yaml_from_type_snap(form.schema_snapshot, form.snapshot)
    return dict(yaml.safe_load(text) or {})


EVERY_JOB = [make_job(pipeline) for pipeline in get_catalog()]


@pytest.mark.parametrize("job", EVERY_JOB, ids=lambda job: job.name)
def test_launchpad_that_opens_lists_each_needed_field_and_says_that_it_is_empty(job):
    brief = get_catalog().get_pipeline(job.name).order_model
    needed = {name for name, field in brief.model_fields.items() if field.is_required()}
    filled = prefill(job)
    assert needed <= set(filled)
    form: Any = job.run_config_schema.config_type
    result = validate_config(form, filled)
    named = {error.message for error in result.errors or ()}
    assert {name for name in needed if any(f"root:{name}" in line for line in named)} == needed


@pytest.mark.parametrize("job", EVERY_JOB, ids=lambda job: job.name)
def test_config_of_a_task_id_alone_is_an_attempt_in_every_pipeline(job):
    config = validate_run_config(job, {"task_id": "order-1"})
    assert config["resources"]["request"]["config"] == {"task_id": "order-1", "order": None}


@pytest.mark.parametrize("field", ["language", "orientation"])
def test_config_form_offers_the_choices_of_a_choice(field):
    offered = [value.config_value for value in FORM.fields[field].config_type.enum_values]
    assert offered == list(get_args(Brief.model_fields[field].annotation))


@pytest.mark.parametrize("field", ["task_id", "pipeline", *Brief.model_fields])
def test_config_form_describes_every_field_and_offers_the_briefs_default(field):
    shown, of_brief = FORM.fields[field], Brief.model_fields.get(field)
    assert shown.description
    if of_brief is not None and not of_brief.is_required():
        assert shown.default_value == of_brief.default


def test_config_hands_the_run_the_whole_brief():
    assert order_of(GOOD) == Brief(**GOOD).model_dump()


def test_config_may_name_its_pipeline_as_the_file_of_an_order_does():
    assert order_of({**GOOD, "pipeline": "song_video"}) == order_of(GOOD)


def test_config_with_a_field_is_an_order_though_a_needed_one_is_missing():
    with pytest.raises(DagsterInvalidConfigError, match=r"customer_name: expected a value"):
        validate_run_config(song_video, {"task_id": "order-1", "genre": "jazz"})


def test_config_hands_on_the_task_id():
    config = validate_run_config(song_video, {**GOOD, "task_id": "order-1"})
    assert config["resources"]["request"]["config"]["task_id"] == "order-1"


@pytest.mark.parametrize(
    ("field", "value"),
    [*REFUSED, ("customer_name", None), ("region", None)],
    ids=lambda case: ascii(case)[:40],
)
def test_config_refusal_names_the_field_in_its_last_line(field, value):
    config = {name: each for name, each in {**GOOD, field: value}.items() if each is not None}
    with pytest.raises(DagsterInvalidConfigError) as refusal:
        validate_run_config(song_video, config)
    assert field in str(refusal.value).splitlines()[-1]


@pytest.mark.filterwarnings("ignore:Function `job_execute_command`")
def test_job_execute_names_the_bad_field_in_its_last_line(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("customer_name: 봄날\nregion: 전주\nlanguage: Klingon\n")
    job = ["-m", "pipeline_defs.definitions", "-j", song_video.name, "-c", str(bad)]
    with pytest.raises(DagsterInvalidConfigError) as refused:
        create_dagster_cli().main(["job", "execute", *job])
    last_line = traceback.format_exception(refused.value)[-1].strip().splitlines()[-1]
    assert "language" in last_line
