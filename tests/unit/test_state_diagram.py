"""ARCHITECTURE.md shows the transitions that the ledger allows, no more and no less."""

import re
import textwrap

from resources.ledger.rules import TRANSITIONS
from resources.ledger.schema.tables import Status
from resources.process.settings import PROJECT_ROOT

BETWEEN_MARKERS = re.compile(r"<!-- states:begin -->\n(.*?)\n<!-- states:end -->", re.DOTALL)
WIDTH = 120


def events_between(before: Status, after: Status) -> list[str]:
    """The events that may lead from one status to the other."""
    return sorted(
        name for name, transitions in TRANSITIONS.items() if (before, after) in transitions
    )


def listed_events(status: Status) -> str:
    """One item of a list: the events that leave this status as it is."""
    events = ", ".join(f"`{name}`" for name in events_between(status, status))
    return textwrap.fill(f"- `{status}`: {events}", WIDTH, subsequent_indent="  ")


def state_diagram() -> str:
    """The table of legal transitions as Markdown: a diagram of the changes, and a list of the other events."""
    changes = [
        f"    {before} --> {after}: {', '.join(events_between(before, after))}"
        for before in Status
        for after in Status
        if before is not after and events_between(before, after)
    ]
    stays = [listed_events(status) for status in Status if events_between(status, status)]
    diagram = ["```mermaid", "stateDiagram-v2", *changes, "```"]
    return "\n".join([*diagram, "", "Events that change no status:", "", *stays])


def test_architecture_shows_the_legal_transitions():
    text = (PROJECT_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = BETWEEN_MARKERS.search(text)
    assert shown is not None, "ARCHITECTURE.md lacks the markers states:begin and states:end"
    expected = state_diagram()
    assert shown[1] == expected, (
        "ARCHITECTURE.md shows other transitions than TRANSITIONS; paste this between its markers "
        f"states:begin and states:end:\n\n{expected}\n"
    )
