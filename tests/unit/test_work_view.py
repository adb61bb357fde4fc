"""What the page of one work is about: its files, what may be made another way, what helps one that has ended."""

from dataclasses import replace
from typing import Any

import pytest

from castad.views.status_body import StatusBody
from castad.web.words import (
    Refusal,
    Translator,
    build_error_sentence,
    build_retry_sentence,
    build_waiting_sentence,
    find_remedy,
    get_paused_provider,
)
from castad.web.work_view import build_file_views, find_scene, list_redo_offers
from pipeline_defs.catalog import get_catalog
from resources.ledger.schema.tables import Status
from resources.views.order_body import ArtifactBody, ErrorBody
from tests.sample_request import DISPATCHED
from tests.song_video import SONG_VIDEO
from tests.tables import rows_beside

ENGLISH, KOREAN = Translator("en", SONG_VIDEO.name), Translator("ko", SONG_VIDEO.name)
EXAMPLE: dict[str, Any] = StatusBody.model_json_schema()["examples"][0]


def status(**changed: Any) -> StatusBody:
    return StatusBody.model_validate({**EXAMPLE, **changed})


def failed(code: str, message: str = "it went wrong", **changed: Any) -> StatusBody:
    error = ErrorBody(code=code, message=message)
    return status(overall_status="dead", error=error, **changed)


def file(name: str, kind: str, stage: str = "video", generation: int = 1) -> ArtifactBody:
    return ArtifactBody(
        name=name, stage=stage, generation=generation, media_type=kind, bytes=1, sha256="", url=""
    )


@pytest.mark.parametrize(
    ("row", "scene"),
    [
        ({"status": Status.PENDING, "waits_for": "approval:lyric"}, "held"),
        ({"status": Status.PENDING, "waits_for": "slot:song"}, "live"),
        ({"status": Status.FAILED, "error_code": "provider_failed"}, "live"),
        ({"status": Status.FAILED, "error_code": "submission_unknown"}, "stopped"),
        ({"status": Status.CANCELED}, "stopped"),
        ({"status": Status.COMPLETED}, "result"),
    ],
)
def test_page_is_about_what_the_order_needs_now(row, scene):
    assert find_scene(replace(DISPATCHED, **row)) == scene


def test_files_are_the_newest_of_their_stage_with_the_film_first():
    files = [
        file("song.wav", "audio/wav", "song"),
        file("video.mp4", "video/mp4"),
        file("video.2.mp4", "video/mp4", generation=2),
        file("cover.2.jpg", "image/jpeg", generation=2),
        file("cover.2-17.jpg", "image/jpeg", generation=2),
        file("cover.2-21.jpg", "image/jpeg", generation=2),
    ]
    shown = build_file_views(files, lambda name: f"/{name}", ENGLISH, SONG_VIDEO.cover)
    assert [each.url for each in shown] == ["/video.2.mp4", "/cover.2-21.jpg", "/song.wav"]


def test_pictures_with_numbers_are_files_of_their_own():
    files = [file("poster-1.png", "image/png"), file("poster-2.png", "image/png")]
    assert len(build_file_views(files, str, ENGLISH, SONG_VIDEO.cover)) == 2


def test_file_without_a_text_is_called_by_its_kind():
    files = [file("x.bin", "application/x"), file("cover.jpg", "image/jpeg")]
    labels = {each.name: each.label for each in build_file_views(files, str, ENGLISH)}
    assert labels == {"x.bin": "File", "cover.jpg": "Cover"}


def test_offers_are_each_other_choice_and_each_bought_stage_again():
    offers = list_redo_offers(SONG_VIDEO, {"orientation": "vertical"}, ENGLISH)
    assert [(each.stage, each.value) for each in offers] == [
        *(("video", "horizontal"), ("video", "")),
        *(("song", ""), ("lyric", "")),
    ]


def test_stage_that_this_machine_makes_is_not_offered_again():
    analysis = get_catalog().get_pipeline("analysis")
    assert list_redo_offers(analysis, {}, Translator("en", analysis.name)) == []


@rows_beside
def test_error_has_one_act_that_helps(code, act, label):
    remedy = find_remedy(failed(code), ENGLISH, is_admin=False)
    assert remedy
    assert (remedy.act, remedy.label, remedy.code) == (act, label, code)


def test_submission_in_doubt_is_settled_by_an_admin():
    remedy = find_remedy(failed("submission_unknown"), ENGLISH, is_admin=True)
    assert remedy
    assert remedy.act == "resolve"


@pytest.mark.parametrize("state", ["pending", "processing", "failed", "completed"])
def test_work_that_goes_on_needs_no_remedy(state):
    assert find_remedy(status(overall_status=state), ENGLISH, is_admin=True) is None


@pytest.mark.parametrize(
    ("code", "translate", "sentence"),
    [
        ("never_heard_of", ENGLISH, "it went wrong"),
        ("never_heard_of", KOREAN, "알 수 없는 이유로 멈췄습니다."),
        ("lyric_empty", KOREAN, "부를 가사가 없습니다."),
        ("invalid_picture", KOREAN, KOREAN("code_pictures")),
    ],
)
def test_error_is_told_in_the_pages_language_alone(code, translate, sentence):
    assert build_error_sentence(failed(code).error, translate) == Refusal(code, sentence)


@pytest.mark.parametrize(
    ("translate", "is_admin", "told"),
    [(ENGLISH, False, "it went wrong"), (KOREAN, False, ""), (KOREAN, True, "it went wrong")],
)
def test_vendors_words_are_quoted_to_who_reads_english_or_is_an_operator(translate, is_admin, told):
    remedy = find_remedy(failed("disk_full"), translate, is_admin=is_admin)
    assert remedy
    assert remedy.told == told


def test_message_is_told_beside_the_sentence_only_where_it_differs():
    known = find_remedy(failed("disk_full"), ENGLISH, is_admin=False)
    unknown = find_remedy(failed("never_heard_of"), ENGLISH, is_admin=False)
    assert known
    assert unknown
    assert (known.told, unknown.told) == ("it went wrong", "")


@rows_beside
def test_page_says_what_a_work_waits_for(waits_for, ahead, sentence):
    assert (
        build_waiting_sentence(status(waits_for=waits_for, orders_ahead=ahead), ENGLISH) == sentence
    )


@pytest.mark.parametrize(
    ("waits_for", "paused"),
    [("suno", "suno"), ("budget", "budget"), ("settings", None), (None, None)],
)
def test_only_what_is_paused_can_be_freed(waits_for, paused):
    assert get_paused_provider(status(waits_for=waits_for)) == paused


def test_page_says_when_a_failed_work_is_tried_again():
    due = status(overall_status="failed", next_retry_in_seconds=30.0)
    assert build_retry_sentence(due, ENGLISH) == "It is tried again in 30 s."
    assert build_retry_sentence(status(), ENGLISH) is None
