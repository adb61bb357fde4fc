"""Downloads the songs of a task.

A link may expire, and the vendor keeps files for 15 days (docs/vendors/suno.md).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from resources.contract.errors import PermanentError, ProviderError
from resources.contract.protocol import Json
from resources.files.media import check_sound
from resources.http.download import ExpiredLinkError, download
from resources.http.host_allowlist import HostAllowlist
from resources.providers.suno.record import Track, tracks_of

LARGEST_SONG = 100_000_000
_BAD_DOWNLOAD = "bad_download"
_SPARE_UNREACHABLE = "spare_unreachable"
EXPIRED = "artifact_expired"


@dataclass(frozen=True)
class DownloadedSong:
    """A downloaded song, checked and measured; `url` is the link that it came from."""

    track: Track
    number: int
    file: Path
    url: str
    seconds: float

    def as_json(self) -> dict[str, Json]:
        """The song's entry in the stage's result."""
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
        """The songs that are available, at least one, and a note on each that is not.

        Raises PermanentError where none is available: `artifact_expired`, or why the first link was refused;
        TransientError or OutOfCreditsError where one may be available later.
        """
        songs: list[DownloadedSong] = []
        lost: list[PermanentError] = []
        for number, data in enumerate(tracks, 1):
            wanted = _Wanted(task_id, number, Track.from_json(data), is_spare=bool(songs))
            file = folder / (f"song-{len(songs) + 1}.mp3" if songs else "song.mp3")
            try:
                fetch = self._spare if wanted.is_spare else self._song
                songs.append(fetch(wanted, file))
            except PermanentError as error:
                lost.append(error)
        if not songs:
            raise _all_lost(task_id, lost)
        return songs, [f"{error.message}; song {songs[0].number} is used" for error in lost]

    def _spare(self, wanted: _Wanted, file: Path) -> DownloadedSong:
        """As `_song`, but one that arrives broken twice in a row is given up, since nothing needs it."""
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
        """The song from the link in the job's result, or else from the one in the record now."""
        problem = "never got a link"
        for link in (self._announced, self._link_now):
            url = link(wanted)
            if not url:
                continue
            with suppress(ExpiredLinkError):
                return self._download(wanted, url, file)
            problem = "is no longer stored by the vendor"
        raise PermanentError(f"{wanted.name} of task {wanted.task_id} {problem}", code=EXPIRED)

    def _announced(self, wanted: _Wanted) -> str | None:
        return wanted.track.audio_url

    def _link_now(self, wanted: _Wanted) -> str | None:
        """The same song's link in the record now; other songs of the task are ignored."""
        for now in tracks_of(self.record(wanted.task_id), self.key):
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


def _all_lost(task_id: str, lost: Sequence[PermanentError]) -> PermanentError:
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
