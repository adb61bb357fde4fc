"""Commands of pipelines' folders besides `castad make`: a line each. A folder is loaded when its command runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A command `castad <name>`; `function` is "module:function", with Typer's annotations.

    Without a function it orders of the `pipeline` as `castad make` does, with its `arguments` for a field that is
    a list.
    """

    name: str
    title: str
    example: str
    function: str = ""
    pipeline: str = ""
    arguments: str = ""


VERBS = (
    Verb(
        "analyse",
        "Analyse a git repository on this machine: its languages, lines and tests.",
        "castad analyse . --page report.html",
        function="pipeline_defs.analysis.command:analyse",
    ),
    Verb(
        "image",
        "Make pictures of pictures by a template, and wait for them; the last lines are their paths.",
        "castad image photo.jpg --template poster",
        pipeline="image",
        arguments="images",
    ),
)
