"""Commands whose options the pipelines determine; those are loaded only when one of the commands runs."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from pipeline_defs.verbs import Verb


class MakeCommand(TyperCommand):
    """`castad make`."""

    def make_context(self, info_name: Any, args: list[str], *rest: Any, **extra: Any) -> Any:
        """The context of the command with the options, and the example, for these arguments."""
        from castad.cli.order_options import make_example, make_function
        from pipeline_defs.catalog import get_catalog

        _become(self, make_function(args, get_catalog()))
        self.epilog = make_example(args, get_catalog())
        return super().make_context(info_name, args, *rest, **extra)


class RedoCommand(TyperCommand):
    """`castad redo`."""

    def make_context(self, info_name: Any, args: list[str], *rest: Any, **extra: Any) -> Any:
        """The context of the command with the options for the order that is named."""
        from castad.cli.commands import pipeline_of_order
        from castad.cli.order_options import redo_function
        from pipeline_defs.catalog import get_catalog

        _become(self, redo_function(args, get_catalog(), pipeline_of_order))
        return super().make_context(info_name, args, *rest, **extra)


def _become(command: TyperCommand, function: Callable[..., None]) -> None:
    """The command has the function's options, and does what it does."""
    app = typer.Typer(add_completion=False)
    app.command()(function)
    built = typer.main.get_command(app)
    command.params, command.callback = built.params, built.callback


def verb_command(verb: Verb) -> type[TyperCommand]:
    """The command of a pipeline's folder."""

    class VerbCommand(TyperCommand):
        def make_context(self, info_name: Any, args: list[str], *rest: Any, **extra: Any) -> Any:
            _become(self, verb_function(verb))
            return super().make_context(info_name, args, *rest, **extra)

    return VerbCommand


def verb_function(verb: Verb) -> Callable[..., None]:
    """What the command of a pipeline's folder does, with its options."""
    if verb.function:
        module, _, name = verb.function.partition(":")
        function: Callable[..., None] = getattr(import_module(module), name)
        return function
    if verb.stage:
        from castad.cli.product_options import product_function

        return product_function(verb)
    from castad.cli.order_options import answer_function, order_function
    from pipeline_defs.catalog import get_catalog

    make = answer_function if verb.is_direct else order_function
    return make(get_catalog().get_pipeline(verb.pipeline), verb.arguments)
