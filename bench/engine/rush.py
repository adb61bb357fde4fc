"""What many orders at once came to: the figures of `python -m bench.engine.thousand`, and their section."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from resources.process.settings import PROJECT_ROOT

KEPT = PROJECT_ROOT / "docs" / "thousand.json"
HEADING = "## A thousand orders at once"


_TOLD = """{rush.orders} orders by one INSERT, {rush.system}, with default settings except for the pace: the
fakes (`tests/fakes`) allow Suno {rush.calls_in_10_seconds} calls in 10 s, polls included, and Creatomate twice as
many, and refuse more. `python -m bench.engine.thousand` measures it again; {rush.measured},
{rush.machine}.

| | |
| --- | --- |
{table}"""


@dataclass(frozen=True)
class Rush:
    """One rush; times in seconds, shares in [0, 1].

    `filled` is what was used of Suno's window from the first to the last order of a song, all calls counted;
    `lyrics_idle` how long lyrics waited while none was made.
    """

    measured: str
    system: str
    machine: str
    orders: int
    completed: int
    retries: int
    failures: int
    refused: int
    calls_in_10_seconds: int
    filled: float
    calls: int
    lyrics_idle: float
    lyrics_seconds: float
    songs_ordered_seconds: float
    seconds: float
    attempts: float


def format_thousand_section(kept: Path = KEPT) -> str:
    """Format the page's section from the last rush that was kept."""
    if not kept.exists():
        return "Not measured yet: `python -m bench.engine.thousand`."
    rush = Rush(**json.loads(kept.read_text()))
    rows = [
        ("orders placed at once, completed", f"{rush.orders}, {rush.completed}"),
        ("retries, failures", f"{rush.retries}, {rush.failures}"),
        ("Suno's window, from the first to the last order of a song", f"{rush.filled:.1%} used"),
        ("calls to Suno, refused by it", f"{rush.calls}, {rush.refused}"),
        ("lyrics waited while none was made", f"{rush.lyrics_idle:.1f} s"),
        ("until the last lyric", f"{rush.lyrics_seconds:.0f} s"),
        ("from the first to the last order of a song", f"{rush.songs_ordered_seconds:.0f} s"),
        ("until the last video", f"{rush.seconds:.0f} s"),
        ("attempts an order took", f"{rush.attempts:.2f}"),
    ]
    table = "\n".join(f"| {title} | {told} |" for title, told in rows)
    return _TOLD.format(rush=rush, table=table)


def keep(rush: Rush, page: Path) -> None:
    """Store the rush and rewrite its section of the page; leave the rest of the page unchanged."""
    KEPT.write_text(json.dumps(asdict(rush), indent=1) + "\n")
    text = page.read_text()
    section = f"{HEADING}\n\n{format_thousand_section()}\n\n"
    if HEADING in text:
        before, _, rest = text.partition(HEADING)
        after = rest[rest.index("\n## ") + 1 :]
        page.write_text(f"{before}{section}{after}")
        return
    before, mark, after = text.partition("## What was measured")
    page.write_text(f"{before}{section}{mark}{after}")
