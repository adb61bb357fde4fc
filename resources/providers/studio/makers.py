"""Make lyrics, songs, films and scans with the studio."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from resources.contract.errors import PermanentError
from resources.contract.protocol import Json, OpenArtifact, Product, StageInput
from resources.contract.studio_errors import translate_studio_errors
from resources.providers.background_jobs import BackgroundJob, LocalProvider, make_core_slots
from studio.band.score import build_midi
from studio.band.song import Song, play
from studio.camera.film import FRAMES, Script, film, shots_of
from studio.camera.fonts import find_font
from studio.camera.palettes import colour_of
from studio.camera.shots import FPS, Section, left_out
from studio.camera.text import DEFAULT_LOOK, Contact, Text, call_for
from studio.genres import Genre, choose_genre
from studio.images import check_image
from studio.lyricist.lyric import Facts, write_lyric
from studio.screenplay import write_transcripts
from studio.sight import see
from studio.sound import RATE, write_mp3, write_wav
from studio.timeline import Line
from studio.waste import UNKNOWN, advise, find_question, find_tags, find_thing, find_unknown_words

_TAKES = "ab"
NAME = "studio"
NOTE = "note"

_UNSURE = {
    "Korean": "사진만으로는 확실하지 않습니다. 물건을 가운데에 놓고 다시 찍거나 무엇인지 글로 적어 주세요.",
    "English": "I am not sure from the picture; put the thing in its middle, or say in words what it is.",
}
_UNNAMED = {
    "Korean": "적어 주신 말에서 아는 품목을 찾지 못했습니다. 다른 말로 적거나 사진을 함께 보내 주세요.",
    "English": "I know no thing by these words; use other words, or send a photograph as well.",
}
_HALF_KNOWN = {
    "Korean": "모르는 말이 있어 안내하지 못했습니다: {words}. 무엇인지 다른 말로 적어 주세요.",
    "English": "I do not know these words: {words}. Say what it is in other words.",
}
"""Beside the name of an ordinary thing; a picture would tell no more of what is in it."""


class StudioLyricist(LocalProvider):
    """A provider that writes lyrics on this machine; the result has title and text."""

    def __init__(self, workdir: Path) -> None:
        super().__init__(NAME, _make_lyric, workdir, make_core_slots(workdir, "writing"))


def _make_lyric(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
    facts = Facts(
        customer_name=job_input["customer_name"],
        region=job_input["region"],
        detail_region_info=job_input["detail_region_info"],
        language=job_input["language"],
        genre=job_input["genre"],
        duration_seconds=job_input["duration_seconds"],
    )
    lyric = write_lyric(job_input["seed"], facts)
    return Product({"title": lyric.title, "text": lyric.text})


class StudioBand(LocalProvider):
    """A provider that makes songs on this machine.

    The result has seconds, timeline, beat, sections, genre and notes; files are song.wav, other takes, each as
    an mp3 too, MIDI and stems.
    """

    def __init__(self, workdir: Path) -> None:
        def make(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return make_song(job_input, folder, workdir / "voice", job.stop)

        super().__init__(NAME, make, workdir, make_core_slots(workdir, "rendering"))


@dataclass(frozen=True)
class _Take:
    """One take of a song: its facts for the video, its sound, its score and stems, and a remark, if any."""

    facts: dict[str, Any]
    sound: Path
    parts: tuple[Path, ...]
    remark: str | None


def make_song(job_input: StageInput, folder: Path, voice_cache: Path, stop: Event) -> Product:
    """Make the song of the job, or several takes of it; return its facts and files.

    With two takes `songs` in the result lists both, and their sounds are the first files.
    """
    genre, note = choose_genre(job_input["genre"])
    first, *others = (
        _make_take(job_input, genre, folder, voice_cache, stop, letter)
        for letter in _TAKES[: job_input.get("takes", 1)]
    )
    notes = [remark for remark in (note, first.remark) if remark]
    result = {**first.facts, "genre": genre.name, "notes": notes}
    if others:
        result["songs"] = [*_list_versions(job_input, first, others)]
    takes = (first, *others)
    sounds = [take.sound for take in takes]
    smaller = map(write_mp3, sounds)
    return Product(result, (*sounds, *smaller, *(part for take in takes for part in take.parts)))


def _list_versions(
    job_input: StageInput, first: _Take, others: list[_Take]
) -> Iterator[dict[str, Json]]:
    """Yield the takes' entries in the result: id, title, seconds; for other takes than the first all facts."""
    yield {"id": "a", "title": job_input["title"], "seconds": first.facts["seconds"]}
    for letter, take in zip(_TAKES[1:], others, strict=True):
        yield {"id": letter, "title": job_input["title"], **take.facts}


def _make_take(
    job_input: StageInput, genre: Genre, folder: Path, voice_cache: Path, stop: Event, letter: str
) -> _Take:
    """Make the take named `letter`; the first one is the same as that of a job with one take."""
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
    parts = tuple(_write_parts(made, genre, folder, ending)) if job_input["stems"] else ()
    return _Take(_list_facts(made), sound, parts, made.remark)


def _list_facts(made: Song) -> dict[str, Any]:
    """Return the facts of the song that a video needs: seconds, timeline, beat and sections."""
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


def _write_parts(made: Song, genre: Genre, folder: Path, ending: str) -> Iterator[Path]:
    """Write the score as a MIDI file, and each part of the song as a sound file; yield the files."""
    score = folder / f"song{ending}.mid"
    score.write_bytes(build_midi(made.score, made.grid, genre.style.programs, made.lines))
    yield score
    for name, samples in sorted(made.stems.items()):
        write_wav(folder / f"stem-{name}{ending}.wav", samples)
        yield folder / f"stem-{name}{ending}.wav"


class StudioCamera(LocalProvider):
    """A provider that makes videos on this machine.

    The result has seconds, width, height, fps and notes; files are video.mp4, covers and transcripts.
    """

    def __init__(self, open_artifact: OpenArtifact, workdir: Path) -> None:
        def make(job_input: StageInput, folder: Path, job: BackgroundJob) -> Product:
            return _make_video(job_input, folder, job, open_artifact)

        super().__init__(NAME, make, workdir, make_core_slots(workdir, "rendering"))


def _make_video(
    job_input: StageInput, folder: Path, job: BackgroundJob, open_artifact: OpenArtifact
) -> Product:
    """Render the job's video, its covers and transcripts."""
    script = build_film_script(job_input, open_artifact)
    made = film(script, folder, lambda done, frames: job.report(done, frames, "frame"), job.stop)
    transcripts = write_transcripts(script.text.lines, folder, job_input["customer_name"])
    result = {
        "seconds": script.seconds,
        "width": script.frame[0],
        "height": script.frame[1],
        "fps": FPS,
        "notes": [
            *left_out(shots_of(script), len(script.images), script.seconds),
            *find_font().remarks,
        ],
    }
    return Product(result, (*made, *transcripts))


def build_film_script(job_input: StageInput, open_artifact: OpenArtifact) -> Script:
    """Build the studio's script of the film from the job's input; `open_artifact` returns its files."""
    genre, _ = choose_genre(job_input["genre"])
    lines = tuple(map(Line.from_json, job_input["timeline"]))
    text = Text(
        job_input["customer_name"],
        job_input["region"],
        lines,
        call_to_action=job_input["call_to_action"],
        language=job_input["language"],
        caption_style=job_input.get("caption_style", DEFAULT_LOOK),
        contact=Contact(
            *(job_input.get(name, "") for name in ("phone", "address", "opening_hours", "link"))
        ),
    )
    return Script(
        seed=job_input["seed"],
        text=replace(text, call_to_action=call_for(text, job_input["seed"])),
        genre=genre.name,
        song=open_artifact(job_input["song"]),
        seconds=job_input["song_seconds"],
        frame=FRAMES[job_input["orientation"]],
        images=tuple(open_artifact(image) for image in job_input["images"]),
        song_start=job_input["song_start"],
        song_fades=job_input["song_fades"],
        beat_seconds=job_input["beat_seconds"],
        sections=tuple(Section(**section) for section in job_input["sections"]),
        about=job_input["detail_region_info"],
        brand_colours=tuple(map(colour_of, job_input.get("brand_colors", ()))),
        logo=open_artifact(job_input["logo"]) if "logo" in job_input else None,
    )


def make_classifier(open_artifact: OpenArtifact) -> Callable[[StageInput], Mapping[str, Json]]:
    """Return a function that classifies the thing in a job's note and picture; `open_artifact` opens pictures.

    Its result names what the classification is based on, and the confidence.
    """

    def classify(job_input: StageInput) -> Mapping[str, Json]:
        note, reference, language = (
            str(job_input["note"]),
            job_input["image"],
            job_input["language"],
        )
        found, tags = find_thing(note), find_tags(note)
        if found is not None:
            if reference is not None:
                with translate_studio_errors():
                    check_image(open_artifact(reference), str(reference["name"]))
            if unknown := find_unknown_words(note, found):
                remark = _HALF_KNOWN[language].format(words=", ".join(unknown))
                return _build_classification(tags, remark=remark)
            return _build_classification(tags, found.major, found.middle, found.minor)
        if reference is None:
            return _build_classification(
                tags, remark=find_question(note, language) or _UNNAMED[language]
            )
        seen = see(open_artifact(reference))
        return _build_classification(
            tags,
            seen.major,
            seen.middle,
            seen.minor,
            seen_by=seen.seen_by,
            confidence=seen.confidence,
            remark=_UNSURE[language] if seen.major == UNKNOWN else "",
        )

    return classify


def _build_classification(
    tags: Sequence[str],
    major: str = UNKNOWN,
    middle: str = UNKNOWN,
    minor: str | None = None,
    **more: Json,
) -> dict[str, Any]:
    """Build a classification; without categories it is of an unknown thing, based on the note."""
    names = {"major_category": major, "middle_category": middle, "minor_category": minor}
    how = {"seen_by": NOTE, "confidence": None, "remark": "", **more}
    return {**names, "situation_tags": list(tags), **how}


def write_advice(job_input: StageInput) -> Mapping[str, Json]:
    """Write the disposal advice by the rule in the input. Raises PermanentError `no_rule` without one."""
    rule = job_input["rule"]
    if rule is None:
        raise PermanentError("rule: expected a rule of disposal", code="no_rule")
    thing = job_input["thing"]
    advice = advise(
        rule,
        thing["minor_category"],
        thing["situation_tags"],
        job_input["language"],
        job_input.get("elsewhere", ()),
    )
    return {
        "disposal_steps": list(advice.steps),
        "insufficiencies": list(advice.insufficiencies),
        "user_answer": advice.reply,
        "model": "studio",
    }
