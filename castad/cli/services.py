"""Commands that serve until a signal stops them, and migrate, which brings a former ledger up to date."""

import os
from pathlib import Path
from typing import Annotated

import typer

from castad.cli.context import open_ledger
from castad.stack.output import print_result, print_status
from resources.contract.errors import InvalidInputError
from resources.process.setting_types import rename_variables
from resources.process.settings import find_project_file, settings

app = typer.Typer(add_completion=False)


@app.command(epilog="castad up --port 3001")
def up(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Dagster UI")] = 3000,
    api_port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the API")] = 8000,
) -> None:
    """Run everything in the foreground: the Dagster UI, the API, the daemon and a worker. Ctrl-C ends it."""
    from castad.stack.up import run_stack

    raise typer.Exit(run_stack(port, api_port))


@app.command(epilog="castad api --host 0.0.0.0 --port 8000\n\ncastad api --openapi > openapi.json")
def api(
    host: Annotated[str, typer.Option(help="The address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the API")] = 8000,
    openapi: Annotated[
        bool, typer.Option("--openapi", help="Only print the OpenAPI description")
    ] = False,
) -> None:
    """Serve the API until stopped by a signal. Any number of processes may run."""
    from castad.api.app import describe_openapi
    from castad.web.app import run_api

    if openapi:
        typer.echo(describe_openapi())
        return
    raise typer.Exit(run_api(settings(), host, port))


@app.command(
    epilog="castad ui --port 3001\n\ncastad ui --host 0.0.0.0  # asks for CASTAD_UI_PASSWORD"
)
def ui(
    host: Annotated[str, typer.Option(help="The address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Dagster UI")] = 3000,
    workspace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=r"The workspace file \[workspace.yaml of the project]"),
    ] = None,
) -> None:
    """Serve only the Dagster UI, guarded against pages of other sites, until stopped by a signal.

    On an address other than loopback it requires CASTAD_UI_PASSWORD or an admin's key, and it accepts the host
    names in CASTAD_UI_HOSTS.
    """
    from castad.api.dagster_ui.guard import run_ui

    file = workspace or find_project_file("workspace.yaml")
    raise typer.Exit(run_ui(settings(), host, port, file))


@app.command(epilog="castad daemon")
def daemon(
    workspace: Annotated[
        Path | None, typer.Option(help=r"Dagster's workspace file \[the project's workspace.yaml]")
    ] = None,
) -> None:
    """Run Dagster's daemon until stopped by a signal: it starts the runs of due orders. One is enough."""
    from castad.engine.daemon import run_daemon

    run_daemon(settings(), workspace or find_project_file("workspace.yaml"))


@app.command(epilog="castad worker --concurrency 50")
def worker(
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Slots: runs at the same time [CASTAD_CONCURRENT_RUNS]"),
    ] = None,
    queue: Annotated[
        list[str] | None,
        typer.Option(
            help=r"Serve only this queue of pipelines; repeatable \[all queues]. "
            "`saves` delivers saves and takes them from RabbitMQ's queues"
        ),
    ] = None,
    while_needed: Annotated[
        bool, typer.Option("--while-needed", hidden=True, help="Exit when no process launches runs")
    ] = False,
) -> None:
    """Execute runs from the broker until stopped by a signal. Any number of workers may run."""
    from castad.engine.worker_process import run_worker
    from castad.saver import SAVES, run_saver

    if queue == [SAVES]:
        raise typer.Exit(run_saver(settings()))
    slots = concurrency or settings().runs_at_once
    raise typer.Exit(run_worker(settings(), slots, queue or (), while_needed=while_needed))


@app.command(
    epilog="CASTAD_INTAKE_URL=redis://127.0.0.1:6379/0 castad intake\n\n"
    'redis-cli XADD castad:orders "*" order \'{"customer_name": "Blue Harbor", "region": "Busan"}\''
)
def intake() -> None:
    """Take orders from a Redis or Valkey stream until stopped by a signal. Any number of processes may run.

    Each message of castad:orders becomes one order; a refused one is answered in castad:refused.
    """
    from castad.intake.take_orders import run_intake

    raise typer.Exit(run_intake(settings()))


@app.command(epilog="castad migrate\n\ncastad migrate --env .env")
def migrate(
    env: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rename the settings of this file instead"),
    ] = None,
) -> None:
    """Bring the ledger of an earlier castad to this one's form. Stop all processes of the earlier one before."""
    if env is None:
        open_ledger()
        print_status("the ledger has this castad's form")
    else:
        _rename_settings(env)


def _rename_settings(file: Path) -> None:
    """Rename the settings of a file in place, and print each. Raises InvalidInputError for an unusable file."""
    try:
        text, renamed = rename_variables(file.read_text("utf-8"))
        if renamed:
            _replace_text(file, text)
    except (OSError, UnicodeDecodeError):
        raise InvalidInputError(
            "--env", "expected a file of UTF-8 text that may be written"
        ) from None
    for former, today in renamed.items():
        print_result(f"{former} is {today}")
    print_status(f"{len(renamed)} settings renamed in {file}")


def _replace_text(file: Path, text: str) -> None:
    """Write the text so that a crash leaves the old file or the new one, with the old one's mode."""
    file = file.resolve()
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(text, "utf-8")
        draft.chmod(file.stat().st_mode & 0o777)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
