"""How long `castad analyse` takes beside pygount, which counts lines only, and `wc`, which counts newlines.

Each command runs on the same work tree, in turn, as a user would start it; the figures are medians.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

_WC = "git ls-files -z | xargs -0 wc"
_INSTALL = "pip install pygount"


def bench_analysis(
    repository: Annotated[Path, typer.Argument(help="A git work tree")] = Path(),
    rounds: Annotated[int, typer.Option(min=1, help="Runs of each command")] = 5,
) -> None:
    """Print the seconds of each command and their ratio to pygount's."""
    commands = _list_commands()
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            seconds[name].append(_measure_seconds(command, repository))
    medians = {name: median(each) for name, each in seconds.items()}
    base = medians.get("pygount", medians["castad analyse"])
    for name, each in medians.items():
        bar = "█" * max(1, round(20 * each / max(medians.values())))
        typer.echo(f"{name:<16}{each:8.2f} s{each / base:8.2f}×  {bar}")
    if "pygount" not in medians:
        typer.echo(f"pygount is not installed: `{_INSTALL}` and run this again", err=True)


def _list_commands() -> dict[str, list[str]]:
    castad = [sys.executable, "-m", "castad", "analyse", ".", "--json"]
    commands = {"castad analyse": castad, "git and wc": ["sh", "-c", _WC]}
    pygount = shutil.which("pygount")
    return commands if pygount is None else {**commands, "pygount": [pygount, "--format=json", "."]}


def _measure_seconds(command: list[str], repository: Path) -> float:
    started = time.monotonic()
    subprocess.run(command, cwd=repository, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - started


if __name__ == "__main__":
    typer.run(bench_analysis)
