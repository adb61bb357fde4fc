"""Commands that answer an order in this process: no daemon, worker or database has to be there."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from castad.cli.context import IncompleteError
from castad.direct.answering import Answering
from castad.direct.budget import DailyBudget
from castad.direct.ledger_import import DirectJob, ensure_task_id_available
from castad.direct.pool import list_targets
from castad.orders.submit import is_link
from castad.stack.output import print_json, print_line, print_status
from pipeline_defs.capabilities import Stateless
from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Pipeline
from resources.delivery.spool import deliver_spool, open_spool
from resources.files.pictures import UPLOADS, get_picture_source
from resources.ledger.db.database import open_database, with_short_timeouts
from resources.ledger.request import check_task_id, make_task_id
from resources.process.settings import settings

_DELIVER_SECONDS = 3.0


def answer_one(
    pipeline: Pipeline, given: Mapping[str, Any], task_id: str | None, *, as_json: bool
) -> None:
    """Answer the order, print the answer, and deliver what is kept of it or leave it in the spool.

    Raises InvalidInputError, and IncompleteError where it has failed.
    """
    fields, pictures = _collect_pictures(pipeline, given)
    payload = get_catalog().accept_order(pipeline, fields, settings())
    named = make_task_id() if task_id is None else check_task_id(task_id)
    job = DirectJob(named, None, payload, pictures)
    spool = open_spool(settings().home)
    ensure_task_id_available(spool, pipeline, job)
    budget = DailyBudget(spool, settings().daily_budget)
    if budget.limit is not None:
        url = with_short_timeouts(settings().ledger_url)
        budget.exchange_sums(open_database(url, at_once=False))
    answering = Answering(pipeline, settings(), spool, budget)
    try:
        with _progress(job):
            answering.answer(job)
    finally:
        answering.close()
    _print(pipeline, job, as_json=as_json)
    deliver_spool(spool, list_targets(get_catalog()), _DELIVER_SECONDS)
    body = job.body or {}
    if job.has_failed:
        raise IncompleteError(body["error"]["message"], code=body["error"]["code"])


def _collect_pictures(
    pipeline: Pipeline, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the fields with a reference in place of each local file, and the contents of these files."""
    fields, pictures = dict(given), {}
    for name in pipeline.uploads:
        references = []
        for index, picture in enumerate(fields.get(name) or ()):
            if is_link(picture):
                references.append(picture)
                continue
            path = Path(picture).expanduser()
            reference = get_picture_source(settings()).check_picture_file(path, f"{name}[{index}]")
            pictures[f"{UPLOADS}/{reference.partition(':')[2]}"] = path.read_bytes()
            references.append(reference)
        if references:
            fields[name] = references
    return fields, pictures


def _print(pipeline: Pipeline, job: DirectJob, *, as_json: bool) -> None:
    body = job.body or {}
    if as_json:
        print_json(body)
        return
    stateless = pipeline.find_extra(Stateless)
    if not job.has_failed and stateless is not None:
        for line in stateless.lines(pipeline.parse(job.payload), body):
            print_line(line)
    if not body.get("kept", True):
        print_status(
            "the answer is complete, but it could not be kept: the spool cannot be written"
        )


@contextmanager
def _progress(job: DirectJob) -> Iterator[None]:
    """Show the steps on standard error during the block, if that is a terminal."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    is_shown = console.is_terminal and sys.stderr is not None
    with Progress(*columns, console=console, transient=True, disable=not is_shown) as bar:
        task = bar.add_task("started", total=100)

        def show() -> None:
            bar.update(task, description=job.current_step or "started", completed=job.progress)

        stop = job.listen(show)
        try:
            yield
        finally:
            stop()
