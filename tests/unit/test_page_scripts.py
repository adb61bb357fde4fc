"""The pages' own scripts stay few."""

from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_LINES = 1400


def test_own_scripts_of_all_screens_together_are_short():
    folders = [ROOT / "castad/web/static", *ROOT.glob("pipeline_defs/*/page/static")]
    scripts = chain.from_iterable(folder.rglob("*.js") for folder in folders)
    lines = {str(each.relative_to(ROOT)): len(each.read_text().splitlines()) for each in scripts}
    assert sum(lines.values()) < MOST_LINES, lines
