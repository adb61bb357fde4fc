"""The base of providers on this machine: free, without a key, and with ids that follow from the tokens."""

import hashlib

from resources.contract.protocol import StageInput


def job_id(maker: str, token: str) -> str:
    """The id of a token's job, always the same, so that a lost job is found again."""
    return f"{maker}-{hashlib.sha256(token.encode()).hexdigest()[:16]}"


class FreeProvider:
    """No price, nothing to prepare, and nothing that another submission could be taken for."""

    unique_ids = True
    repeatable = True
    token_is_id = False
    rate = None

    def __init__(self, name: str) -> None:
        self.name = name

    def price(self, job_input: StageInput) -> int:
        """Zero: this machine is free."""
        return 0

    def prepare(self, job_input: StageInput) -> None:
        """Nothing has to be prepared."""

    def find(self, token: str) -> str | None:
        """The id that the token's job has or would get."""
        return job_id(self.name, token)

    def owns(self, external_id: str, token: str) -> bool | None:
        """Whether the id is derived from the token."""
        return external_id == job_id(self.name, token)

    def account_status(self) -> str:
        """A constant: this machine is always available."""
        return "on this machine, needs no key"
