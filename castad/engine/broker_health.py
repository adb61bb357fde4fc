"""Whether the broker answers, and whether it lets this castad in."""

from contextlib import suppress

from amqp.exceptions import AccessRefused, NotAllowed
from kombu.exceptions import OperationalError
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from castad.engine.app import make_app
from castad.engine.broker import broker_name
from resources.contract.errors import CastadError
from resources.process.settings import Settings

# A password, a user's rights, a virtual host, the number of a database: trying again does not mend them.
_REFUSALS = (AccessRefused, NotAllowed, AuthenticationError, NoPermissionError)
_NO_SUCH_DATABASE = "DB index"


class BrokerRefusesError(CastadError):
    """The broker answers, and does not let us in."""

    code = "broker_refuses"


class BrokerDownError(CastadError):
    """Nobody answers as the broker."""

    code = "broker_down"


def ping_broker(settings: Settings) -> None:
    """The broker has let us in. Raises BrokerRefusesError, BrokerDownError."""
    with make_app(settings).connection_for_write() as connection:
        try:
            # Redis is asked by a channel only.
            _ = connection.default_channel
        except (OperationalError, RedisError, *_REFUSALS) as error:
            # kombu wraps what a broker says, but for a refusal of RabbitMQ's.
            raise _broker_error(settings, error.__cause__ or error) from None


def raise_if_broker_refuses(settings: Settings) -> None:
    """The broker lets us in, or is down and may come back. Raises BrokerRefusesError."""
    with suppress(BrokerDownError):
        ping_broker(settings)


def _broker_error(settings: Settings, error: BaseException) -> CastadError:
    said = getattr(error, "reply_text", "") or error
    where = f"CASTAD_BROKER_URL: {broker_name(settings)}"
    if isinstance(error, _REFUSALS) or _NO_SUCH_DATABASE in str(error):
        return BrokerRefusesError(f"{where} does not let castad in: {said}")
    return BrokerDownError(f"{where} does not answer: {said}")
