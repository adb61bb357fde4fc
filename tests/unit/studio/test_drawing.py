import random
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from studio.lyricist.telling import SONGS_PER_LINE, Drawing
from studio.lyricist.template import CHOICES

bracket = st.lists(st.sampled_from("가나다라"), min_size=1, max_size=4).map("|".join)
templates = st.builds("{}: [{}] / [{}]".format, st.integers(0, 999), bracket, bracket)


def number_of(template: str) -> str:
    return template.partition(":")[0]


piles = st.lists(templates, max_size=12, unique_by=number_of).map(
    lambda pile: (pile[::3], pile[1::3], pile[2::3])
)


@given(piles, st.integers(0, 99))
def test_every_couplet_is_drawn_once(piles, seed):
    couplets = Drawing(random.Random(seed)).order_couplets(*piles)
    assert sorted(map(number_of, couplets)) == sorted(map(number_of, chain(*piles)))


@given(piles, st.integers(0, 99))
def test_a_drawn_line_has_no_choice_left(piles, seed):
    drawing = Drawing(random.Random(seed))
    assert not [line for line in drawing.shuffle([*chain(*piles)]) if CHOICES.search(line)]
    assert not [line for line in drawing.order_hooks(*piles) if CHOICES.search(line)]


def lead(trade: list[str], common: list[str]) -> float:
    """In which share of songs a couplet of the trade comes first."""
    songs = 600
    firsts = [
        Drawing(random.Random(seed)).order_couplets(trade, common)[0].startswith("trade")
        for seed in range(songs)
    ]
    return sum(firsts) / songs


COMMON = [f"common {number} [a|b|c] / [d|e|f]" for number in range(60)]


def test_a_trade_leads_in_more_songs_the_more_ways_its_lines_have():
    plain = lead(["trade / line"], COMMON)
    varied = lead(
        [f"trade {number} [a|b|c][d|e|f] / [a|b|c][d|e|f]" for number in range(20)], COMMON
    )
    assert plain < 0.05
    assert varied > 0.4


def test_a_single_line_of_a_trade_is_in_few_songs():
    assert lead(["trade [a|b|c] / line"], COMMON) < 10 / SONGS_PER_LINE
