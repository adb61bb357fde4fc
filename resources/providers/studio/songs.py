"""The studio's song, or two takes of it: the same words under another melody and arrangement."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from resources.contract.protocol import Json, Product, StageInput
from studio.band.score import build_midi
from studio.band.song import Song, play
from studio.genres import Genre, choose_genre
from studio.sound import RATE, write_wav

_TAKES = "ab"


@dataclass(frozen=True)
class _Take:
    """A take of the song: what a video needs of it, and its files."""

    facts: dict[str, Any]
    sound: Path
    parts: tuple[Path, ...]
    remark: str | None


def song(job_input: StageInput, folder: Path, voice_cache: Path, stop: Event) -> Product:
    """The song that is asked for. With two takes the result's `songs` has both; their sounds are the first files.

    Raises StoppedError once `stop` is set, and what the singer raises.
    """
    genre, note = choose_genre(job_input["genre"])
    first, *others = (
        _take(job_input, genre, folder, voice_cache, stop, letter)
        for letter in _TAKES[: job_input.get("takes", 1)]
    )
    notes = [remark for remark in (note, first.remark) if remark]
    result = {**first.facts, "genre": genre.name, "notes": notes}
    if others:
        result["songs"] = [*_versions(job_input, first, others)]
    takes = (first, *others)
    sounds = [take.sound for take in takes]
    return Product(result, (*sounds, *(part for take in takes for part in take.parts)))


def _versions(
    job_input: StageInput, first: _Take, others: list[_Take]
) -> Iterator[dict[str, Json]]:
    yield {"id": "a", "title": job_input["title"], "seconds": first.facts["seconds"]}
    for letter, take in zip(_TAKES[1:], others, strict=True):
        yield {"id": letter, "title": job_input["title"], **take.facts}


def _take(
    job_input: StageInput, genre: Genre, folder: Path, voice_cache: Path, stop: Event, letter: str
) -> _Take:
    """One take; the first is what a job of one song gets."""
    is_first = letter == _TAKES[0]
    made = play(
        job_input["lyric"],
        genre,
        job_input["duration_seconds"],
        job_input["seed"] if is_first else f"{job_input['seed']} take {letter}",
        language=job_input["language"],
        vocals=job_input["vocals"],
        stems=job_input["stems"],
        voice_cache=voice_cache,
        stop=stop,
    )
    ending = "" if is_first else f"-{letter}"
    sound = folder / f"song{ending}.wav"
    write_wav(sound, made.samples)
    parts = tuple(_parts(made, genre, folder, ending)) if job_input["stems"] else ()
    return _Take(_facts(made), sound, parts, made.remark)


def _facts(made: Song) -> dict[str, Any]:
    return {
        "seconds": len(made.samples) / RATE,
        "timeline": [line.as_json() for line in made.lines],
        "beat_seconds": made.grid.beat,
        "sections": [
            {
                "kind": section.kind,
                "start": section.first_bar * made.grid.bar,
                "end": (section.first_bar + section.bars) * made.grid.bar,
            }
            for section in made.grid.sections
        ],
    }


def _parts(made: Song, genre: Genre, folder: Path, ending: str) -> Iterator[Path]:
    """The score as a MIDI file, and each part of the song as a sound file of its own."""
    score = folder / f"song{ending}.mid"
    score.write_bytes(build_midi(made.score, made.grid, genre.style.programs, made.lines))
    yield score
    for name, samples in sorted(made.stems.items()):
        write_wav(folder / f"stem-{name}{ending}.wav", samples)
        yield folder / f"stem-{name}{ending}.wav"
