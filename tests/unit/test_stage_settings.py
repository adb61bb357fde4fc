from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextlib import nullcontext as does_not_raise
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline_defs.catalog import Catalog, check_variables, get_catalog
from pipeline_defs.checks import check_pipeline
from pipeline_defs.pipeline import LocalStage
from pipeline_defs.song_video.products import Lyric
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Product, StageSettings
from resources.process.settings import settings
from resources.providers.vendor import VENDORS
from tests.song_video import SONG_VIDEO

REFUSED = [
    ("CASTAD_RETRY_SONG", "60s"),
    ("CASTAD_RETRY_SONG", "0"),
    ("CASTAD_RETRY_SONG", "nan"),
    ("CASTAD_RETRY_SONG", "inf"),
    ("CASTAD_SLOTS_SONG", "0"),
    ("CASTAD_SLOTS_SONG", "1.5"),
    ("CASTAD_SLOTS_SONG", "٣"),
    ("LYRIC_PROVIDER", "x"),
    ("SONG_PROVIDER", "Studio "),
    ("VIDEO_PROVIDER", "suno"),
    ("CASTAD_SLOTS_SNOG", "1"),
    ("CASTAD_RETRY_POSTER", "1"),
    ("LYRICS_PROVIDER", "openai"),
]


def resolved() -> Mapping[str, StageSettings]:
    """The settings of the song video's stages in this environment."""
    settings.cache_clear()
    return {
        stage.name: stage for stage in get_catalog().list_stage_settings(SONG_VIDEO, settings())
    }


@pytest.mark.parametrize(("variable", "value"), REFUSED)
def test_stage_variable_that_cannot_be_used_is_refused_by_name(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError, match=f"^{variable}: ") as refusal:
        resolved()
    assert refusal.value.code == "invalid_setting"
    assert refusal.value.message.isprintable()


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("CASTAD_RETRY_SNOG", "2", "CASTAD_RETRY_DRAFT, CASTAD_RETRY_SEAL"),
        ("CASTAD_SLOTS_SEALS", "2", "CASTAD_SLOTS_SEAL"),
        ("SNOG_PROVIDER", "suno", "SEAL_PROVIDER"),
    ],
)
def test_variable_of_no_stage_and_no_pipeline_is_refused_with_those_of_its_kind(
    variable, value, expected
):
    names = ["CASTAD_RETRY_SEAL", "CASTAD_SLOTS_SEAL", "CASTAD_RETRY_DRAFT", "SEAL_PROVIDER"]
    with pytest.raises(InvalidInputError, match=f"^{variable}: .*; expected one of {expected}$"):
        check_variables({variable: value}, names, VENDORS)


def test_provider_of_a_stage_that_this_machine_makes_is_refused(monkeypatch):
    monkeypatch.setenv("DRAFT_PROVIDER", "x")
    settings.cache_clear()
    draft = LocalStage("draft", Lyric, "Draft", work=lambda brief, products, work: Product({}))
    pipeline = replace(SONG_VIDEO, stages=(draft,))
    with pytest.raises(InvalidInputError, match=r"^DRAFT_PROVIDER: expected it unset"):
        Catalog({pipeline.name: pipeline}).list_stage_settings(pipeline, settings())


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CLOUD_PROVIDER", "aws"),
        ("CLOUD_PROVIDERS", "openai"),
        ("HTTP_PROXY", "suno"),
        ("VIDEO_PRODUCER", "x"),
    ],
)
def test_variable_of_another_program_is_left_alone(variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    assert resolved()["song"].maker == "studio"


@pytest.mark.parametrize(("stage", "wait"), [("lyric", 30), ("song", 60), ("video", 120)])
def test_stage_that_takes_longer_is_retried_later(stage, wait):
    assert resolved()[stage].retry_seconds == wait


def test_stage_takes_its_variables(monkeypatch):
    monkeypatch.setenv("CASTAD_RETRY_SONG", "7.5")
    monkeypatch.setenv("CASTAD_SLOTS_SONG", "3")
    song = resolved()["song"]
    assert (song.retry_seconds, song.slots) == (7.5, 3)


def test_stages_of_the_same_name_have_variables_of_their_own():
    other = replace(SONG_VIDEO, name="jingle", stages=SONG_VIDEO.stages[1:2])
    names = set(Catalog({"song_video": SONG_VIDEO, "jingle": other}).variable_names)
    assert {"CASTAD_RETRY_SONG_VIDEO_SONG", "JINGLE_SONG_PROVIDER", "CASTAD_SLOTS_LYRIC"} <= names
    assert not {"CASTAD_RETRY_SONG", "SONG_PROVIDER"} & names


def test_stage_that_is_called_like_a_pipeline_has_the_pipelines_name_in_front():
    picture = replace(SONG_VIDEO.stages[1], name="picture")
    pipeline = replace(SONG_VIDEO, name="picture", stages=(picture,))
    names = Catalog({"picture": pipeline}).variable_names
    assert {"CASTAD_SLOTS_PICTURE", "CASTAD_SLOTS_PICTURE_PICTURE"} <= set(names)
    assert len(names) == len(set(names))


def test_pipeline_takes_its_slots(monkeypatch):
    assert get_catalog().read_slots(SONG_VIDEO, settings()) is None
    monkeypatch.setenv("CASTAD_SLOTS_SONG_VIDEO", "7")
    settings.cache_clear()
    assert get_catalog().read_slots(SONG_VIDEO, settings()) == 7


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "many", "1" * 30, "٣"])
def test_slots_of_a_pipeline_that_cannot_be_used_are_refused_by_name(text, monkeypatch):
    monkeypatch.setenv("CASTAD_SLOTS_SONG_VIDEO", text)
    with pytest.raises(InvalidInputError, match="CASTAD_SLOTS_SONG_VIDEO: expected a whole"):
        resolved()


def test_queue_with_an_invalid_name_is_refused():
    with pytest.raises(InvalidInputError, match="queue: expected small letters"):
        check_pipeline(SONG_VIDEO.name, replace(SONG_VIDEO, queue="Quick Queue"))


def test_stage_without_a_setting_keeps_what_the_pipeline_says(monkeypatch):
    song = replace(SONG_VIDEO.stages[1], retry_seconds=5, slots=2, deadline=9)
    pipeline = replace(SONG_VIDEO, stages=(song,))
    settings.cache_clear()
    [found] = Catalog({pipeline.name: pipeline}).list_stage_settings(pipeline, settings())
    assert (found.retry_seconds, found.slots, found.deadline) == (5, 2, 9)


@pytest.mark.parametrize("stage", ["lyric", "song", "video"])
def test_stage_is_the_studios_where_no_key_is_set(stage):
    assert resolved()[stage].maker == "studio"


@pytest.mark.parametrize(
    ("stage", "vendor"), [("lyric", "openai"), ("song", "suno"), ("video", "creatomate")]
)
def test_stage_is_the_vendors_where_its_key_is_set(stage, vendor, monkeypatch):
    monkeypatch.setenv(f"{vendor.upper()}_API_KEY", "key")
    assert resolved()[stage].maker == vendor


def test_vendor_chosen_without_its_key_is_refused_by_the_keys_name(monkeypatch):
    monkeypatch.setenv("SONG_PROVIDER", "suno")
    with pytest.raises(InvalidInputError) as refusal:
        resolved()
    assert refusal.value.message == "SUNO_API_KEY: expected a key, since SONG_PROVIDER is suno"


@given(
    st.dictionaries(st.from_regex(r"CASTAD_(SLOTS|RETRY)_[A-Z]{1,9}", fullmatch=True), st.text())
)
def test_unknown_variable_is_never_ignored(given_variables):
    known = get_catalog().variable_names
    expected: AbstractContextManager[object] = does_not_raise()
    if not set(given_variables) <= set(known):
        expected = pytest.raises(InvalidInputError, match="is a variable of no stage")
    with expected:
        check_variables(given_variables, known, VENDORS)
