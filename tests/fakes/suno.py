"""A fake of Suno behind sunoapi.org (docs/vendors/suno.md): HTTP 200, and the envelope's code decides.

Routes: submit, poll, lyrics, credits, file. Its own kinds:
    envelope(code=500, msg=, http=200)    nothing accepted, nothing charged
    final_status(status=, audio=, style="camel", changes=False, error_code=, error_message=, fields={})
        on submit or poll; `audio` of the two songs have a link; style "snake" writes record-info in the
        names of the callbacks, "quickstart" in the words and the shape of the quickstart; `changes`:
        every answer that ends the job has other songs; `fields` replace members of `data`
    no_words()                            on lyrics: an instrumental's answer
    repeats()                             on submit: accepted, and named by the id of the first task there is

Its callbacks are of the kinds text, first, complete and error.

What the notes do not say: a task that is unknown is answered with 200 and `data: null`; the callback
of an error names its task too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from tests.fakes import media
from tests.fakes.calling import CallingVendor
from tests.fakes.faults import Fault, Kind, kind
from tests.fakes.reply import Call, Reply, json_reply
from tests.fakes.server import Rate, Route
from tests.fakes.suno_record import Task, aligned_words, callback, record
from tests.fakes.suno_request import wrong_with

CREDITS = 12
TONES = (440, 660)
_KINDS = {"TEXT_SUCCESS": "text", "FIRST_SUCCESS": "first", "SUCCESS": "complete"}
_SAID = {
    400: "Invalid parameters",
    401: "You do not have access permissions",
    404: "Invalid request method or path",
    405: "Call limit: the rate limit has been exceeded",
    413: "The theme or prompt is too long",
    429: "The current credits are insufficient. Please top up.",
    430: "Your call frequency is too high. Please try again later.",
    455: "The website is being maintained. Please try again later.",
    500: "Internal Error, Please try again later.",
}


class FakeSuno(CallingVendor):
    """Every accepted job takes 12 credits and makes two songs of `song_seconds` seconds.

    With `http_errors` the status is the envelope's code, where HTTP knows it: which of the two the vendor
    does is not known.
    """

    name: ClassVar[str] = "suno"
    routes: ClassVar[tuple[Route, ...]] = (
        ("submit", "POST", "/api/v1/generate"),
        ("poll", "GET", "/api/v1/generate/record-info"),
        ("lyrics", "POST", "/api/v1/generate/get-timestamped-lyrics"),
        ("credits", "GET", "/api/v1/generate/credit"),
        ("file", "GET", r"/files/([^/]+)\.mp3"),
    )
    own_before: ClassVar[Mapping[str, Kind]] = {"envelope": kind("code msg http")}
    own_kinds: ClassVar[Mapping[str, Kind]] = {
        "final_status": kind(
            "status audio style changes error_code error_message fields", "submit poll"
        ),
        "no_words": kind(routes="lyrics"),
        "repeats": kind(routes="submit"),
    }
    usual_rate: ClassVar[Rate | None] = (20, 10.0)
    settable: ClassVar[tuple[str, ...]] = (*CallingVendor.settable, "song_seconds", "http_errors")
    last_kinds: ClassVar[frozenset[str]] = frozenset(("complete", "error"))

    def __init__(self, folder: Path, *, key: str | None = None, port: int = 0) -> None:
        super().__init__(folder, key=key, port=port)
        self.song_seconds = 4.0
        self.http_errors = False
        self._tasks: dict[str, Task] = {}
        self._files: dict[str, tuple[float, int]] = {}

    def on_submit(self, call: Call, fault: Fault | None) -> Reply:
        wrong = wrong_with(call.body)
        if wrong:
            return self._envelope(*wrong)
        with self.lock:
            if self.credits < CREDITS:
                return self.out_of_credits()
            self.credits -= CREDITS
        task = Task(call.body, fault.details if fault else {}, self.song_seconds)
        named = next(iter(self._tasks), task.id) if fault and fault.kind == "repeats" else task.id
        self._publish(task)
        self.charge(
            call,
            what="song",
            id=task.id,
            metadata=call.body["callBackUrl"],
            cost=CREDITS,
            unit="credits",
        )
        self.accepted(task.id)
        return _success({"taskId": named})

    def on_poll(self, call: Call, fault: Fault | None) -> Reply:
        if not call.query.get("taskId"):
            return self._envelope(400, "taskId is required")
        task = self._tasks.get(call.query["taskId"])
        if task is None:
            return _success(None)
        status = task.status(self.delay)
        told = fault.details if fault else task.final_status
        if fault or status == "SUCCESS":
            status = told.get("status", status)
            if told.get("changes"):
                task.other_songs()
                self._publish(task)
        else:
            told = {"style": told.get("style", "camel")}
        return _success(record(task, told, status, f"{self.origin}/files"))

    def on_lyrics(self, call: Call, fault: Fault | None) -> Reply:
        body = call.body if isinstance(call.body, dict) else {}
        task = self._tasks.get(str(body.get("taskId")))
        if task is None or body.get("audioId", task.songs[0]) not in task.songs:
            return self._envelope(400)
        if "audioId" not in body and body.get("musicIndex") not in (0, 1):
            return self._envelope(400, "audioId or musicIndex is required")
        silent = fault is not None or task.request["instrumental"]
        return _success(
            {
                "alignedWords": [] if silent else aligned_words(task),
                "waveformData": [0.0, 0.5, 1.0],
                "hootCer": 0.1,
                "isStreamed": False,
            }
        )

    def on_credits(self, call: Call, fault: Fault | None) -> Reply:
        return _success(self.credits)

    def on_file(self, call: Call, fault: Fault | None, song: str) -> Reply:
        if song not in self._files:
            return Reply(404, b"Not Found", "text/plain")
        return Reply(200, media.song(*self._files[song]), "audio/mpeg")

    def unauthorized(self, call: Call, *, echo: bool) -> Reply:
        given = call.headers.get("authorization", "")
        return self._envelope(401, f"{_SAID[401]}: {given}" if echo else None)

    def too_often(self, headers: Mapping[str, str], code: int | None) -> Reply:
        refused = self._envelope(code or 430)
        return Reply(refused.status, refused.body, headers=headers)

    def out_of_credits(self) -> Reply:
        return self._envelope(429)

    def not_found(self, call: Call) -> Reply:
        return self._envelope(404)

    def refusal(self, call: Call, fault: Fault) -> Reply:
        if fault.kind == "envelope":
            return self._envelope(fault.get("code", 500), fault.get("msg"), fault.get("http"))
        return super().refusal(call, fault)

    def callback_address(self, job: str) -> str | None:
        return str(self._tasks[job].request["callBackUrl"])

    def callback(self, job: str, kind: str) -> Any:
        return callback(self._tasks[job], kind, f"{self.origin}/files")

    def callback_due(self, job: str) -> str | None:
        task = self._tasks[job]
        status = task.status(self.delay)
        told = task.final_status.get("status", status) if status == "SUCCESS" else status
        return None if told == "PENDING" else _KINDS.get(told, "error")

    def _publish(self, task: Task) -> None:
        self._tasks[task.id] = task
        for song, hertz in zip(task.songs, TONES, strict=True):
            self._files[song] = (task.seconds, hertz)

    def _envelope(self, code: int, said: str | None = None, http: int | None = None) -> Reply:
        status = http or (code if self.http_errors else 200)
        content = {"code": code, "msg": said or _SAID.get(code, "Error"), "data": None}
        return json_reply(status, content)


def _success(data: Any) -> Reply:
    return json_reply(200, {"code": 200, "msg": "success", "data": data})
