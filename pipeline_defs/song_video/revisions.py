"""What a person may change in the lyric, and which take of the song a person may choose. Pure."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pipeline_defs.fields import Length, normalize_line
from pipeline_defs.pipeline import Choice, Choices, Revision
from pipeline_defs.song_video.brief import LONGEST_LYRIC, Brief, tidy_lyric
from pipeline_defs.song_video.products import Lyric, Song, SongVersion, SungLine
from resources.contract.errors import InvalidInputError
from resources.providers.suno.sung_words import ESTIMATED

_OF_THE_USED = ("timeline", "beat_seconds", "sections", "url")
"""What a song has of the version that is used, and that version where it is not used."""
_DIGITS = 4


def takes_of(song: Song) -> Sequence[Choice]:
    """The song's takes, the used one first; "a" is the first that was made."""
    lengths = [version.seconds for version in song.songs] or [song.seconds]
    takes = [
        Choice(letter, f"{letter.upper()} · {_clock(seconds)}", file.name, seconds)
        for letter, seconds, file in zip(ascii_lowercase, lengths, song.files, strict=False)
    ]
    return [takes.pop(song.used), *takes]


def choose(song: Song, take: str) -> Song:
    """The song with this take as the used one, nothing of the others lost. Raises InvalidInputError.

    Where the vendor was not asked when the take is sung, its lines are those of the used one, as much later or
    earlier as it is longer or shorter, and a note says that they are estimated.
    """
    known = sorted(each.id for each in takes_of(song))
    wanted = take.strip().lower()
    if wanted not in known:
        raise InvalidInputError("choice", f"expected {' or '.join(known)}")
    place = ascii_lowercase.index(wanted)
    return song if place == song.used else _with_used(song, place)


def _with_used(song: Song, place: int) -> Song:
    last, next_one = song.songs[song.used], _timed(song, song.songs[place])
    songs = list(song.songs)
    songs[song.used] = last.model_copy(update=_facts(song))
    of_all = [note for note in song.notes if note != ESTIMATED]
    changes = {
        **_facts(next_one),
        "seconds": next_one.seconds,
        "notes": [*of_all, *next_one.notes],
        "songs": songs,
        "used": place,
    }
    return song.model_copy(update=changes)


def _facts(of: Song | SongVersion) -> dict[str, object]:
    facts = {name: getattr(of, name) for name in _OF_THE_USED}
    return facts | {"notes": [note for note in of.notes if note == ESTIMATED]}


def _timed(song: Song, version: SongVersion) -> SongVersion:
    """The version with a timeline: its own, or one that is estimated by that of the used version."""
    if version.timeline is not None:
        return version
    stretch = version.seconds / song.seconds
    lines = [_stretched(line, stretch) for line in song.timeline]
    return version.model_copy(update={"timeline": lines, "notes": [ESTIMATED]})


def _stretched(line: SungLine, by: float) -> SungLine:
    return SungLine(
        text=line.text,
        start=round(line.start * by, _DIGITS),
        end=round(line.end * by, _DIGITS),
        chunks=[(text, round(seconds * by, _DIGITS)) for text, seconds in line.chunks],
    )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


TAKES = Choices(of=takes_of, choose=choose)


_LONGEST_TITLE = 80
"""Characters: the smallest limit of Suno's models (docs/vendors/suno.md)."""


def _sung(text: str) -> str:
    """The tidy lyric; raises ValueError where nothing of it is sung."""
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
    text: Annotated[str, Field(min_length=1), AfterValidator(_sung), Length(LONGEST_LYRIC)] = Field(
        description="The words, a line for each sung line, a blank line between parts"
    )


def _with_words(brief: Brief, lyric: Lyric, words: BaseModel) -> Lyric:
    return lyric.model_copy(update=words.model_dump())


WORDS = Revision(model=LyricWords, apply=_with_words)
