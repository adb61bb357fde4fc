"""A chat model behind HTTP that answers every scan after a set time, in a process of its own.

Chat completions as docs/vendors/openai.md has them, with an answer that fits the asked schema. `POST /delay/800`
sets the milliseconds, `GET /seen` says how many calls there were and how many seconds they took.
"""

import asyncio
import json
import sys
import time
from typing import Any
from uuid import uuid4

import uvicorn
from fastapi import FastAPI

_SEEN = {
    "major_category": "재활용폐기물",
    "middle_category": "유리병",
    "minor_category": "소주병",
    "situation_tags": [],
}
_STEPS = ["비우고 물로 헹굽니다.", "뚜껑을 뗍니다.", "유리병 수거함에 넣습니다."]
_REPLY = "소주병은 비우고 헹군 뒤 유리병으로 배출해 주세요."
_MODEL = "fake-model"


def build_content(asked: dict[str, Any]) -> dict[str, Any]:
    """Return advice if the request's schema has a `user_answer`, else a classification."""
    wanted = asked.get("response_format", {}).get("json_schema", {}).get("schema", {})
    properties = wanted.get("properties", {})
    if "user_answer" not in properties:
        return _SEEN
    listed = properties["disposal_steps"].get("type") == "array"
    named = {f"단계{number}": step for number, step in enumerate(_STEPS, 1)}
    steps = _STEPS if listed else named
    return {"disposal_steps": steps, "insufficiencies": [], "user_answer": _REPLY}


def build_completion(asked: dict[str, Any]) -> dict[str, Any]:
    """Build the whole completion."""
    content = json.dumps(build_content(asked), ensure_ascii=False)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": content,
        "refusal": None,
        "annotations": [],
    }
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.get("model", _MODEL),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 60, "total_tokens": 360},
    }


def build_application() -> FastAPI:
    """Build the model's application, which answers at once until its delay is set."""
    app = FastAPI()
    state = {"delay": 0.0, "calls": 0, "seconds": 0.0}

    @app.post("/v1/chat/completions")
    async def complete(asked: dict[str, Any]) -> dict[str, Any]:
        began = time.perf_counter()
        if state["delay"]:
            await asyncio.sleep(state["delay"])
        state["calls"] += 1
        answer = build_completion(asked)
        state["seconds"] += time.perf_counter() - began
        return answer

    @app.get("/v1/chat/completions")
    async def stored() -> dict[str, Any]:
        return {"object": "list", "data": [], "has_more": False}

    @app.post("/delay/{milliseconds}")
    async def delay(milliseconds: int) -> dict[str, float]:
        state["delay"] = milliseconds / 1000
        return state

    @app.get("/seen")
    async def seen() -> dict[str, float]:
        return state

    return app


if __name__ == "__main__":
    uvicorn.run(build_application(), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
