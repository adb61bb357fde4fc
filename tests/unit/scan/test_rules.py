"""The rules of disposal: what castad brings, and what a folder of one's own may hold."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline_defs.scan.disposal_rules import FOLDER, TAGS, Rule, load_rules, load_shipped_rules
from resources.contract.errors import InvalidInputError
from studio.waste import MAJORS, MIDDLES, RECYCLABLE, UNKNOWN

GLASS = "recyclable_glass.json"
OTHERS = [each for each in MAJORS if each not in (RECYCLABLE, UNKNOWN)]
every_rule = pytest.mark.parametrize(
    "rule", load_shipped_rules().all, ids=lambda rule: rule.middle or rule.major
)


def glass(**changes: Any) -> dict[str, Any]:
    return {**json.loads((FOLDER / GLASS).read_text("utf-8")), **changes}


def folder_of(folder: Path, **files: Any) -> Path:
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(text, "utf-8")
    return folder


def refusal(folder: Path) -> str:
    with pytest.raises(InvalidInputError) as refused:
        load_rules(folder)
    message = refused.value.message
    assert message.startswith("CASTAD_SCAN_RULES: expected ")
    assert ", got " in message
    assert "\n" not in message
    return message


def test_each_class_has_a_rule_of_its_own():
    classes = {(rule.major, rule.middle) for rule in load_shipped_rules().all}
    recyclables = {(RECYCLABLE, middle) for middle in (*MIDDLES, None)}
    assert classes == recyclables | {(major, None) for major in OTHERS}


@pytest.mark.parametrize("middle", MIDDLES)
def test_recyclable_gets_the_rule_of_its_middle_class(middle):
    found = load_shipped_rules().find(RECYCLABLE, middle)
    assert found is not None
    assert found.middle == middle


@pytest.mark.parametrize("major", OTHERS)
def test_other_waste_gets_the_rule_of_its_major_class(major):
    found = load_shipped_rules().find(major, major)
    assert found is not None
    assert (found.major, found.middle) == (major, None)


def test_recyclable_of_an_unknown_middle_class_gets_the_general_rule():
    found = load_shipped_rules().find(RECYCLABLE, "새로운 것")
    assert found is not None
    assert (found.major, found.middle) == (RECYCLABLE, None)


def test_unknown_waste_has_no_rule():
    assert load_shipped_rules().find(UNKNOWN, UNKNOWN) is None


def test_class_without_a_file_has_no_rule(tmp_path):
    rules = load_rules(folder_of(tmp_path, glass=glass()))
    assert rules.find(OTHERS[0], OTHERS[0]) is None


@every_rule
def test_rule_has_two_to_six_steps(rule):
    assert 2 <= len(rule.steps.ko) <= 6


@every_rule
def test_rule_names_as_many_things_in_both_languages(rule):
    assert len(rule.items.ko) == len(rule.items.en)


@every_rule
def test_what_is_first_to_do_belongs_to_a_tag_that_blocks(rule):
    assert all(TAGS[each.tag].blocks for each in rule.only_if)


@every_rule
def test_rule_names_a_tag_once(rule):
    tags = [each.tag for each in rule.only_if]
    assert len(tags) == len(set(tags))


def test_each_tag_that_blocks_is_answered_by_some_rule():
    answered = {each.tag for rule in load_shipped_rules().all for each in rule.only_if}
    assert answered == {name for name, tag in TAGS.items() if tag.blocks}


@every_rule
def test_stored_rule_is_read_as_it_was(rule):
    assert Rule.model_validate(rule.model_dump(mode="json")) == rule


@every_rule
def test_rule_says_each_step_in_its_text(rule):
    assert all(step in rule.format_for_model("Korean") for step in rule.steps.ko)


@every_rule
def test_english_text_has_no_korean_but_tags_and_words_to_write(rule):
    text = rule.format_for_model("English")
    for word in (*(each.tag for each in rule.only_if), "폐의약품"):
        text = text.replace(word, "")
    assert not any("가" <= letter <= "힣" for letter in text)


def test_missing_folder_is_refused(tmp_path):
    assert "FileNotFoundError" in refusal(tmp_path / "none")


def test_file_in_place_of_a_folder_is_refused(tmp_path):
    folder_of(tmp_path, glass=glass())
    assert "NotADirectoryError" in refusal(tmp_path / "glass.json")


def test_folder_without_rules_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("no rule")
    assert "got none" in refusal(tmp_path)


def test_file_that_cannot_be_read_is_refused_by_name(tmp_path):
    (tmp_path / "glass.json").mkdir()
    assert "'glass.json' (IsADirectoryError)" in refusal(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"major": 1' + "0" * 5000 + "}"])
def test_text_that_is_no_json_is_refused_by_file(tmp_path, text):
    assert "expected JSON in UTF-8, got 'glass.json'" in refusal(folder_of(tmp_path, glass=text))


def test_other_encoding_is_refused_by_file(tmp_path):
    (tmp_path / "glass.json").write_bytes('{"major": "유리"}'.encode("cp949"))
    assert "'glass.json' (UnicodeDecodeError)" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"major": "유리"}, "expected a major that is a class of waste"),
        ({"major": UNKNOWN}, "expected a major that is a class of waste"),
        ({"middle": "유리"}, "expected a middle that is null or a class of recyclables"),
        ({"major": OTHERS[0]}, "expected a middle that is null or a class of recyclables"),
        ({"steps": {"ko": ["비웁니다."]}}, "expected a value of 'steps.en'"),
        ({"steps": {"ko": "비웁니다.", "en": []}}, "expected a list as the value of 'steps.ko'"),
        (
            {"steps": {"ko": ["비웁니다."], "en": []}},
            "at least 1 entries as the value of 'steps.en'",
        ),
        ({"steps": {"ko": ["1", "2"], "en": ["1"]}}, "expected as many steps in ko as in en"),
        ({"name": {"ko": "", "en": "x"}}, "at least 1 character as the value of 'name.ko'"),
        ({"name": {"ko": "\ud800", "en": "x"}}, "expected plain text as the value of 'name.ko'"),
        ({"only_if": [{"tag": "없음", "ko": "1", "en": "1"}]}, "the value of 'only_if.0.tag'"),
        ({"\n더": 1}, "expected only the fields of a rule, got one more"),
        ({"source": {"title": "1", "url": "1", "read": "today"}}, "the value of 'source.read'"),
    ],
)
def test_rule_that_breaks_the_schema_is_refused_by_file_and_field(tmp_path, changes, said):
    message = refusal(folder_of(tmp_path, mine=glass(**changes)))
    assert said in message
    assert "in 'mine.json'" in message


@pytest.mark.parametrize("text", ["[]", "1", "null", '"유리"'])
def test_json_that_is_no_object_is_refused(tmp_path, text):
    assert "expected a JSON object" in refusal(folder_of(tmp_path, mine=text))


def test_second_file_for_a_class_is_refused_by_both_names(tmp_path):
    message = refusal(folder_of(tmp_path, a=glass(), b=glass()))
    assert "'a.json' and 'b.json' for 유리병" in message


def test_hidden_file_is_no_rule(tmp_path):
    (tmp_path / ".#glass.json").write_text("{")
    assert len(load_rules(folder_of(tmp_path, glass=glass())).all) == 1
