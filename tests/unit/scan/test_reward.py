"""Which scans earn a character, and which one."""

import pytest

from pipeline_defs.scan.characters.store import load_shipped_snapshot
from pipeline_defs.scan.products import Answer, Classification, FoundRule
from pipeline_defs.scan.stages import explain_no_reward
from studio.waste import MAJORS, MIDDLES, RECYCLABLE

GLASS = Classification(major_category=RECYCLABLE, middle_category="유리병")
RULE = FoundRule(rule={"steps": {}})


def answer(*insufficiencies: str) -> Answer:
    return Answer(disposal_steps={}, insufficiencies=list(insufficiencies), user_answer="")


def test_recyclable_with_a_rule_and_nothing_insufficient_earns_one():
    assert explain_no_reward(GLASS, RULE, answer()) == ""


@pytest.mark.parametrize("major", [each for each in MAJORS if each != RECYCLABLE])
def test_other_major_class_earns_none(major):
    seen = Classification(major_category=major, middle_category=major)
    assert explain_no_reward(seen, RULE, answer()) == "not_recyclable"


def test_recyclable_of_unknown_class_earns_none():
    seen = Classification(major_category=RECYCLABLE, middle_category=RECYCLABLE)
    assert explain_no_reward(seen, RULE, answer()) == "not_recyclable"


@pytest.mark.parametrize("middle", ["미분류", "일반종량제폐기물", "", "새로운 것"])
def test_recyclable_of_a_class_that_is_none_earns_none(middle):
    seen = Classification(major_category=RECYCLABLE, middle_category=middle)
    assert (explain_no_reward(seen, RULE, answer()), seen.middle_category) == (
        "not_recyclable",
        RECYCLABLE,
    )


def test_without_a_rule_none_is_earned():
    assert explain_no_reward(GLASS, FoundRule(), answer()) == "no_rule"


def test_named_insufficiency_earns_none():
    assert explain_no_reward(GLASS, RULE, answer("내용물을 비우세요")) == "insufficient"


def test_blank_insufficiency_is_none():
    assert explain_no_reward(GLASS, RULE, answer(" ")) == ""


@pytest.mark.parametrize("middle", MIDDLES)
def test_each_middle_class_has_a_character_of_its_own(middle):
    found = load_shipped_snapshot().match(middle)
    assert found is not None
    assert found.match == middle


def test_unknown_label_wins_the_default_character():
    found = load_shipped_snapshot().match("새로운 것")
    assert found is not None
    assert found.match == ""
