"""The inputs of the makers, with prompts and answer schemas, and the work of the local stages.

A user's words and a stored rule are data for a model, never instructions: they stand once, at the end of a prompt,
as one line of JSON between marks that no value can contain.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pipeline_defs.pipeline import Products
from pipeline_defs.scan.characters.catalogue import match_character
from pipeline_defs.scan.client_messages import load_texts
from pipeline_defs.scan.danger_guard import (
    apply_guard,
    build_danger_answer,
    build_fixed_answer,
    find_elsewhere,
)
from pipeline_defs.scan.disposal_rules import TAGS, Rule, Rules, load_rules, load_shipped_rules
from pipeline_defs.scan.order import PICTURES, Order
from pipeline_defs.scan.products import Answer, Classification, FoundRule, Reward, Saved, Won
from pipeline_defs.scan.saves import build_saves
from resources.contract.protocol import Product, Work
from resources.delivery.spool import open_spool
from resources.files.pictures import list_picture_references
from resources.process.settings import settings
from studio.waste import MAJORS, MIDDLES, RECYCLABLE, UNKNOWN

BEGIN, END = "<material>", "</material>"
_DELIMITING = {ord("<"): "\\u003c", ord(">"): "\\u003e"}


def build_vision_prompt(note: str) -> Mapping[str, str]:
    """Build the texts `system` and `user` that ask for the class of the pictured or named thing."""
    asked = f"What is this waste?\n{_encode_material({'user_says': note})}"
    return {"system": _format_prompt("vision"), "user": asked}


def build_answer_prompt(
    rule: str, classification: Mapping[str, Any], note: str, language: str
) -> Mapping[str, str]:
    """Build the texts `system` and `user` that ask for advice by this rule, in this language."""
    material = {"thing": dict(classification), "rule": rule, "user_says": note}
    asked = f"Answer in {language}. How is this disposed of?\n{_encode_material(material)}"
    return {"system": _format_prompt("answer"), "user": asked}


def _format_prompt(name: str) -> str:
    names = {"unknown": UNKNOWN, "recyclable": RECYCLABLE}
    return load_texts()["prompts"][name].format(begin=BEGIN, end=END, **names)


def _encode_material(values: Mapping[str, Any]) -> str:
    line = json.dumps(values, ensure_ascii=False).translate(_DELIMITING)
    return f"{BEGIN}\n{line}\n{END}"


def _build_schema(name: str, properties: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "schema": {**schema, "additionalProperties": False}}


def _build_enum(names: Sequence[str]) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(names)}


_TEXTS = {"type": "array", "items": {"type": "string"}}

VISION_SCHEMA = _build_schema(
    "classification",
    {
        "major_category": _build_enum(MAJORS),
        "middle_category": _build_enum((*MIDDLES, *MAJORS)),
        "minor_category": {"type": ["string", "null"]},
        "situation_tags": {"type": "array", "items": _build_enum(tuple(TAGS))},
    },
)
"""The enumerations allow no other class and no other tag."""

ANSWER_SCHEMA = _build_schema(
    "advice",
    {"disposal_steps": _TEXTS, "insufficiencies": _TEXTS, "user_answer": {"type": "string"}},
)


_VISION_TOKENS = 300
_ANSWER_TOKENS = 800


def build_vision_input(order: Order, task_id: str, products: Products) -> Mapping[str, Any]:
    """Build the input from picture and note: a prompt for a model, and values for this machine."""
    return {
        "prompt": build_vision_prompt(order.note),
        "schema": VISION_SCHEMA,
        "image": next(list_picture_references(order.model_dump(), PICTURES, task_id), None),
        "note": order.note,
        "language": order.language,
        "most_tokens": _VISION_TOKENS,
    }


def find_rule(order: Order, products: Products, work: Work) -> Product:
    """Find the rule of the thing's danger, else of its class, and store what the thing is."""
    thing, found = apply_guard(order.note, products["vision"], get_rules())
    return Product(
        {
            "rule": None if found is None else found.model_dump(mode="json"),
            "thing": thing.model_dump(mode="json"),
            "elsewhere": [] if found is None else find_elsewhere(order.note, thing, found),
        }
    )


def get_thing(products: Products) -> Classification:
    """Return the classification after the search for dangers."""
    found: FoundRule = products["rule"]
    seen: Classification = products["vision"]
    return seen if found.thing is None else found.thing


def get_rules() -> Rules:
    """Return the rules of CASTAD_SCAN_RULES, or the shipped ones. Raise InvalidInputError."""
    folder = settings().scan_rules
    if folder is None:
        return load_shipped_rules()
    stamp: tuple[tuple[str, int], ...] = ()
    with suppress(OSError):
        stamp = tuple(sorted((each.name, each.stat().st_mtime_ns) for each in folder.iterdir()))
    return _load_rules(folder, stamp)


@lru_cache(maxsize=1)
def _load_rules(folder: Path, stamp: tuple[tuple[str, int], ...]) -> Rules:
    """Load the folder's rules; the stamp makes the cache miss after a file has changed."""
    return load_rules(folder)


def build_answer_input(order: Order, task_id: str, products: Products) -> Mapping[str, Any]:
    """Build the input from rule and thing: a prompt for a model, and values for this machine."""
    found: FoundRule = products["rule"]
    thing = get_thing(products).model_dump(include=_OF_THING)
    rule = None if found.rule is None else Rule.model_validate(found.rule)
    text = "" if rule is None else rule.format_for_model(order.language)
    return {
        "prompt": build_answer_prompt(text, thing, order.note, order.language),
        "schema": ANSWER_SCHEMA,
        "image": None,
        "rule": found.rule,
        "elsewhere": found.elsewhere,
        "thing": thing,
        "language": order.language,
        "most_tokens": _ANSWER_TOKENS,
    }


_OF_THING = {"major_category", "middle_category", "minor_category", "situation_tags"}


def find_fixed_answer(order: Order, products: Products) -> Mapping[str, Any] | None:
    """Return the answer for a danger, or for a thing without a rule; None if a maker has to answer."""
    found: FoundRule = products["rule"]
    thing = get_thing(products)
    if found.rule is None:
        return build_fixed_answer(thing, order.language)
    if found.danger is None:
        return None
    rule = Rule.model_validate(found.rule)
    return build_danger_answer(rule, thing.situation_tags, order.language)


def match_reward(order: Order, products: Products, work: Work) -> Product:
    """Match the character of the thing's class, if the scan earns one."""
    seen = get_thing(products)
    why_not = explain_no_reward(seen, products["rule"], products["answer"])
    if why_not:
        return Product({"reward": None, "why_not": why_not})
    found = match_character(seen.middle_category)
    if found is None:
        return Product({"reward": None, "why_not": "no_match"})
    by: FoundRule = products["rule"]
    is_english = order.language == "English"
    classes = filter(None, (seen.middle_category, seen.minor_category))
    won = Won(
        name=found.name_en if is_english else found.name,
        dialog=found.dialog_en if is_english else found.dialog,
        match_reason=str(by.rule["name"]["en"]) if is_english and by.rule else ">".join(classes),
        type=found.type,
    )
    return Product({"reward": won.model_dump(), "code": found.code})


def explain_no_reward(seen: Classification, found: FoundRule, answer: Answer) -> str:
    """Return the code of the reason why the scan earns no character; "" if it earns one."""
    if found.danger is not None:
        return "dangerous"
    if not seen.is_recyclable:
        return "not_recyclable"
    if found.rule is None:
        return "no_rule"
    first = (each["tag"] in seen.situation_tags for each in found.rule.get("only_if", ()))
    said = any(each.strip() for each in answer.insufficiencies)
    is_insufficient = said or any(first) or bool(found.elsewhere)
    return "insufficient" if is_insufficient else ""


def save(order: Order, products: Products, work: Work) -> Product:
    """Write the saves to the spool on this machine's disk, which delivers each with its own retries."""
    entries = build_saves(order, products, work.task_id)
    if entries:
        open_spool(settings().home).append(entries)
    return Product(Saved(saves=len(entries)).model_dump())


def build_typical_products(order: Order) -> Products:
    """Build products of usual size, from which the price is estimated."""
    return {
        "vision": Classification(major_category=UNKNOWN, middle_category=UNKNOWN),
        "rule": FoundRule(
            rule=max(get_rules().all, key=lambda each: len(str(each))).model_dump(mode="json")
        ),
        "answer": Answer(disposal_steps={}, user_answer=""),
        "reward": Reward(),
    }
