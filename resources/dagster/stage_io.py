"""The IO manager of stages: an op's output is read back from the ledger, on any machine."""

from typing import Any

from dagster import InputContext, IOManager, OutputContext, io_manager
from pydantic import BaseModel

from resources.contract.errors import PermanentError
from resources.ledger.queries.reads import stage_result
from resources.ledger.workers.attempt import Attempt


class StageIOManager(IOManager):
    """Loads results and stores none: the stage has stored its result before the op returns."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def handle_output(self, context: OutputContext, obj: Any) -> None:
        """The result is already in `stages`, committed together with the stage's end."""

    def load_input(self, context: InputContext) -> BaseModel:
        """The latest completed result of the upstream stage, as the op's input type.

        Raises PermanentError where that stage is not completed, as in a run of selected ops.
        """
        upstream = context.upstream_output
        stage = upstream.step_key if upstream is not None else context.name
        result = stage_result(self._attempt.db, self._attempt.task_id, stage)
        if result is None:
            raise PermanentError(
                f"{stage}: expected a completed stage; run it first", code="stage_missing"
            )
        model: type[BaseModel] = context.dagster_type.typing_type
        return model.model_validate(result)


@io_manager(required_resource_keys={"request"}, description="Loads results from the ledger")
def stage_io_manager(context: Any) -> StageIOManager:
    """The IO manager of a run, for the run's request."""
    return StageIOManager(context.resources.request)
