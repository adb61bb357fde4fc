"""How much two hundred songs of one trade differ; `python -m bench.variety` measures every trade."""

from collections import Counter

import pytest

from bench.variety import Variety, count_variety
from bench.variety_orders import HOUSES, make_orders
from studio.lyricist.lyric import Facts, write_lyric
from studio.trades import find_trade, get_trades
from studio.words import list_sung_lines

ORDERS = 200
SAMPLE = (("cafe", "Korean"), ("law", "Korean"), ("cafe", "English"))
EVERY = tuple(
    (trade, language) for language in sorted(HOUSES) for trade in sorted(HOUSES[language])
)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(pair, id="-".join(pair), marks=() if pair in SAMPLE else pytest.mark.slow)
        for pair in EVERY
    ],
)
def variety(request: pytest.FixtureRequest) -> Variety:
    trade, language = request.param
    return count_variety(trade, language, ORDERS)


def test_no_line_is_in_more_than_four_of_two_hundred_songs(variety):
    assert variety.line_count <= 4, variety.worst_lines


def test_no_hook_is_in_more_than_six_of_two_hundred_songs(variety):
    assert variety.hook_count <= 6, variety.worst_hooks


ONE_FACT = (
    ("한빛 설비", "하수구 막힘", "Korean", "rock", 15),
    ("봄날 베이커리", "매일 새벽에 굽습니다", "Korean", "ballad", 20),
    ("Luna Bakery", "We bake every morning", "English", "ballad", 20),
    ("마음 심리상담", "우울증 상담", "Korean", "rock", 15),
    ("하늘마루", "조용한 다락방", "Korean", "rock", 15),
    ("봄날 카페", "24시 영업", "Korean", "rock", 15),
    ("Luna Dental", "braces", "English", "pop", 20),
    ("Park Counseling", "grief counseling", "English", "rock", 15),
)


@pytest.mark.parametrize(
    ("name", "fact", "language", "genre", "seconds"),
    [
        pytest.param(*case, marks=() if case in ONE_FACT[:2] else pytest.mark.slow)
        for case in ONE_FACT
    ],
)
def test_songs_of_one_brief_with_one_fact_repeat_no_line_in_more_than_eight_of_two_hundred(
    name, fact, language, genre, seconds
):
    facts = Facts(name, "Jeju", fact, language, genre, seconds)
    lines: Counter[str] = Counter()
    for seed in range(ORDERS):
        lines.update(set(list_sung_lines(write_lyric(f"o{seed}", facts).text)))
    [(line, count)] = lines.most_common(1)
    assert count <= 8, line


@pytest.mark.parametrize("language", sorted(HOUSES))
def test_the_measured_orders_are_of_every_trade_and_tell_it(language):
    assert set(HOUSES[language]) == set(get_trades())
    for trade in get_trades():
        for _, facts in make_orders(trade, language, 40):
            assert find_trade(facts.customer_name, facts.detail_region_info) == trade
