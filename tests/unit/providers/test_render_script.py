import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from zxingcpp import read_barcodes

from resources.contract.errors import PermanentError
from resources.providers.creatomate.render_script import (
    AssetLinks,
    build_render_script,
    build_template_values,
    collect_links,
    describe_unused_pictures,
    escape_markup,
    get_film_seconds,
)
from tests.tables import read_beside

SONG = "https://cdn.example.com/song.mp3"
PUBLIC = "https://castad.example.com"


def linked(where: str) -> str:
    return f"{PUBLIC}/{where}"


UPLOAD = ".uploads/" + "a" * 64
HOSTILE = read_beside(__file__)["HOSTILE"]
CHARACTERS = st.text(max_size=80)
TIMES = st.floats(-5, 130, allow_nan=False)


def job_input(**changes: Any) -> dict[str, Any]:
    return {
        "seed": "task-1",
        "customer_name": "스테이 머뭄",
        "call_to_action": "",
        "region": "군산",
        "orientation": "vertical",
        "genre": "pop",
        "song": {"name": "song.wav", "where": "task-1/song.wav", "sha256": "0" * 64},
        "song_url": SONG,
        "song_start": 12.5,
        "song_seconds": 20.0,
        "song_fades": True,
        "timeline": [
            line("바람이 머무는 골목", 4.0, 7.5),
            line("우리의 노래", 8.0, 11.0),
            line("다시 만나요", 15.0, 19.0),
        ],
        "images": [],
        **changes,
    }


def line(text: str, start: float, end: float) -> dict[str, Any]:
    return {"text": text, "start": start, "end": end, "chunks": [[text, end - start]]}


def pictures(count: int) -> list[dict[str, str]]:
    return [{"name": f"images[{n}]", "url": f"https://a.example/{n}.jpg"} for n in range(count)]


def script_of(content: dict[str, Any]) -> dict[str, Any]:
    return build_render_script(content, collect_links(content, linked))


def elements(content: dict[str, Any], name: str) -> list[dict[str, Any]]:
    made = script_of(content)["elements"]
    return [element for element in made if element["name"].split("-")[0] == name]


def end_of(element: dict[str, Any]) -> float:
    return element["time"] + element["duration"]


def moments_within(value: Any) -> Iterator[float]:
    """The times of all keyframes inside an element's properties."""
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, dict) and "value" in entry:
            yield entry["time"]


LINES = st.lists(st.builds(line, CHARACTERS, TIMES, TIMES), max_size=12)
JOB_INPUTS = st.builds(
    job_input,
    seed=st.text("abc019", min_size=1, max_size=8),
    customer_name=CHARACTERS,
    region=CHARACTERS,
    orientation=st.sampled_from(["vertical", "horizontal"]),
    genre=CHARACTERS | st.sampled_from(["pop", "발라드", "edm"]),
    song_start=st.floats(0, 200),
    song_seconds=st.floats(0.5, 120),
    timeline=LINES,
    images=st.integers(0, 10).map(pictures),
) | st.builds(
    job_input,
    customer_name=CHARACTERS,
    orientation=st.sampled_from(["vertical", "horizontal"]),
    song_seconds=st.floats(0.5, 120),
    call_to_action=CHARACTERS,
    phone=CHARACTERS,
    address=CHARACTERS,
    opening_hours=CHARACTERS,
    link=st.sampled_from(["https://a.example/", f"https://{'가' * 90}.example/"]),
    brand_colors=st.lists(st.from_regex(r"#[0-9a-f]{6}", fullmatch=True), max_size=2),
    logo=st.just({"name": "logo[0]", "url": "https://a.example/logo.png"}),
)


@given(JOB_INPUTS)
@settings(max_examples=60)
def test_script_of_any_input_stays_within_the_films_time(content):
    script = script_of(content)
    for element in script["elements"]:
        assert element["time"] >= 0
        assert element["duration"] > 0
        assert end_of(element) <= script["duration"] + 1e-6
        for animation in element.get("animations", []):
            assert 0 <= animation["duration"] <= element["duration"] + 1e-6
        moments = [moment for value in element.values() for moment in moments_within(value)]
        assert all(0 <= moment <= script["duration"] for moment in moments)


@given(JOB_INPUTS)
@settings(max_examples=60)
def test_script_of_any_input_shows_one_thing_at_a_time_on_a_track(content):
    tracks: dict[int, list[dict[str, Any]]] = {}
    for element in script_of(content)["elements"]:
        tracks.setdefault(element["track"], []).append(element)
    for shown in tracks.values():
        for one, following in pairwise(sorted(shown, key=lambda element: element["time"])):
            assert end_of(one) <= following["time"] + 1e-6


@given(JOB_INPUTS)
@settings(max_examples=60)
def test_script_of_any_input_can_be_sent_as_json(content):
    script = script_of(content)
    sent = json.dumps(script, ensure_ascii=False, allow_nan=False).encode()
    assert json.loads(sent) == script


@given(JOB_INPUTS)
@settings(max_examples=60)
def test_captions_of_any_input_are_its_lines(content):
    lines = [escape_markup(line["text"]) for line in content["timeline"]]
    assert {caption["text"] for caption in elements(content, "Caption")} <= set(lines)


def test_captions_are_all_the_sung_lines_while_they_are_sung():
    content = job_input()
    captions = elements(content, "Caption")
    assert [caption["text"] for caption in captions] == [
        line["text"] for line in content["timeline"]
    ]
    for caption, sung in zip(captions, content["timeline"], strict=True):
        assert caption["time"] == sung["start"]
        assert end_of(caption) >= sung["end"]


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_captions_keep_clear_of_the_edges(orientation):
    for text in elements(job_input(orientation=orientation), "Caption"):
        assert text["width"] == "86%"
        middle, height = float(text["y"][:-1]), float(text["height"][:-1])
        assert middle - height / 2 >= 14
        assert middle + height / 2 <= 90


@pytest.mark.parametrize(
    ("orientation", "size"), [("vertical", (1080, 1920)), ("horizontal", (1920, 1080))]
)
def test_script_has_the_orientations_size(orientation, size):
    script = script_of(job_input(orientation=orientation))
    assert (script["width"], script["height"], script["frame_rate"]) == (*size, 30)
    assert (script["output_format"], script["duration"]) == ("mp4", 20.0)


def test_title_card_names_the_business_and_its_region_at_the_start():
    content = job_input()
    [title], [region] = elements(content, "Title"), elements(content, "Region")
    assert (title["text"], region["text"]) == ("스테이 머뭄", "군산")
    assert (title["time"], region["time"]) == (0, 0)


def test_end_card_asks_for_what_the_input_says_and_names_the_business():
    content = job_input(call_to_action="지금 예약하세요")
    [call], [name] = elements(content, "CallToAction"), elements(content, "EndName")
    assert (call["text"], name["text"]) == ("지금 예약하세요", "스테이 머뭄")
    assert (call["time"], call["time"] + call["duration"]) == (16.5, 20.0)


def test_end_card_is_left_out_where_nothing_is_asked_for():
    assert elements(job_input(), "CallToAction") + elements(job_input(), "EndName") == []


def test_end_card_comes_after_the_title_card():
    content = job_input(call_to_action="지금", song_seconds=5.0)
    [title], [call] = elements(content, "Title"), elements(content, "CallToAction")
    assert call["time"] >= title["duration"]


def test_song_is_cut_out_and_fades_away_in_the_last_second():
    [song] = elements(job_input(), "Song")
    assert (song["source"], song["trim_start"], song["trim_duration"]) == (SONG, 12.5, 20.0)
    assert (song["time"], song["duration"], song["audio_fade_out"]) == (0, 20.0, 1.0)


def test_song_that_ends_with_the_film_is_not_faded():
    [song] = elements(job_input(song_fades=False), "Song")
    assert song["audio_fade_out"] == 0


def test_pictures_fill_the_film_and_change_on_sung_lines():
    content = job_input(images=pictures(4))
    shots = elements(content, "Shot")
    assert [shot["time"] for shot in shots[1:]] == [end_of(shot) for shot in shots[:-1]]
    assert (shots[0]["time"], end_of(shots[-1])) == (0, 20.0)
    assert {4.0, 8.0} <= {shot["time"] for shot in shots}


def test_every_picture_that_fits_is_shown_covering_the_frame():
    content = job_input(images=pictures(4))
    shots = elements(content, "Shot")
    assert {shot["source"] for shot in shots} == {image["url"] for image in content["images"]}
    assert {shot["fit"] for shot in shots} == {"cover"}


def test_pictures_that_do_not_fit_are_told_of():
    assert describe_unused_pictures(job_input(images=pictures(8), song_seconds=10.0)) == [
        "only the first 3 of 8 pictures fit into 10 seconds"
    ]
    assert describe_unused_pictures(job_input(images=pictures(2))) == []


def test_film_without_pictures_has_light_that_moves():
    lights = elements(job_input(), "Light")
    assert len(lights) == 3
    assert all(len({step["value"] for step in light["x"]}) > 1 for light in lights)


def test_colours_follow_the_genre():
    skies = {
        json.dumps(elements(job_input(genre=genre), "Sky")[0]["fill_color"])
        for genre in ("pop", "rock", "edm")
    }
    assert len(skies) == 3


def test_same_input_gives_the_same_script():
    assert script_of(job_input(images=pictures(3))) == script_of(job_input(images=pictures(3)))


@pytest.mark.parametrize("text", HOSTILE)
def test_text_holds_nothing_that_could_be_markup_or_an_expression(text):
    content = job_input(customer_name=text, region=text, timeline=[line(text, 1, 3)])
    made = script_of(content)["elements"]
    shown = [element["text"] for element in made if element["type"] == "text"]
    assert len(shown) == 3
    assert not set("".join(shown)) & set("[]{}<>")


@given(st.text())
def test_text_without_brackets_is_shown_as_it_is(text):
    harmless = text.translate({ord(bracket): None for bracket in "[]{}<>"})
    assert escape_markup(harmless) == harmless


def test_half_a_character_can_be_sent():
    assert escape_markup("a\ud83d").encode() == b"a?"


@pytest.mark.parametrize("text", HOSTILE)
def test_modifications_have_the_documented_names_whatever_the_input_says(text):
    content = job_input(
        customer_name=text, region=text, timeline=[line(text, 1, 3)], images=pictures(2)
    )
    assert set(build_template_values(content, collect_links(content, None))) == {
        "Title.text",
        "Region.text",
        "Lyrics.text",
        "Song.source",
        "Image-1.source",
        "Image-2.source",
    }


def test_modifications_ask_for_action_where_the_input_does():
    content = job_input(call_to_action="지금 [예약]")
    assert (
        build_template_values(content, collect_links(content, None))["CallToAction.text"]
        == "지금 ［예약］"
    )


def test_modifications_hold_the_inputs_content():
    content = job_input(images=pictures(1))
    made = build_template_values(content, collect_links(content, None))
    assert (made["Title.text"], made["Region.text"]) == ("스테이 머뭄", "군산")
    assert made["Lyrics.text"].splitlines() == [line["text"] for line in content["timeline"]]
    assert (made["Song.source"], made["Image-1.source"]) == (SONG, "https://a.example/0.jpg")


def test_links_of_vendors_and_the_web_are_passed_on():
    links = collect_links(job_input(images=pictures(2)), None)
    assert links == AssetLinks(SONG, ("https://a.example/0.jpg", "https://a.example/1.jpg"))


def test_files_of_this_machine_are_linked_as_the_configuration_says():
    content = job_input(song_url=None, images=[{"name": "images[0]", "where": UPLOAD}])
    links = collect_links(content, linked)
    assert links.song == f"{PUBLIC}/task-1/song.wav"
    assert links.images == (f"{PUBLIC}/{UPLOAD}",)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (job_input(song_url=None), "song.wav"),
        (job_input(images=[{"name": "images[0]", "where": UPLOAD}]), "images[0]"),
    ],
)
def test_file_of_this_machine_without_a_public_address_is_refused(content, named):
    with pytest.raises(PermanentError) as refusal:
        collect_links(content, None)
    assert refusal.value.code == "public_url_missing"
    assert refusal.value.message.startswith(f"creatomate: the vendor cannot fetch {named} from")


def test_film_lasts_as_long_as_ordered_in_whole_milliseconds():
    assert get_film_seconds(job_input(song_seconds=19.98765432)) == 19.988


BRAND = {
    "logo": {"name": "logo[0]", "where": UPLOAD},
    "brand_colors": ["#e4572e"],
    "phone": "063 123 4567",
    "address": "전북 군산시 신흥동 1-2",
    "opening_hours": "매일 10-21\n월요일 휴무",
    "link": "https://www.example.com/reserve",
}


def test_end_card_tells_how_to_reach_the_business():
    [contact] = elements(job_input(**BRAND), "Contact")
    assert contact["text"] == (
        "063\u00a0123\u00a04567\n전북 군산시 신흥동 1-2\n매일 10-21\n월요일 휴무\nexample.com"
    )


@pytest.mark.parametrize(("seconds", "lasts"), [(20.0, 5.4), (120.0, 6.0)])
def test_end_card_with_more_to_read_lasts_longer(seconds, lasts):
    [contact] = elements(job_input(**BRAND, song_seconds=seconds), "Contact")
    assert contact["duration"] == pytest.approx(lasts)


def test_logo_is_on_both_cards_by_the_link_of_its_stored_file():
    [title], [end] = (elements(job_input(**BRAND), name) for name in ("TitleLogo", "EndLogo"))
    assert title["source"] == end["source"] == f"{PUBLIC}/{UPLOAD}"
    assert {title["fit"], end["fit"]} == {"contain"}


def test_code_of_the_film_opens_the_link():
    [ground], [code] = (elements(job_input(**BRAND), name) for name in ("CodeGround", "Code"))
    assert (ground["fill_color"], code["fill_color"]) == ("#ffffff", "#0a0a0c")
    assert {code[name] for name in ("width", "height")} == {"30 vmin"}
    picture = Image.new("L", (400, 400), 255)
    for part in code["path"].split("Z")[:-1]:
        corners = [float(each) * 4 for each in re.findall(r"[\d.]+", part)]
        ImageDraw.Draw(picture).rectangle((*corners[:2], *corners[4:6]), fill=0)
    assert [found.text for found in read_barcodes(np.asarray(picture))] == [BRAND["link"]]


def test_film_of_a_brand_has_its_colour():
    plain_region, branded = (elements(job_input(**more), "Region") for more in ({}, BRAND))
    assert plain_region[0]["fill_color"] != branded[0]["fill_color"]


def test_template_is_given_the_contact_and_the_logo():
    values = build_template_values(job_input(**BRAND), collect_links(job_input(**BRAND), linked))
    assert values["Logo.source"] == f"{PUBLIC}/{UPLOAD}"
    assert values["Contact.text"].startswith("063")
