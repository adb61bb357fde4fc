"""The intake's process: each message becomes one request, and is acknowledged after the request's commit.

A crash between the two lets the message be delivered again; its task_id is the same, and so is the request.
"""

import logging
from collections.abc import Sequence

import redis
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError

from castad.intake.messages import ORDER, Message, order_in, refusal_of
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
    """Orders were taken from the stream until a signal stopped this process; returns the exit code.

    Raises InvalidInputError where CASTAD_INTAKE_URL is not set.
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
    """Takes batches from the stream into the ledger; an outage of either is waited out, and logged once."""

    def __init__(self, stream: OrderStream, settings: Settings) -> None:
        self._stream = stream
        self._settings = settings
        self._pause = 0.0
        self._is_open = False

    def run(self, flag: StopFlag) -> None:
        """Raises StopRequested, between two batches."""
        while True:
            flag.check()
            try:
                self._open()
                self.take_batch()
            except Exception as error:
                if not _is_outage(error):
                    raise
                self._is_open = False
                self._note_outage(error)
                flag.pause(self._pause)
            else:
                self._note_recovery()

    def _open(self) -> None:
        """The stream's group is there, also after an outage that has cost it."""
        if not self._is_open:
            self._stream.open()
            self._is_open = True

    def take_batch(self) -> int:
        """What has come, and what a dead consumer has left, is in the ledger or refused; returns how many."""
        messages = self._stream.claim(BATCH)
        messages += self._stream.read(BATCH, _NO_WAIT if messages else _WAIT_SECONDS)
        if messages:
            self._stream.take_out(self._submitted(messages))
        return len(messages)

    def _submitted(self, messages: Sequence[Message]) -> list[str]:
        """The messages that are requests now; the others have been refused."""
        db = open_database(self._settings.ledger_url)
        submitted = []
        for message in messages:
            refusal = self._refusal(db, message)
            if refusal is not None:
                fields = {"message": message.id, "code": refusal.code}
                _log.warning("order refused: %s", refusal.message, extra={LOG_FIELDS: fields})
                self._answer(message, refusal)
            else:
                submitted.append(message.id)
        return submitted

    def _answer(self, message: Message, refusal: CastadError) -> None:
        """Answer the message; where that cannot be, it stays with the group, and the next ones have their turn."""
        try:
            self._stream.refuse(message.id, refusal_of(message, refusal))
        except redis.ResponseError as error:
            fields = {"message": message.id, "error": str(error)}
            _log.error("refusal not answered: %s", REFUSED_EXPECTED, extra={LOG_FIELDS: fields})

    def _refusal(self, db: Database, message: Message) -> CastadError | None:
        """Why the message became no request; None where it is one. An outage is raised."""
        try:
            self._submit(db, message)
        except Exception as error:
            if _is_outage(error):
                raise
            if isinstance(error, CastadError):
                return error
            # Whatever is in one message, the next ones have their turn.
            _log.error("order refused by a bug", exc_info=error)
            return CastadError(f"{ORDER}: castad failed at it", code=INTERNAL_ERROR)
        return None

    def _submit(self, db: Database, message: Message) -> None:
        order = validate_order(order_in(message, ORDERS), self._settings, by_operator=False)
        submitted = submit_order(db, order, source=SOURCE, owner=self._settings.intake_owner)
        fields = {"message": message.id, "task_id": submitted.request.task_id}
        if submitted.updated:
            fields["updated"] = ", ".join(submitted.updated)
        _log.info("order taken in", extra={LOG_FIELDS: fields})

    def _note_outage(self, error: Exception) -> None:
        if not self._pause:
            told = type(error).__name__
            _log.warning("intake waits: %s", told, extra={LOG_FIELDS: {"error": told}})
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)

    def _note_recovery(self) -> None:
        if self._pause:
            _log.info("intake continues")
        self._pause = 0.0


def _is_outage(error: Exception) -> bool:
    """Whether the stream or the database did not answer: nothing is wrong with a message."""
    if isinstance(error, DataError | IntegrityError):
        return False
    # A database in a wrong state refuses every order alike: refusing them would empty the stream.
    is_passing = isinstance(error, redis.RedisError | StateUnavailableError | DatabaseError)
    return is_passing or is_transient_db_error(error)
