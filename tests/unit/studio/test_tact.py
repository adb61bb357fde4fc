import re

import pytest

from studio.genres import read_genres
from studio.lyricist.facts import Fact, Kind, choose_kind, get_mood, get_register, is_calm
from studio.lyricist.lyric import Facts, write_lyric
from studio.lyricist.stock import FOLDERS, NO_LINES, get_stock
from studio.trades import Register, Trade, find_trade, get_trades
from studio.words import list_sung_lines
from tests.tables import rows_beside


def sung(facts: Facts, seeds: int = 12) -> list[list[str]]:
    return [list_sung_lines(write_lyric(str(seed), facts).text) for seed in range(seeds)]


@pytest.mark.parametrize(
    ("text", "trade", "calm", "kind"),
    [
        ("이혼", "law", True, Kind.GRAVE),
        ("채무 조정", "law", True, Kind.GRAVE),
        ("암 환자 식단", "clinic", True, Kind.GRAVE),
        ("divorce advice", "law", True, Kind.GRAVE),
        ("주일 예배", "faith", True, Kind.GRAVE),
        ("이혼", "cafe", False, None),
        ("안락사", "pet", False, None),
        ("유방암 회복 운동", "gym", False, None),
        ("euthanasia at home", "pet", False, None),
        ("stroke recovery", "gym", False, None),
        ("암 치료", "clinic", True, Kind.GRAVE),
        ("hair loss care", "hair", False, None),
        ("손으로 빚은 만두", "snack", False, Kind.GOODS),
        ("pain au chocolat", "bakery", False, Kind.GOODS),
        ("흑임자 라떼", "cafe", False, Kind.GOODS),
        ("넓은 주차장", "cafe", False, Kind.PLAIN),
        ("포장이사", "moving", False, Kind.PLAIN),
        ("칸막이석", "studycafe", False, Kind.PLAIN),
        ("quiet desks", "studycafe", False, Kind.PLAIN),
        ("입주청소", "cleaning", False, Kind.SERVICE),
        ("하수구 막힘", "plumbing", False, Kind.TROUBLE),
        ("누수 탐지", "plumbing", False, Kind.SERVICE),
        ("blocked drains", "plumbing", False, Kind.TROUBLE),
        ("leak repair", "plumbing", False, Kind.SERVICE),
        ("임플란트", "dental", True, Kind.SERVICE),
        ("볼륨펌", "hair", False, Kind.TREAT),
        ("이름 없는 곳", None, False, Kind.PLAIN),
        ("카드 안 됨", "cafe", False, None),
        ("카드 안됩니다", "law", True, None),
        ("반려견 동반 불가", "cafe", False, None),
        ("주차장 없음", "cafe", False, None),
        ("방부제 없음", "bakery", False, Kind.GOODS),
        ("현금만 받습니다", "snack", False, None),
        ("월요일 휴무", "cafe", False, None),
        ("연중무휴", "cafe", False, Kind.PLAIN),
        ("예약 필수", "hair", False, None),
        ("예약 가능", "hair", False, Kind.PLAIN),
        ("뇌졸중 환자를 위한", "clinic", True, None),
        ("no cards", "cafe", False, None),
        ("cash only", "cafe", False, None),
        ("closed on Mondays", "cafe", False, None),
        ("booking needed", "cafe", False, None),
        ("for stroke survivors", "yoga", False, None),
        ("for stroke survivors", "clinic", True, None),
        ("1987년", "cafe", False, None),
        ("no sugar added", "bakery", False, Kind.GOODS),
        ("nobody leaves hungry", "grill", False, Kind.GOODS),
    ],
)
def test_what_a_fact_is_decides_how_it_may_be_told(text, trade, calm, kind):
    assert choose_kind(Fact(text, sentence=False), trade, calm) is kind


FOOD = ("cafe", "bakery", "restaurant", "snack")
TRUSTED = re.compile(
    r"맡겨|물어봐|얘기해|상의해|불러 줘|책임질|call|ask us|leave it to us|trust us", re.I
)


@pytest.mark.parametrize(
    ("name", "detail", "language"),
    [
        ("봄날 카페", "흑임자 라떼", "Korean"),
        ("엄마손 분식", "떡볶이 순대 튀김", "Korean"),
        ("오늘 식당", "간장게장", "Korean"),
        ("Luna Cafe", "carrot cake", "English"),
    ],
)
def test_nobody_entrusts_a_dish(name, detail, language):
    dishes = re.split(r"[ ,]", detail)
    for lines in sung(Facts(name, "Ulsan", detail, language, "pop", 30), 30):
        told = [line for line in lines if any(dish in line for dish in dishes)]
        assert not [line for line in told if TRUSTED.search(line)]


RAW = re.compile(r"임플란트 교정|교정 야간|야간진료 무통")


@pytest.mark.parametrize("seconds", [10, 20, 30, 60])
@pytest.mark.parametrize("genre", sorted(read_genres()))
def test_a_raw_list_is_never_sung(seconds, genre):
    detail = "임플란트 교정 야간진료 무통마취"
    for lines in sung(Facts("튼튼치과", "수원", detail, "Korean", genre, seconds), 6):
        assert not [line for line in lines if RAW.search(line)]
        assert all(sum(fact in line for fact in detail.split()) <= 2 for line in lines)


PLAINLY = re.compile(
    r"들어요|듣습니다|함께|살핍|살펴|곁에|나눠|기다려요|도와요|지켜|간직|남겨 둬요"
    r"|listen|alone|care|respect|gent|quiet|patien|plainly|calm|someone|somebody|hurried|rushed"
    r"|speak of it|talk it through|be heard|take it slow"
)


@pytest.mark.parametrize(
    ("detail", "language", "told"),
    [
        ("이혼, 상속, 개인회생", "Korean", "이혼|상속|개인회생"),
        ("divorce advice, debt, custody", "English", "divorce|debt|custody"),
    ],
)
@pytest.mark.parametrize("genre", ["pop", "rock", "ballad"])
def test_grave_matters_are_told_plainly(detail, language, told, genre):
    name = "법률사무소 정도" if language == "Korean" else "Park Law"
    for lines in sung(Facts(name, "Ulsan", detail, language, genre, 30)):
        grave = [line for line in lines if re.search(told, line, re.I)]
        assert grave
        assert all(PLAINLY.search(line) for line in grave)


@pytest.mark.parametrize("name", ["봄날 카페", "리듬 댄스스튜디오", "둘둘치킨"])
def test_grave_matters_are_left_out_of_merry_songs(name):
    for lines in sung(Facts(name, "수원", "우울증 극복, 빚 청산", "Korean", "pop", 30)):
        assert not re.search("우울|빚", "\n".join(lines))


def test_every_trade_has_a_register_that_gives_its_mood():
    assert {get_register(trade) for trade in get_trades()} == set(Register)
    assert (get_mood("law"), get_mood("gym"), get_mood("books"), get_mood("market")) == (
        "tender",
        "lively",
        "tender",
        None,
    )


@rows_beside
def test_a_business_that_asks_for_calm_gets_it(name, detail, calm):
    assert is_calm(name, detail, find_trade(name, detail)) is calm


@pytest.mark.parametrize("language", FOLDERS)
def test_a_group_is_calm_where_all_of_its_trades_are(language):
    stock = get_stock(language, calm=True)
    members: dict[str, list[Trade]] = {}
    for trade in get_trades().values():
        members.setdefault(trade.group, []).append(trade)
    for group in filter(None, members):
        calm = all(trade.register is Register.CALM for trade in members[group])
        _, lines = stock.read_own_lines(members[group][0])
        assert (lines != NO_LINES) is calm, group


SHOUTS = re.compile(
    r"외쳐|소리쳐|달려|뛰어 봐|춤을 춰|춤춰|노래해|랄라|!|shout|dance like|dancing|louder|la la|clap|stomp",
    re.I,
)


@pytest.mark.parametrize("genre", sorted(read_genres()))
@pytest.mark.parametrize(
    ("name", "language"),
    [("바른 법률사무소", "Korean"), ("튼튼치과", "Korean"), ("Elm Dental", "English")],
)
def test_a_calm_song_never_shouts_whatever_its_music(name, language, genre):
    for lines in sung(Facts(name, "Ulsan", "", language, genre, 60), 6):
        assert not SHOUTS.search("\n".join(lines))
