"""A person edits the fields of a product in their own editor, as YAML, until they are accepted."""

import os
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import yaml

from resources.contract.errors import InvalidInputError

_EDITOR = "vi"
_FIELD = "the edited text"
T = TypeVar("T")


def edit_fields(fields: Mapping[str, Any], accept: Callable[[Mapping[str, Any]], T]) -> T | None:
    """What `accept` returns for the edited fields; None where they were left as they are.

    Fields that it refuses are shown again with the reason. Raises that InvalidInputError where they are left so.
    """
    text = yaml.dump(dict(fields), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1000)
    refusal: InvalidInputError | None = None
    while True:
        edited = _without_remark(_edited(_with_remark(text, refusal)))
        if edited == text and refusal is not None:
            raise refusal
        if edited == text:
            return None
        try:
            return accept(_parsed(edited))
        except InvalidInputError as error:
            text, refusal = edited, error


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as they are read, line by line."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def _edited(text: str) -> str:
    """The text as the person's editor has left it; raises InvalidInputError where it does not start or fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _EDITOR
    with TemporaryDirectory(prefix="castad-") as folder:
        file = Path(folder) / "edit.yaml"
        file.write_text(text, "utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)
            return file.read_text("utf-8-sig")
        except (OSError, ValueError, subprocess.CalledProcessError):
            raise InvalidInputError("EDITOR", "expected an editor that starts and saves") from None


def _with_remark(text: str, refusal: InvalidInputError | None) -> str:
    return text if refusal is None else f"# {' '.join(refusal.message.split())}\n{text}"


def _without_remark(text: str) -> str:
    return text.split("\n", 1)[1] if text.startswith("# ") and "\n" in text else text


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        fields = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise InvalidInputError(_FIELD, "expected YAML") from None
    if not isinstance(fields, dict):
        raise InvalidInputError(_FIELD, "expected fields with their values")
    return {str(name): value for name, value in fields.items()}
