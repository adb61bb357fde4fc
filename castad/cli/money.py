"""Commands about money: resolve a submission of unknown outcome, pause and resume a provider."""

from typing import Annotated

import typer

from castad.cli.context import AsJson, Attempt, TaskId, acting_person, open_ledger
from castad.orders.acts import (
    Choice,
    parse_pause_seconds,
    pause_by_hand,
    resolve_submission,
    resume_by_hand,
)
from castad.stack.output import print_json, print_line, print_status
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.money import read_pauses
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.process.settings import settings

app = typer.Typer(add_completion=False)


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
    choice = _choose(attach, again=resubmit, give_it_up=give_up)
    db = open_ledger()
    by = acting_person()
    resolved = resolve_submission(
        db, task_id, choice, attach, settings(), by, field="--attach", attempt=attempt
    )
    request = resolved.request
    if resolved.remark:
        print_status(f"note: {resolved.remark}")
    if as_json:
        print_json({"task_id": request.task_id, "status": str(request.status)})
    else:
        print_line(_describe_next(request, given_up=give_up))


def _describe_next(request: Request, *, given_up: bool) -> str:
    name = request.task_id
    if given_up:
        return f"{name} is dead; `castad retry {name}` would submit it to the vendor again"
    if request.status is Status.PENDING:
        return f"{name} is pending; `castad watch {name}` continues it"
    return (
        f"the job is stored, and {name} stays {request.status}, because another request is the same order; "
        f"once that one is dead or canceled, `castad retry {name}` continues with the job"
    )


def _choose(external_id: str | None, *, again: bool, give_it_up: bool) -> Choice:
    if [external_id is not None, again, give_it_up].count(True) != 1:
        raise InvalidInputError("--attach, --resubmit, --give-up", "expected exactly one of them")
    if external_id is None:
        return "resubmit" if again else "give_up"
    return "attach"


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
    if as_json:
        print_json({"paused": provider, "until": paused.until.isoformat(), "why": paused.why})
    else:
        print_line(
            f"{provider}: paused until {paused.until:%Y-%m-%d %H:%M} UTC; orders wait for it"
        )


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
