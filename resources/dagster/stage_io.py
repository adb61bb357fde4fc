"""The IO manager over `stages`: what an op hands on is read back from the ledger, on any machine."""

from typing import Any

from dagster import InputContext, IOManager, OutputContext, io_manager
from pydantic import BaseModel

from resources.contract.errors import PermanentError
from resources.ledger.queries.reads import stage_result
from resources.ledger.workers.attempt import Attempt


class StageIOManager(IOManager):
    """Reads and never writes: the stage call has stored the result before the op returns."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def handle_output(self, context: OutputContext, obj: Any) -> None:
        """The result is in `stages` already, committed together with the stage's end."""

    def load_input(self, context: InputContext) -> BaseModel:
        """The newest completed result of the upstream stage, as the type the op asks for.

        Raises PermanentError where it is not done: a run of selected ops cannot begin in the middle.
        """
        upstream = context.upstream_output
        stage = upstream.step_key if upstream is not None else context.name
        result = stage_result(self._attempt.db, self._attempt.task_id, stage)
        if result is None:
            raise PermanentError(f"{stage}: not done yet, and needed first", code="stage_missing")
        model: type[BaseModel] = context.dagster_type.typing_type
        return model.model_validate(result)


@io_manager(required_resource_keys={"request"}, description="Results by way of the ledger")
def stage_io_manager(context: Any) -> StageIOManager:
    """One for each run, over the run's request."""
    return StageIOManager(context.resources.request)
