"""Advice on waste in a template's words."""

import pytest

from studio.waste import advise

RULE = {
    "name": {"ko": "유리병", "en": "glass bottles"},
    "steps": {
        "ko": ["비웁니다.", "헹굽니다.", "내놓습니다."],
        "en": ["Empty it.", "Rinse it.", "Put it out."],
    },
    "only_if": [{"tag": "깨짐", "ko": "신문지로 쌉니다.", "en": "Wrap it."}],
}


@pytest.mark.parametrize(
    ("name", "said"),
    [("종이", "종이로"), ("유리병", "유리병으로"), ("비닐", "비닐로"), ("PET", "PET로")],
)
def test_reply_has_the_right_particle(name, said):
    rule = {**RULE, "name": {"ko": name, "en": name}}
    assert f"{said} 분류됩니다" in advise(rule, None, [], "Korean").reply


def test_tag_of_the_rule_is_what_has_to_be_done_first():
    advice = advise(RULE, None, ["깨짐"], "English")
    assert (list(advice.insufficiencies), "Wrap it." in advice.reply) == (["Wrap it."], True)


@pytest.mark.parametrize("language", ["Korean", "English"])
def test_reply_has_at_most_three_sentences(language):
    assert advise(RULE, "병", [], language).reply.count(".") <= 3
