"""What the settings say of one stage of a pipeline."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StageSettings:
    """A stage as its runs, the ledger and the sensors see it.

    `maker` is the provider that makes it; `kind` is what the provider makes; both are "" for a stage that this
    machine makes itself. `slots` is how many of it all workers together may make at once, None without a limit.
    `retry_seconds` is the wait before its first retry. `deadline` is how many seconds an attempt waits for it.
    """

    name: str
    maker: str = ""
    kind: str = ""
    retry_seconds: float = 30.0
    slots: int | None = None
    deadline: float = 3600.0
