"""The texts of the pages, each in every language. One file per screen, and one per pipeline in its own folder.

A file is TOML: a table per text, with an entry per language.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from fastapi import Request

import pipeline_defs
from castad.web.language import LANGUAGES, Language, language_of
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline

_FOLDER = Path(__file__).parent / "texts"
_PIPELINES = Path(pipeline_defs.__file__).parent
SCRIPT_PREFIX = "js_"
"""Texts of this prefix are also given to the page's script."""

Texts = Mapping[str, Mapping[Language, str]]


class TextError(ValueError):
    """A text that lacks a language, or whose name is there twice."""


def page_folder(pipeline: Pipeline) -> Path:
    """Where a pipeline keeps its part of the pages: its texts, its view of a result, its script."""
    return _PIPELINES / pipeline.name / "page"


@lru_cache
def site_texts() -> Texts:
    """The texts of all screens; raises TextError."""
    return _merged(sorted(_FOLDER.glob("*.toml")))


@lru_cache
def pipeline_texts(name: str) -> Texts:
    """The texts of a pipeline; none where its folder has none. Raises TextError."""
    file = _PIPELINES / name / "page" / "texts.toml"
    return _merged([file] if file.is_file() else [])


def _merged(files: list[Path]) -> Texts:
    found: dict[str, Mapping[Language, str]] = {}
    for file in files:
        for name, text in _read(file):
            if name in found:
                raise TextError(f"{file.name}: expected each text once; {name} is there twice")
            found[name] = text
    return found


def _read(file: Path) -> Iterator[tuple[str, Mapping[Language, str]]]:
    for name, text in tomllib.loads(file.read_text("utf-8")).items():
        if not isinstance(text, dict) or set(text) != set(LANGUAGES) or not all(text.values()):
            raise TextError(f"{file.name}: {name}: expected a text in {' and '.join(LANGUAGES)}")
        yield name, text


@lru_cache
def _texts_for(pipeline: str | None) -> Texts:
    """The texts of a page about this pipeline, or about none."""
    return {**site_texts(), **(pipeline_texts(pipeline) if pipeline else {})}


class Translator:
    """The texts in one language; those of a pipeline come first."""

    def __init__(self, language: Language, pipeline: str | None = None) -> None:
        self.language = language
        self.pipeline = pipeline
        self._texts = _texts_for(pipeline)

    def __call__(self, name: str, /, **values: object) -> str:
        """The text of this name with these values; raises KeyError for a name that there is not."""
        text = self._texts[name][self.language]
        return text.format(**values) if values else text

    def find(self, name: str, fallback: str) -> str:
        """The text of this name, or the fallback."""
        found = self._texts.get(name)
        return fallback if found is None else found[self.language]

    def beginning_with(self, prefix: str) -> Mapping[str, str]:
        """The texts whose names begin so, by the rest of their names, sorted."""
        names = sorted(name for name in self._texts if name.startswith(prefix))
        return {name.removeprefix(prefix): self._texts[name][self.language] for name in names}

    def for_script(self) -> Mapping[str, str]:
        """The texts that the page's script shows, by their names without the prefix."""
        return self.beginning_with(SCRIPT_PREFIX)


def pipeline_kinds(language: Language) -> Mapping[str, str]:
    """What each pipeline makes, in a word, by its name."""
    return {
        each.name: Translator(language, each.name).find("kind", each.title)
        for each in get_catalog()
    }


def translator_of(request: Request, pipeline: str | None = None) -> Translator:
    """The texts in the language of the request."""
    return Translator(language_of(request), pipeline)
