"""What signs the webhooks of an owner's orders, and what a person does where there is nothing."""

from resources.ledger.db.database import Database
from resources.ledger.queries.webhook_list import signing_secrets
from resources.process.settings import Settings

UNSIGNED = "webhook_secret_missing"
"""The code of a webhook, and of an order with a `callback_url`, that nothing can sign."""


def own_secrets(config: Settings) -> list[str]:
    """Return the environment's secret, which signs what no key submitted; nothing where it is not set."""
    own = config.webhook_secret
    return [] if own is None else [own.get_secret_value()]


def secrets_for(db: Database, owner: str | None, config: Settings) -> list[str]:
    """Return the secrets of the owner's valid keys; the environment's where the owner never had a key."""
    of_keys = signing_secrets(db, owner, config.webhook_rotation)
    return own_secrets(config) if of_keys is None else of_keys


def secret_remedy(owner: str | None) -> str:
    """Return what a person does so that the owner's webhooks are signed."""
    remedy = "set CASTAD_WEBHOOK_SECRET"
    if owner is None:
        return remedy
    own = f"run `castad key webhook-secret` for a key of {owner!r}"
    return f"{own}, or {remedy} if it never had one"
