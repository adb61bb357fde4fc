"""Which errors of the database pass by themselves."""

from typing import Any

import pytest
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import DisconnectionError, InvalidRequestError, OperationalError

from resources.ledger.weather import is_weather


def test_pool_whose_fresh_connections_all_die_is_weather() -> None:
    engine = create_engine("sqlite://")

    def die(*_: Any) -> None:
        raise DisconnectionError

    event.listen(engine, "checkout", die)
    with pytest.raises(InvalidRequestError) as raised:
        engine.connect()
    assert is_weather(raised.value)


def test_request_that_makes_no_sense_is_no_weather() -> None:
    assert not is_weather(InvalidRequestError("A transaction is already begun"))


def test_statement_that_makes_no_sense_is_no_weather() -> None:
    with (
        create_engine("sqlite://").connect() as connection,
        pytest.raises(OperationalError) as raised,
    ):
        connection.execute(text("SELECT nothing FROM nowhere"))
    assert not is_weather(raised.value)
