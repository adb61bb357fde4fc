"""What is sung, shown and recognised stands in `studio/data`, where people can edit it, and not in code."""

import ast
import re
from pathlib import Path

import pytest

STUDIO = Path(__file__).parents[3] / "studio"
MOST = 20
LONG_KOREAN = 8
LONG_COUPLET = 40
SYLLABLE = re.compile("[가-힣]")


def find_content(source: str) -> list[str]:
    """Return the texts of a source that are phrases of Korean, or lines of a lyric."""
    texts = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [
        text
        for text in texts
        if len(SYLLABLE.findall(text)) > LONG_KOREAN or (" / " in text and len(text) > LONG_COUPLET)
    ]


@pytest.mark.parametrize("path", sorted(STUDIO.rglob("*.py")), ids=lambda path: path.stem)
def test_code_holds_no_content(path):
    found = find_content(path.read_text("utf-8"))
    assert len(found) <= MOST, found[:3]


def test_phrases_of_both_languages_are_content():
    korean = '"골목 끝 작은 불빛 하나"'
    english = 'f"{name}, the light is on / and the street is all our own"'
    assert find_content(f"x = ({korean}, {english}, '가나다라마바사아', 'a / b')") == [
        "골목 끝 작은 불빛 하나",
        ", the light is on / and the street is all our own",
    ]
