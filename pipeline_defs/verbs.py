"""Commands of pipelines' folders in addition to `castad make`. A folder is loaded when its command runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A command `castad <name>` that a pipeline adds to the command line.

    `function` is "module:function", with Typer's annotations. Without a function, the command submits an order of
    the `pipeline` as `castad make` does, or answers the order in its own process if `is_direct` is set.
    `arguments` names the list field that takes the command's arguments. With a `stage`, the command shows the
    `field` of that stage's product for an order, or opens it for editing.
    """

    name: str
    title: str
    example: str
    function: str = ""
    pipeline: str = ""
    arguments: str = ""
    is_direct: bool = False
    stage: str = ""
    field: str = ""


VERBS = (
    Verb(
        "lyric",
        "Print the words of an order, or change them while it waits for their approval.",
        "castad lyric order-1a2b3c\n\ncastad lyric order-1a2b3c --edit\n\n"
        "castad lyric order-1a2b3c --text words.txt",
        pipeline="song_video",
        stage="lyric",
        field="text",
    ),
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
    Verb(
        "scan",
        "Say what waste a photograph shows or a note names, and how it is disposed of.",
        'castad scan photo.jpg\n\ncastad scan --note "소주병" --user-id me',
        pipeline="scan",
        arguments="images",
        is_direct=True,
    ),
    Verb(
        "characters",
        "List the characters that scans win, or replace them by a CSV file.",
        "castad characters --csv > characters.csv\n\ncastad characters --import characters.csv",
        function="pipeline_defs.scan.characters.characters_command:manage_characters",
    ),
)
