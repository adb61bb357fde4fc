"""A stage as a test executes it: with a maker, and nothing around it but what the test chooses."""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from resources.contract.protocol import Provider, StageInput
from resources.files.artifacts import ArtifactStore
from resources.files.pictures import PictureSource
from resources.ledger.workers.attempt import Attempt
from resources.purchase.attempt_ledger import AttemptLedger
from resources.purchase.stage_context import (
    LocalWork,
    Log,
    ProviderJob,
    ResultRules,
    StageContext,
    StageOutcome,
)
from resources.purchase.stage_protocol import execute_stage

CheckResult = Callable[[Mapping[str, Any]], object]


def any_result(result: Mapping[str, Any]) -> None:
    """Every result may be stored."""


@dataclass
class Rules(ResultRules):
    """Refuses what the check refuses; no result says anything of the unique key."""

    see: CheckResult = any_result

    def check(self, result: Mapping[str, Any]) -> None:
        self.see(result)


class NoPictures:
    """The orders of these tests have no pictures."""

    def open(self, picture: object) -> Path:
        raise AssertionError(picture)


def execute(
    attempt: Attempt,
    stage: str,
    maker: ProviderJob | LocalWork,
    store: ArtifactStore,
    *,
    pictures: object = None,
    check: CheckResult = any_result,
    log: Log | None = None,
    defer_interrupts: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> StageOutcome:
    """One execution of the stage."""
    return execute_stage(
        StageContext(
            AttemptLedger(attempt, attempt.stage(stage)),
            maker,
            attempt.settings,
            store,
            cast(PictureSource, pictures or NoPictures()),
            log or logging.getLogger("tests"),
            Rules(check),
            defer_interrupts=defer_interrupts,
        )
    )


def buy(
    attempt: Attempt,
    stage: str,
    provider: Provider,
    job_input: StageInput,
    store: ArtifactStore,
    **chosen: Any,
) -> StageOutcome:
    """One execution of a stage that the provider makes."""
    return execute(attempt, stage, ProviderJob(provider, job_input), store, **chosen)
