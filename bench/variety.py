"""How much the songs of one trade differ: `python -m bench.variety [--trade cafe] [--orders 200] [--json]`.

For each trade it writes the lyrics of many orders and counts how often a line comes and how often a hook, names,
regions and facts left out. Lines that hold nothing but facts do not count.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console

from bench.variety_orders import HOUSES, make_orders
from studio.lyricist.facts import find_facts
from studio.lyricist.lyric import Facts, write_lyric
from studio.lyricist.template import HANGUL
from studio.words import read_stanzas

MOST_PER_LINE, MOST_PER_HOOK = 4, 6
PLACE = "○"
# What is left of a line that only names facts and joins them.
ONLY_FACTS = re.compile(
    rf"(?:{PLACE}|[과와은는이가을를도에]|이?랑|까지|그리고|and|even|also|too|[\s,.])*", re.I
)
SHOWN = 5


@dataclass(frozen=True)
class Variety:
    """How often the commonest line and hook of a trade come, and how many different ones there are."""

    trade: str
    language: str
    orders: int
    line_count: int
    hook_count: int
    lines: int
    hooks: int
    worst_lines: list[tuple[str, int]]
    worst_hooks: list[tuple[str, int]]

    @property
    def varied(self) -> bool:
        """Whether no line and no hook comes too often."""
        return self.line_count <= MOST_PER_LINE and self.hook_count <= MOST_PER_HOOK


def count_variety(trade: str, language: str, orders: int) -> Variety:
    """Count lines and hooks over this number of orders of a trade."""
    hooks: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for seed, facts in make_orders(trade, language, orders):
        hook, others = _write_lines(seed, facts)
        hooks[hook] += 1
        lines.update(others)
    return Variety(
        trade,
        language,
        orders,
        max(lines.values(), default=0),
        max(hooks.values(), default=0),
        len(lines),
        len(hooks),
        lines.most_common(SHOWN),
        hooks.most_common(SHOWN),
    )


def _write_lines(seed: str, facts: Facts) -> tuple[str, set[str]]:
    """Return the hook of an order's song and its other lines, without the words of the order."""
    stanzas = read_stanzas(write_lyric(seed, facts).text)
    own = _match_own_words(facts)
    hook = next(stanza.lines[0] for stanza in stanzas if stanza.kind == "chorus")
    lines = {_mask(line, own) for stanza in stanzas for line in stanza.lines if line != hook}
    return _mask(hook, own), {line for line in lines if not ONLY_FACTS.fullmatch(line)}


def _match_own_words(facts: Facts) -> re.Pattern[str]:
    """Return a pattern for name, region and facts; a long fact may be shortened to some of its words."""
    words = [fact.text.split() for fact in find_facts(facts.detail_region_info)]
    runs = {
        " ".join(fact[first:last])
        for fact in words
        for first in range(len(fact))
        for last in range(first + 1, len(fact) + 1)
        if (last == len(fact) or first == 0)
        and (last - first > 1 or len(fact) == 1 or HANGUL.search(fact[0]))
    }
    longest_first = sorted({facts.customer_name, facts.region, *runs}, key=len, reverse=True)
    return re.compile("|".join(rf"\b{re.escape(text)}(?![a-z])" for text in longest_first), re.I)


def _mask(line: str, own: re.Pattern[str]) -> str:
    return own.sub(PLACE, line)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each trade and language, the least varied last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trade", choices=sorted(HOUSES["Korean"]), help="only this trade")
    parser.add_argument("--language", choices=sorted(HOUSES), help="only this language")
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    chosen = parser.parse_args(arguments)
    console = Console()
    found = [
        count_variety(trade, language, chosen.orders)
        for language in ([chosen.language] if chosen.language else sorted(HOUSES))
        for trade in ([chosen.trade] if chosen.trade else sorted(HOUSES[language]))
    ]
    for variety in sorted(found, key=lambda one: (one.line_count, one.hook_count)):
        row = (
            json.dumps(asdict(variety), ensure_ascii=False) if chosen.json else _format_row(variety)
        )
        console.print(row, markup=False, highlight=False, soft_wrap=True)


def _format_row(variety: Variety) -> str:
    mark = (
        ""
        if variety.varied
        else "  too often: "
        + "; ".join(
            f"{count} x {text}"
            for text, count in [*variety.worst_lines[:2], *variety.worst_hooks[:1]]
        )
    )
    return (
        f"{variety.trade:12} {variety.language:8} line {variety.line_count:3} hook {variety.hook_count:3} "
        f"of {variety.lines:4} lines {variety.hooks:4} hooks{mark}"
    )


if __name__ == "__main__":
    main()
