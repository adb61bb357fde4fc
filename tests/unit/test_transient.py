"""Which errors of the database pass by themselves."""

from typing import Any

import pytest
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import DBAPIError, DisconnectionError, InvalidRequestError, OperationalError

from resources.ledger.db.retry import is_transient_db_error


def test_pool_whose_fresh_connections_all_die_is_weather():
    engine = create_engine("sqlite://")

    def die(*_: Any) -> None:
        raise DisconnectionError

    event.listen(engine, "checkout", die)
    with pytest.raises(InvalidRequestError) as raised:
        engine.connect()
    assert is_transient_db_error(raised.value)


def test_request_that_makes_no_sense_is_no_weather():
    assert not is_transient_db_error(InvalidRequestError("A transaction is already begun"))


@pytest.mark.parametrize("code", ["53100", "53200", "53300", "57P01", "57P03", "25P03", "40P01"])
def test_full_disk_and_other_trouble_of_the_server_is_weather(postgres_url, code):
    trouble = text(f"DO $$ BEGIN RAISE SQLSTATE '{code}'; END $$")
    with create_engine(postgres_url).connect() as connection, pytest.raises(DBAPIError) as raised:
        connection.execute(trouble)
    assert is_transient_db_error(raised.value)


def test_statement_that_makes_no_sense_is_no_weather():
    with (
        create_engine("sqlite://").connect() as connection,
        pytest.raises(OperationalError) as raised,
    ):
        connection.execute(text("SELECT nothing FROM nowhere"))
    assert not is_transient_db_error(raised.value)
