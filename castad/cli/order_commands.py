"""Commands whose options are the fields of orders; the pipelines are loaded only when one of them runs."""

from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand


class _OrderCommand(TyperCommand):
    def make_context(self, info_name: Any, args: list[str], *rest: Any, **extra: Any) -> Any:
        """The context of the command with the options for these arguments."""
        app = typer.Typer(add_completion=False)
        app.command()(self._function(args))
        built = typer.main.get_command(app)
        self.params, self.callback = built.params, built.callback
        self.epilog = self._epilog(args) or self.epilog
        return super().make_context(info_name, args, *rest, **extra)

    def _function(self, arguments: Sequence[str]) -> Callable[..., None]:
        raise NotImplementedError

    def _epilog(self, arguments: Sequence[str]) -> str:
        """The example in the help for these arguments; "" where it is always the same."""
        return ""


class MakeCommand(_OrderCommand):
    """`castad make`."""

    def _function(self, arguments: Sequence[str]) -> Callable[..., None]:
        from castad.cli.order_options import make_function

        return make_function(arguments)

    def _epilog(self, arguments: Sequence[str]) -> str:
        from castad.cli.order_options import make_example

        return make_example(arguments)


class RedoCommand(_OrderCommand):
    """`castad redo`."""

    def _function(self, arguments: Sequence[str]) -> Callable[..., None]:
        from castad.cli.order_options import redo_function

        return redo_function(arguments)
