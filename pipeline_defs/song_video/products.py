"""The products of the stages, as stored in the ledger."""

from pydantic import BaseModel, ConfigDict, Field

from resources.files.artifacts import StoredArtifact


class _Product(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Lyric(_Product):
    """The lyric: one line of text per sung line."""

    title: str
    text: str
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    files: list[StoredArtifact] = []


class SungLine(_Product):
    """A timed line of the lyric: seconds from the start of the song; chunks are (text, seconds)."""

    text: str
    start: float
    end: float
    chunks: list[tuple[str, float]]


class SongSection(_Product):
    """A part of a song, in seconds: intro, verse, chorus, bridge, break or outro."""

    kind: str
    start: float
    end: float


class SongVersion(_Product):
    """One of the songs that were made for one submission; `id` is the maker's.

    The fields from `timeline` on are set only for a version that is not used; the song itself has those of the
    used one. Without a timeline the vendor was not asked for it.
    """

    id: str
    title: str
    seconds: float
    timeline: list[SungLine] | None = None
    beat_seconds: float | None = None
    sections: list[SongSection] = []
    url: str | None = None
    notes: list[str] = []


class Song(_Product):
    """The song and the timeline of its lines."""

    seconds: float
    genre: str
    timeline: list[SungLine]
    beat_seconds: float | None = None
    """Seconds per beat, the first beat at 0; None for a vendor's song."""
    sections: list[SongSection] = []
    """The song's form; empty for a vendor's song."""
    url: str | None = None
    """The vendor's link, which expires; None for the studio's song."""
    songs: list[SongVersion] = []
    """The versions in the order of the first `files`; empty if there is only one."""
    used: int = Field(0, ge=0)
    """The index of the used version, which everything above describes."""
    notes: list[str] = []
    files: list[StoredArtifact]

    @property
    def audio(self) -> StoredArtifact:
        """The sound file that is used."""
        return self.files[self.used]


class Video(_Product):
    """The finished video."""

    seconds: float
    width: int
    height: int
    fps: float
    notes: list[str] = []
    files: list[StoredArtifact]

    def find_file(self, media_type: str) -> StoredArtifact | None:
        """Return the first file of this media type; None if there is none."""
        return next((file for file in self.files if file.media_type == media_type), None)
