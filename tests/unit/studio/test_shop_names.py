from studio.trades import find_trade, get_trades
from tests.tables import read_beside, rows_beside

NAMES = read_beside(__file__)["NAMES"]


def test_the_usual_names_of_a_trade_tell_it():
    usual = {name: trade for trade in NAMES for name in NAMES[trade].split("|")}
    assert {name: find_trade(name, "") for name in usual} == usual


def test_every_trade_has_four_usual_names_in_both_languages():
    names = [NAMES[trade].split("|") for trade in get_trades()]
    assert all(
        sum(name.isascii() or "É" in name for name in own) >= 4
        and sum(not name.isascii() for name in own) >= 4
        for own in names
    )


@rows_beside
def test_a_word_of_several_trades_does_not_mislead(name, detail, trade):
    assert find_trade(name, detail) == trade
