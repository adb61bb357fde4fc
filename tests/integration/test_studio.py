"""The studio from brief to file: any order that is accepted gives a film that shows and sings its own words."""

import re
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline_defs.song_video.brief import Brief
from pipeline_defs.song_video.products import Lyric as LyricProduct
from pipeline_defs.song_video.products import Song as SongProduct
from pipeline_defs.song_video.stage_inputs import (
    build_lyric_input,
    build_song_input,
    build_video_input,
)
from resources.contract.errors import InvalidInputError
from resources.contract.protocol import Product, Provider, StageInput, Succeeded
from resources.files.artifacts import StoredArtifact
from resources.files.media import check_film
from resources.providers.studio.makers import StudioBand, build_film_script
from studio.band.score import Score
from studio.band.song import compose_song
from studio.camera.film import film
from studio.camera.fonts import find_font, make_drawable
from studio.genres import choose_genre, read_genres
from studio.lyricist.lyric import Facts, Lyric, write_lyric
from studio.screenplay import format_srt
from studio.sound import RATE, read_wav
from studio.timeline import Line
from studio.words import list_sung_lines
from tests.song_video import check_brief

SMALL = {"vertical": (108, 192), "horizontal": (192, 108)}
CHARACTERS = st.characters(exclude_categories=("Cc", "Cs"))
NAME = st.text(CHARACTERS, max_size=80)
KINDS = st.sampled_from([*read_genres(), "polka", ""])


def accepted(given_brief: dict[str, Any]) -> bool:
    try:
        check_brief(given_brief)
    except InvalidInputError:
        return False
    return True


BRIEFS = (
    st.fixed_dictionaries(
        {
            "customer_name": NAME,
            "region": NAME,
            "detail_region_info": st.text(CHARACTERS, max_size=500),
            "call_to_action": st.text(CHARACTERS, max_size=60),
            "brand_colors": st.lists(st.from_regex(r"#[0-9a-f]{6}", fullmatch=True), max_size=2),
            "phone": st.text(CHARACTERS, max_size=36).map("{}0123".format) | st.just(""),
            "address": st.text(CHARACTERS, max_size=120),
            "opening_hours": st.text(CHARACTERS, max_size=160),
            "link": st.sampled_from(["", "https://example.com/메뉴?a=1"]),
            "genre": KINDS,
            "language": st.sampled_from(["Korean", "English"]),
            "orientation": st.sampled_from(["vertical", "horizontal"]),
            "duration_seconds": st.just(10),
        }
    )
    .filter(accepted)
    .map(check_brief)
)


def lyric_of(brief: Brief, seed: str = "order-1") -> Lyric:
    job_input = build_lyric_input(brief, seed, {})
    return write_lyric(
        seed,
        Facts(
            **{name: job_input[name] for name in Facts.__dataclass_fields__ if name in job_input}
        ),
    )


def notes_of(brief: Brief, lyric: Lyric, seed: str = "order-1") -> tuple[tuple[Line, ...], Score]:
    """The lines in time and every note, as the song has them."""
    genre, _ = choose_genre(brief.genre)
    _, lines, score = compose_song(lyric.text, genre, float(brief.duration_seconds), seed)
    return lines, score


def filmed(brief: Brief, lyric: Lyric, folder: Path) -> Path:
    """The order's film in a small frame, after its song; its captions are in `text.ass` beside it."""
    words = LyricProduct(**asdict(lyric))
    song = made(
        StudioBand(folder / "work"), build_song_input(brief, "order-1", {"lyric": words}), folder
    )
    stored = StoredArtifact(name="song.wav", sha256="", bytes=0, media_type="audio/wav", where="")
    job_input = build_video_input(
        brief, "order-1", {"song": SongProduct(**song.result, files=[stored])}
    )
    script = replace(
        build_film_script(job_input, lambda _: song.files[0]), frame=SMALL[brief.orientation]
    )
    return film(script, folder, lambda done, frames: None, Event())[0]


def made(provider: Provider, job_input: StageInput, folder: Path) -> Product:
    job = provider.submit(job_input, "token").external_id
    while not isinstance(report := provider.poll(job_input, job), Succeeded):
        Event().wait(0.02)
    return provider.fetch(job_input, report.answer, folder)


def captions_in(ass: str) -> str:
    """What is coloured while it is sung, without blanks."""
    rows = [line.split(",", 9) for line in ass.splitlines() if line.startswith("Dialogue: ")]
    sung = [row[9].replace("\\N", "") for row in rows if row[3] == "Sung"]
    return "".join(re.sub(r"\{[^}]*\}", "", "".join(sung)).split())


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(BRIEFS)
def test_any_accepted_brief_gives_a_film_whose_captions_are_its_lyric(brief):
    lyric = lyric_of(brief)
    with tempfile.TemporaryDirectory() as folder:
        video = filmed(brief, lyric, Path(folder))
        check_film(video, "the film")
        shown = captions_in((video.parent / "text.ass").read_text("utf-8"))
    font = find_font()
    expected = "".join(make_drawable(line, font) for line in list_sung_lines(lyric.text))
    assert shown == "".join(expected.split())


@settings(max_examples=25, deadline=None)
@given(BRIEFS)
def test_any_accepted_brief_gives_transcripts_that_are_its_lyric(brief):
    lyric = lyric_of(brief)
    lines, _ = notes_of(brief, lyric)
    rows = [block.split("\n")[2] for block in format_srt(lines).rstrip("\n").split("\n\n")]
    assert rows == list_sung_lines(lyric.text)


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "genre"), [(10, "edm"), (120, "pop")])
def test_any_length_gives_sound_and_film_of_that_length(seconds, genre, tmp_path):
    brief = check_brief(
        {"customer_name": "A", "region": "B", "genre": genre, "duration_seconds": seconds}
    )
    video = filmed(brief, lyric_of(brief), tmp_path)
    assert check_film(video, "the film").seconds == pytest.approx(seconds, abs=0.5)
    assert len(read_wav(tmp_path / "song.wav")) == seconds * RATE


@settings(max_examples=20, deadline=None)
@given(BRIEFS, st.integers(10, 120))
def test_the_same_order_gives_the_same_lyric_and_score(brief, seconds):
    order = brief.model_copy(update={"duration_seconds": seconds})
    again = Brief.model_validate_json(order.model_dump_json())
    assert lyric_of(order) == lyric_of(again)
    assert notes_of(order, lyric_of(order)) == notes_of(again, lyric_of(again))


def test_another_order_gives_another_lyric_and_score():
    brief = check_brief({"customer_name": "봄날", "region": "전주"})
    lyrics = [lyric_of(brief, seed) for seed in ("order-1", "order-2")]
    assert lyrics[0] != lyrics[1]
    scores = [notes_of(brief, lyrics[0], seed)[1] for seed in ("order-1", "order-2")]
    assert scores[0] != scores[1]
