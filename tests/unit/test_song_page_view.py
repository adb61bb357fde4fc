"""What the pages show of a song's words: the meter, the hook, and the caption to post."""

from typing import Any

import pytest

from pipeline_defs.song_video.page_view import (
    build_caption,
    build_hashtags,
    compute_tempo,
    held,
    measure_lines,
    result,
)

BRIEF = {
    "customer_name": "봄날 베이커리",
    "region": "전주 한옥마을",
    "language": "Korean",
    "detail_region_info": "골목의 작은 빵집",
    "call_to_action": "",
}


def counts(text: str) -> list[int]:
    return [line["syllables"] for line in measure_lines(text)]


@pytest.mark.parametrize(
    ("line", "syllables"), [("봄날이 와요", 5), ("a bakery in the morning", 8), ("24시간", 5)]
)
def test_line_is_measured_in_syllables_of_its_language(line, syllables):
    assert counts(line) == [syllables]


def test_mark_and_blank_line_are_shown_and_not_sung():
    assert counts("[Verse]\n\n하나") == [0, 0, 2]


def test_line_fits_beside_the_others_and_not_by_itself():
    assert measure_lines("가" * 40)[0]["fit"] == "good"
    lines = measure_lines("\n".join("가" * count for count in (*[8] * 6, 10, 11, 12, 13)))
    assert [line["fit"] for line in lines] == [*["good"] * 7, "tight", "tight", "long"]


@pytest.mark.parametrize(
    ("mark", "section"),
    [
        ("[Verse 2]", "verse"),
        ("[Pre-Chorus]", "pre_chorus"),
        ("[후렴]", "chorus"),
        ("[2절]", "verse"),
        ("[Spoken word]", "spoken"),
        ("[??]", ""),
        ("Verse", ""),
    ],
)
def test_mark_names_its_section(mark, section):
    (line,) = measure_lines(mark)
    assert line["section"] == section


def test_hook_is_the_line_that_comes_again_whatever_its_marks():
    lines = measure_lines("Come home!\nto us\ncome home")
    assert [line["is_hook"] for line in lines] == [True, False, True]


@pytest.mark.parametrize("text", ["", "\n\n", "[Verse]"])
def test_words_without_a_line_to_sing_have_no_meter(text):
    assert not any(counts(text))


def test_each_take_that_waits_shows_when_its_own_lines_are_sung():
    line = {"text": "봄날", "start": 1, "end": 2, "chunks": []}
    file = {"name": "", "sha256": "", "bytes": 1, "media_type": "audio/wav", "where": ""}
    takes = [
        {"id": name, "title": "", "seconds": length} for name, length in (("1", 10), ("2", 20))
    ]
    files = [{**file, "name": name} for name in ("a.wav", "b.wav")]
    song = {"seconds": 10, "genre": "pop", "timeline": [line], "songs": takes, "files": files}
    shown = held("song", BRIEF, song)["takes"]
    assert [(each["id"], each["lines"][0]["start"]) for each in shown] == [("a", 1), ("b", 2)]


@pytest.mark.parametrize(("beat", "beats"), [(0.5769, 104), (None, None), (0, None)])
def test_tempo_is_beats_a_minute_where_it_is_known(beat, beats):
    assert compute_tempo(beat) == beats


def test_caption_has_the_hook_the_shop_its_detail_and_its_tags():
    assert build_caption(BRIEF, "하나\n봄날이 와요\n봄날이 와요") == (
        "봄날이 와요\n\n📍 봄날 베이커리 · 전주 한옥마을\n\n골목의 작은 빵집\n\n"
        "#봄날베이커리 #전주한옥마을 #전주 #한옥마을 #동네가게 #광고노래"
    )


def test_caption_of_words_without_a_hook_begins_with_their_first_lines():
    assert build_caption(BRIEF, "하나\n둘\n셋").startswith("하나\n둘\n\n📍")


def test_caption_cuts_a_long_detail_short():
    assert f"\n\n{'가' * 139}…\n\n" in build_caption(
        {**BRIEF, "detail_region_info": "가" * 500}, "하나"
    )


def test_hashtag_is_letters_and_digits_alone_and_comes_once():
    brief = {"customer_name": "<b>#1 Café_😀</b>", "region": "Jeonju", "language": "English"}
    assert build_hashtags(brief) == ["b1Caféb", "Jeonju", "shoplocal", "jingle"]


def test_result_says_whether_the_film_is_upright():
    products: dict[str, dict[str, Any]] = {
        "lyric": {"title": "봄날", "text": "하나"},
        "song": {},
        "video": {"width": 1080, "height": 1920, "seconds": 10},
    }
    assert result(BRIEF, products)["is_vertical"] is True


@pytest.mark.parametrize(("used", "names"), [(0, ["a.wav", "a.mp3"]), (1, ["b.wav", "b.mp3"])])
def test_result_names_the_files_of_the_take_that_the_film_uses(used, names):
    files = [{"name": name} for name in ("a.wav", "b.wav", "a.mp3", "b.mp3", "a.mid.txt")]
    products: dict[str, dict[str, Any]] = {
        "lyric": {"title": "봄날", "text": "하나"},
        "song": {"files": files, "songs": [{"id": "1"}, {"id": "2"}], "used": used},
        "video": {"width": 1080, "height": 1920, "seconds": 10},
    }
    assert result(BRIEF, products)["used"] == names


def test_caption_tells_how_to_reach_the_shop():
    contact = {"phone": "063-123-4567", "opening_hours": "매일 10-21\n월요일 휴무", "link": ""}
    assert "\n\n📞 063-123-4567\n🕒 매일 10-21 · 월요일 휴무\n\n#" in build_caption(
        {**BRIEF, **contact}, "하나"
    )
