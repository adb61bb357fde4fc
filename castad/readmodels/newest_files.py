"""Which files of an order show its result, and which are of earlier tries. Pure."""

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from pipeline_defs.pipeline import Cover

_BASE = re.compile(r"^[^.-]+")


class _File(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def generation(self) -> int: ...


File = TypeVar("File", bound=_File)


def newest_files(files: Iterable[File], cover: Cover | None) -> list[File]:
    """The files of the newest generation of each stage that has files, in the order given.

    Of covers in one size, which begin with one name, there is only the newest.
    """
    found = list(files)
    newest = {each.stage: each.generation for each in sorted(found, key=lambda f: f.generation)}
    latest = {
        (each.stage, _one_name(each.name, cover)): each
        for each in found
        if each.generation == newest[each.stage]
    }
    return list(latest.values())


def is_cover(name: str, cover: Cover | None) -> bool:
    """Return whether a file of this name is a cover, the first one or one that was chosen."""
    base = _BASE.match(name)
    return cover is not None and base is not None and base[0] in vars(cover).values()


def _one_name(name: str, cover: Cover | None) -> str:
    """The name, by which a cover takes the place of the one before."""
    base = _BASE.match(name)
    return base[0] if base and is_cover(name, cover) else name
