import pytest

from studio.lyricist.facts import get_mood
from studio.lyricist.stock import FOLDERS, get_stock
from studio.trades import find_trade, get_trades
from tests.tables import rows_beside

FEWEST_HOOKS = 20


@rows_beside
def test_a_name_tells_the_trade(name, trade):
    assert find_trade(name, "") == trade


@rows_beside
def test_a_name_and_a_detail_do_not_mislead(name, detail, trade):
    assert find_trade(name, detail) == trade


def test_the_name_says_more_than_the_detail():
    assert find_trade("스테이 머뭄", "초원사진관, 경암동 철길마을") == "stay"


def test_the_detail_tells_the_trade_where_the_name_does_not():
    assert find_trade("머뭄", "직접 내린 커피, 조용한 다락방") == "cafe"


@pytest.mark.parametrize("detail", ["초원사진관 맞은편", "next to the flower shop"])
def test_a_neighbour_does_not_tell_the_trade(detail):
    assert find_trade("머뭄", detail) is None


@pytest.mark.parametrize("language", FOLDERS)
def test_every_trade_has_twenty_hooks_with_those_of_its_group(language):
    stock = get_stock(language, calm=False)
    for trade in get_trades().values():
        hooks = {hook for lines in stock.read_own_lines(trade) for hook in lines["hooks"]}
        assert len(hooks) >= FEWEST_HOOKS, trade.name


def test_a_trade_gives_the_mood_that_suits_it():
    assert (get_mood("books"), get_mood("gym"), get_mood(None)) == ("tender", "lively", None)
