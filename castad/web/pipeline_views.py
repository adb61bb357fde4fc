"""What a pipeline's own folder adds to the pages of its works: values, a template and a script.

`pipeline_defs/<name>/page_view.py` may have `held(stage, brief, product)` and `result(brief, products)`. Both
return JSON, which the folder's templates `page/held.html` and `page/result.html` show as `view`.
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from castad.web.rendering import has_template
from castad.web.static_files import pipeline_script_folders
from pipeline_defs.pipeline import Pipeline

_log = logging.getLogger("castad.web")
Values = Mapping[str, Any]


@lru_cache
def _module(name: str) -> ModuleType | None:
    path = f"pipeline_defs.{name}.page_view"
    return import_module(path) if find_spec(path) else None


def view_values(pipeline: Pipeline | None, kind: str, *given: Any) -> Values | None:
    """What the pipeline's function of this kind says; None where it has none, or it fails."""
    function = None if pipeline is None else getattr(_module(pipeline.name), kind, None)
    if pipeline is None or function is None:
        return None
    try:
        return dict(function(*given))
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        name, why = pipeline.name, type(error).__name__
        _log.warning("page's view not shown: pipeline=%s kind=%s error=%s", name, kind, why)
        return None


def own_template(pipeline: Pipeline | None, kind: str, values: Values | None) -> str | None:
    """The pipeline's template of this kind, where there are values for it."""
    name = None if pipeline is None or values is None else f"{pipeline.name}/{kind}.html"
    return name if name and has_template(name) else None


def own_files(pipeline: Pipeline | None) -> frozenset[str]:
    """Which of `work.css` and `work.js` the pipeline has."""
    folder = None if pipeline is None else pipeline_script_folders().get(pipeline.name)
    return frozenset(
        name for name in ("work.css", "work.js") if folder and (folder / name).is_file()
    )
