"""A film of an order with everything that a brand may have."""

import wave
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw
from zxingcpp import read_barcodes

from pipeline_defs.song_video.products import Song, SungLine
from pipeline_defs.song_video.stage_inputs import build_video_input
from resources.files.artifacts import StoredArtifact
from resources.providers.studio.makers import build_film_script
from studio.camera.film import film
from studio.ffmpeg import frame_at
from tests.song_video import check_brief

LINK = "https://bomnal.example.kr/reserve?from=film"
UPLOAD = "upload:" + "0a" * 32
FRAMES = {"vertical": (540, 960), "horizontal": (960, 540)}
SECONDS = 6.0
ORDER = {
    "customer_name": "봄날 베이커리",
    "region": "전주",
    "logo": [UPLOAD],
    "brand_colors": ["#145aa0", "#f2c14e"],
    "phone": "063-123-4567",
    "address": "전북 전주시 완산구 한옥마을길 12-3",
    "opening_hours": "매일 10:00-21:00\n월요일 휴무",
    "link": LINK,
    "call_to_action": "지금 예약하세요",
}


def silence(folder: Path) -> Path:
    path = folder / "song.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22050)
        file.writeframes(b"\0\0" * 22050 * 8)
    return path


def logo(folder: Path) -> Path:
    picture = Image.new("RGBA", (300, 120))
    ImageDraw.Draw(picture).ellipse((10, 10, 290, 110), fill=(230, 20, 60))
    picture.save(folder / "logo.png")
    return folder / "logo.png"


def filmed(folder: Path, orientation: str) -> Path:
    """The film of the order, whose last line is sung until its end, in half the size."""
    brief = check_brief({**ORDER, "orientation": orientation, "duration_seconds": 10})
    audio = StoredArtifact(name="song.wav", sha256="", bytes=0, media_type="audio/wav", where="s")
    line = SungLine(text="봄날의 빵", start=1, end=SECONDS, chunks=[("봄날의 ", 2), ("빵", 3)])
    song = Song(seconds=SECONDS, genre="pop", timeline=[line], files=[audio])
    files = {"song.wav": silence(folder), "logo[0]": logo(folder)}
    script = build_film_script(
        build_video_input(brief, "order-1", {"song": song}), lambda named: files[str(named["name"])]
    )
    made = folder / "film"
    made.mkdir()
    script = replace(script, frame=FRAMES[orientation])
    return film(script, made, lambda done, frames: None, Event())[0]


@pytest.fixture(scope="module", params=sorted(FRAMES))
def last_frame(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Image.Image:
    folder = tmp_path_factory.mktemp("brand")
    return frame_at(filmed(folder, request.param), SECONDS - 0.1)


def test_the_last_frame_has_a_code_that_opens_the_link(last_frame):
    assert [found.text for found in read_barcodes(np.asarray(last_frame))] == [LINK]


def test_the_last_frame_has_the_logo_and_the_button_in_their_colours(last_frame):
    pixels = np.asarray(last_frame, int).reshape(-1, 3)
    for colour in ((230, 20, 60), (20, 90, 160)):
        assert (np.abs(pixels - colour).max(axis=1) < 16).sum() > 500
