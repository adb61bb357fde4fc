"""The intake's process: it makes one request of each message, and acknowledges it after the request's commit.

After a crash between the two the message is delivered again, with the same task_id, and gives the same request.
"""

import logging
from collections.abc import Sequence

import redis
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError

from castad.intake.messages import ORDER, Message, build_refusal, parse_order
from castad.intake.stream import ORDERS, REFUSED_EXPECTED, OrderStream
from castad.orders.submit import submit_order, validate_order
from castad.stack.output import print_status
from castad.stack.processes import StopFlag, StopRequested, catch_stop_signals
from pipeline_defs.catalog import get_catalog
from resources.contract.errors import CastadError, InvalidInputError, StateUnavailableError
from resources.ledger.db.database import Database, open_database
from resources.ledger.db.retry import is_transient_db_error
from resources.ledger.rules import INTERNAL_ERROR
from resources.process.configure_logging import LOG_FIELDS, configure_logging
from resources.process.settings import Settings

_log = logging.getLogger("castad.intake")

SOURCE = "redis"
BATCH = 100
_WAIT_SECONDS = 1.0
_NO_WAIT = 0.0
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 1.0
_EMPTY = "expected redis://user:password@host:port/0, the server with the stream castad:orders"


def run_intake(settings: Settings) -> int:
    """Take orders from the stream until a signal stops this process; return the exit code.

    Raises InvalidInputError if CASTAD_INTAKE_URL is not set.
    """
    if settings.intake_url is None:
        raise InvalidInputError("CASTAD_INTAKE_URL", _EMPTY, code="invalid_setting")
    configure_logging()
    get_catalog().resolve_stage_settings(settings)
    stream = OrderStream(settings.intake_url, claim_seconds=settings.lease_seconds)
    intake = Intake(stream, settings)
    print_status(f"the intake takes orders from the stream {ORDERS}; Ctrl-C ends it")
    with catch_stop_signals() as flag:
        try:
            intake.run(flag)
        except StopRequested:
            stream.leave()
    return 0


class Intake:
    """A loop that takes batches from the stream into the ledger; it waits during outages and logs each once."""

    def __init__(self, stream: OrderStream, settings: Settings) -> None:
        self._stream = stream
        self._settings = settings
        self._pause = 0.0
        self._is_open = False

    def run(self, flag: StopFlag) -> None:
        """Take batches until a stop request; raise StopRequested between two batches."""
        while True:
            flag.check()
            try:
                if not self._is_open:
                    # An outage may have cost the stream its group.
                    self._stream.open()
                    self._is_open = True
                self.take_batch()
            except Exception as error:
                if not _is_outage(error):
                    raise
                self._is_open = False
                if not self._pause:
                    name = type(error).__name__
                    _log.warning("intake waits: %s", name, extra={LOG_FIELDS: {"error": name}})
                self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
                flag.pause(self._pause)
            else:
                if self._pause:
                    _log.info("intake continues")
                self._pause = 0.0

    def take_batch(self) -> int:
        """Submit or refuse new messages and those that a dead consumer left; return how many there were."""
        messages = self._stream.claim(BATCH)
        messages += self._stream.read(BATCH, _NO_WAIT if messages else _WAIT_SECONDS)
        if messages:
            self._stream.take_out(self._submit_messages(messages))
        return len(messages)

    def _submit_messages(self, messages: Sequence[Message]) -> list[str]:
        """Submit the messages, and refuse invalid ones; return the ids of those that became requests."""
        db = open_database(self._settings.ledger_url)
        submitted = []
        for message in messages:
            refusal = self._try_submit(db, message)
            if refusal is None:
                submitted.append(message.id)
                continue
            fields = {"message": message.id, "code": refusal.code}
            _log.warning("order refused: %s", refusal.message, extra={LOG_FIELDS: fields})
            try:
                self._stream.refuse(message.id, build_refusal(message, refusal))
            except redis.ResponseError as error:
                # The message stays with the group, and the next ones are taken.
                fields = {"message": message.id, "error": str(error)}
                _log.error("refusal not answered: %s", REFUSED_EXPECTED, extra={LOG_FIELDS: fields})
        return submitted

    def _try_submit(self, db: Database, message: Message) -> CastadError | None:
        """Submit the message; return the error if it is refused, else None. Raises the errors of an outage."""
        try:
            order = validate_order(parse_order(message, ORDERS), self._settings, by_operator=False)
            submitted = submit_order(db, order, source=SOURCE, owner=self._settings.intake_owner)
        except Exception as error:
            if _is_outage(error):
                raise
            if isinstance(error, CastadError):
                return error
            # A message that causes an unexpected error must not stop the next ones.
            _log.error("order refused by a bug", exc_info=error)
            return CastadError(f"{ORDER}: castad failed at it", code=INTERNAL_ERROR)
        fields = {"message": message.id, "task_id": submitted.request.task_id}
        if submitted.updated:
            fields["updated"] = ", ".join(submitted.updated)
        _log.info("order taken in", extra={LOG_FIELDS: fields})
        return None


def _is_outage(error: Exception) -> bool:
    """Return whether the error is an outage of the stream or the database, and not the fault of a message."""
    if isinstance(error, DataError | IntegrityError):
        return False
    # A database in a wrong state fails for every order: refusing them all would empty the stream.
    is_passing = isinstance(error, redis.RedisError | StateUnavailableError | DatabaseError)
    return is_passing or is_transient_db_error(error)
