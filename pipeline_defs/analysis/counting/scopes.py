"""Which folders a configuration file sets up for which test framework."""

import fnmatch
import json
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from pipeline_defs.analysis.counting.found import Framework

_MAX_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]{0,1000})\}")
_ANY_FOLDERS = "**"


def is_readable(glob: str) -> bool:
    """Whether a glob is written in what this module knows; groups such as `?(x)` are not, nor is `!`."""
    return "(" not in glob and not glob.startswith("!")


def matches(glob: str, path: str) -> bool:
    """Whether a relative path matches a readable glob."""
    names = path.split("/")
    return any(_fits(alternative, names) for alternative in _alternatives(glob))


@lru_cache(maxsize=1024)
def _alternatives(glob: str) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    waiting = [glob.removeprefix("./")]
    while waiting and len(found) + len(waiting) <= _MAX_ALTERNATIVES:
        written = waiting.pop()
        braces = _BRACES.search(written)
        if braces is None:
            found.append(tuple(written.split("/")))
        else:
            head, tail = written[: braces.start()], written[braces.end() :]
            waiting += [f"{head}{choice}{tail}" for choice in braces[1].split(",")]
    return tuple(found)


def _fits(parts: tuple[str, ...], names: list[str]) -> bool:
    """Each name moves every reached part on: no backtracking, however many `**` there are."""
    reached = set(_after_folders(parts, 0))
    for name in names:
        following: set[int] = set()
        for at in reached:
            if at < len(parts) and parts[at] == _ANY_FOLDERS:
                following.update(_after_folders(parts, at))
            elif at < len(parts) and fnmatch.fnmatchcase(name, parts[at]):
                following.update(_after_folders(parts, at + 1))
        reached = following
    return len(parts) in reached


def _after_folders(parts: tuple[str, ...], at: int) -> Iterator[int]:
    """The part that comes next, and the one behind it where `**` may stand for no folder."""
    yield at
    while at < len(parts) and parts[at] == _ANY_FOLDERS:
        at += 1
        yield at


_MAX_BYTES = 1024 * 1024
_PYTEST_TABLE = re.compile(r"^\[(?:tool[.:])?pytest(?:\]|\.)", re.MULTILINE)
_VITEST_BLOCK = re.compile(r"(?<![\w.])test\s{0,20}:\s{0,20}\{")
_KEYS = ("jest", "mocha", "scripts")
_RUNNERS = (
    (re.compile(r"\bvitest\b"), Framework.VITEST),
    (re.compile(r"\bjest\b|\breact-scripts test\b"), Framework.JEST),
    (re.compile(r"\bmocha\b"), Framework.MOCHA),
)
_MINITEST = re.compile(r"\b[Mm]initest\b|\brails/test_help\b|\btest/unit\b|ActiveSupport::TestCase")
_RSPEC = re.compile(r"\bRSpec\b|['\"]rspec")
_QUOTED = re.compile(r"['\"`]([^'\"`\n]{1,300})['\"`]")


@dataclass(frozen=True)
class FrameworkScope:
    """The files below the roots are the framework's, as far as they match `include` and not `exclude`."""

    framework: Framework
    config: str
    roots: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Whether a file belongs to the framework by this configuration."""
        return any(self._takes(below) for below in _below(self.roots, path))

    def _takes(self, below: str) -> bool:
        included = not self.include or any(matches(glob, below) for glob in self.include)
        return included and not any(matches(glob, below) for glob in self.exclude)

    @property
    def rank(self) -> tuple[int, int, str]:
        """The smallest is asked first: the deepest, then the one with the longest path, then by name."""
        depth = 0 if self.roots[0] == "." else self.roots[0].count("/") + 1
        return (-depth, -len(self.config), self.config)


def scope_of(path: str, content: bytes) -> FrameworkScope | None:
    """What a configuration file sets up, or None."""
    if len(content) > _MAX_BYTES:
        return None
    name = posixpath.basename(path)
    for beginning, framework, read in _READERS:
        if name.startswith(beginning):
            folder = posixpath.dirname(path) or "."
            return read(
                FrameworkScope(framework, path, (folder,)), content.decode(errors="replace")
            )
    return None


def _below(roots: tuple[str, ...], path: str) -> Iterator[str]:
    for root in roots:
        if root == ".":
            yield path
        elif path.startswith(f"{root}/"):
            yield path[len(root) + 1 :]


def _of_folder(scope: FrameworkScope, _: str) -> FrameworkScope:
    return scope


def _of_table(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    return scope if _PYTEST_TABLE.search(text) else None


def _of_package(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    try:
        package = json.loads(text)
        written = {key: json.dumps(package[key]) for key in _KEYS if key in package}
    except (ValueError, TypeError, RecursionError):
        return None
    if "jest" in written:
        return _of_jest(scope, written["jest"])
    command = "mocha" if "mocha" in written else written.get("scripts", "")
    for pattern, runner in _RUNNERS:
        if pattern.search(command):
            return replace(scope, framework=runner)
    return None


def _of_vite(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    return _of_vitest(scope, text) if _VITEST_BLOCK.search(text) else None


def _of_jest(scope: FrameworkScope, text: str) -> FrameworkScope:
    root = _joined(scope.roots[0], *_strings(text, "rootDir")[:1])
    roots = [glob.replace("<rootDir>", ".") for glob in _strings(text, "roots")]
    include = [glob.removeprefix("<rootDir>/") for glob in _strings(text, "testMatch")]
    return replace(
        scope,
        roots=tuple(_joined(root, below) for below in roots) or (root,),
        include=_included(include),
    )


def _of_vitest(scope: FrameworkScope, text: str) -> FrameworkScope:
    text = _without_block(_without_block(text, "coverage"), "typecheck")
    return replace(
        scope,
        roots=(_joined(scope.roots[0], *_strings(text, "root")[:1]),),
        include=_included(_strings(text, "include")),
        exclude=tuple(filter(is_readable, _strings(text, "exclude"))),
    )


def _of_playwright(scope: FrameworkScope, text: str) -> FrameworkScope:
    folders = _strings(text, "testDir") or ["."]
    return replace(scope, roots=tuple(_joined(scope.roots[0], folder) for folder in folders))


def _of_rspec(scope: FrameworkScope, _: str) -> FrameworkScope:
    return replace(scope, include=("**/*_spec.rb",))


def _of_ruby_helper(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    """What the helper loads, which the tests of its folder require."""
    if _MINITEST.search(text):
        return replace(scope, framework=Framework.MINITEST)
    return scope if _RSPEC.search(text) else None


def _joined(folder: str, *below: str) -> str:
    return posixpath.normpath(posixpath.join(folder, *below))


def _included(globs: list[str]) -> tuple[str, ...]:
    """All, where one of the globs cannot be read."""
    return tuple(globs) if all(map(is_readable, globs)) else ()


def _strings(text: str, key: str) -> list[str]:
    """The strings that are written for a key: one, or a list of them; of every place where it is written."""
    start = rf"(?<![\w.]){key}['\"]?\s{{0,20}}[:=]\s{{0,20}}"
    one = r"(?:path\.(?:join|resolve)\(\s{0,20}__dirname,\s{0,20})?(['\"`][^'\"`\n]{1,300}['\"`])"
    several = r"\[([^\]]{0,5000})\]"
    found = re.finditer(f"{start}(?:{one}|{several})", text)
    return [string for match in found for string in _QUOTED.findall(match[1] or match[2] or "")]


def _without_block(text: str, key: str) -> str:
    """The text without what stands in the braces of the key's first place."""
    start = re.search(rf"\b{key}\s{{0,20}}:\s{{0,20}}\{{", text)
    if start is None:
        return text
    depth, end = 1, start.end()
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[: start.start()] + text[end:]


_READERS: tuple[
    tuple[str, Framework, Callable[[FrameworkScope, str], FrameworkScope | None]], ...
] = (
    ("jest.", Framework.JEST, _of_jest),
    ("package.json", Framework.JEST, _of_package),
    ("vitest.", Framework.VITEST, _of_vitest),
    ("vite.", Framework.VITEST, _of_vite),
    ("playwright.", Framework.PLAYWRIGHT, _of_playwright),
    ("cypress.", Framework.CYPRESS, _of_folder),
    (".mocharc.", Framework.MOCHA, _of_folder),
    ("mocha.opts", Framework.MOCHA, _of_folder),
    ("pyproject.toml", Framework.PYTEST, _of_table),
    ("setup.cfg", Framework.PYTEST, _of_table),
    ("tox.ini", Framework.PYTEST, _of_table),
    ("pytest.ini", Framework.PYTEST, _of_folder),
    ("conftest.py", Framework.PYTEST, _of_folder),
    (".rspec", Framework.RSPEC, _of_rspec),
    ("spec_helper.rb", Framework.RSPEC, _of_ruby_helper),
    ("rails_helper.rb", Framework.RSPEC, _of_ruby_helper),
    ("test_helper.rb", Framework.MINITEST, _of_ruby_helper),
    ("minitest_helper.rb", Framework.MINITEST, _of_folder),
)
