"""The parts of the lyric that a person may edit, and the takes of the song to choose from. Pure."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pipeline_defs.fields import Length, normalize_line
from pipeline_defs.pipeline import Choice, Choices, Revision
from pipeline_defs.song_video.brief import LONGEST_LYRIC, tidy_lyric
from pipeline_defs.song_video.products import Song, SongVersion, SungLine
from resources.contract.errors import InvalidInputError
from resources.providers.suno.sung_words import ESTIMATED

_OF_THE_USED = ("timeline", "beat_seconds", "sections", "url")
"""The fields of the used version that the song itself has."""
_DIGITS = 4


def list_takes(song: Song) -> Sequence[Choice]:
    """Return the song's takes, the used one first. "a" is the take that was made first."""
    lengths = [version.seconds for version in song.songs] or [song.seconds]
    takes = []
    for letter, seconds, file in zip(ascii_lowercase, lengths, song.files, strict=False):
        minutes, rest = divmod(round(seconds), 60)
        label = f"{letter.upper()} · {minutes}:{rest:02}"
        takes.append(Choice(letter, label, file.name, seconds))
    return [takes.pop(song.used), *takes]


def choose_take(song: Song, take: str) -> Song:
    """Return the song with this take as the used one; nothing of the other takes is lost.

    If the vendor was not asked for the take's timeline, it is estimated: the used take's timeline is scaled to the
    take's length, and a note says so. Raise InvalidInputError for an unknown take.
    """
    known = sorted(each.id for each in list_takes(song))
    wanted = take.strip().lower()
    if wanted not in known:
        raise InvalidInputError("choice", f"expected {' or '.join(known)}")
    place = ascii_lowercase.index(wanted)
    if place == song.used:
        return song
    last, chosen = song.songs[song.used], _add_timeline(song, song.songs[place])
    songs = list(song.songs)
    songs[song.used] = last.model_copy(update=_get_used_facts(song))
    of_all = [note for note in song.notes if note != ESTIMATED]
    changes = {
        **_get_used_facts(chosen),
        "seconds": chosen.seconds,
        "notes": [*of_all, *chosen.notes],
        "songs": songs,
        "used": place,
    }
    return song.model_copy(update=changes)


def _get_used_facts(of: Song | SongVersion) -> dict[str, object]:
    facts = {name: getattr(of, name) for name in _OF_THE_USED}
    return facts | {"notes": [note for note in of.notes if note == ESTIMATED]}


def _add_timeline(song: Song, version: SongVersion) -> SongVersion:
    """Return the version with its own timeline, or with the used version's timeline scaled to its length."""
    if version.timeline is not None:
        return version
    stretch = version.seconds / song.seconds
    lines = [
        SungLine(
            text=line.text,
            start=round(line.start * stretch, _DIGITS),
            end=round(line.end * stretch, _DIGITS),
            chunks=[(text, round(seconds * stretch, _DIGITS)) for text, seconds in line.chunks],
        )
        for line in song.timeline
    ]
    return version.model_copy(update={"timeline": lines, "notes": [ESTIMATED]})


TAKES = Choices(of=list_takes, choose=choose_take)


_LONGEST_TITLE = 80
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""


def _check_sung(text: str) -> str:
    """Return the tidied lyric; raise ValueError if it has no line to sing."""
    lyric = tidy_lyric(text)
    if not lyric:
        raise ValueError("expected at least 1 line to sing")
    return lyric


class LyricWords(BaseModel):
    """The title and the words to sing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[
        str, Field(min_length=1), AfterValidator(normalize_line), Length(_LONGEST_TITLE)
    ] = Field(description="The song's title")
    text: Annotated[
        str, Field(min_length=1), AfterValidator(_check_sung), Length(LONGEST_LYRIC)
    ] = Field(description="The words, a line for each sung line, a blank line between parts")


WORDS = Revision(
    model=LyricWords, apply=lambda brief, lyric, words: lyric.model_copy(update=words.model_dump())
)
