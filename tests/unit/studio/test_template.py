import random
import re
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.content import find_files
from studio.lyricist.stock import FOLDERS, RULES, read_lyrics
from studio.lyricist.template import PLACE, count_ways, draw, fill, join_lines, split_couplet

words = st.sampled_from(
    ["봄", "좋아(요)", "여기(예요|야)", "{name|은/는}", "a cup", "", "<정말> 좋아(요)"]
)
brackets = st.lists(words, min_size=1, max_size=4)
pieces = st.lists(words | brackets, max_size=5)
seeds = st.integers(0, 1000)


def written(line: list[str | list[str]]) -> str:
    return "".join(f"[{'|'.join(piece)}]" if isinstance(piece, list) else piece for piece in line)


def draws(line: list[str | list[str]]) -> set[str]:
    return {
        "".join(choice) for choice in product(*([p] if isinstance(p, str) else p for p in line))
    }


@given(pieces, seeds)
def test_a_draw_takes_one_choice_of_each_bracket(line, seed):
    assert draw(written(line), random.Random(seed).choice) in draws(line)


@given(pieces, seeds)
def test_a_draw_is_the_same_for_the_same_chance(line, seed):
    template = written(line)
    assert draw(template, random.Random(seed).choice) == draw(template, random.Random(seed).choice)


@given(pieces)
def test_a_line_has_as_many_ways_as_choices_allow(line):
    [ways] = count_ways(written(line))
    assert ways >= len(draws(line))


def test_every_choice_is_drawn_by_some_song():
    texts = {
        draw("[봄|여름|가을]의 [여기(예요|야)|집]", random.Random(seed).choice)
        for seed in range(60)
    }
    assert len(texts) == 6


@pytest.mark.parametrize(
    ("couplet", "ways"),
    [
        ("하나", (1,)),
        ("[가|나|다] 하나 / 둘", (3, 1)),
        ("[가|나|다] [라(예요|야)|마] / [바|사]", (6, 2)),
        ("[가|가|나] / 둘", (2, 1)),
        ("a [plain / Spain|way / day] b", (2, 2)),
        ("[in|by] the [plain / Spain|way / day] b", (4, 2)),
    ],
)
def test_the_ways_of_each_line_are_counted_apart(couplet, ways):
    assert count_ways(couplet) == ways


@given(st.text(max_size=30), seeds)
def test_an_orders_own_words_are_never_drawn_from(name, seed):
    template = draw("{name} [a|b]", random.Random(seed).choice)
    [line] = fill(template, {"name": f"x[{name}|y]"}, polite=True)
    assert "|y]" in line


def test_a_choice_may_hold_the_end_of_one_line_and_the_next():
    couplet = draw("Down the [lane / rain|street / feet] again", random.Random(1).choice)
    assert split_couplet(couplet) in {
        ("Down the lane", "rain again"),
        ("Down the street", "feet again"),
    }


@pytest.mark.parametrize(
    ("second", "sung"),
    [
        ("Friday prayers and tea", "Come in, Friday prayers and tea"),
        ("Friday's soup", "Come in, Friday's soup"),
        ("Python and Scratch", "Come in, Python and Scratch"),
        ("Soup and tea", "Come in, soup and tea"),
    ],
)
def test_a_name_keeps_its_capital_in_the_second_half_of_a_line(second, sung):
    assert join_lines("Come in", second) == sung


def repeated(text: str) -> list[str]:
    """The words that stand twice in a row."""
    return [one for one, other in pairwise(re.findall(r"\w+", text.casefold())) if one == other]


OWN_WORDS = {
    "Korean": (
        ("우리 가게", "우리 동네"),
        ("오늘", "여기"),
        ("전주 국수", "전주"),
        ("모두의 꿈", "정든 시장"),
    ),
    "English": (("our place", "our town"), ("The Corner", "the Old Town"), ("Come Here", "Come")),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("language", FOLDERS)
def test_a_line_never_says_a_word_of_the_order_twice_in_a_row(language, seed):
    chance = random.Random(seed)
    files = find_files(f"lyrics/{FOLDERS[language]}", ".txt").values()
    lines = [
        (drawn, values)
        for file in files
        for heading, templates in read_lyrics(file).lines.items()
        for template in (templates if heading in RULES else ())
        for drawn in split_couplet(draw(template.text, chance.choice))
        for name, region in OWN_WORDS[language]
        if (values := {"name": name, "region": region, "fact": name, "more": region})
        and PLACE.search(drawn)
    ]
    found = {
        line: drawn
        for drawn, values in lines
        for polite in (True, False)
        for line in fill(drawn, values, polite)
        if len(repeated(line)) > len(repeated(PLACE.sub(r"\1", drawn)))
    }
    assert lines
    assert found == {}
