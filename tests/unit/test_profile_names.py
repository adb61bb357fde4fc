"""A profile has a name that every client can write into an address, and no other."""

import pytest

from castad.orders.order_fields import check_profile_name
from resources.contract.errors import InvalidInputError


@pytest.mark.parametrize(
    "given", ["", " ", ".", "..", " .. ", "a/../b", "/", "a\0", "\ud800", "x" * 81]
)
def test_name_that_no_address_can_have_is_refused(given):
    with pytest.raises(InvalidInputError, match=r"^name: expected"):
        check_profile_name(given)


@pytest.mark.parametrize(
    ("given", "name"),
    [(" 봄날 ", "봄날"), ("a\tb", "a b"), ("..a", "..a"), ("<b>'\"&%", "<b>'\"&%")],
)
def test_name_is_kept_in_one_line(given, name):
    assert check_profile_name(given) == name
