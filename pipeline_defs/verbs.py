"""Commands of pipelines' folders besides `castad make`: a line each. A folder is loaded when its command runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A command `castad <name>`; `function` is "module:function", with Typer's annotations."""

    name: str
    title: str
    function: str
    example: str


VERBS = (
    Verb(
        "analyse",
        "Analyse a git repository on this machine: its languages, lines and tests.",
        "pipeline_defs.analysis.command:analyse",
        "castad analyse . --page report.html",
    ),
)
