from collections.abc import Callable, Mapping
from typing import Any

import pytest
from dagster import DagsterInvalidConfigError, validate_run_config

from castad.orders.batch import check_batch
from castad.orders.orders_file import check_order, read_orders_file
from castad.orders.submit import build_order
from pipeline_defs.catalog import check_max_cost, get_catalog
from pipeline_defs.song_video.acceptance import check_fulfillable
from resources.contract.errors import InvalidInputError
from resources.process.settings import Settings, settings
from tests.song_video import SONG_VIDEO, accept, check_brief, normalize, song_video

BRIEF: Mapping[str, Any] = {"customer_name": "스테이 머뭄", "region": "군산"}
UPLOAD = "upload:" + "a" * 64
LINK = "https://example.com/front.jpg"
CREATOMATE = {"CREATOMATE_API_KEY": "c"}
SUNO = {"SUNO_API_KEY": "s"}
PUBLIC = {"CASTAD_PUBLIC_URL": "https://castad.example.com"}
ChosenBy = Callable[[Mapping[str, str]], Settings]
SONG_SENTENCE = (
    "CASTAD_PUBLIC_URL: expected the address where vendors can fetch files: Creatomate cannot fetch "
    "the studio's song from this machine; set it, or SONG_PROVIDER=suno, or VIDEO_PROVIDER=studio"
)


@pytest.fixture
def creatomate_after_the_studio(monkeypatch: pytest.MonkeyPatch) -> None:
    """The video by Creatomate, the song by the studio, and no public address."""
    monkeypatch.setenv("CREATOMATE_API_KEY", "secret")
    settings.cache_clear()


@pytest.fixture
def chosen_by(monkeypatch: pytest.MonkeyPatch) -> ChosenBy:
    """The settings of an environment with these variables."""

    def choose(variables: Mapping[str, str]) -> Settings:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        return settings()

    return choose


def refuse_for(chosen: Settings, order: Mapping[str, Any]) -> None:
    makers = {
        stage.name: stage.maker for stage in get_catalog().list_stage_settings(SONG_VIDEO, chosen)
    }
    check_fulfillable(check_brief(order), makers, chosen)


def test_logo_on_a_private_address_is_refused_by_its_field(chosen_by):
    with pytest.raises(InvalidInputError) as refusal:
        refuse_for(chosen_by({}), {**BRIEF, "logo": ["http://10.0.0.1/logo.png"]})
    assert (refusal.value.field, refusal.value.code) == ("logo[0]", "private_address")


def test_studios_song_for_creatomate_needs_a_public_address(chosen_by):
    chosen = chosen_by(CREATOMATE)
    with pytest.raises(InvalidInputError) as refusal:
        refuse_for(chosen, BRIEF)
    assert refusal.value.message == SONG_SENTENCE
    assert (refusal.value.field, refusal.value.code) == ("CASTAD_PUBLIC_URL", "public_url_missing")


@pytest.mark.parametrize(
    "variables",
    [
        {},
        CREATOMATE | SUNO,
        CREATOMATE | SUNO | {"SONG_PROVIDER": "suno"},
        CREATOMATE | {"VIDEO_PROVIDER": "studio"},
        CREATOMATE | PUBLIC,
        SUNO,
    ],
)
def test_order_that_can_be_made_is_accepted(chosen_by, variables):
    refuse_for(chosen_by(variables), {**BRIEF, "images": [LINK]})


def test_upload_for_creatomate_needs_a_public_address(chosen_by):
    order = {**BRIEF, "images": [LINK, UPLOAD]}
    with pytest.raises(InvalidInputError) as refusal:
        refuse_for(chosen_by(CREATOMATE | SUNO), order)
    assert refusal.value.field == "images[1]"
    assert "CASTAD_PUBLIC_URL" in refusal.value.message


def test_upload_is_accepted_with_a_public_address(chosen_by):
    chosen = chosen_by(CREATOMATE | SUNO | PUBLIC)
    refuse_for(chosen, {**BRIEF, "images": [UPLOAD]})


def test_stems_of_a_vendors_song_are_refused_before_it_is_bought(chosen_by):
    chosen = chosen_by(SUNO)
    with pytest.raises(InvalidInputError, match=r"^stems: expected false"):
        refuse_for(chosen, {**BRIEF, "stems": True})


def test_accepted_order_is_the_whole_brief():
    assert accept(BRIEF) == normalize(BRIEF)


def test_brief_that_cannot_be_used_is_refused_first(creatomate_after_the_studio):
    with pytest.raises(InvalidInputError, match=r"^region: expected"):
        accept({"customer_name": "A"})


def test_orders_file_is_refused_with_the_sentence(creatomate_after_the_studio, tmp_path):
    file = tmp_path / "orders.csv"
    file.write_text("customer_name,region\nA,B\n")
    _, [refused] = check_batch(read_orders_file(file), check_order)
    assert (refused.location, refused.detail) == ("orders.csv row 2", SONG_SENTENCE)
    assert refused.code == "public_url_missing"


def test_run_config_is_refused_with_the_sentence(creatomate_after_the_studio):
    with pytest.raises(DagsterInvalidConfigError) as refusal:
        validate_run_config(song_video, dict(BRIEF))
    assert SONG_SENTENCE in str(refusal.value)


def test_run_of_a_row_of_the_database_is_refused_with_the_sentence(creatomate_after_the_studio):
    with pytest.raises(InvalidInputError) as refusal:
        accept(BRIEF)
    assert refusal.value.message == SONG_SENTENCE


def test_refused_picture_of_this_machine_is_not_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("CREATOMATE_API_KEY", "secret")
    monkeypatch.setenv("SUNO_API_KEY", "secret")
    settings.cache_clear()
    with pytest.raises(InvalidInputError, match=r"^images\[1\]: expected a link"):
        build_order(None, {**BRIEF, "images": [LINK, str(tmp_path / "shop.png")]}, settings())
    assert not (settings().home / "artifacts").exists()


def test_order_that_would_cost_more_than_one_may_is_refused_with_its_price():
    with pytest.raises(InvalidInputError) as refusal:
        check_max_cost({"lyric": 2_000, "song": 60_000}, 0.05)
    assert refusal.value.code == "over_max_cost"
    assert refusal.value.message == (
        "CASTAD_MAX_COST: expected at least 0.0620 USD for this order (lyric 0.0020, song 0.0600), "
        "got 0.0500"
    )


@pytest.mark.parametrize("limit", [0.062, 1])
def test_order_within_its_limit_is_accepted(limit):
    check_max_cost({"lyric": 2_000, "song": 60_000}, limit)


def test_limit_is_held_against_the_whole_order_before_any_of_it_is_begun(monkeypatch):
    monkeypatch.setenv("SUNO_API_KEY", "secret")
    monkeypatch.setenv("CASTAD_MAX_COST", "0.01")
    settings.cache_clear()
    with pytest.raises(InvalidInputError, match=r"song 0\.0600"):
        accept(BRIEF)
