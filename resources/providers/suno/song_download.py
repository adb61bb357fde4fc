"""From the links of a task's songs to sound files on this machine.

Links may have a limited validity, and files are kept for 15 days: notes/providers.md A.2 and A.6.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.contract.protocol import Json
from resources.files.media import check_sound
from resources.http.download import ExpiredLinkError, download
from resources.http.host_allowlist import HostAllowlist
from resources.providers.suno.record import Track, tracks_of

LARGEST_SONG = 100_000_000
_BAD_DOWNLOAD = "bad_download"
_SPARE_UNREACHABLE = "spare_unreachable"
_TOLERANCE_SECONDS = 1.0
_TOLERANCE_SHARE = 0.05


@dataclass(frozen=True)
class DownloadedSong:
    """A song that is on this machine, sound and measured; `url` is where it came from."""

    track: Track
    number: int
    file: Path
    url: str
    seconds: float

    def as_json(self) -> dict[str, Json]:
        """What a result tells of it."""
        return {"id": self.track.id, "title": self.track.title, "seconds": self.seconds}


@dataclass(frozen=True)
class _Wanted:
    """A song of a task, the `number`-th; a spare one where another has been brought already."""

    task_id: str
    number: int
    track: Track
    is_spare: bool

    @property
    def name(self) -> str:
        return f"suno: song {self.number}"


class SongDownloader:
    """Brings songs from hosts within `reach`; `record` asks the vendor what it knows of a task now.

    No link with the `key` in it is followed.
    """

    def __init__(
        self,
        allowlist: HostAllowlist,
        deadline_seconds: float,
        record: Callable[[str], Json],
        key: str,
    ) -> None:
        self._allowlist = allowlist
        self._deadline_seconds = deadline_seconds
        self._record = record
        self._key = key

    def fetch(
        self, task_id: str, told: Json, folder: Path
    ) -> tuple[list[DownloadedSong], list[str]]:
        """The songs that can be had, at least one, and a note on each that cannot.

        Raises PermanentError where none can be had: `artifact_expired`, or what is wrong with the first
        one's link; TransientError or OutOfCreditsError where one may be had later.
        """
        songs: list[DownloadedSong] = []
        lost: list[PermanentError] = []
        for number, data in enumerate(told, 1):
            wanted = _Wanted(task_id, number, Track.from_json(data), is_spare=bool(songs))
            file = folder / (f"song-{len(songs) + 1}.mp3" if songs else "song.mp3")
            try:
                fetch = self._spare if wanted.is_spare else self._song
                songs.append(fetch(wanted, file))
            except PermanentError as error:
                lost.append(error)
        if not songs:
            raise lost[0]
        return songs, [f"{error.message}; song {songs[0].number} is used" for error in lost]

    def _spare(self, wanted: _Wanted, file: Path) -> DownloadedSong:
        """As `_song`; one that comes broken twice in a row is not waited for, since nothing needs it."""
        try:
            return self._song(wanted, file)
        except ProviderError as error:
            if error.code != _BAD_DOWNLOAD:
                raise
        try:
            return self._song(wanted, file)
        except ProviderError as error:
            if error.code != _BAD_DOWNLOAD:
                raise
            raise PermanentError(error.message, code=_BAD_DOWNLOAD) from None

    def _song(self, wanted: _Wanted, file: Path) -> DownloadedSong:
        """The song from the link it was announced with, or else from the one it has now."""
        told = "never got a link"
        for link in (self._announced, self._link_now):
            url = link(wanted)
            if not url:
                continue
            with suppress(ExpiredLinkError):
                return self._download(wanted, url, file)
            told = "is no longer kept there"
        raise PermanentError(
            f"{wanted.name} of task {wanted.task_id} {told}", code="artifact_expired"
        )

    def _announced(self, wanted: _Wanted) -> str | None:
        return wanted.track.audio_url

    def _link_now(self, wanted: _Wanted) -> str | None:
        """Where the same song is kept now; another song of the task is none of ours."""
        for now in tracks_of(self._record(wanted.task_id), self._key):
            if now.id and now.id == wanted.track.id:
                return now.audio_url
        return None

    def _download(self, wanted: _Wanted, url: str, file: Path) -> DownloadedSong:
        download(
            url,
            file,
            field=wanted.name,
            max_bytes=LARGEST_SONG,
            allowlist=self._allowlist,
            deadline_seconds=self._deadline_seconds,
            # Only of a spare one it matters whether it came broken or did not come.
            code=_SPARE_UNREACHABLE if wanted.is_spare else _BAD_DOWNLOAD,
            refused=_BAD_DOWNLOAD if wanted.is_spare else None,
        )
        seconds, announced = check_sound(file, wanted.name), wanted.track.duration
        if announced and not _is_about(seconds, announced):
            raise TransientError(
                f"{wanted.name}: it lasts {seconds:.1f} s, not {announced:.1f} s as announced",
                code=_BAD_DOWNLOAD,
            )
        return DownloadedSong(wanted.track, wanted.number, file, url, seconds)


def _is_about(seconds: float, announced: float) -> bool:
    tolerance = max(_TOLERANCE_SECONDS, _TOLERANCE_SHARE * announced)
    return abs(seconds - announced) <= tolerance
