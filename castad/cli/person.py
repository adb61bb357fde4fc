"""Who acts at the command line."""

import getpass


def acting_person() -> str:
    """The name of this machine's user, as events have it; `cli` where it has none."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):
        return "cli"
