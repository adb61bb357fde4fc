"""When the words of a downloaded song are sung: asked of the vendor, or estimated."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from resources.contract.errors import ProviderError
from resources.contract.protocol import Json, StageInput
from resources.http.vendor_client import contains_secret, contains_token
from resources.providers.suno.song_download import DownloadedSong
from resources.providers.suno.sung_words import (
    ESTIMATED,
    estimated_lines,
    lines_before,
    timed_lines,
)
from studio.timeline import Line

_TRIES = 2


@dataclass(frozen=True)
class Captions:
    """The captions of a task's songs; `ask` gets what the vendor knows of one. No line holds the `key`."""

    ask: Callable[[Mapping[str, Json]], Json]
    key: str = field(repr=False)

    def of(
        self, job_input: StageInput, task_id: str, song: DownloadedSong, *, is_used: bool
    ) -> dict[str, Json]:
        """The song's timeline, and a note where it is estimated; an instrumental's always is, without a note.

        No document says that a question is free: of a song that is not used it is asked only where takes are
        asked for to choose from; otherwise there is no timeline.
        """
        if not job_input["vocals"]:
            return _told(estimated_lines(job_input["lyric"], song.seconds))
        if not is_used and job_input.get("takes", 1) == 1:
            return {"timeline": None, "notes": []}
        lines = self._timed(task_id, song)
        if lines:
            return _told(lines)
        return _told(estimated_lines(job_input["lyric"], song.seconds), ESTIMATED)

    def _timed(self, task_id: str, song: DownloadedSong) -> tuple[Line, ...]:
        """When the words are sung; empty where the vendor's data cannot be used.

        Captions are never worth losing a paid song: after an error the call is made once more and then given up.
        """
        which = {"audioId": song.track.id} if song.track.id else {"musicIndex": song.number - 1}
        for _ in range(_TRIES):
            try:
                return _usable(self.ask({"taskId": task_id, **which}), song.seconds, self.key)
            except ProviderError:
                continue
        return ()


def _told(lines: tuple[Line, ...], *notes: str) -> dict[str, Json]:
    return {"timeline": [line.as_json() for line in lines], "notes": list(notes)}


def _usable(data: Json, seconds: float, key: str) -> tuple[Line, ...]:
    """The timed lines where at least half of them are inside the song and none holds the key or a token."""
    words = data.get("alignedWords", data.get("aligned_words")) if isinstance(data, dict) else None
    lines = timed_lines(words)
    kept = lines_before(lines, seconds)
    text = "".join(line.text for line in kept)
    has_secret = contains_secret(text, key) or contains_token(text)
    return kept if 2 * len(kept) >= len(lines) and not has_secret else ()
