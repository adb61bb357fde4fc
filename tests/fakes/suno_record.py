"""What the fake Suno tells of a task: record-info in all its styles, callbacks, and the words in time."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

_WORD = re.compile(r"(?:\[[^\]]*\]\s*)*\S+\s*")
_INNER_CAPITAL = re.compile("(?<=[a-z])[A-Z]")
_UNDER_WAY = ("PENDING", "TEXT_SUCCESS", "FIRST_SUCCESS")
_AUDIBLE = {"text": 0, "first": 1, "complete": 2}
_AUDIO = {"FIRST_SUCCESS": 1, "SUCCESS": 2}
_QUICKSTART = {"TEXT_SUCCESS": "GENERATING", "FIRST_SUCCESS": "GENERATING"}


def _two_ids() -> tuple[str, str]:
    return str(uuid4()), str(uuid4())


@dataclass
class Task:
    """One accepted job. `final_status` is what was scripted for it, `seconds` how long its songs are."""

    request: Mapping[str, Any]
    final_status: Mapping[str, Any]
    seconds: float
    id: str = field(default_factory=lambda: uuid4().hex)
    started: float = field(default_factory=time.monotonic)
    songs: tuple[str, str] = field(default_factory=_two_ids)

    def other_songs(self) -> None:
        """From now on the task has other songs."""
        self.songs = _two_ids()

    def status(self, delay: float) -> str:
        """How it stands by itself, `delay` seconds being what it takes."""
        passed = time.monotonic() - self.started
        if passed >= delay:
            return "SUCCESS"
        return _UNDER_WAY[int(passed / delay * len(_UNDER_WAY))]


def record(task: Task, told: Mapping[str, Any], status: str, files: str) -> dict[str, Any]:
    """The `data` of record-info; `files` is the address below which the songs lie."""
    style = told.get("style", "camel")
    audible = told.get("audio", _AUDIO.get(status, 0))
    songs = [_song(task, index, files if index < audible else None, style) for index in range(2)]
    shown = bool(audible) or status == "SUCCESS"
    list_name = "data" if style == "quickstart" else "sunoData"
    data = {
        "taskId": task.id,
        "parentMusicId": "",
        "param": json.dumps(task.request, ensure_ascii=False),
        "response": {"taskId": task.id, list_name: songs} if shown else None,
        "status": _QUICKSTART.get(status, status) if style == "quickstart" else status,
        "type": "GENERATE",
        "errorCode": told.get("error_code"),
        "errorMessage": told.get("error_message"),
    }
    return (_snake(data) if style == "snake" else data) | told.get("fields", {})


def callback(task: Task, kind: str, files: str) -> dict[str, Any]:
    """What is sent to the task's callback address; `files` is as in `record`."""
    data = {"callbackType": kind, "task_id": task.id}
    if kind == "error":
        return {"code": 400, "msg": "Audio generation failed.", "data": {**data, "data": None}}
    audible = _AUDIBLE[kind]
    songs = [_song(task, index, files if index < audible else None, "snake") for index in range(2)]
    return {"code": 200, "msg": "All generated successfully.", "data": {**data, "data": songs}}


def aligned_words(task: Task) -> list[dict[str, Any]]:
    """The words of the prompt, section tags and newlines with them, evenly over the song."""
    words = _WORD.findall(str(task.request.get("prompt", "")))
    each = task.seconds / max(1, len(words))
    return [
        {
            "word": word,
            "success": True,
            "startS": round(index * each, 3),
            "endS": round((index + 1) * each, 3),
            "palign": 0,
        }
        for index, word in enumerate(words)
    ]


def _song(task: Task, index: int, files: str | None, style: str) -> dict[str, Any]:
    made = {
        "id": task.songs[index],
        "audioUrl": f"{files}/{task.songs[index]}.mp3" if files else "",
        "streamAudioUrl": f"{files}/{task.songs[index]}.mp3" if files else "",
        "imageUrl": "",
        "prompt": task.request.get("prompt", ""),
        "modelName": "chirp-v4-5",
        "title": task.request.get("title", ""),
        "tags": task.request.get("style", ""),
        "createTime": "2025-01-01 00:00:00",
        "duration": task.seconds if files else None,
    }
    return made if style == "camel" else _snake(made)


def _snake(value: Any) -> Any:
    if isinstance(value, list):
        return [_snake(each) for each in value]
    if isinstance(value, dict):
        return {_snake_name(name): _snake(each) for name, each in value.items()}
    return value


def _snake_name(name: str) -> str:
    return _INNER_CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)
