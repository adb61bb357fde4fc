"""Whether the broker answers and accepts this castad's credentials."""

from contextlib import suppress

from amqp.exceptions import AccessRefused, NotAllowed
from kombu.exceptions import OperationalError

from castad.engine.app import make_app
from castad.engine.broker import broker_name
from resources.contract.errors import CastadError
from resources.process.settings import Settings

# A wrong password, missing rights or virtual host: not transient.
_AMQP_REFUSALS = (AccessRefused, NotAllowed)
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
        except (
            OperationalError,
            *connection.connection_errors,
            *connection.channel_errors,
        ) as error:
            # kombu wraps most errors of the broker's library, but not all.
            raise _broker_error(settings, error.__cause__ or error) from None


def raise_if_broker_refuses(settings: Settings) -> None:
    """Return where the broker accepts a connection or is down for now. Raises BrokerRefusesError."""
    with suppress(BrokerDownError):
        ping_broker(settings)


def _broker_error(settings: Settings, error: BaseException) -> CastadError:
    reply = getattr(error, "reply_text", "") or error
    where = f"CASTAD_BROKER_URL: {broker_name(settings)}"
    if _is_refusal(error):
        return BrokerRefusesError(
            f"{where} refuses the connection ({reply}); check user, password, rights and database"
        )
    return BrokerDownError(f"{where} does not answer: {reply}")


def _is_refusal(error: BaseException) -> bool:
    # Here, because the library takes 8 MB of every process that asks a broker which is not Redis.
    from redis.exceptions import AuthenticationError, NoPermissionError

    refusals = (*_AMQP_REFUSALS, AuthenticationError, NoPermissionError)
    return isinstance(error, refusals) or _NO_SUCH_DATABASE in str(error)
