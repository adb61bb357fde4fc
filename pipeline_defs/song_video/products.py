"""What the stages hand on, as it is stored in the ledger."""

from pydantic import BaseModel, ConfigDict


class _Product(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class StoredFile(_Product):
    """A finished file; `where` is relative to the artifact folder."""

    name: str
    sha256: str
    bytes: int
    media_type: str
    where: str


class Lyric(_Product):
    """The words. One line of song per line of text."""

    title: str
    text: str
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    files: list[StoredFile] = []


class SungLine(_Product):
    """A line of the lyric in time: seconds from the beginning; chunks are (text, seconds)."""

    text: str
    start: float
    end: float
    chunks: list[tuple[str, float]]


class Section(_Product):
    """A part of a song, in seconds: intro, verse, chorus, bridge, break or outro."""

    kind: str
    start: float
    end: float


class SongVersion(_Product):
    """One of the songs that a vendor made for the same order; `id` is the vendor's."""

    id: str
    title: str
    seconds: float


class Song(_Product):
    """The song, and when which words are sung."""

    seconds: float
    genre: str
    timeline: list[SungLine]
    beat_seconds: float | None = None
    """Seconds per beat, the first one at 0; None where a vendor made the song and does not say."""
    sections: list[Section] = []
    """Its form; empty where a vendor made the song."""
    url: str | None = None
    """Where the vendor keeps it, for a while; None where it was made here."""
    songs: list[SongVersion] = []
    """All that was made for the order, file by file; the first one is used. Empty where it was made here."""
    notes: list[str] = []
    files: list[StoredFile]

    @property
    def audio(self) -> StoredFile:
        """The sound file that is used."""
        return self.files[0]


class Video(_Product):
    """The finished video."""

    seconds: float
    width: int
    height: int
    fps: float
    notes: list[str] = []
    files: list[StoredFile]

    def file(self, media_type: str) -> StoredFile | None:
        """The first file of this kind."""
        return next((file for file in self.files if file.media_type == media_type), None)
