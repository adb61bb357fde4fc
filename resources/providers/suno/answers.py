"""Read sunoapi.org's answers: an envelope `{code, msg, data}` whose code decides, and a task's record.

The vendor's reference and its quickstart use different words and key styles; both are read (docs/vendors/suno.md).
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from resources.contract.answer_table import AnswerRow, Meaning, build_error, load_tables
from resources.contract.errors import (
    RATE_LIMITED,
    VENDOR_DOWN,
    PermanentError,
    ProviderError,
    SubmissionFailedError,
    TransientError,
)
from resources.contract.protocol import InProgress, Json, Succeeded
from resources.http.vendor_client import (
    VendorResponse,
    contains_secret,
    read_json_object,
    shorten_to_line,
)
from resources.providers.suno.sung_words import LONGEST_SONG

RATE_LIMIT_SECONDS = 10.0
MAINTENANCE_SECONDS = 180.0
REFUND = 531
REFUNDED = "refunded"
MOST_AFTER_REFUND = 1
"""How many resubmissions follow a refunded failure: the vendor documents one as safe."""
_PAUSES = {RATE_LIMITED: RATE_LIMIT_SECONDS, VENDOR_DOWN: MAINTENANCE_SECONDS}
SONGS = 2
"""The number of songs that each job makes."""
_MOST_SONGS = 4
_LONGEST_TEXT = 200
_LONGEST_URL = 2000
_PROGRESS = {"PENDING": 0.1, "GENERATING": 0.3, "TEXT_SUCCESS": 0.4, "FIRST_SUCCESS": 0.7}
_SUNG = ("SUCCESS", "CALLBACK_EXCEPTION")
_FAILED = ("CREATE_TASK_FAILED", "GENERATE_AUDIO_FAILED", "FAILED", "SENSITIVE_WORD_ERROR")
_MISSING_TRACK: Mapping[str, Json] = {"id": "", "title": "", "audio_url": None, "duration": None}
_TASK_ID = ("taskId", "task_id")
OTHER_WORDS = "change the lyric, the title or the genre; `castad redo TASK_ID --from lyric` writes another lyric"
_TABLES = load_tables(Path(__file__).with_suffix(".md"))
ENVELOPES = _TABLES["envelopes"]
"""By the code of an answer's envelope, which decides whatever the HTTP status is."""
STATUSES = _TABLES["statuses"]
"""By the HTTP status of an answer without an envelope: a gateway's."""
FAILURES = _TABLES["failures"]
"""By the `errorCode` of a record whose task has failed; its `status` is the name."""


def is_success(answer: VendorResponse) -> bool:
    """Return whether both the code in the body and the HTTP status report success."""
    return read_code(answer) == 200 and 200 <= answer.status < 300


def read_code(answer: VendorResponse) -> int | None:
    """Return the code in the body's envelope `{code, msg, data}`; None without a readable one."""
    code = answer.fields.get("code")
    if isinstance(code, str) and code.isascii() and code.isdecimal() and len(code) < 5:
        code = int(code)
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def summarize_response(answer: VendorResponse, key: str) -> str:
    """Return the vendor's code and error message on one line; for a redirect also the setting to check."""
    said = shorten_to_line(_find_sentence(answer), key)
    if 300 <= answer.status < 400:
        told = f": {said}" if said else ""
        return f"HTTP status {answer.status}, a redirect: check SUNO_BASE_URL{told}"
    code = read_code(answer)
    status = f"HTTP status {answer.status}" if code in (None, 200) else f"code {code}"
    return f"{status}: {said or answer.summary or 'no reason given'}"


def _find_sentence(answer: VendorResponse) -> str:
    """Return the vendor's error message in an answer; "" without one."""
    said = (answer.fields.get(name) for name in ("msg", "message", "error", "detail"))
    return next((each for each in said if isinstance(each, str) and each.strip()), "")


def build_refusal_error(answer: VendorResponse, key: str) -> ProviderError | None:
    """Build the error of an answer that proves that no job was accepted; None if it proves nothing.

    An answer that names a task proves nothing.
    """
    if any(read_json_object(answer.fields.get("data")).get(name) for name in _TASK_ID):
        return None
    row, why = _find_answer_row(answer), summarize_response(answer, key)
    if row.code == REFUNDED:
        return SubmissionFailedError(
            f"suno: the task failed and the credits were refunded ({why})",
            code=REFUNDED,
            cost=0,
            resubmissions=MOST_AFTER_REFUND,
        )
    wait = answer.retry_after or _PAUSES.get(row.code)
    return build_error(row, "suno", why, advice=OTHER_WORDS, retry_after=wait)


def _find_answer_row(answer: VendorResponse) -> AnswerRow:
    """Find the answer's row: by the code in its envelope, or without an envelope by its HTTP status."""
    sentence = _find_sentence(answer) or answer.summary
    if answer.fields.get("code") is None:
        return STATUSES.find_row(answer.status, (), sentence)
    return ENVELOPES.find_row(read_code(answer) or 0, (), sentence)


def is_unknown_task(answer: VendorResponse) -> bool:
    """Return whether the answer to a query about a task reports that no such task exists."""
    if is_success(answer):
        return answer.fields.get("data", "untold") is None
    has_envelope = answer.fields.get("code") is not None
    return (read_code(answer) if has_envelope else answer.status) == 404


def read_task_id(data: Json, *secrets: str) -> str | None:
    """Return the task id in an answer's data; None without a usable one, or if it contains one of the secrets."""
    named = find_task_id(data)
    return None if named is None or contains_secret(named, *secrets) else named


def find_task_id(data: Json) -> str | None:
    """Return the task id under either spelling of its key; None without a usable one."""
    return find_text(read_json_object(data), _LONGEST_TEXT, *_TASK_ID) or None


def read_credits(data: Json) -> int | None:
    """Return the number of credits left in an answer's data; None without a plausible number."""
    if isinstance(data, str) and data.isascii() and data.isdecimal() and len(data) < 13:
        return int(data)
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    return int(data) if 0 <= data < 1e12 else None


def find_text(fields: Mapping[str, Any], longest: int, *names: str) -> str:
    """Return the first of the named fields that is one line of at most `longest` characters; "" without one."""
    for name in names:
        value = fields.get(name)
        text = value.strip() if isinstance(value, str) and value.isprintable() else ""
        if 0 < len(text) <= longest:
            return text
    return ""


def read_callback_job_id(body: Json) -> str | None:
    """Return the task id in the body of a callback, `{code, msg, data}`; None without a usable one."""
    return find_task_id(read_json_object(body).get("data"))


def read_task_state(data: Json, task_id: str, key: str) -> InProgress | Succeeded:
    """Read a task's state from its record; an unknown status counts as in progress.

    Success counts only once a song has a link; CALLBACK_EXCEPTION says nothing about the songs. A song that the
    record lacks is an empty track. Raises TransientError for a record without a status, and for a failed task
    SubmissionFailedError, or PermanentError `sensitive_words`.
    """
    record = read_json_object(data)
    word = find_text(record, _LONGEST_TEXT, "status").upper()
    if not word:
        raise TransientError(
            f"suno: its record of task {shorten_to_line(task_id, key)} has no status"
        )
    if word in _FAILED:
        raise _build_task_error(record, word, task_id, key)
    if word not in _SUNG:
        return InProgress(_PROGRESS.get(word))
    tracks = list_tracks(record, key)
    if not any(track["audio_url"] for track in tracks):
        return InProgress(None, f"the vendor says {word}, but gives no link to a song")
    tracks += [_MISSING_TRACK] * (SONGS - len(tracks))
    return Succeeded({"task_id": task_id, "songs": tracks})


def has_all_links(report: Succeeded) -> bool:
    """Return whether every song of a finished task has a link."""
    return all(song["audio_url"] for song in report.answer["songs"])


def list_tracks(data: Json, key: str) -> list[Mapping[str, Json]]:
    """List the songs in a task's record, in the vendor's order: id, title, audio_url, duration in seconds.

    What the vendor did not send is "" or None. The key and the token that the record may repeat are left out.
    """
    secrets = (key, _find_callback_address(data).rpartition("/")[2])
    response = read_json_object(read_json_object(data).get("response"))
    for name in ("sunoData", "suno_data", "data"):
        songs = response.get(name)
        if isinstance(songs, list):
            return [_read_track(read_json_object(song), *secrets) for song in songs[:_MOST_SONGS]]
    return []


def _read_track(song: Mapping[str, Any], *secrets: str) -> Mapping[str, Json]:
    """Read one song: id, title, audio_url, duration in seconds; "" or None for what is missing or unusable."""
    id = find_text(song, _LONGEST_TEXT, "id")
    url = find_text(song, _LONGEST_URL, "audioUrl", "audio_url")
    is_link = url.lower().startswith(("https://", "http://")) and not contains_secret(url, *secrets)
    seconds: Any = song.get("duration")
    is_length = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return {
        "id": "" if contains_secret(id, *secrets) else id,
        "title": shorten_to_line(find_text(song, _LONGEST_TEXT, "title"), *secrets),
        "audio_url": url if is_link else None,
        "duration": float(seconds) if is_length and 0 < seconds < LONGEST_SONG else None,
    }


def has_callback_token(data: Json, token: str) -> bool | None:
    """Return whether the callback URL in the task's record ends with the token; None without a URL."""
    address = _find_callback_address(data)
    return address.endswith(f"/{token}") if address else None


def _find_callback_address(data: Json) -> str:
    """Return the callback URL in the record's copy of the request; "" without one."""
    repeated = read_json_object(data).get("param")
    try:
        request = read_json_object(json.loads(repeated) if isinstance(repeated, str) else None)
    except (ValueError, RecursionError):
        return ""
    return find_text(request, _LONGEST_URL, "callBackUrl", "call_back_url")


def _build_task_error(
    record: Mapping[str, Any], word: str, task_id: str, key: str
) -> ProviderError:
    """Build the error of a failed task from its record; `word` is the task's status."""
    code, sentence = _read_error_code(record), _read_error_message(record)
    reason = sentence.strip() or "no reason given"
    why = shorten_to_line(f"{code}: {reason}" if code else reason, key)
    number = int(code) if code.isascii() and code.isdecimal() else 0
    row, cost = FAILURES.find_row(number, (word,), sentence), 0 if number == REFUND else None
    if row.meaning is Meaning.CONTENT:
        told = f"suno: the vendor rejects what the song says ({why}); {OTHER_WORDS}"
        return PermanentError(told, code=row.code, cost=cost)
    most = MOST_AFTER_REFUND if row.code == REFUNDED else None
    message = f"suno: task {shorten_to_line(task_id, key)} ended as {word} ({why})"
    return SubmissionFailedError(message, code=row.code, cost=cost, resubmissions=most)


def _read_error_code(record: Mapping[str, Any]) -> str:
    """Return the record's error code as text; "" without one."""
    code = record.get("errorCode", record.get("error_code"))
    if isinstance(code, str):
        return code.strip()
    return str(code) if type(code) is int and abs(code) < 1e6 else ""


def _read_error_message(record: Mapping[str, Any]) -> str:
    """Return the record's error message; "" without one."""
    words = record.get("errorMessage", record.get("error_message"))
    return words if isinstance(words, str) else ""
