"""What sunoapi.org's record of a task says: its verdict, its songs, and whose it is. Pure.

Source: notes/providers.md A.2. The vendor's reference and its quickstart use different words and key
styles; both are read.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from resources.contract.errors import PermanentError, SubmissionFailedError, TransientError
from resources.contract.protocol import InProgress, Json, Succeeded
from resources.http.vendor_client import contains_secret, one_line
from resources.providers.suno.answers import (
    MOST_AFTER_REFUND,
    REFUND,
    REFUNDED,
    fields_in,
    text_in,
)

LONGEST_SONG = 900.0
SONGS = 2
"""Each order makes exactly so many (A.2, `POST /api/v1/generate`)."""
MOST_SONGS = 4
_LONGEST_TEXT = 200
_LONGEST_URL = 2000
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


_MISSING_TRACK = Track("", "", None, None)


def verdict(data: Json, task_id: str, key: str) -> InProgress | Succeeded:
    """How a task stands by its record (A.2, the table of statuses).

    An unknown status is no verdict. Success is believed only where a song has a link; CALLBACK_EXCEPTION
    says that the vendor could not call back, nothing about the songs. A song that the record does not hold
    is in the answer without anything. Raises SubmissionFailedError, and PermanentError `sensitive_words`; a
    failure that was refunded costs nothing; TransientError where there is no status.
    """
    record = fields_in(data)
    word = text_in(record, _LONGEST_TEXT, "status").upper()
    if not word:
        raise TransientError(f"suno: its record of task {one_line(task_id, key)} has no status")
    if word in _SUNG:
        songs = tracks_of(record, key)
        if not any(song.audio_url for song in songs):
            return InProgress()
        songs += [_MISSING_TRACK] * (SONGS - len(songs))
        return Succeeded({"task_id": task_id, "songs": [song.as_json() for song in songs]})
    if word == "SENSITIVE_WORD_ERROR":
        raise PermanentError(
            f"suno: the lyric holds words that it does not sing ({_reason(record, key)}); "
            "`castad redo TASK_ID --from lyric` has another one written",
            code="sensitive_words",
            cost=0 if _is_refunded(record) else None,
        )
    if word in _FAILED:
        told = f"suno: task {one_line(task_id, key)} ended as {word} ({_reason(record, key)})"
        raise _failure(told, is_refunded=_is_refunded(record))
    return InProgress(_PROGRESS.get(word))


def has_all_links(report: Succeeded) -> bool:
    """Whether every song of the task has a link."""
    return all(song["audio_url"] for song in report.answer["songs"])


def tracks_of(data: Json, key: str) -> list[Track]:
    """The songs in a task's record, in the vendor's order, without the key and the token it repeats."""
    secrets = (key, _callback_address(data).rpartition("/")[2])
    response = fields_in(fields_in(data).get("response"))
    for name in ("sunoData", "suno_data", "data"):
        songs = response.get(name)
        if isinstance(songs, list):
            return [_track(fields_in(song), *secrets) for song in songs[:MOST_SONGS]]
    return []


def callback_has_token(data: Json, token: str) -> bool | None:
    """Whether the request that the record repeats has the token in its callback's address; None: it tells none."""
    address = _callback_address(data)
    return address.endswith(f"/{token}") if address else None


def _callback_address(data: Json) -> str:
    """The callback's address in the request that the record repeats, else nothing."""
    repeated = fields_in(data).get("param")
    try:
        request = fields_in(json.loads(repeated) if isinstance(repeated, str) else None)
    except (ValueError, RecursionError):
        return ""
    return text_in(request, _LONGEST_URL, "callBackUrl", "call_back_url")


def _track(song: Mapping[str, Any], *secrets: str) -> Track:
    id = text_in(song, _LONGEST_TEXT, "id")
    url = text_in(song, _LONGEST_URL, "audioUrl", "audio_url")
    is_link = url.lower().startswith(("https://", "http://")) and not contains_secret(url, *secrets)
    return Track(
        id="" if contains_secret(id, *secrets) else id,
        title=one_line(text_in(song, _LONGEST_TEXT, "title"), *secrets),
        audio_url=url if is_link else None,
        duration=_seconds(song.get("duration")),
    )


def _seconds(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < LONGEST_SONG else None


def _failure(told: str, *, is_refunded: bool) -> SubmissionFailedError:
    if not is_refunded:
        return SubmissionFailedError(told)
    return SubmissionFailedError(told, code=REFUNDED, cost=0, resubmissions=MOST_AFTER_REFUND)


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


def _is_refunded(record: Mapping[str, Any]) -> bool:
    return _error_code(record) == str(REFUND)
