"""docs/extend.md shows the pipeline and the vendor that the tests of this folder drop in."""

import re
from pathlib import Path

from resources.process.settings import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "extend.md").read_text()
SHOWN: dict[str, str] = dict(
    re.findall(r"^`([\w/]+\.py)`:\n\n```python\n(.*?)^```", PAGE, re.M | re.S)
)
HERE = Path(__file__).parent


def test_page_shows_every_dropped_file_as_it_is():
    files = [file for top in ("pipeline_defs", "resources") for file in (HERE / top).rglob("*.py")]
    assert {str(file.relative_to(HERE)): file.read_text() for file in files} == SHOWN


def test_page_names_only_files_that_are_there():
    named = set(re.findall(r"`((?:docs|pipeline_defs|resources|tests)/[\w/.]+\.(?:py|md))`", PAGE))
    missing = {name for name in named - set(SHOWN) if not (PROJECT_ROOT / name).is_file()}
    assert missing == set()


def test_readme_and_contributing_lead_to_the_page():
    for name in ("README.md", "CONTRIBUTING.md"):
        assert "(docs/extend.md)" in (PROJECT_ROOT / name).read_text()
