"""Read the record of a Suno task, and download its songs.

The vendor's reference and its quickstart use different words and key styles; both are read. A link may expire, and
the vendor keeps files for 15 days (docs/vendors/suno.md).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from resources.contract.answer_table import Meaning
from resources.contract.errors import (
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Json, Succeeded
from resources.files.media import check_sound
from resources.http.addresses import HostAllowlist
from resources.http.download import ExpiredLinkError, download
from resources.http.vendor_client import contains_secret, json_object, one_line
from resources.providers.suno.answers import (
    FAILURES,
    MOST_AFTER_REFUND,
    OTHER_WORDS,
    REFUND,
    REFUNDED,
    find_text,
)
from resources.providers.suno.sung_words import LONGEST_SONG

SONGS = 2
"""The number of songs that each job makes."""
MOST_SONGS = 4
_LONGEST_TEXT = 200
_LONGEST_URL = 2000
_PROGRESS = {"PENDING": 0.1, "GENERATING": 0.3, "TEXT_SUCCESS": 0.4, "FIRST_SUCCESS": 0.7}
_SUNG = ("SUCCESS", "CALLBACK_EXCEPTION")
_FAILED = ("CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "FAILED", "SENSITIVE_WORD_ERROR")
LARGEST_SONG = 100_000_000
_BAD_DOWNLOAD = "bad_download"
_SPARE_UNREACHABLE = "spare_unreachable"
EXPIRED = "artifact_expired"


@dataclass(frozen=True)
class Track:
    """A song of a task; fields that the vendor did not send are empty or None."""

    id: str
    title: str
    audio_url: str | None
    duration: float | None

    def as_json(self) -> dict[str, Json]:
        """Return the track as part of an answer."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Track":
        """Read what `as_json` returned."""
        return Track(data["id"], data["title"], data["audio_url"], data["duration"])


_MISSING_TRACK = Track("", "", None, None)


@dataclass(frozen=True)
class DownloadedSong:
    """A downloaded song, checked and measured; `url` is the link that it came from."""

    track: Track
    number: int
    file: Path
    url: str
    seconds: float

    def as_json(self) -> dict[str, Json]:
        """Return the song's entry in the stage's result."""
        return {"id": self.track.id, "title": self.track.title, "seconds": self.seconds}


@dataclass(frozen=True)
class _Wanted:
    """A task's song to download, the `number`-th; a spare one where another has been downloaded already."""

    task_id: str
    number: int
    track: Track
    is_spare: bool

    @property
    def name(self) -> str:
        return f"suno: song {self.number}"


@dataclass(frozen=True)
class SongDownloader:
    """Downloads songs from hosts in `allowlist`; `record` gets a task's record from the vendor.

    No link that contains the `key` is followed.
    """

    allowlist: HostAllowlist
    deadline_seconds: float
    record: Callable[[str], Json]
    key: str = field(repr=False)

    def fetch(
        self, task_id: str, tracks: Json, folder: Path
    ) -> tuple[list[DownloadedSong], list[str]]:
        """Fetch the songs that are available, at least one, and a note on each that is not.

        Raises PermanentError where none is available: `artifact_expired`, or why the first link was refused;
        TransientError or OutOfCreditsError where one may be available later.
        """
        songs: list[DownloadedSong] = []
        lost: list[PermanentError] = []
        for number, data in enumerate(tracks, 1):
            wanted = _Wanted(task_id, number, Track.from_json(data), is_spare=bool(songs))
            file = folder / (f"song-{len(songs) + 1}.mp3" if songs else "song.mp3")
            try:
                fetch = self._fetch_spare if wanted.is_spare else self._fetch_song
                songs.append(fetch(wanted, file))
            except PermanentError as error:
                lost.append(error)
        if not songs:
            raise _build_lost_error(task_id, lost)
        return songs, [f"{error.message}; song {songs[0].number} is used" for error in lost]

    def _fetch_spare(self, wanted: _Wanted, file: Path) -> DownloadedSong:
        """Download as `_fetch_song`, but give up one that arrives broken twice in a row: no result needs it."""
        try:
            return self._fetch_song(wanted, file)
        except ProviderError as error:
            if error.code != _BAD_DOWNLOAD:
                raise
        try:
            return self._fetch_song(wanted, file)
        except ProviderError as error:
            if error.code != _BAD_DOWNLOAD:
                raise
            raise PermanentError(error.message, code=_BAD_DOWNLOAD) from None

    def _fetch_song(self, wanted: _Wanted, file: Path) -> DownloadedSong:
        """Download the song by the link in the job's result, or else by the record's present one."""
        problem = "never got a link"
        for link in (self._get_announced_link, self._ask_for_link):
            url = link(wanted)
            if not url:
                continue
            with suppress(ExpiredLinkError):
                return self._download(wanted, url, file)
            problem = "is no longer stored by the vendor"
        raise PermanentError(f"{wanted.name} of task {wanted.task_id} {problem}", code=EXPIRED)

    def _get_announced_link(self, wanted: _Wanted) -> str | None:
        return wanted.track.audio_url

    def _ask_for_link(self, wanted: _Wanted) -> str | None:
        """Ask the record for the same song's present link; ignore other songs of the task."""
        for now in list_tracks(self.record(wanted.task_id), self.key):
            if now.id and now.id == wanted.track.id:
                return now.audio_url
        return None

    def _download(self, wanted: _Wanted, url: str, file: Path) -> DownloadedSong:
        download(
            url,
            file,
            field=wanted.name,
            max_bytes=LARGEST_SONG,
            allowlist=self.allowlist,
            deadline_seconds=self.deadline_seconds,
            # Only for a spare song the caller has to know whether it arrived broken or not at all.
            code=_SPARE_UNREACHABLE if wanted.is_spare else _BAD_DOWNLOAD,
            refused=_BAD_DOWNLOAD if wanted.is_spare else None,
        )
        # The song is paid: what it lasts is measured, whatever length the record announces.
        return DownloadedSong(
            wanted.track, wanted.number, file, url, check_sound(file, wanted.name)
        )


def _build_lost_error(task_id: str, lost: Sequence[PermanentError]) -> PermanentError:
    """Return the error of a finished task of which no song can be fetched."""
    told = (error.message.removeprefix("suno: ") for error in lost)
    each = "; ".join(sentence.replace(f" of task {task_id}", "") for sentence in told)
    if any(error.code != EXPIRED for error in lost):
        return lost[0]
    return PermanentError(
        f"suno: task {task_id} is finished, but none of its songs can be fetched ({each}); "
        "`castad redo TASK_ID --from song` makes new ones and pays again",
        code=EXPIRED,
    )


def read_task_state(data: Json, task_id: str, key: str) -> InProgress | Succeeded:
    """Read a task's state from its record (docs/vendors/suno.md).

    An unknown status is not final. Success counts only where a song has a link; CALLBACK_EXCEPTION means that the
    vendor could not call back and nothing about the songs. A song that the record lacks is an empty track in the
    answer.

    Raises:
        SubmissionFailedError: the task failed; where it was refunded, without cost.
        PermanentError: `sensitive_words`.
        TransientError: the record has no status.
    """
    record = json_object(data)
    word = find_text(record, _LONGEST_TEXT, "status").upper()
    if not word:
        raise TransientError(f"suno: its record of task {one_line(task_id, key)} has no status")
    if word in _SUNG:
        songs = list_tracks(record, key)
        if not any(song.audio_url for song in songs):
            return InProgress(None, f"the vendor says {word}, but gives no link to a song")
        songs += [_MISSING_TRACK] * (SONGS - len(songs))
        return Succeeded({"task_id": task_id, "songs": [song.as_json() for song in songs]})
    if word in _FAILED:
        raise _build_failure(record, word, task_id, key)
    return InProgress(_PROGRESS.get(word))


def has_all_links(report: Succeeded) -> bool:
    """Return whether every song of the task has a link."""
    return all(song["audio_url"] for song in report.answer["songs"])


def list_tracks(data: Json, key: str) -> list[Track]:
    """List the songs in a task's record, in the vendor's sequence.

    The key and the token that the record may repeat are left out.
    """
    secrets = (key, _find_callback_address(data).rpartition("/")[2])
    response = json_object(json_object(data).get("response"))
    for name in ("sunoData", "suno_data", "data"):
        songs = response.get(name)
        if isinstance(songs, list):
            return [_read_track(json_object(song), *secrets) for song in songs[:MOST_SONGS]]
    return []


def has_callback_token(data: Json, token: str) -> bool | None:
    """Return whether the callback address in the record has the token; None without an address."""
    address = _find_callback_address(data)
    return address.endswith(f"/{token}") if address else None


def _find_callback_address(data: Json) -> str:
    """Return the callback address in the record's copy of the request; empty without one."""
    repeated = json_object(data).get("param")
    try:
        request = json_object(json.loads(repeated) if isinstance(repeated, str) else None)
    except (ValueError, RecursionError):
        return ""
    return find_text(request, _LONGEST_URL, "callBackUrl", "call_back_url")


def _read_track(song: Mapping[str, Any], *secrets: str) -> Track:
    id = find_text(song, _LONGEST_TEXT, "id")
    url = find_text(song, _LONGEST_URL, "audioUrl", "audio_url")
    is_link = url.lower().startswith(("https://", "http://")) and not contains_secret(url, *secrets)
    return Track(
        id="" if contains_secret(id, *secrets) else id,
        title=one_line(find_text(song, _LONGEST_TEXT, "title"), *secrets),
        audio_url=url if is_link else None,
        duration=_read_seconds(song.get("duration")),
    )


def _read_seconds(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < LONGEST_SONG else None


def _build_failure(
    record: Mapping[str, Any], word: str, task_id: str, key: str
) -> SubmissionFailedError | PermanentError:
    """Return the error of a failed task, by the vendor's code and sentence."""
    code, reason = _read_error_code(record), _format_reason(record, key)
    number = int(code) if code.isascii() and code.isdecimal() else 0
    row, cost = (
        FAILURES.read(number, (word,), _find_sentence(record)),
        0 if number == REFUND else None,
    )
    if row.meaning is Meaning.CONTENT:
        told = f"suno: the vendor rejects what the song says ({reason}); {OTHER_WORDS}"
        return PermanentError(told, code=row.code, cost=cost)
    most = MOST_AFTER_REFUND if row.code == REFUNDED else None
    message = f"suno: task {one_line(task_id, key)} ended as {word} ({reason})"
    return SubmissionFailedError(message, code=row.code, cost=cost, resubmissions=most)


def _read_error_code(record: Mapping[str, Any]) -> str:
    code = record.get("errorCode", record.get("error_code"))
    if isinstance(code, str):
        return code.strip()
    return str(code) if type(code) is int and abs(code) < 1e6 else ""


def _format_reason(record: Mapping[str, Any], key: str) -> str:
    reason, code = _find_sentence(record).strip() or "no reason given", _read_error_code(record)
    return one_line(f"{code}: {reason}" if code else reason, key)


def _find_sentence(record: Mapping[str, Any]) -> str:
    words = record.get("errorMessage", record.get("error_message"))
    return words if isinstance(words, str) else ""
