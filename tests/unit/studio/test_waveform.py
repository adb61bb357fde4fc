from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studio.sound import RATE, draw_waveform, write_wav
from tests.fakes import media


def written(folder: Path, kind: str) -> Path:
    path = folder / f"song.{kind}"
    if kind == "mp3":
        path.write_bytes(media.song(4.0, 440))
    else:
        tone = 0.125 * np.sin(2 * np.pi * 440 * np.arange(4 * RATE) / RATE)
        write_wav(path, np.stack([tone, tone], axis=1).astype(np.float32))
    return path


def outline(path: Path) -> list[int]:
    """How many rows of each column are drawn."""
    picture = path.with_suffix(".png")
    picture.write_bytes(draw_waveform(path, 320, 64))
    with Image.open(picture) as image:
        return [int(rows) for rows in (np.asarray(image)[..., 3] > 0).sum(axis=0)]


@pytest.mark.parametrize("kind", ["wav", "mp3"])
def test_a_waveform_is_as_high_as_the_sound_is_loud(kind, tmp_path):
    columns = outline(written(tmp_path, kind))
    assert len(columns) == 320
    assert sorted(columns)[160] == pytest.approx(8, abs=2)


@pytest.mark.parametrize("kind", ["wav", "mp3"])
def test_a_waveform_of_nothing_is_refused(kind, tmp_path):
    path = tmp_path / f"song.{kind}"
    path.write_bytes(b"nothing")
    with pytest.raises((EOFError, ValueError)):
        draw_waveform(path, 320, 64)


def test_a_waveform_opens_no_file_that_the_sound_names(tmp_path):
    sound = written(tmp_path, "mp3")
    (tmp_path / "list.mp3").write_text(f"ffconcat version 1.0\nfile '{sound}'\n")
    with pytest.raises(ValueError):
        draw_waveform(tmp_path / "list.mp3", 320, 64)
