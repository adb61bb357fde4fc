"""The command line: commands and options only. The modules beside do the work and are imported on demand."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from castad.cli.approval_app import add_approval
from castad.cli.key_app import AsJson, key
from castad.cli.list_app import add_list
from castad.cli.order_commands import MakeCommand, RedoCommand, verb_command
from castad.cli.page_app import add_page_links
from castad.cli.report_app import add_report
from castad.cli.retention_app import add_retention
from castad.cli.studio import studio
from pipeline_defs.verbs import VERBS

app = typer.Typer(
    name="castad",
    help="Turns orders into finished works: an advertising song and its video, first of all.",
    epilog="Begin with: [bold]castad make examples/song_video.yaml[/]",
    rich_markup_mode="rich",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(key, name="key")
app.add_typer(studio, name="studio")

TaskId = Annotated[str, typer.Argument(metavar="TASK_ID", help="The order's name")]
Attempt = Annotated[
    int | None,
    typer.Option(min=0, help="The last attempt that you have seen: the same act is done once"),
]


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
    """Turns orders into finished works: an advertising song and its video, first of all."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(cls=MakeCommand)
def make() -> None:
    """Make one order and wait for it; the last line is its main file's path, or its result as JSON.

    The options are the fields of the pipeline's order; they override the file.
    """


@app.command(epilog="castad submit examples/song_video.csv --dry-run")
def submit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of orders: .yaml or .csv")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check the orders; submit none")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Submit the orders of a file, all of them or none; `castad up` works on them."""
    from castad.cli.commands import submit_file

    submit_file(file, dry_run=dry_run, as_json=as_json)


@app.command(epilog="castad status order-1a2b3c --json")
def status(task_id: TaskId, as_json: AsJson = False) -> None:
    """Show an order's status."""
    from castad.cli.commands import show_status

    show_status(task_id, as_json=as_json)


add_list(app)


@app.command(epilog="castad watch order-1a2b3c")
def watch(task_id: TaskId, as_json: AsJson = False) -> None:
    """Wait for an order, and work on it if no daemon does; the last line is its main file or its result."""
    from castad.cli.commands import watch_one

    watch_one(task_id, as_json=as_json)


@app.command(epilog="castad history order-1a2b3c")
def history(task_id: TaskId, as_json: AsJson = False) -> None:
    """Show an order's history from the Dagster event log."""
    from castad.cli.commands import show_history

    show_history(task_id, as_json=as_json)


@app.command(epilog="castad retry order-1a2b3c")
def retry(task_id: TaskId, attempt: Attempt = None, as_json: AsJson = False) -> None:
    """Make a failed, dead or canceled order pending again; completed stages are kept."""
    from castad.cli.commands import retry_one

    retry_one(task_id, attempt, as_json=as_json)


@app.command(
    cls=RedoCommand,
    epilog="castad redo order-1a2b3c --from song\n\n"
    "castad redo order-1a2b3c --from video --orientation horizontal",
)
def redo() -> None:
    """Make a stage and those after it again; the vendors are paid again.

    An option changes the order: submitting the original one under this name is then refused as a conflict.
    """


@app.command(epilog="castad cancel order-1a2b3c")
def cancel(task_id: TaskId, as_json: AsJson = False) -> None:
    """Cancel an order; a running attempt is asked to stop."""
    from castad.cli.commands import cancel_one

    cancel_one(task_id, as_json=as_json)


@app.command(epilog="castad cover order-1a2b3c --at 3.2")
def cover(
    task_id: TaskId,
    at: Annotated[float, typer.Option("--at", metavar="SECONDS", help="The moment of the video")],
    as_json: AsJson = False,
) -> None:
    """Make a frame of an order's video its cover, and print the cover's path; nothing is bought again."""
    from castad.cli.cover import choose_one

    choose_one(task_id, at, as_json=as_json)


@app.command(epilog="castad delete order-1a2b3c --yes")
def delete(
    task_id: TaskId,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it without asking")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete an ended order for ever: files, pictures, words and history; what it cost stays in the sums."""
    from castad.cli.delete import delete_one

    delete_one(task_id, is_sure=yes, as_json=as_json)


@app.command(
    epilog="castad resolve order-1a2b3c --attach 5c79be8e\n\n"
    "castad resolve order-1a2b3c --resubmit\n\ncastad resolve order-1a2b3c --give-up"
)
def resolve(
    task_id: TaskId,
    attach: Annotated[
        str | None, typer.Option(metavar="ID", help="The vendor has the job, and this is its id")
    ] = None,
    resubmit: Annotated[
        bool, typer.Option("--resubmit", help="The vendor does not have the job: submit it again")
    ] = False,
    give_up: Annotated[
        bool, typer.Option("--give-up", help="Make the order dead; nothing is submitted again")
    ] = False,
    attempt: Attempt = None,
    as_json: AsJson = False,
) -> None:
    """Resolve a submission of unknown outcome, after you have checked the vendor's account."""
    from castad.cli.money import resolve_one

    resolve_one(
        task_id, attach, again=resubmit, give_it_up=give_up, attempt=attempt, as_json=as_json
    )


@app.command(epilog='castad pause suno --for 2h --reason "they repair their API"')
def pause(
    provider: Annotated[str, typer.Argument(metavar="PROVIDER", help="a provider's name")],
    duration: Annotated[str, typer.Option("--for", metavar="TIME", help="30m, 1h, 2d …")] = "1h",
    reason: Annotated[str, typer.Option(help="Why, for whoever looks at the orders")] = "",
    as_json: AsJson = False,
) -> None:
    """Order nothing from a provider for a while: orders that need it wait, and no retry is counted."""
    from castad.cli.money import pause_one

    pause_one(provider, duration, reason, as_json=as_json)


@app.command(epilog="castad resume suno")
def resume(
    provider: Annotated[
        str | None,
        typer.Argument(metavar="PROVIDER", help="a provider's name, or budget; all where left out"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Use a paused provider again at once, after you have paid its bill, fixed its key or raised the budget."""
    from castad.cli.money import resume_paused

    resume_paused(provider, as_json=as_json)


@app.command(epilog="castad dead --json\n\ncastad dead --saves")
def dead(
    saves: Annotated[
        bool, typer.Option("--saves", help="List the saves of this machine that are tried no more")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the dead letters: orders that ended without a result, and how to repair each."""
    from castad.cli.commands import show_dead
    from castad.cli.saves import show_dead_saves

    (show_dead_saves if saves else show_dead)(as_json=as_json)


@app.command(epilog="castad saves\n\ncastad saves --replay\n\ncastad saves --deliver")
def saves(
    replay: Annotated[
        bool, typer.Option("--replay", help="Try all dead ones again, for another 24 hours")
    ] = False,
    replay_one: Annotated[
        int | None, typer.Option(metavar="ID", help="Try this dead one again")
    ] = None,
    deliver: Annotated[
        bool, typer.Option("--deliver", help="Try now what is due, where no process does")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List what waits on this machine's disk to be saved elsewhere: imports of answers, and their saves."""
    from castad.cli.saves import run_saves

    run_saves(replay=replay, replay_id=replay_one, deliver=deliver, as_json=as_json)


@app.command(
    epilog="castad webhooks --failed\n\ncastad webhooks --replay 7\n\ncastad webhooks --replay-failed"
)
def webhooks(
    failed: Annotated[
        bool, typer.Option("--failed", help="List only those that are tried no more")
    ] = False,
    replay: Annotated[
        int | None, typer.Option(metavar="ID", help="Send this one again, whatever became of it")
    ] = None,
    replay_failed: Annotated[
        bool, typer.Option("--replay-failed", help="Send all again that are tried no more")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the newest webhooks, which tell an order's callback_url that it has ended; or send some again."""
    from castad.cli.webhooks import run_webhooks

    run_webhooks(failed=failed, replay_id=replay, replay_failed=replay_failed, as_json=as_json)


@app.command(epilog="castad stats --stuck-after 300 --json")
def stats(
    stuck_after: Annotated[
        int,
        typer.Option(
            min=0, max=31_536_000, help="An order without progress for so many seconds is stuck"
        ),
    ] = 900,
    as_json: AsJson = False,
) -> None:
    """Show statistics: orders by status, failed and stuck ones, durations of stages, money spent."""
    from castad.cli.commands import show_statistics

    show_statistics(stuck_after, as_json=as_json)


add_approval(app)
add_page_links(app)
add_report(app)
add_retention(app)


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
    from castad.api.described import described_openapi
    from castad.web.serve import run_api
    from resources.process.settings import settings

    if openapi:
        typer.echo(described_openapi())
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
    from castad.api.dagster_ui.serve import run_ui
    from resources.process.settings import find_project_file, settings

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
    from resources.process.settings import find_project_file, settings

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
    from resources.process.settings import settings

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
    from castad.intake.serve import run_intake
    from resources.process.settings import settings

    raise typer.Exit(run_intake(settings()))


@app.command(epilog="castad migrate\n\ncastad migrate --env .env")
def migrate(
    env: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rename the settings of this file instead"),
    ] = None,
) -> None:
    """Bring the ledger of an earlier castad to this one's form. Stop all processes of the earlier one before."""
    from castad.cli.migrate import migrate_ledger, rename_settings

    if env is None:
        migrate_ledger()
    else:
        rename_settings(env)


@app.command(epilog="castad doctor --json")
def doctor(as_json: AsJson = False) -> None:
    """Check everything that castad needs, and print a remedy for each problem."""
    from castad.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(as_json=as_json))


def _no_options() -> None:
    """The folder's function has them."""


for verb in VERBS:
    app.command(verb.name, cls=verb_command(verb), help=verb.title, epilog=verb.example)(
        _no_options
    )
