"""What sunoapi.org's answers mean: an envelope `{code, msg, data}` whose code decides. Pure.

Source: notes/providers.md A.2 and A.7. The vendor's reference and its quickstart use different words and
key styles; both are read.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from resources.providers.errors import (
    OutOfCreditsError,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.providers.protocol import Finished, Json, Working
from resources.providers.wire import Answer, one_line

LONGEST_SONG = 900.0
MOST_SONGS = 4
RATE_LIMIT_SECONDS = 10.0
MAINTENANCE_SECONDS = 180.0
REFUNDED = 531
_LONGEST_TEXT = {"id": 200, "url": 2000, "title": 200}
_PROGRESS = {"PENDING": 0.1, "GENERATING": 0.3, "TEXT_SUCCESS": 0.4, "FIRST_SUCCESS": 0.7}
_SUNG = ("SUCCESS", "CALLBACK_EXCEPTION")
_FAILED = ("CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "FAILED")


@dataclass(frozen=True)
class Track:
    """One of the songs of a task; what the vendor did not tell is empty or None."""

    id: str
    title: str
    audio_url: str | None
    duration: float | None

    def as_json(self) -> dict[str, Json]:
        """The form in which an answer carries it."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Track":
        """The opposite of `as_json`."""
        return Track(data["id"], data["title"], data["audio_url"], data["duration"])


def is_good(answer: Answer) -> bool:
    """Whether code and HTTP status both say that all is well."""
    return code_of(answer) == 200 and 200 <= answer.status < 300


def code_of(answer: Answer) -> int | None:
    """The envelope's code; None where there is no envelope."""
    code = answer.fields.get("code")
    if isinstance(code, str) and code.isascii() and code.isdecimal() and len(code) < 5:
        code = int(code)
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def said_by(answer: Answer, key: str) -> str:
    """The vendor's code and own words on one line."""
    words = answer.fields.get("msg")
    code = code_of(answer)
    told = f"HTTP status {answer.status}" if code in (None, 200) else f"code {code}"
    return f"{told}: {one_line(words, key) if isinstance(words, str) else answer.said}"


def refusal(answer: Answer, key: str) -> ProviderError | None:
    """Why nothing was accepted, where the answer proves that; else None.

    429 in an envelope means no credits, not too many calls (A.2, "Codes"); 402, 433 and 403 are what
    relatives of this vendor say. Without an envelope 429 and 405 are a gateway's, with HTTP's meaning.
    """
    code = code_of(answer)
    if code in (None, 200):
        code = {429: 430, 405: 404}.get(answer.status, answer.status)
    why = said_by(answer, key)
    match code:
        case 405 | 430:
            wait = answer.retry_after or RATE_LIMIT_SECONDS
            return _later(f"it was called too often ({why})", "rate_limited", wait)
        case 455:
            wait = answer.retry_after or MAINTENANCE_SECONDS
            return _later(f"it is being maintained ({why})", "maintenance", wait)
        case 531:
            return _later(f"it failed and gave the credits back ({why})", "refunded", None)
        case 402 | 429 | 433:
            return OutOfCreditsError(f"suno: the account has no credits left ({why})")
        case 401 | 403:
            return OutOfCreditsError(f"suno: the key is refused ({why})", code="key_refused")
        case 400 | 404 | 413 | 451:
            return PermanentError(f"suno: the order is refused ({why})")
    return None


def _later(why: str, code: str, retry_after: float | None) -> TransientError:
    return TransientError(f"suno: {why}", code=code, retry_after=retry_after)


def task_id_of(data: Json) -> str | None:
    """The task's id in the answer to an order; None where there is none that can be used."""
    return _text(_fields(data), "id", "taskId", "task_id") or None


def verdict(data: Json, task_id: str, key: str) -> Working | Finished:
    """How a task stands by its record (A.2, the table of statuses).

    An unknown status is no verdict. Success is believed only where a song has a link; CALLBACK_EXCEPTION
    says that the vendor could not call back, nothing about the songs. Raises SubmissionFailedError, and
    PermanentError `sensitive_words`; a failure that was refunded costs nothing; TransientError where there
    is no status.
    """
    record = _fields(data)
    word = _text(record, "title", "status").upper()
    if not word:
        raise TransientError(f"suno: its record of task {one_line(task_id, key)} has no status")
    if word in _SUNG:
        songs = tracks_of(record)
        if not any(song.audio_url for song in songs):
            return Working()
        return Finished({"task_id": task_id, "songs": [song.as_json() for song in songs]})
    if word == "SENSITIVE_WORD_ERROR":
        raise PermanentError(
            f"suno: the lyric holds words that it does not sing ({_reason(record, key)}); "
            "`castad redo TASK_ID --from lyric` has another one written",
            code="sensitive_words",
            cost=_cost(record),
        )
    if word in _FAILED:
        raise SubmissionFailedError(
            f"suno: task {one_line(task_id, key)} ended as {word} ({_reason(record, key)})",
            cost=_cost(record),
        )
    return Working(_PROGRESS.get(word))


def tracks_of(data: Json) -> list[Track]:
    """The songs in a task's record, in the vendor's order."""
    response = _fields(_fields(data).get("response"))
    for name in ("sunoData", "suno_data", "data"):
        songs = response.get(name)
        if isinstance(songs, list):
            return [_track(_fields(song)) for song in songs[:MOST_SONGS]]
    return []


def _track(song: Mapping[str, Any]) -> Track:
    url = _text(song, "url", "audioUrl", "audio_url")
    return Track(
        id=_text(song, "id", "id"),
        title=_text(song, "title", "title"),
        audio_url=url if url.lower().startswith(("https://", "http://")) else None,
        duration=_seconds(song.get("duration")),
    )


def _text(fields: Mapping[str, Any], kind: str, *names: str) -> str:
    """The first of these fields that is text on one line and not too long for its kind, else nothing."""
    for name in names:
        value = fields.get(name)
        text = value.strip() if isinstance(value, str) and value.isprintable() else ""
        if 0 < len(text) <= _LONGEST_TEXT[kind]:
            return text
    return ""


def _seconds(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < LONGEST_SONG else None


def _fields(value: Json) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _error_code(record: Mapping[str, Any]) -> str:
    code = record.get("errorCode", record.get("error_code"))
    if isinstance(code, str):
        return code.strip()
    return str(code) if type(code) is int and abs(code) < 1e6 else ""


def _reason(record: Mapping[str, Any], key: str) -> str:
    words = record.get("errorMessage", record.get("error_message"))
    told = words if isinstance(words, str) and words.strip() else "no reason given"
    code = _error_code(record)
    return one_line(f"{code}: {told}" if code else told, key)


def _cost(record: Mapping[str, Any]) -> int | None:
    return 0 if _error_code(record) == str(REFUNDED) else None


def credits_in(data: Json) -> int | None:
    """The credits that are left; None where that is no number to believe."""
    if isinstance(data, str) and data.isascii() and data.isdecimal() and len(data) < 13:
        return int(data)
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    return int(data) if 0 <= data < 1e12 else None
