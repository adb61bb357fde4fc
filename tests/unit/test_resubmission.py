from hypothesis import given
from hypothesis import strategies as st

from resources.ledger.rules import ordinal

ENGLISH = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 20: "20th"}
ENGLISH |= {21: "21st", 22: "22nd", 33: "33rd", 101: "101st", 111: "111th", 112: "112th"}


def test_ordinal_is_written_as_in_english():
    assert {number: ordinal(number) for number in ENGLISH} == ENGLISH


@given(st.integers(0, 10**6))
def test_ordinal_begins_with_its_number(number):
    assert ordinal(number)[:-2] == str(number)
