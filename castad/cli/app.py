"""The command line: its commands, each of which is loaded from its own module when it runs."""

import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from pipeline_defs.verbs import VERBS, Verb

COMMANDS: Mapping[str, tuple[str, str]] = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text("utf-8")
)
"""The module of each command, and its line in `castad --help`."""
app = typer.Typer(
    name="castad",
    help="Turns orders into finished works: an advertising song and its video, first of all.",
    epilog="Begin with: [bold]castad make examples/song_video.yaml[/]",
    rich_markup_mode="rich",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command in this process' arguments, and exit."""
    from castad.cli.boundary import run

    sys.exit(run(app, sys.argv[1:]))


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"castad {version('castad')}")
        raise typer.Exit


@app.callback()
def castad(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """Turn orders into finished works: an advertising song and its video, first of all."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


_REDO_EXAMPLES = (
    "castad redo order-1a2b3c --from song\n\n"
    "castad redo order-1a2b3c --from video --orientation horizontal"
)


class ModuleCommand(TyperCommand):
    """A command that is loaded from its module when it runs."""

    def make_context(self, info_name: Any, args: list[str], *rest: Any, **extra: Any) -> Any:
        """Make the context of the loaded command."""
        return load_command(str(self.name), args).make_context(info_name, args, *rest, **extra)


def load_command(name: str, arguments: Sequence[str] = ()) -> Any:
    """Load the command or group of this name; the arguments decide about the options of `make` and `redo`."""
    for verb in VERBS:
        if verb.name == name:
            return _build_command(name, load_verb_function(verb), verb.title, verb.example)
    if name == "make":
        from castad.cli.order_options import make_example, make_function
        from pipeline_defs.catalog import get_catalog

        pipelines = get_catalog()
        function = make_function(arguments, pipelines)
        return _build_command(name, function, None, make_example(arguments, pipelines))
    if name == "redo":
        from castad.cli.order_actions import find_pipeline_of_order
        from castad.cli.order_options import redo_function
        from pipeline_defs.catalog import get_catalog

        function = redo_function(arguments, get_catalog(), find_pipeline_of_order)
        return _build_command(name, function, None, _REDO_EXAMPLES)
    module = import_module(f"castad.cli.{COMMANDS[name][0]}")
    return typer.main.get_group(module.app).commands[name]


def _build_command(
    name: str, function: Callable[..., None], help_text: str | None, epilog: str
) -> Any:
    built = typer.Typer(add_completion=False, rich_markup_mode="rich")
    built.command(name, help=help_text, epilog=epilog)(function)
    return typer.main.get_command(built)


def load_verb_function(verb: Verb) -> Callable[..., None]:
    """Return what the command of a pipeline's folder does, with its options."""
    if verb.function:
        module, _, name = verb.function.partition(":")
        function: Callable[..., None] = getattr(import_module(module), name)
        return function
    if verb.stage:
        from castad.cli.approval import make_product_function

        return make_product_function(verb)
    from castad.cli.order_options import make_answer_function, make_order_function
    from pipeline_defs.catalog import get_catalog

    make = make_answer_function if verb.is_direct else make_order_function
    return make(get_catalog().get_pipeline(verb.pipeline), verb.arguments)


def _do_nothing() -> None:
    """Stand in for a command's function until its module is loaded."""


for name, (_, line) in COMMANDS.items():
    app.command(name, cls=ModuleCommand, help=line)(_do_nothing)
for verb in VERBS:
    app.command(verb.name, cls=ModuleCommand, help=verb.title)(_do_nothing)
