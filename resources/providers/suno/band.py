"""Have songs made by Suno at sunoapi.org: a job makes two songs; both are stored, the first one is used.

Protocol facts and the lengths that a model accepts: docs/vendors/suno.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from resources.contract.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    TransientError,
    UnknownSubmissionError,
)
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Product,
    Rate,
    Receipt,
    StageInput,
    Succeeded,
    allow_send,
    build_callback_url,
)
from resources.files.media import check_audio_file
from resources.http.addresses import HostAllowlist
from resources.http.download import ExpiredLinkError, download
from resources.http.vendor_client import (
    RateGate,
    VendorClient,
    VendorResponse,
    contains_secret,
    contains_token,
    shorten_to_line,
)
from resources.providers.background_jobs import AbsenceTimes
from resources.providers.suno.answers import (
    build_refusal_error,
    has_all_links,
    has_callback_token,
    is_success,
    is_unknown_task,
    list_tracks,
    read_credits,
    read_task_id,
    read_task_state,
    summarize_response,
)
from resources.providers.suno.sung_words import (
    ESTIMATED,
    build_timed_lines,
    cut_lines,
    estimate_lines,
)
from studio.timeline import Line
from studio.words import list_sung_lines

_OF_OLD_MODELS = dict.fromkeys(("V3_5", "V4"), (3000, 200))
_OF_NEWER_MODELS = (5000, 1000)
"""The most characters of a lyric and of a style that a model accepts; an unknown model is a newer one."""
_LONGEST_TITLE = 80
"""Some newer models are said to accept 100; this is what all of them accept."""
_TRIES = 2
LARGEST_SONG = 100_000_000
_BAD_DOWNLOAD = "bad_download"
_SPARE_UNREACHABLE = "spare_unreachable"
EXPIRED = "artifact_expired"
NO_CALLBACK = "https://castad.invalid"
"""The callback host without a public address: the field is required, `.invalid` never resolves (RFC 2606)."""
LINK_GRACE_SECONDS = 300.0
_RECORD = "/api/v1/generate/record-info"
_CAPTIONS = "/api/v1/generate/get-timestamped-lyrics"
RATE = Rate(20, 10)
"""How often the vendor may be called, for all kinds of calls together (docs/vendors/suno.md)."""


def build_request_body(job_input: StageInput, model: str, callback: str) -> dict[str, Json]:
    """Build the body of a song request; style and title are cut to the model's limits. `callback` is a URL."""
    _, longest_style = _OF_OLD_MODELS.get(model, _OF_NEWER_MODELS)
    vocals = f"{job_input['language']} vocals" if job_input["vocals"] else "instrumental"
    style = ", ".join(part for part in (_join_line(job_input["genre"]), vocals) if part)
    title = _join_line(job_input["title"]) or list_sung_lines(job_input["lyric"])[0]
    return {
        "customMode": True,
        "instrumental": not job_input["vocals"],
        **({"prompt": job_input["lyric"]} if job_input["vocals"] else {}),
        "style": style[:longest_style].strip(),
        "title": title[:_LONGEST_TITLE].strip(),
        "model": model,
        "callBackUrl": callback,
    }


def _join_line(text: str) -> str:
    """Replace all blanks and line breaks by single blanks."""
    return " ".join(text.split())


@dataclass(frozen=True)
class DownloadedSong:
    """A downloaded song, the `number`-th of its task from 1; `url` is the link that it came from."""

    track: Mapping[str, Json]
    number: int
    file: Path
    url: str
    seconds: float

    def build_result_entry(self) -> dict[str, Json]:
        """Return the song's entry in the stage's result: id, title and seconds."""
        return {"id": self.track["id"], "title": self.track["title"], "seconds": self.seconds}


class SunoBand:
    """A provider of songs by Suno.

    Its result has seconds, genre, timeline, url, songs and notes; its files are song.mp3 and song-2.mp3. A
    submission costs `credits` credits of `usd_per_credit` USD. The link of a finished song may be missing for up
    to `link_grace_seconds`. Several threads may share one instance.
    """

    name = "suno"
    usual_seconds = 150.0
    unique_ids = True
    repeatable = False
    token_is_id = False

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str,
        model: str,
        credits: int,
        usd_per_credit: float,
        public_url: str | None,
        allow_hosts: tuple[str, ...],
        rate: Rate = RATE,
        gate: RateGate,
        deadline_seconds: float,
        download_seconds: float,
        link_grace_seconds: float = LINK_GRACE_SECONDS,
    ) -> None:
        self.rate = rate
        self._client = VendorClient(
            "suno", base_url, api_key, gate=gate, deadline_seconds=deadline_seconds
        )
        self._key = api_key
        self._model = model
        self._credits = credits
        self._price = round(credits * usd_per_credit * 1_000_000)
        self._public_url = public_url or NO_CALLBACK
        self._allowlist = HostAllowlist((*HostAllowlist.for_base_url(base_url).hosts, *allow_hosts))
        self._download_seconds = download_seconds
        self._link_grace_seconds = link_grace_seconds
        self._missing_links = AbsenceTimes()

    def price(self, job_input: StageInput) -> int:
        """Return the cost of one submission, which makes two songs, in micro-dollars."""
        return self._price

    def prepare(self, job_input: StageInput) -> None:
        """Check the lyric's length for the model. Raises PermanentError `lyric_too_long` or `lyric_empty`."""
        most, _ = _OF_OLD_MODELS.get(self._model, _OF_NEWER_MODELS)
        length = len(job_input["lyric"])
        if length > most:
            raise PermanentError(
                f"suno: the lyric has {length} characters; {self._model} accepts at most {most}",
                code="lyric_too_long",
            )
        if not list_sung_lines(job_input["lyric"]):
            raise PermanentError("suno: the lyric has no line to sing", code="lyric_empty")

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = allow_send
    ) -> Receipt:
        """Submit a request for two songs; the token is part of the callback URL."""
        callback = build_callback_url(self._public_url, self.name, token)
        body = build_request_body(job_input, self._model, callback)
        answer = self._client.post_paid("/api/v1/generate", body, before_send)
        task_id = read_task_id(answer.fields.get("data"), self._key, token)
        if not is_success(answer):
            raise build_refusal_error(answer, self._key) or self._build_unknown_error(
                answer, task_id
            )
        if task_id is None:
            raise UnknownSubmissionError("suno: the job was accepted without a usable task id")
        return Receipt(task_id)

    def _build_unknown_error(
        self, answer: VendorResponse, task_id: str | None
    ) -> UnknownSubmissionError:
        """Build the error of an answer after which the job may have been accepted."""
        named = f"; the answer names task {task_id}" if task_id else ""
        summary = summarize_response(answer, self._key)
        return UnknownSubmissionError(f"suno: the job may have been accepted ({summary}{named})")

    def find(self, token: str) -> str | None:
        """Return None: the vendor cannot list tasks."""
        return None

    def owns(self, external_id: str, token: str) -> bool | None:
        """Return whether the callback URL in the task's record has this token; None without a URL.

        Raises PermanentError `job_unknown` if there is no such task.
        """
        answer = self._client.get(_RECORD, taskId=external_id)
        if is_unknown_task(answer):
            named = shorten_to_line(external_id, self._key)
            raise PermanentError(f"suno: there is no task {named}", code="job_unknown")
        return has_callback_token(self._read_data(answer), token)

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """Query the task's state; a missing link of a finished song counts as in progress for a while."""
        report = read_task_state(self._fetch_record(external_id), external_id, self._key)
        if isinstance(report, InProgress) or has_all_links(report):
            return report
        is_patient = self._missing_links.record_absence(external_id) < self._link_grace_seconds
        return InProgress() if is_patient else report

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Download the songs, and build the timeline of the used song, or of all takes if they were ordered.

        A song that is permanently unavailable is reported in a note, as long as there is another. Captions that
        the vendor cannot time are estimated, and those of an instrumental always are.
        """
        task_id = str(answer["task_id"])
        songs, notes = self._download_songs(task_id, answer["songs"], folder)
        captions = [
            self._build_captions(job_input, task_id, song, is_used=song is songs[0])
            for song in songs
        ]
        others = [
            {**song.build_result_entry(), **caption, "url": song.url}
            for song, caption in zip(songs[1:], captions[1:], strict=True)
        ]
        result = {
            "seconds": songs[0].seconds,
            "genre": job_input["genre"],
            "timeline": captions[0]["timeline"],
            "url": songs[0].url,
            "songs": [songs[0].build_result_entry(), *others],
            "notes": [*notes, *captions[0]["notes"]],
        }
        return Product(result, tuple(song.file for song in songs))

    def cancel(self, external_id: str) -> None:
        """Do nothing: a task cannot be stopped, and its price is spent."""

    def account_status(self) -> str:
        """Return the credits that are left, and for how many submissions they suffice."""
        answer = self._client.get("/api/v1/generate/credit")
        left = read_credits(self._read_data(answer))
        if left is None:
            return "the key works; the vendor does not report how many credits are left"
        enough = f", enough for {left // self._credits} songs" if self._credits else ""
        return f"{left} credits{enough}"

    def _download_songs(
        self, task_id: str, tracks: Sequence[Mapping[str, Json]], folder: Path
    ) -> tuple[list[DownloadedSong], list[str]]:
        """Download the available songs, at least one; return them with a note on each that is unavailable.

        Raises PermanentError if none is available.
        """
        songs: list[DownloadedSong] = []
        lost: list[PermanentError] = []
        for number, track in enumerate(tracks, 1):
            file = folder / (f"song-{len(songs) + 1}.mp3" if songs else "song.mp3")
            fetch = self._fetch_spare if songs else self._fetch_song
            try:
                songs.append(fetch(task_id, number, track, file))
            except PermanentError as error:
                lost.append(error)
        if not songs:
            raise _build_lost_error(task_id, lost)
        return songs, [f"{error.message}; song {songs[0].number} is used" for error in lost]

    def _fetch_spare(
        self, task_id: str, number: int, track: Mapping[str, Json], file: Path
    ) -> DownloadedSong:
        """Download a song that is not needed; raise PermanentError if it arrives broken twice."""
        broken = ""
        for _ in range(_TRIES):
            try:
                return self._fetch_song(task_id, number, track, file, is_spare=True)
            except ProviderError as error:
                if error.code != _BAD_DOWNLOAD:
                    raise
                broken = error.message
        raise PermanentError(broken, code=_BAD_DOWNLOAD)

    def _fetch_song(
        self,
        task_id: str,
        number: int,
        track: Mapping[str, Json],
        file: Path,
        *,
        is_spare: bool = False,
    ) -> DownloadedSong:
        """Download a song from the link in the job's result, or from the link that the task's record has now.

        Raises PermanentError `artifact_expired` if no link works.
        """
        name, problem = f"suno: song {number}", "never got a link"
        for url in self._list_links(task_id, track):
            with suppress(ExpiredLinkError):
                download(
                    url,
                    file,
                    field=name,
                    max_bytes=LARGEST_SONG,
                    allowlist=self._allowlist,
                    deadline_seconds=self._download_seconds,
                    # Only for a spare song the caller has to know whether it arrived broken or not at all.
                    code=_SPARE_UNREACHABLE if is_spare else _BAD_DOWNLOAD,
                    refused=_BAD_DOWNLOAD if is_spare else None,
                )
                # The song is paid: what it lasts is measured, whatever length the record announces.
                return DownloadedSong(track, number, file, url, check_audio_file(file, name))
            problem = "is no longer stored by the vendor"
        raise PermanentError(f"{name} of task {task_id} {problem}", code=EXPIRED)

    def _list_links(self, task_id: str, track: Mapping[str, Json]) -> Iterator[str]:
        """Yield the song's link in the job's result, then the link that the task's record has now."""
        if track["audio_url"]:
            yield track["audio_url"]
        for now in list_tracks(self._fetch_record(task_id), self._key):
            if now["id"] and now["id"] == track["id"] and now["audio_url"]:
                yield now["audio_url"]
                return

    def _build_captions(
        self, job_input: StageInput, task_id: str, song: DownloadedSong, *, is_used: bool
    ) -> dict[str, Json]:
        """Build the song's timeline, with a note if a sung one is estimated.

        Timing data may cost money. For a song that is not used it is fetched only if several takes were ordered;
        otherwise `timeline` is None.
        """
        notes: list[str] = []
        lines: tuple[Line, ...] = ()
        if job_input["vocals"]:
            if not is_used and job_input.get("takes", 1) == 1:
                return {"timeline": None, "notes": notes}
            lines = self._fetch_timed_lines(task_id, song)
            notes = [] if lines else [ESTIMATED]
        lines = lines or estimate_lines(job_input["lyric"], song.seconds)
        return {"timeline": [line.as_json() for line in lines], "notes": notes}

    def _fetch_timed_lines(self, task_id: str, song: DownloadedSong) -> tuple[Line, ...]:
        """Fetch the sung lines with their times; empty if the vendor's data cannot be used or both tries fail."""
        track_id = song.track["id"]
        which = {"audioId": track_id} if track_id else {"musicIndex": song.number - 1}
        for _ in range(_TRIES):
            with suppress(ProviderError):
                data = self._read_data(self._client.post(_CAPTIONS, {"taskId": task_id, **which}))
                return _read_lines(data, song.seconds, self._key)
        return ()

    def _fetch_record(self, task_id: str) -> Json:
        """Fetch the task's record."""
        return self._read_data(self._client.get(_RECORD, taskId=task_id))

    def _read_data(self, answer: VendorResponse) -> Json:
        """Return the data of a successful answer. Raises TransientError or OutOfCreditsError for any other."""
        if is_success(answer):
            return answer.fields.get("data")
        error = build_refusal_error(answer, self._key)
        if isinstance(error, TransientError | OutOfCreditsError):
            raise error
        raise TransientError(
            f"suno: the call was not answered ({summarize_response(answer, self._key)})"
        )


def _build_lost_error(task_id: str, lost: Sequence[PermanentError]) -> PermanentError:
    """Build the error of a finished task none of whose songs can be downloaded, from the songs' errors."""
    told = (error.message.removeprefix("suno: ") for error in lost)
    each = "; ".join(sentence.replace(f" of task {task_id}", "") for sentence in told)
    other = next((error for error in lost if error.code != EXPIRED), None)
    return other or PermanentError(
        f"suno: task {task_id} is finished, but none of its songs can be fetched ({each}); "
        "`castad redo TASK_ID --from song` makes new ones and pays again",
        code=EXPIRED,
    )


def _read_lines(data: Json, seconds: float, key: str) -> tuple[Line, ...]:
    """Return the timed lines, cut to the song's seconds.

    Empty if less than half of them are inside the song, or if they contain the key or a token.
    """
    words = data.get("alignedWords", data.get("aligned_words")) if isinstance(data, dict) else None
    lines = build_timed_lines(words)
    kept = cut_lines(lines, seconds)
    text = "".join(line.text for line in kept)
    has_secret = contains_secret(text, key) or contains_token(text)
    return kept if 2 * len(kept) >= len(lines) and not has_secret else ()
