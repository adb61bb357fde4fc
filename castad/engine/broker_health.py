"""Whether the broker answers and accepts this castad's credentials."""

from contextlib import suppress

from amqp.exceptions import AccessRefused, NotAllowed
from kombu.exceptions import OperationalError
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from castad.engine.app import make_app
from castad.engine.broker import broker_name
from resources.contract.errors import CastadError
from resources.process.settings import Settings

# A wrong password, missing rights, virtual host or database number: not transient.
_REFUSALS = (AccessRefused, NotAllowed, AuthenticationError, NoPermissionError)
_NO_SUCH_DATABASE = "DB index"


class BrokerRefusesError(CastadError):
    """The broker answers and refuses the connection."""

    code = "broker_refuses"


class BrokerDownError(CastadError):
    """The broker does not answer."""

    code = "broker_down"


def ping_broker(settings: Settings) -> None:
    """Return once the broker has accepted a connection. Raises BrokerRefusesError, BrokerDownError."""
    with make_app(settings).connection_for_write() as connection:
        try:
            # For Redis, only opening a channel connects.
            _ = connection.default_channel
        except (OperationalError, RedisError, *_REFUSALS) as error:
            # kombu wraps all errors but RabbitMQ's refusals.
            raise _broker_error(settings, error.__cause__ or error) from None


def raise_if_broker_refuses(settings: Settings) -> None:
    """Return where the broker accepts a connection or is down for now. Raises BrokerRefusesError."""
    with suppress(BrokerDownError):
        ping_broker(settings)


def _broker_error(settings: Settings, error: BaseException) -> CastadError:
    reply = getattr(error, "reply_text", "") or error
    where = f"CASTAD_BROKER_URL: {broker_name(settings)}"
    if isinstance(error, _REFUSALS) or _NO_SUCH_DATABASE in str(error):
        return BrokerRefusesError(
            f"{where} refuses the connection ({reply}); check user, password, rights and database"
        )
    return BrokerDownError(f"{where} does not answer: {reply}")
