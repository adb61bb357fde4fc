"""What an order in English reads: no Korean but the names of classes in the data."""

import re
from typing import Any

import pytest

from pipeline_defs.scan.client_messages import build_client_message, build_lines
from pipeline_defs.scan.disposal_rules import load_shipped_rules
from pipeline_defs.scan.order import Order
from pipeline_defs.scan.page_view import result
from pipeline_defs.scan.products import Answer, Classification, FoundRule
from pipeline_defs.scan.stages import match_reward
from studio.waste import RECYCLABLE, UNKNOWN

HANGUL = re.compile("[가-힣]")
GLASS = Classification(major_category=RECYCLABLE, middle_category="유리병", minor_category="소주병")
NOTHING = Classification(major_category=UNKNOWN, middle_category=UNKNOWN, model="note")
FOUND = FoundRule(rule=load_shipped_rules().all[-1].model_dump(mode="json"))


def body(seen: Classification, found: FoundRule) -> dict[str, object]:
    kind = seen.model_dump(include={"major_category", "middle_category", "minor_category"})
    meta = {"seen_by": "note", "confidence": None, "remark": ""}
    return {
        "pipeline_result": {
            "classification_result": {"classification": kind, "meta": meta},
            "disposal_rules": found.rule,
            "final_answer": {"disposal_steps": {}, "insufficiencies": [], "user_answer": "Yes."},
        },
        "reward": None,
    }


@pytest.mark.parametrize(("seen", "found"), [(NOTHING, FoundRule()), (GLASS, FOUND)])
def test_terminal_in_english_says_the_class_in_english(seen, found):
    order = Order(note="x", language="English")
    assert not HANGUL.search("\n".join(build_lines(order, body(seen, found))))


def test_reward_in_english_says_why_in_english():
    answer = Answer(disposal_steps={}, user_answer="")
    products = {"vision": GLASS, "rule": FOUND, "answer": answer}
    work: Any = None
    won = match_reward(Order(note="x", language="English"), products, work).result["reward"]
    assert not HANGUL.search(str(won))


@pytest.mark.parametrize(("seen", "found"), [(NOTHING, FoundRule()), (GLASS, FOUND)])
def test_page_of_an_order_in_english_says_the_class_in_english(seen, found):
    products = {
        "vision": seen.model_dump(),
        "rule": found.model_dump(),
        "answer": {"disposal_steps": {}, "user_answer": "Yes."},
    }
    shown = result({"note": "x", "language": "English"}, products)
    assert not HANGUL.search(str(shown))


@pytest.mark.parametrize("language", ["Korean", "English"])
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("key_refused", "openai: the key is refused, check OPENAI_API_KEY: wrong"),
        ("weights_missing", "weights: run `make install`, or set CASTAD_SCAN_WEIGHTS"),
        ("refused", "openai: the model refused; set OPENAI_MODEL to another"),
        ("internal_error", "an unexpected error; the operator's log has the details"),
    ],
)
def test_client_reads_its_language_and_no_setting(language, code, message):
    said = build_client_message({"language": language}, code, message)
    assert bool(HANGUL.search(said)) == (language == "Korean")
    assert not re.search(r"[A-Z]+_[A-Z]+|log", said)


def test_client_reads_what_a_vendor_says_of_its_content():
    said = build_client_message(
        {"language": "English"}, "refused", "openai: refused: I cannot help"
    )
    assert "I cannot help" in said
