"""The base of providers on this machine that answer at once: the product comes with the receipt."""

from collections.abc import Callable, Mapping
from pathlib import Path

from resources.contract.errors import InvalidInputError, PermanentError, SubmissionFailedError
from resources.contract.protocol import (
    BeforeSend,
    InProgress,
    Json,
    Product,
    Receipt,
    StageInput,
    Succeeded,
    no_send_check,
)
from resources.contract.studio_errors import as_castad_errors
from resources.providers.free_provider import FreeProvider, job_id

Answer = Callable[[StageInput], Mapping[str, Json]]
"""The result of a job, in the caller's thread."""


class AnsweringProvider(FreeProvider):
    """Nothing is in the background; the same input has the same answer."""

    usual_seconds = 0.5

    def __init__(self, name: str, answer: Answer) -> None:
        super().__init__(name)
        self._answer = answer

    def submit(
        self, job_input: StageInput, token: str, before_send: BeforeSend = no_send_check
    ) -> Receipt:
        """The answer comes with the receipt. Raises PermanentError `invalid_picture`, and what `answer` raises."""
        before_send()
        return Receipt(job_id(self.name, token), self._made(job_input), cost=0)

    def poll(self, job_input: StageInput, external_id: str) -> InProgress | Succeeded:
        """The answer, made again. Raises as `submit`."""
        return Succeeded(self._made(job_input))

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """The answer; it has no files."""
        return Product(answer)

    def cancel(self, external_id: str) -> None:
        """Nothing is left to stop."""

    def _made(self, job_input: StageInput) -> Mapping[str, Json]:
        try:
            with as_castad_errors():
                return self._answer(job_input)
        except InvalidInputError as error:
            raise PermanentError(error.message, code="invalid_picture") from None
        except MemoryError:
            raise SubmissionFailedError(
                f"{self.name}: not enough memory", code="out_of_memory"
            ) from None
