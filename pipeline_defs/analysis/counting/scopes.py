"""The folders that a configuration file sets up for a test framework."""

import fnmatch
import json
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

_MAX_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]{0,1000})\}")
_ANY_FOLDERS = "**"


def is_readable(glob: str) -> bool:
    """Return whether this module supports the glob; it supports neither groups such as `?(x)` nor `!`."""
    return "(" not in glob and not glob.startswith("!")


def is_match(glob: str, path: str) -> bool:
    """Return whether a relative path matches a readable glob."""
    names = path.split("/")
    return any(_is_alternative_match(alternative, names) for alternative in _expand_braces(glob))


@lru_cache(maxsize=1024)
def _expand_braces(glob: str) -> tuple[tuple[str, ...], ...]:
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


def _is_alternative_match(parts: tuple[str, ...], names: list[str]) -> bool:
    """Return whether the parts match; each name advances every reached part, without backtracking."""
    reached = set(_skip_folders(parts, 0))
    for name in names:
        following: set[int] = set()
        for at in reached:
            if at < len(parts) and parts[at] == _ANY_FOLDERS:
                following.update(_skip_folders(parts, at))
            elif at < len(parts) and fnmatch.fnmatchcase(name, parts[at]):
                following.update(_skip_folders(parts, at + 1))
        reached = following
    return len(parts) in reached


def _skip_folders(parts: tuple[str, ...], at: int) -> Iterator[int]:
    """Yield the part at `at`, and the parts behind it as long as `**` may match no folder."""
    yield at
    while at < len(parts) and parts[at] == _ANY_FOLDERS:
        at += 1
        yield at


_MAX_BYTES = 1024 * 1024
_PYTEST_TABLE = re.compile(r"^\[(?:tool[.:])?pytest(?:\]|\.)", re.MULTILINE)
_VITEST_BLOCK = re.compile(r"(?<![\w.])test\s{0,20}:\s{0,20}\{")
_KEYS = ("jest", "mocha", "scripts")
_RUNNERS = (
    (re.compile(r"\bvitest\b"), "vitest"),
    (re.compile(r"\bjest\b|\breact-scripts test\b"), "jest"),
    (re.compile(r"\bmocha\b"), "mocha"),
)
_MINITEST = re.compile(r"\b[Mm]initest\b|\brails/test_help\b|\btest/unit\b|ActiveSupport::TestCase")
_RSPEC = re.compile(r"\bRSpec\b|['\"]rspec")
_QUOTED = re.compile(r"['\"`]([^'\"`\n]{1,300})['\"`]")


@dataclass(frozen=True)
class FrameworkScope:
    """The files of a framework: below the roots, matching `include` if there is any, and not `exclude`."""

    framework: str
    config: str
    roots: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def has_file(self, path: str) -> bool:
        """Return whether a file belongs to the framework by this configuration."""
        for root in self.roots:
            if root != "." and not path.startswith(f"{root}/"):
                continue
            below = path if root == "." else path[len(root) + 1 :]
            is_included = not self.include or any(is_match(glob, below) for glob in self.include)
            if is_included and not any(is_match(glob, below) for glob in self.exclude):
                return True
        return False

    @property
    def rank(self) -> tuple[int, int, str]:
        """The sort key: the deepest folder first, then the longest path, then by name."""
        depth = 0 if self.roots[0] == "." else self.roots[0].count("/") + 1
        return (-depth, -len(self.config), self.config)


def read_scope(path: str, content: bytes) -> FrameworkScope | None:
    """Read the scope from a configuration file; return None if it sets up none."""
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


def _keep_scope(scope: FrameworkScope, _: str) -> FrameworkScope:
    return scope


def _read_pytest_table(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    return scope if _PYTEST_TABLE.search(text) else None


def _read_package(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    try:
        package = json.loads(text)
        written = {key: json.dumps(package[key]) for key in _KEYS if key in package}
    except (ValueError, TypeError, RecursionError):
        return None
    if "jest" in written:
        return _read_jest(scope, written["jest"])
    command = "mocha" if "mocha" in written else written.get("scripts", "")
    for pattern, runner in _RUNNERS:
        if pattern.search(command):
            return replace(scope, framework=runner)
    return None


def _read_vite(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    return _read_vitest(scope, text) if _VITEST_BLOCK.search(text) else None


def _read_jest(scope: FrameworkScope, text: str) -> FrameworkScope:
    root = _join_folders(scope.roots[0], *_find_strings(text, "rootDir")[:1])
    roots = [glob.replace("<rootDir>", ".") for glob in _find_strings(text, "roots")]
    include = [glob.removeprefix("<rootDir>/") for glob in _find_strings(text, "testMatch")]
    return replace(
        scope,
        roots=tuple(_join_folders(root, below) for below in roots) or (root,),
        include=_keep_readable(include),
    )


def _read_vitest(scope: FrameworkScope, text: str) -> FrameworkScope:
    text = _remove_block(_remove_block(text, "coverage"), "typecheck")
    return replace(
        scope,
        roots=(_join_folders(scope.roots[0], *_find_strings(text, "root")[:1]),),
        include=_keep_readable(_find_strings(text, "include")),
        exclude=tuple(filter(is_readable, _find_strings(text, "exclude"))),
    )


def _read_playwright(scope: FrameworkScope, text: str) -> FrameworkScope:
    folders = _find_strings(text, "testDir") or ["."]
    return replace(scope, roots=tuple(_join_folders(scope.roots[0], folder) for folder in folders))


def _read_rspec(scope: FrameworkScope, _: str) -> FrameworkScope:
    return replace(scope, include=("**/*_spec.rb",))


def _read_ruby_helper(scope: FrameworkScope, text: str) -> FrameworkScope | None:
    """Return the scope of the framework that the helper loads for the tests of its folder."""
    if _MINITEST.search(text):
        return replace(scope, framework="minitest")
    return scope if _RSPEC.search(text) else None


def _join_folders(folder: str, *below: str) -> str:
    return posixpath.normpath(posixpath.join(folder, *below))


def _keep_readable(globs: list[str]) -> tuple[str, ...]:
    """Return the globs; none, which matches all files, if one of them is not readable."""
    return tuple(globs) if all(map(is_readable, globs)) else ()


def _find_strings(text: str, key: str) -> list[str]:
    """Find the strings of a key, one or a list, at every place where the key occurs."""
    start = rf"(?<![\w.]){key}['\"]?\s{{0,20}}[:=]\s{{0,20}}"
    one = r"(?:path\.(?:join|resolve)\(\s{0,20}__dirname,\s{0,20})?(['\"`][^'\"`\n]{1,300}['\"`])"
    several = r"\[([^\]]{0,5000})\]"
    found = re.finditer(f"{start}(?:{one}|{several})", text)
    return [string for match in found for string in _QUOTED.findall(match[1] or match[2] or "")]


def _remove_block(text: str, key: str) -> str:
    """Remove the first braces of the key, with their content, from the text."""
    start = re.search(rf"\b{key}\s{{0,20}}:\s{{0,20}}\{{", text)
    if start is None:
        return text
    depth, end = 1, start.end()
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[: start.start()] + text[end:]


_READERS: tuple[tuple[str, str, Callable[[FrameworkScope, str], FrameworkScope | None]], ...] = (
    ("jest.", "jest", _read_jest),
    ("package.json", "jest", _read_package),
    ("vitest.", "vitest", _read_vitest),
    ("vite.", "vitest", _read_vite),
    ("playwright.", "playwright", _read_playwright),
    ("cypress.", "cypress", _keep_scope),
    (".mocharc.", "mocha", _keep_scope),
    ("mocha.opts", "mocha", _keep_scope),
    ("pyproject.toml", "pytest", _read_pytest_table),
    ("setup.cfg", "pytest", _read_pytest_table),
    ("tox.ini", "pytest", _read_pytest_table),
    ("pytest.ini", "pytest", _keep_scope),
    ("conftest.py", "pytest", _keep_scope),
    (".rspec", "rspec", _read_rspec),
    ("spec_helper.rb", "rspec", _read_ruby_helper),
    ("rails_helper.rb", "rspec", _read_ruby_helper),
    ("test_helper.rb", "minitest", _read_ruby_helper),
    ("minitest_helper.rb", "minitest", _keep_scope),
)
