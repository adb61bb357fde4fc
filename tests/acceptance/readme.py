"""The lines of README and of docs/guide.md, and what of them cannot be typed beside a castad that runs already."""

import re
import shlex

from resources.process.settings import PROJECT_ROOT

README = "\n".join((PROJECT_ROOT / page).read_text() for page in ("README.md", "docs/guide.md"))
BLOCKS: list[tuple[str, str]] = [
    (language, block)
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    # A diagram.
    if language != "mermaid"
]
SQL_SHELL: list[str] = re.findall(r"`(sqlite3 [^`]*)`", README)
ACTIVATES = "source .venv/bin/activate"
_EXEMPT = {
    "make": "installs, or runs what takes minutes; `castad up` runs here already",
    "dagster dev": "serves until it is stopped, on the port of the UI",
}


def typed_lines(block: str) -> list[str]:
    """The commands of a block that are typed."""
    return [line for line in lines_of(block) if not _is_exempt(line)]


def lines_of(block: str) -> list[str]:
    """The commands of a block; one that goes on over several lines is one."""
    lines: list[str] = []
    begun = ""
    for line in block.splitlines():
        begun = f"{begun}\n{line}" if begun else line
        if _is_whole(begun):
            lines += [begun] if begun.strip() else []
            begun = ""
    assert not begun, begun
    return lines


def _is_whole(text: str) -> bool:
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return not text.endswith("\\")


def _is_exempt(line: str) -> bool:
    return any(line.startswith(f"{beginning} ") for beginning in _EXEMPT)
