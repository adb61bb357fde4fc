"""What a page says in the language that is not its own."""

import re
import tomllib
from functools import cache
from pathlib import Path

from playwright.sync_api import Page

from resources.process.settings import PROJECT_ROOT

_HANGUL = re.compile(r"[가-힣]+")
_FOLDERS = (PROJECT_ROOT / "castad/web/texts", PROJECT_ROOT / "pipeline_defs")
# An order's own words are in elements whose direction follows from what they say.
_SHOWN = """
foreign => {
  const others = `[lang=${foreign}], bdi, [dir=auto], code, pre, script, noscript`;
  const own = [...document.body.querySelectorAll("*")].filter(
    each => each.checkVisibility() && !each.closest(others));
  const texts = own.flatMap(each => [...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE));
  return texts.map(node => node.data.trim()).filter(Boolean);
}
"""


def foreign_to(language: str, page: Page) -> set[str]:
    """What an English page says in Hangul, or a Korean one in English sentences, except an order's own words."""
    shown: list[str] = page.evaluate(_SHOWN, "ko" if language == "en" else "en")
    if language == "en":
        return {each for each in shown if _HANGUL.search(each)}
    return {*shown} & _english_sentences()


@cache
def _english_sentences() -> set[str]:
    """The English texts that are not Korean ones too."""
    files: list[Path] = [file for folder in _FOLDERS for file in folder.rglob("*.toml")]
    texts = [text for file in files for text in tomllib.loads(file.read_text("utf-8")).values()]
    pairs = [text for text in texts if isinstance(text, dict) and "en" in text]
    return {text["en"] for text in pairs} - {text["ko"] for text in pairs}
