"""Pages from Jinja templates, escaped by default."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, PrefixLoader, StrictUndefined, select_autoescape
from fastapi import Request
from starlette.responses import HTMLResponse, Response

from castad.web.figures import FILTERS
from castad.web.language import LANGUAGES, Language, language_of, remember_choice
from castad.web.security_headers import guard
from castad.web.static_files import static_path
from castad.web.texts import Translator, page_folder
from castad.web.visitor import Visitor
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline

_TEMPLATES = Path(__file__).parent / "templates"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Templates of the screens by their names, those of a pipeline as `<pipeline>/<name>`."""
    folders = {each.name: FileSystemLoader(page_folder(each)) for each in get_catalog()}
    environment = Environment(
        loader=PrefixLoader({"": FileSystemLoader(_TEMPLATES), **folders}),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


@lru_cache(maxsize=1)
def _template_names() -> frozenset[str]:
    return frozenset(_environment().list_templates())


def has_template(name: str) -> bool:
    """Whether there is a template of this name."""
    return name in _template_names()


def page(
    request: Request,
    template: str,
    visitor: Visitor | None = None,
    *,
    pipeline: Pipeline | None = None,
    status: int = 200,
    **values: Any,
) -> Response:
    """The page of a template, in the language of the request; `visitor` is who is logged in."""
    language = language_of(request)
    translate = Translator(language, pipeline.name if pipeline else None)
    shown = _environment().get_template(f"/{template}")
    text = shown.render(
        t=translate,
        language=language,
        other_languages=_other_languages(request, language),
        visitor=visitor,
        static=static_path(),
        path=request.url.path,
        script_texts=json.dumps(translate.for_script(), ensure_ascii=False),
        pipeline=pipeline,
        **values,
    )
    response = HTMLResponse(text, status)
    remember_choice(request, response)
    return guard(response)


def _other_languages(request: Request, language: Language) -> Mapping[str, str]:
    """The address of this page in each of the other languages."""
    return {
        each: f"{request.url.path}?{request.url.include_query_params(lang=each).query}"
        for each in LANGUAGES
        if each != language
    }
