"""How much two hundred songs of one trade differ; `python -m bench.variety` measures every trade."""

import pytest

from bench.variety import Variety, variety_of
from bench.variety_orders import HOUSES, orders_of
from studio.trades import find_trade, get_trades

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
    return variety_of(trade, language, ORDERS)


def test_no_line_is_in_more_than_four_of_two_hundred_songs(variety: Variety) -> None:
    assert variety.line_count <= 4, variety.worst_lines


def test_no_hook_is_in_more_than_six_of_two_hundred_songs(variety: Variety) -> None:
    assert variety.hook_count <= 6, variety.worst_hooks


@pytest.mark.parametrize("language", sorted(HOUSES))
def test_the_measured_orders_are_of_every_trade_and_tell_it(language: str) -> None:
    assert set(HOUSES[language]) == set(get_trades())
    for trade in get_trades():
        for _, facts in orders_of(trade, language, 40):
            assert find_trade(facts.customer_name, facts.detail_region_info) == trade
