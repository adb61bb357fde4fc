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
        return super().make_context(info_name, args, *rest, **extra)

    def _function(self, arguments: Sequence[str]) -> Callable[..., None]:
        raise NotImplementedError


class MakeCommand(_OrderCommand):
    """`castad make`."""

    def _function(self, arguments: Sequence[str]) -> Callable[..., None]:
        from castad.cli.order_options import make_function

        return make_function(arguments)


class RedoCommand(_OrderCommand):
    """`castad redo`."""

    def _function(self, arguments: Sequence[str]) -> Callable[..., None]:
        from castad.cli.order_options import redo_function

        return redo_function(arguments)
