"""Every error code that the source can raise or write: read from it, so that none is forgotten.

`.venv/bin/python -m tests.error_codes > docs/errors.md` writes the page of all codes from the texts of the site.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from castad.web.reference import list_codes

_ROOT = Path(__file__).parent.parent
_FOLDERS = ("castad", "pipeline_defs", "resources", "sensors", "studio")
_CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# The fifth cell of a row of a vendor's table of answers.
_CODE_CELL = re.compile(r"^\|(?:[^|]*\|){4} `([a-z_]+)`", re.MULTILINE)
_NAMES = ("code", "error_code")
_GIVEN_AS = (*_NAMES, "refused", "cut")
# Their codes are those of remarks, of SQL, of ComfyUI's protocol, and a process.
_OTHER_FILES = frozenset(
    {
        "castad/stack/up.py",
        "pipeline_defs/song_video/acceptance.py",
        "resources/ledger/schema/guards.py",
        "studio/graphs.py",
    }
)
# The latter two end no order: its song is sung by a plainer voice, or played.
_OTHER = frozenset({"usage", "code", "singer_missing", "voice_missing"})
# Put together from parts, chosen by a mapping, or written by a trigger.
_BUILT = frozenset(
    {
        *(
            f"{maker}_{what}"
            for maker in ("local", "studio")
            for what in ("error", "file", "lost", "memory")
        ),
        *(f"{worker}_failed" for worker in ("singer", "voice")),
        *(
            "edited",
            "http_error",
            "invalid_payload",
            "not_found",
            "order_changed",
            "provider_changed",
        ),
        *("batch_refused", "method_not_allowed"),
    }
)


@cache
def error_codes() -> Mapping[str, str]:
    """Return each code with the file that it was found in first."""
    trees = {
        path: ast.parse(path.read_text("utf-8"))
        for folder in _FOLDERS
        for path in sorted((_ROOT / folder).rglob("*.py"))
    }
    constants = _constants(trees.values())
    places = _positions(trees.values())
    found: dict[str, str] = {}
    for path, tree in trees.items():
        file = str(path.relative_to(_ROOT))
        for value in _values(tree, places) if file not in _OTHER_FILES else ():
            for text in _texts(value, constants):
                if _CODE.fullmatch(text) and text not in _OTHER:
                    found.setdefault(text, file)
    for path in sorted((_ROOT / "resources/providers").glob("*/answers.md")):
        for code in _CODE_CELL.findall(path.read_text("utf-8")):
            found.setdefault(code, str(path.relative_to(_ROOT)))
    return {**dict.fromkeys(_BUILT, "put together"), **found}


def _values(tree: ast.AST, places: Mapping[str, set[int]]) -> Iterator[ast.expr]:
    """Yield what is given as a code: by keyword, position, name or key, or as a member of an enum of codes."""
    for node in ast.walk(tree):
        target, assigned = _assigned(node)
        if assigned is not None and target in _NAMES:
            yield assigned
        elif isinstance(node, ast.Call):
            yield from (each.value for each in node.keywords if each.arg in _GIVEN_AS)
            for place in places.get(_called(node), ()):
                yield from node.args[place : place + 1]
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "error_code":
                    yield value
        elif isinstance(node, ast.ClassDef) and node.name in ("Code", "CommitCode"):
            yield from (value for each in node.body if (value := _assigned(each)[1]) is not None)


def _positions(trees: Iterable[ast.AST]) -> Mapping[str, set[int]]:
    """Return where the functions and classes of each name take a code by position."""
    found: dict[str, set[int]] = defaultdict(set)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                names = [
                    _assigned(each)[0] for each in node.body if isinstance(each, ast.AnnAssign)
                ]
                found[node.name] |= {index for index, name in enumerate(names) if name in _NAMES}
                for each in node.body:
                    if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                        found[node.name] |= _places_in(each, 1)
            elif isinstance(node, ast.FunctionDef):
                is_method = bool(node.args.args) and node.args.args[0].arg in ("self", "cls")
                found[node.name] |= _places_in(node, int(is_method))
    return found


def _places_in(function: ast.FunctionDef, skipped: int) -> set[int]:
    names = [each.arg for each in function.args.args][skipped:]
    return {index for index, name in enumerate(names) if name in _NAMES}


def _constants(trees: Iterable[ast.AST]) -> Mapping[str, set[str]]:
    """Return the texts that are given to each name in capitals."""
    found: dict[str, set[str]] = defaultdict(set)
    for tree in trees:
        for node in ast.walk(tree):
            target, value = _assigned(node)
            if (
                target.isupper()
                and isinstance(value, ast.Constant)
                and isinstance(value.value, str)
            ):
                found[target].add(value.value)
    return found


def _texts(value: ast.expr, constants: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the texts that an expression may be."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield from constants.get(name, ())
        case ast.IfExp(body=first, orelse=second):
            yield from _texts(first, constants)
            yield from _texts(second, constants)
        case ast.BoolOp(values=values):
            for each in values:
                yield from _texts(each, constants)


def _assigned(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Return the name and the value of an assignment; "" for any other node."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        return (target.id, value) if isinstance(target, ast.Name) else ("", None)
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    return "", None


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def errors_page() -> str:
    """Return `docs/errors.md`: what each code means and what helps, in both languages."""
    english, korean = list_codes("en"), list_codes("ko")
    rows = (
        f"| `{en.code}` | {en.meaning} | {en.remedy} | {ko.meaning} | {ko.remedy} |"
        for en, ko in zip(english, korean, strict=True)
    )
    return "\n".join((_ERRORS_HEAD, *rows, ""))


_ERRORS_HEAD = """# Errors

Every stable code: of the API's answers (their HTTP statuses are in [api.md](api.md#errors)),
of orders and their attempts, of webhooks and of the command line.
The same stands on the page `/docs/codes`, in both languages.

| code | what it means | what to do | 뜻 | 할 일 |
|---|---|---|---|---|"""


if __name__ == "__main__":
    sys.stdout.write(errors_page())
