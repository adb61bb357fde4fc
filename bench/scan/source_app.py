"""The source design of requirements S2: four Celery tasks in a chain, and a character by one more message.

Facts of its documents, in our own code: a queue a stage, a context that travels with the chain; the reward asks
the task `character.match` and waits for its result at most 10 s, and sends two saves that nobody waits for.
"""

import json
import os
from functools import lru_cache
from typing import Any

from celery import Celery, chain
from openai import OpenAI

from bench.scan.source_queues import MATCH, SAVES
from bench.scan.source_queues import STAGE_QUEUES as STAGES

_MATCH_SECONDS = 10
_LONGEST_RESULT = 100_000
_CHARACTERS = {"유리병": {"name": "유리", "dialog": "고마워요!", "type": "유리병"}}
_RULES = {"유리병": ["비우고 물로 헹군다", "뚜껑을 뗀다", "유리병 수거함에 넣는다"]}

app = Celery("scan", broker=os.environ["BENCH_BROKER"], backend=os.environ["BENCH_BACKEND"])
app.conf.update(
    worker_send_task_events=True,
    worker_prefetch_multiplier=1,
    task_acks_late=True,
    task_routes={name: {"queue": name} for name in (*STAGES, MATCH, *SAVES)},
    broker_connection_retry_on_startup=True,
)


def start(task_id: str, context: dict[str, Any]) -> None:
    """Start the chain; name its tasks after the scan and the stage."""
    first, *others = (vision.s(context), rule.s(), answer.s(), reward.s())
    tasks = [
        task.set(task_id=f"{task_id}/{name}")
        for name, task in zip(STAGES, (first, *others), strict=True)
    ]
    chain(*tasks).apply_async()


@lru_cache(maxsize=1)
def _open_model() -> OpenAI:
    return OpenAI(api_key="fake", base_url=os.environ["BENCH_MODEL"], timeout=30, max_retries=2)


def _ask(text: str, properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    shape: Any = {"name": "said", "schema": schema, "strict": True}
    answered = _open_model().chat.completions.create(
        model="fake-model",
        messages=[{"role": "user", "content": text}],
        response_format={"type": "json_schema", "json_schema": shape},
    )
    said: dict[str, Any] = json.loads(answered.choices[0].message.content or "{}")
    return said


@app.task(name="vision", ignore_result=True, max_retries=2)
def vision(context: dict[str, Any]) -> dict[str, Any]:
    """Ask the model for the class of the thing."""
    seen = _ask(context["user_input"], {"major_category": {"type": "string"}})
    return {**context, "classification_result": {"classification": seen}}


@app.task(name="rule", ignore_result=True)
def rule(context: dict[str, Any]) -> dict[str, Any]:
    """Look up the rule of the class."""
    middle = context["classification_result"]["classification"]["middle_category"]
    return {**context, "disposal_rules": _RULES.get(middle)}


@app.task(name="answer", ignore_result=True)
def answer(context: dict[str, Any]) -> dict[str, Any]:
    """Ask the model for the advice."""
    wanted = {"disposal_steps": {"type": "object"}, "user_answer": {"type": "string"}}
    return {**context, "final_answer": _ask(str(context["disposal_rules"]), wanted)}


@app.task(name="reward", ignore_result=True, max_retries=3, resultrepr_maxsize=_LONGEST_RESULT)
def reward(context: dict[str, Any]) -> str:
    """Return the result as JSON, with the character that another service found."""
    seen = context["classification_result"]["classification"]
    won = None
    if context["disposal_rules"] and not context["final_answer"]["insufficiencies"]:
        asked = app.send_task(MATCH, [seen["middle_category"]])
        # Celery warns of tasks that wait for tasks; the design has one that does.
        won = asked.get(timeout=_MATCH_SECONDS, disable_sync_subtasks=False)
    if won:
        for name in SAVES:
            app.send_task(name, [context["user_id"], won["name"]], ignore_result=True)
    names = ("classification_result", "disposal_rules", "final_answer")
    parts = {name: context[name] for name in names}
    result = {"task_id": context["task_id"], "status": "completed", "pipeline_result": parts}
    return json.dumps({**result, "reward": won, "error": None}, ensure_ascii=False)


@app.task(name=MATCH)
def match(middle: str) -> dict[str, str] | None:
    """Look up the character of the class."""
    found = _CHARACTERS.get(middle)
    return None if found is None else {**found, "match_reason": middle}


@app.task(name=SAVES[0], ignore_result=True)
def save_ownership(user_id: str, character: str) -> None:
    """Do nothing: the real design writes a row here."""


@app.task(name=SAVES[1], ignore_result=True)
def save_character(user_id: str, character: str) -> None:
    """Do nothing: the real design writes a row here."""
