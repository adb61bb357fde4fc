"""What may burn, burst, poison or cut: known by its names, before all that stands beside it, never rewarded."""

import csv
import re
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline_defs.scan import stages
from pipeline_defs.scan.disposal_rules import TAGS, Rule, load_shipped_rules
from pipeline_defs.scan.order import Language, Order
from pipeline_defs.scan.products import Answer, Classification, FoundRule
from resources.providers.studio import makers as scanning
from studio import waste
from studio.content import WORDS
from studio.waste import (
    MIDDLES,
    RECYCLABLE,
    UNKNOWN,
    find_dangers,
    find_tags,
    list_dangers,
    list_words,
)
from studio.word_table import WordTable
from tests.call_count import count_calls
from tests.tables import read_beside, rows_beside

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


DANGEROUS = rows("dangerous_names.csv")
ORDINARY = rows("ordinary_names.csv")
UNSAFE = (HERE / "unsafe_names.txt").read_text("utf-8").splitlines()
"""Names of what may hurt that need not be known, as long as no advice for an ordinary thing is given."""
LANGUAGES: tuple[Language, ...] = ("Korean", "English")
a_danger = st.sampled_from(DANGEROUS).map(lambda row: row["name"])
a_word = st.sampled_from([each.word for each in list_words()])
BEFORE = read_beside(__file__)["BEFORE"]
AFTER = read_beside(__file__)["AFTER"]


def harmless() -> set[str]:
    """Return the words of the table that are no danger though they hold one's name, as "laptop box" does."""
    with (Path(waste.__file__).parent / "data" / "words" / "danger_words.csv").open(
        encoding="utf-8"
    ) as file:
        table = [row["words"] for row in csv.DictReader(file) if row["name"] == "-"]
    return {word.rstrip("*") for each in table for word in each.split("|")}


class Said(NamedTuple):
    thing: Classification
    found: FoundRule
    answer: Answer
    why_not: str


def asked(note: str, seen: Classification | None = None, language: Language = "Korean") -> Said:
    """What the stages of a scan make of the note, and of what a maker has seen; by default words alone."""
    order = Order(
        note=note, language=language, images=[] if note else ["https://example.com/a.jpg"]
    )
    products: dict[str, Any] = {}
    looked = scanning.make_classifier(lambda reference: Path())
    order_of_vision = {"note": note, "image": None, "language": language}
    products["vision"] = seen or Classification.model_validate(looked(order_of_vision))
    work: Any = None
    products["rule"] = FoundRule.model_validate(stages.find_rule(order, products, work).result)
    said = stages.find_fixed_answer(order, products)
    if said is None:
        said = scanning.write_advice(stages.build_answer_input(order, "t", products))
    products["answer"] = Answer.model_validate(said)
    thing = stages.get_thing(products)
    why_not = stages.explain_no_reward(thing, products["rule"], products["answer"])
    return Said(thing, products["rule"], products["answer"], why_not)


def warning_of(said: Said, language: Language = "Korean") -> str:
    warning = Rule.model_validate(said.found.rule).warning
    assert warning is not None
    return warning.select(language)


def seen_as(middle: str, minor: str | None = None, *tags: str) -> Classification:
    return Classification(
        major_category=RECYCLABLE if middle in MIDDLES else middle,
        middle_category=middle,
        minor_category=minor,
        situation_tags=list(tags),
        model="gpt",
        confidence=0.99,
    )


def test_dangerous_thing_is_known_by_its_name():
    unknown = [row for row in DANGEROUS if asked(row["name"]).found.danger != row["danger"]]
    assert unknown == []


def test_name_of_what_may_be_unsafe_gets_no_advice_for_an_ordinary_thing():
    def is_ordinary(said: Said) -> bool:
        return said.found.danger is None and said.thing.major_category != UNKNOWN

    said = {name: asked(name) for name in UNSAFE}
    assert [name for name in UNSAFE if is_ordinary(said[name]) or not said[name].why_not] == []


def test_ordinary_thing_keeps_its_class_and_reward():
    def told(said: Said) -> tuple[str | None, str | None, str]:
        return said.found.danger, said.thing.middle_category, "no" if said.why_not else "yes"

    expected = {row["name"]: (None, row["class"], row["is_rewarded"]) for row in ORDINARY}
    assert {name: told(asked(name)) for name in expected} == expected


def test_no_word_is_both_dangerous_and_harmless():
    with (Path(waste.__file__).parent / "data" / "words" / "danger_words.csv").open(
        encoding="utf-8"
    ) as file:
        table = [
            (row["name"], word) for row in csv.DictReader(file) for word in row["words"].split("|")
        ]
    harmless = {word for name, word in table if name == "-"}
    named = [(name, word) for name, word in table if name[0] not in "-{"]
    assert [each for each in named if each[1] in harmless] == []


def test_tables_of_names_are_long_enough():
    assert len(DANGEROUS) >= 150
    assert len(ORDINARY) >= 100


@given(a_danger, st.sampled_from(BEFORE), st.sampled_from(AFTER))
def test_danger_counts_after_any_state_and_before_any_container(name, before, after):
    assume(f"{name} {after}" not in harmless())
    assert asked(f"{before} {name} {after}").found.danger is not None


@pytest.mark.parametrize(
    "note",
    ["향수병에 든 것", "다 쓴 향수 병 안에 남은 것", "향수 공병에 담긴 것", "향수병의 내용물"],
)
def test_contents_of_a_harmless_container_are_the_danger_that_it_is_named_after(note):
    assert find_dangers(note)


@pytest.mark.parametrize("note", ["향수병", "빈 향수병", "향수 공병은 어디에 버려요", "약국 봉투"])
def test_harmless_container_is_no_danger(note):
    assert not find_dangers(note)


@given(a_danger, a_word, a_word)
def test_danger_counts_among_other_things(name, first, last):
    assert find_dangers(f"{first}, {name}, {last}")


@given(a_danger, st.sampled_from([str.upper, str.title, lambda name: name.replace(" ", "-")]))
def test_danger_counts_however_it_is_written(name, written):
    assert find_dangers(written(name))


@given(a_danger, st.sampled_from(MIDDLES), st.sampled_from([*TAGS]), st.sampled_from(LANGUAGES))
def test_danger_is_warned_of_and_never_rewarded_whatever_a_model_has_seen(
    name, middle, tag, language
):
    said = asked(name, seen_as(middle, "샴푸통", tag), language)
    assert warning_of(said, language) in said.answer.user_answer
    assert said.why_not
    assert said.thing.confidence is None


@pytest.mark.parametrize(
    ("seen", "danger"),
    [
        (seen_as("금속류", "부탄가스"), "gas_canister"),
        (seen_as("플라스틱류", "락스통"), "corrosive"),
        (seen_as("유리병", "소주병", "깨짐"), "broken_glass"),
        (seen_as("조명제품", "형광등", "깨짐"), "broken_lamp"),
        (seen_as("전기전자제품", "휴대전화", "배터리_부풂"), "swollen_battery"),
        (seen_as("전지"), "battery"),
        (seen_as("조명제품"), "lamp"),
        (seen_as("생활계유해폐기물"), "chemical"),
        (seen_as("생활계유해폐기물", "주사기"), "needle"),
        (seen_as("금속류", "캔", "가스_남음"), "spray_can"),
        (seen_as("플라스틱류", "통", "약품_남음"), "chemical"),
        (seen_as("일반종량제폐기물", "장난감", "배터리_들어있음"), "battery_device"),
    ],
)
def test_what_a_model_calls_the_thing_is_read_for_dangers(seen, danger):
    assert asked("", seen).found.danger == danger


@pytest.mark.parametrize("minor", ["LED 전구", "엘이디 전구"])
def test_lamp_without_mercury_keeps_its_class(minor):
    assert asked("", seen_as("조명제품", minor)).found.danger is None


def test_word_alone_has_no_confidence():
    assert asked("소주병").thing.confidence is None


@rows_beside
def test_danger_that_is_not_there_is_none(note):
    assert find_dangers(note) == ()


@rows_beside
def test_a_danger_is_found(note, danger):
    assert asked(note).found.danger == danger


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_any_text_names_known_dangers_or_none(note):
    assert {each.name for each in find_dangers(note)} <= {*list_dangers()}


@pytest.mark.parametrize(
    "piece", ["가나다라", "깨", "배터리", "x", "battery", "qwertyuiop ", "a ", "깨진 "]
)
def test_longest_note_takes_no_more_work_than_its_length_explains(piece):
    find_dangers("무엇 something")
    half, whole = (
        count_calls(partial(find_dangers, (piece * 300)[:length])) for length in (150, 300)
    )
    assert whole < 4 * half


def test_each_danger_has_a_rule_of_its_own():
    assert {*load_shipped_rules().dangers} == {*list_dangers()}


every_danger = pytest.mark.parametrize(
    "rule", load_shipped_rules().dangers.values(), ids=lambda rule: rule.danger
)
ORDERS = re.compile(
    r"헹[구굽]|씻|붓|부어|하수구|변기|뚫|구멍|종량제|재활용품"
    r"|\b(?:rinse|wash|pour|drain|toilet|pierce|hole|paid bag|recyclables)\b",
    re.IGNORECASE,
)
LETS_OUT = re.compile(
    r"노즐|눌러|누르|빼내|(?:완전히|끝까지) (?:비|씁)|분사|쏘"
    r"|\b(?:nozzle|press|let out|let gas|use it up|empty it|quite empty|discharge|vent)\b",
    re.IGNORECASE,
)
FORBIDS = re.compile(r"않|말[고며]|마세요|뚫리지|\b(?:not|never|cannot)\b", re.IGNORECASE)
HARMLESS = re.compile(r"손을 씻|wash your hands", re.IGNORECASE)


@every_danger
def test_no_danger_is_told_to_be_rinsed_drained_pierced_or_put_into_a_bin(rule):
    texts = [text for language in LANGUAGES for text in rule.steps.select(language)]
    texts += [each.select(language) for each in rule.only_if for language in LANGUAGES]
    sentences = [each for text in texts for each in re.split(r"(?<=[.;:])\s", text)]
    ordered = [each for each in sentences if ORDERS.search(HARMLESS.sub("", each))]
    assert [each for each in ordered if not FORBIDS.search(each)] == []


@every_danger
def test_no_danger_is_told_to_be_let_out_or_emptied(rule):
    assert rule.warning is not None
    texts = [rule.warning.select(language) for language in LANGUAGES]
    texts += [text for language in LANGUAGES for text in rule.steps.select(language)]
    sentences = [each for text in texts for each in re.split(r"(?<=[.;:])\s", text)]
    ordered = [each for each in sentences if LETS_OUT.search(each)]
    assert [each for each in ordered if not FORBIDS.search(each)] == []


@every_danger
@pytest.mark.parametrize("language", LANGUAGES)
def test_reply_to_a_danger_has_at_most_three_sentences(rule, language):
    assert rule.warning is not None
    assert rule.warning.select(language).count(".") <= 3


@every_danger
def test_rule_of_a_danger_has_three_to_six_steps(rule):
    assert 3 <= len(rule.steps.ko) <= 6


def test_situations_that_words_tell_are_those_of_the_rules():
    assert {*WordTable(WORDS / "waste_tags.csv").names} <= {*TAGS}


@rows_beside
def test_situation_is_read_from_words(note, tags):
    assert list(find_tags(note)) == tags


@pytest.mark.parametrize(
    "note", ["기름 묻은 종이상자", "greasy cardboard box", "젖은 신문지", "찢어진 청바지"]
)
def test_situation_that_has_to_be_ended_first_is_said_and_earns_nothing(note):
    said = asked(note)
    assert said.answer.insufficiencies
    assert said.why_not == "insufficient"


@pytest.mark.parametrize(
    ("note", "place"),
    [
        ("한 짝뿐인 운동화", "종량제봉투"),
        ("바퀴 달린 신발", "종량제봉투"),
        ("초록색 생수병", "플라스틱류"),
        ("유백색 화장품 유리병", "지자체에 확인"),
    ],
)
def test_what_a_rule_sends_elsewhere_is_said_first_and_earns_nothing(note, place):
    said = asked(note)
    assert place in said.answer.insufficiencies[0]
    assert said.answer.insufficiencies[0] in said.answer.user_answer
    assert said.why_not == "insufficient"


@pytest.mark.parametrize("note", ["컵", "cup", "병", "bottle", "xyzzy"])
def test_unknown_thing_is_told_where_to_ask(note):
    for language in LANGUAGES:
        said = asked(note, language=language)
        assert ("구청" if language == "Korean" else "district office") in said.answer.user_answer
        assert said.why_not
