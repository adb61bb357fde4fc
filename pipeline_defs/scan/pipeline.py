"""The pipeline: what waste a photograph shows, how it is disposed of, and the character that sorting it wins."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pipeline_defs.capabilities import CallQueue, Listing, SaveQueue, Stateless, TypicalProducts
from pipeline_defs.pipeline import BoughtStage, LocalStage, Pipeline, Products
from pipeline_defs.scan import client_messages, listings, saves, stages
from pipeline_defs.scan.characters.catalogue import get_catalogue, stop_catalogue
from pipeline_defs.scan.characters.store import Character
from pipeline_defs.scan.client_messages import build_client_message
from pipeline_defs.scan.danger_guard import warm_tables
from pipeline_defs.scan.order import PICTURES, Order
from pipeline_defs.scan.products import Answer, Classification, FoundRule, Reward, Saved, Won


class Meta(BaseModel):
    """The maker of the classification and its confidence, and the maker of the answer."""

    seen_by: str
    confidence: float | None
    remark: str
    answered_by: str


_EXAMPLE: dict[str, Any] = {
    "pipeline_result": {
        "classification_result": {
            "classification": {
                "major_category": "재활용폐기물",
                "middle_category": "무색페트병",
                "minor_category": "무색페트병",
            },
            "situation_tags": [],
            "meta": {
                "user_input": "투명 페트병",
                "seen_by": "note",
                "confidence": None,
                "remark": "",
                "answered_by": "studio",
            },
        },
        "disposal_rules": {"major": "재활용폐기물", "middle": "무색페트병"},
        "final_answer": {
            "disposal_steps": {"단계1": "내용물을 비우고 물로 헹굽니다."},
            "insufficiencies": [],
            "user_answer": "무색 페트병입니다. 내용물을 비우고 물로 헹굽니다.",
        },
    },
    "reward": {
        "name": "말그미",
        "dialog": "라벨을 떼니 속이 다 시원하네!",
        "match_reason": "무색 페트병",
        "type": "clear_pet",
    },
}


class Result(BaseModel):
    """What a client gets: everything that was found out, and the reward."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    pipeline_result: dict[str, Any]
    reward: Won | None


def _build_result(products: Products) -> Result:
    seen = stages.get_thing(products)
    found: FoundRule = products["rule"]
    answer: Answer = products["answer"]
    won: Reward = products["reward"]
    kind = {"major_category", "middle_category", "minor_category"}
    meta = Meta(
        seen_by=seen.seen_by,
        confidence=seen.confidence,
        remark=seen.remark,
        answered_by=answer.answered_by,
    )
    classification = {
        "classification": seen.model_dump(include=kind),
        "situation_tags": seen.situation_tags,
        "meta": meta.model_dump(),
    }
    said = {"disposal_steps", "insufficiencies", "user_answer"}
    return Result(
        pipeline_result={
            "classification_result": classification,
            "disposal_rules": found.rule,
            "final_answer": answer.model_dump(include=said),
        },
        reward=won.reward,
    )


def _build_answer_body(order: Order, products: Products) -> dict[str, Any]:
    body = _build_result(products).model_dump()
    meta = body["pipeline_result"]["classification_result"]["meta"]
    body["pipeline_result"]["classification_result"]["meta"] = {"user_input": order.note, **meta}
    return {"message": "classification completed", **body}


def _format_answer(answer: Answer) -> str:
    return "\n".join((answer.user_answer, *answer.disposal_steps.values(), *answer.insufficiencies))


def _format_classes(seen: Classification) -> str:
    classes = (seen.major_category, seen.middle_category, seen.minor_category, seen.remark)
    return ", ".join(dict.fromkeys(filter(None, classes)))


def _warm_up() -> None:
    stages.get_rules()
    warm_tables()
    get_catalogue()


PIPELINE = Pipeline(
    name="scan",
    title="Waste in a photograph, how to dispose of it, and a reward",
    order_model=Order,
    stages=(
        BoughtStage(
            "vision",
            Classification,
            "See what the thing is",
            job_input=stages.build_vision_input,
            makers=("openai", "studio"),
            metadata="pipeline_defs.scan.previews:build_vision_metadata",
            words=_format_classes,
            retry_seconds=2,
        ),
        LocalStage("rule", FoundRule, "Find the rule of its class", work=stages.find_rule),
        BoughtStage(
            "answer",
            Answer,
            "Say how it is disposed of",
            job_input=stages.build_answer_input,
            known=stages.find_fixed_answer,
            makers=("openai", "studio"),
            needs=("vision", "rule"),
            metadata="pipeline_defs.scan.previews:build_answer_metadata",
            words=_format_answer,
            retry_seconds=2,
        ),
        LocalStage(
            "reward",
            Reward,
            "Match a character",
            work=stages.match_reward,
            needs=("vision", "rule", "answer"),
            metadata="pipeline_defs.scan.previews:build_reward_metadata",
        ),
        LocalStage(
            "save", Saved, "Hand over what is saved elsewhere", work=stages.save, needs=("reward",)
        ),
    ),
    example={"note": "라벨을 뗀 투명 페트병", "user_id": "user-1"},
    summary=lambda order: order.note[:40] or "photograph",
    result=_build_result,
    uploads=PICTURES,
    retention={"requests": 30, "files": 1, "runs": 7, "dead": 7, "failed_runs": 7},
    queue="scan",
    extras=(
        TypicalProducts(stages.build_typical_products),
        Stateless(
            path="/scan",
            answer_path="/scan/classify/completion",
            after=("save",),
            result=_build_answer_body,
            lines=client_messages.build_lines,
            failure=build_client_message,
            saves=saves.build_saves,
            targets={
                saves.SAVE_OWNERSHIP: saves.save_ownership,
                saves.SAVE_CHARACTER: saves.save_character,
            },
            listings={
                "categories": Listing(listings.list_categories, row=listings.Category),
                "characters": Listing(
                    listings.list_characters, listings.replace_characters, row=Character
                ),
            },
            queues={
                "castad.character.reward": SaveQueue(saves.read_ownership_message),
                "castad.my.reward": SaveQueue(saves.read_character_message),
                "castad.character.match": CallQueue(listings.answer_match),
            },
            warm=_warm_up,
            rest=stop_catalogue,
        ),
    ),
)
