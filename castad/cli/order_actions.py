"""Commands that act on orders and vendors: retry, redo, cancel, resolve, cover, delete, pause, resume."""

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from castad.cli.context import AsJson, Attempt, TaskId, acting_person, open_ledger
from castad.orders.acts import (
    Choice,
    choose_frame,
    delete_order,
    parse_moment,
    parse_pause_seconds,
    pause_by_hand,
    redo_order,
    resolve_submission,
    resume_by_hand,
    retry_order,
)
from castad.orders.bulk import CORRECT, RESOLVE, TRIED, plan_retry, retry_planned
from castad.stack.local_daemon import open_instance
from castad.stack.output import print_json, print_line, print_outcome, print_status
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.contract.errors import InvalidInputError
from resources.files.artifacts import open_artifact_store
from resources.ledger.db.database import Database, open_database
from resources.ledger.ledger_errors import UnknownRequestError
from resources.ledger.queries.listing import RequestFilter
from resources.ledger.queries.money import find_submission_in_doubt, read_pauses
from resources.ledger.queries.status import get_request, read_clock
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.ledger.transitions.orders import cancel_request
from resources.process.configure_logging import format_utc
from resources.process.settings import settings
from resources.views.order_body import to_dollars

app = typer.Typer(add_completion=False)


class Retried(StrEnum):
    """The statuses whose orders are retried together."""

    FAILED = Status.FAILED
    DEAD = Status.DEAD
    CANCELED = Status.CANCELED


@app.command(
    epilog="castad retry order-1a2b3c\n\ncastad retry --status dead --code provider_failed --dry-run"
)
def retry(
    task_id: Annotated[
        str | None, typer.Argument(metavar="TASK_ID", help="The order's name")
    ] = None,
    attempt: Attempt = None,
    status: Annotated[
        Retried | None, typer.Option(help="Retry all orders of this status instead, up to 500")
    ] = None,
    code: Annotated[str | None, typer.Option(help="Of those, only with this error code")] = None,
    stage: Annotated[str | None, typer.Option(help="Of those, only at this stage")] = None,
    pipeline: Annotated[str | None, typer.Option(help="Of those, only of this pipeline")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be retried, and its price")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make failed, dead or canceled orders pending again; completed stages are kept."""
    if (task_id is None) == (status is None):
        raise InvalidInputError("castad retry", "expected a TASK_ID or --status")
    if status is not None:
        wanted = RequestFilter(status=Status(status), code=code, stage=stage, pipeline=pipeline)
        _retry_many(wanted, dry_run=dry_run, as_json=as_json)
        return
    if dry_run or code or stage or pipeline:
        raise InvalidInputError("castad retry", "expected --dry-run and filters only with --status")
    name, by = task_id or "", acting_person()
    _apply_action(lambda db: retry_order(db, name, by=by, attempt=attempt), as_json=as_json)


_NEEDS = {
    TRIED: "retry",
    RESOLVE: "resolve first: see `castad resolve --help`",
    CORRECT: "correct the order first: see `castad dead`",
}


def _retry_many(wanted: RequestFilter, *, dry_run: bool, as_json: bool) -> None:
    db = open_ledger()
    until = read_clock(db)
    plan = plan_retry(db, wanted, until, settings())
    done = None if dry_run else retry_planned(db, plan, until, acting_person())
    groups = [
        {
            "code": each.of,
            "needs": "retry" if each.needs == TRIED else each.needs,
            "orders": len(each.task_ids),
            "cost_usd": to_dollars(each.price),
        }
        for each in plan.groups
    ]
    if as_json:
        retried = None if done is None else done.task_ids
        print_json({"dry_run": dry_run, "retried": retried, "more": plan.more, "groups": groups})
        return
    for each in plan.groups:
        cost = f", {to_dollars(each.price):.4f} USD" if each.needs == TRIED else ""
        print_status(f"{each.of}: {len(each.task_ids)}, {_NEEDS[each.needs]}{cost}")
    count = len(plan.list_task_ids(TRIED)) if done is None else len(done.task_ids)
    print_line(f"orders that {'would be' if dry_run else 'are'} retried: {count}")
    if plan.more:
        print_status("there are more: repeat the command for them")


def find_pipeline_of_order(task_id: str) -> Pipeline | None:
    """Find the pipeline of the order of this name; return None if there is no such order or pipeline."""
    try:
        return get_catalog().find_pipeline(get_request(open_ledger(), task_id).pipeline)
    except UnknownRequestError:
        return None


def redo_one(
    task_id: str,
    stage: str,
    changes: Mapping[str, Any],
    generation: int | None,
    *,
    as_json: bool,
) -> None:
    """Make the order pending, so that the stage and those after it are made again with these changed fields.

    Raises InvalidInputError for an unknown stage or a field that cannot be changed.
    """
    by = acting_person()
    _apply_action(
        lambda db: redo_order(db, task_id, stage, changes, settings(), by, generation),
        as_json=as_json,
    )


@app.command(epilog="castad cancel order-1a2b3c")
def cancel(task_id: TaskId, as_json: AsJson = False) -> None:
    """Cancel an order; a running attempt is asked to stop."""
    _apply_action(lambda db: cancel_request(db, task_id, by=acting_person()), as_json=as_json)


def _apply_action(transition: Callable[[Database], Request], *, as_json: bool) -> None:
    request = transition(open_ledger())
    if as_json:
        print_json({"task_id": request.task_id, "status": str(request.status)})
    elif request.status is Status.PENDING:
        print_line(f"{request.task_id} is pending; `castad watch {request.task_id}` continues it")
    elif request.cancel_requested:
        print_line(f"{request.task_id} is stopping: its running attempt was asked to stop")
        return
    else:
        print_line(f"{request.task_id} is {request.status}")
    doubt = None if as_json else find_submission_in_doubt(open_ledger(), request)
    if doubt is not None:
        print_status(
            f"{doubt.stage}: {doubt.provider} may still make the submitted job and charge for it; "
            f"see `castad history {request.task_id}` and `castad resolve --help`"
        )


@app.command(epilog="castad cover order-1a2b3c --at 3.2")
def cover(
    task_id: TaskId,
    at: Annotated[float, typer.Option("--at", metavar="SECONDS", help="The moment of the video")],
    as_json: AsJson = False,
) -> None:
    """Make a frame of an order's video its cover, and print the cover's path; nothing is bought again."""
    config = settings()
    db, store = open_database(config.ledger_url), open_artifact_store(config)
    thumbnail, cover = choose_frame(db, store, task_id, parse_moment(at), acting_person())
    paths = {"cover": str(store.root / cover.where), "thumbnail": str(store.root / thumbnail.where)}
    content = {"task_id": task_id, "seconds": at, **paths}
    print_outcome(content, paths["cover"], as_json=as_json)


@app.command(epilog="castad delete order-1a2b3c --yes")
def delete(
    task_id: TaskId,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it without asking")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete an ended order for ever: files, pictures, words and history; what it cost stays in the sums."""
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInputError("--yes", "expected where there is no terminal to ask on")
        typer.confirm(f"Delete {task_id}, its files and its history for ever?", abort=True)
    config = settings()
    db, store = open_database(config.ledger_url), open_artifact_store(config)
    with open_instance(config) as instance:
        delete_order(db, store, instance, task_id, acting_person())
    print_outcome({"task_id": task_id, "deleted": True}, f"{task_id} is deleted", as_json=as_json)


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
    given: dict[Choice, bool] = {
        "attach": attach is not None,
        "resubmit": resubmit,
        "give_up": give_up,
    }
    chosen = [choice for choice, is_given in given.items() if is_given]
    if len(chosen) != 1:
        raise InvalidInputError("--attach, --resubmit, --give-up", "expected exactly one of them")
    db, by = open_ledger(), acting_person()
    resolved = resolve_submission(
        db, task_id, chosen[0], attach, settings(), by, field="--attach", attempt=attempt
    )
    request = resolved.request
    if resolved.remark:
        print_status(f"note: {resolved.remark}")
    name = request.task_id
    if give_up:
        line = f"{name} is dead; `castad retry {name}` would submit it to the vendor again"
    elif request.status is Status.PENDING:
        line = f"{name} is pending; `castad watch {name}` continues it"
    else:
        line = (
            f"the job is stored, and {name} stays {request.status}, because another request is the same order; "
            f"once that one is dead or canceled, `castad retry {name}` continues with the job"
        )
    print_outcome({"task_id": name, "status": str(request.status)}, line, as_json=as_json)


@app.command(epilog='castad pause suno --for 2h --reason "they repair their API"')
def pause(
    provider: Annotated[str, typer.Argument(metavar="PROVIDER", help="a provider's name")],
    duration: Annotated[str, typer.Option("--for", metavar="TIME", help="30m, 1h, 2d …")] = "1h",
    reason: Annotated[str, typer.Option(help="Why, for whoever looks at the orders")] = "",
    as_json: AsJson = False,
) -> None:
    """Order nothing from a provider for a while: orders that need it wait, and no retry is counted."""
    seconds = parse_pause_seconds("--for", duration)
    db = open_ledger()
    pause_by_hand(db, provider, seconds, acting_person(), reason)
    [paused] = [each for each in read_pauses(db) if each.provider == provider]
    until = format_utc(paused.until)
    content = {"paused": provider, "until": until, "why": paused.why}
    print_outcome(content, f"{provider}: paused until {until}; orders wait for it", as_json=as_json)


@app.command(epilog="castad resume suno")
def resume(
    provider: Annotated[
        str | None,
        typer.Argument(metavar="PROVIDER", help="a provider's name, or budget; all where left out"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Use a paused provider again at once, after you have paid its bill, fixed its key or raised the budget."""
    db = open_ledger()
    paused = [pause.provider for pause in read_pauses(db)]
    if provider is not None and provider not in paused:
        listed = ", ".join(paused) or "none is paused"
        raise InvalidInputError("PROVIDER", f"expected a paused provider: {listed}")
    by, chosen = acting_person(), [each for each in paused if provider in (None, each)]
    freed = [each for each in chosen if resume_by_hand(db, each, by)]
    if as_json:
        print_json({"resumed": freed})
    elif freed:
        print_line(f"{', '.join(freed)}: no longer paused, and the orders that waited are due")
    else:
        print_status("no provider is paused")
