"""Wrong keys lock out the address that they come from, and nothing else."""

import pytest
from sqlalchemy.exc import OperationalError

from castad.api.problems import ApiError
from castad.api.state import TRIES_PER_ADDRESS, LoginTries
from resources.ledger.ledger_errors import UnknownLoginLinkError

WRONG = UnknownLoginLinkError()
NO_DATABASE = OperationalError("SELECT", {}, Exception("gone"))


def fail(tries: LoginTries, address: str, error: Exception = WRONG) -> None:
    with pytest.raises(type(error)), tries.count_failures(address):
        raise error


def assert_allowed(tries: LoginTries, address: str) -> None:
    with tries.count_failures(address):
        pass


def assert_locked_out(tries: LoginTries, address: str) -> None:
    with pytest.raises(ApiError, match="too many tries"), tries.count_failures(address):
        pass


def test_wrong_keys_lock_out_their_address_alone():
    tries = LoginTries()
    for number in range(100):
        for _ in range(TRIES_PER_ADDRESS):
            fail(tries, f"198.51.100.{number}")
        assert_locked_out(tries, f"198.51.100.{number}")
    for address in ("203.0.113.1", "2001:db8::1", "::1"):
        assert_allowed(tries, address)


def test_networks_of_one_who_has_many_lock_out_none_but_themselves():
    tries = LoginTries()
    for number in range(500):
        fail(tries, f"2001:db8:0:{number:x}::1")
    assert_allowed(tries, "2001:db8:1::1")


def test_try_that_the_ledger_did_not_answer_is_not_wrong():
    tries = LoginTries()
    for _ in range(3 * TRIES_PER_ADDRESS):
        fail(tries, "203.0.113.1", NO_DATABASE)
    assert_allowed(tries, "203.0.113.1")
