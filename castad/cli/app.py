"""The command line: its commands, each of which is loaded from its own module when it runs."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from pipeline_defs.verbs import VERBS, Verb

COMMANDS = {
    "make": ("orders", "Make one order and wait for it"),
    "submit": ("orders", "Submit the orders of a file"),
    "status": ("show", "Show an order's status"),
    "list": ("show", "List and search orders, the newest first"),
    "watch": ("orders", "Wait for an order, and show its progress"),
    "history": ("show", "Show an order's history from the Dagster event log"),
    "retry": ("order_actions", "Make a failed, dead or canceled order pending again"),
    "redo": ("order_actions", "Make a stage and those after it again; the vendors are paid again"),
    "cancel": ("order_actions", "Cancel an order"),
    "cover": ("order_actions", "Make a frame of an order's video its cover"),
    "delete": ("order_actions", "Delete an ended order for ever"),
    "resolve": ("order_actions", "Resolve a submission of unknown outcome"),
    "pause": ("order_actions", "Submit nothing to a provider for a while"),
    "resume": ("order_actions", "Use a paused provider again at once"),
    "dead": ("show", "List the dead letters, and how to repair each"),
    "saves": ("webhooks", "List what waits on this machine's disk to be saved elsewhere"),
    "webhooks": ("webhooks", "List the newest webhooks, or send some again"),
    "stats": ("reports", "Show statistics: orders, failures, durations, money"),
    "approve": ("approval", "Approve what a stage has made"),
    "reject": ("approval", "Cancel an order that waits for an approval"),
    "choose": ("approval", "Use another one of what was paid for together"),
    "edit": ("approval", "Change what a stage has made, in $EDITOR"),
    "login-link": ("keys", "Print a link that logs in to the page, once"),
    "share": ("keys", "Print a link to the result of a completed order"),
    "report": ("reports", "Report on a closed hour"),
    "retention": ("reports", "Remove what has ended long ago"),
    "up": ("services", "Run everything in the foreground"),
    "api": ("services", "Serve the API and the page"),
    "ui": ("services", "Serve the guarded Dagster UI"),
    "daemon": ("services", "Run Dagster's daemon, which starts the runs of due orders"),
    "worker": ("services", "Execute runs"),
    "intake": ("services", "Take orders from a Redis or Valkey stream"),
    "migrate": ("services", "Bring an earlier castad's ledger or settings up to date"),
    "doctor": ("doctor", "Check everything that castad needs"),
    "key": ("keys", "Manage the keys of the API"),
    "studio": ("studio", "Check and try the studio's lyrics, scenes and words"),
}
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
