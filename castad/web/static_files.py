"""Styles and scripts, under a path that changes with their content, so that browsers may keep them for good."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope as HttpScope

import pipeline_defs
from pipeline_defs.catalog import get_catalog

_FOLDER = Path(__file__).parent / "static"
_PIPELINES = Path(pipeline_defs.__file__).parent
_FOR_GOOD = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def static_path() -> str:
    """The path under which this release's files lie."""
    digest = sha256()
    for folder in (_FOLDER, *pipeline_script_folders().values()):
        for file in sorted(each for each in folder.rglob("*") if each.is_file()):
            digest.update(file.name.encode() + file.read_bytes())
    return f"/static/{digest.hexdigest()[:12]}"


@lru_cache(maxsize=1)
def pipeline_script_folders() -> dict[str, Path]:
    """The folder of each pipeline that has styles or scripts of its own."""
    folders = {each.name: _PIPELINES / each.name / "page" / "static" for each in get_catalog()}
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def static_file(pipeline: str | None, name: str) -> str | None:
    """The address of a file in the folder of the pipeline of this name; None where there is no such file."""
    folder = pipeline_script_folders().get(pipeline or "")
    is_there = folder is not None and (folder / name).is_file()
    return f"{static_path()}/{pipeline}/{name}" if is_there else None


class KeptStaticFiles(StaticFiles):
    """Files that never change under their path."""

    def __init__(self, directory: Path = _FOLDER) -> None:
        super().__init__(directory=directory)

    async def get_response(self, path: str, scope: HttpScope) -> Response:
        """The file, to be kept by the browser; a Problem where there is none."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOR_GOOD
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
