"""The baseline, which `baseline.py` makes: in an empty database, or of the ledger of an earlier castad."""

revision = "ledger_0035"
down_revision = None


def upgrade() -> None:
    """Change nothing: no ledger is older than its baseline."""
