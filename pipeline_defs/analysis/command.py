"""`castad analyse`: a repository, analysed in this terminal; it needs no daemon, database or git program."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from pipeline_defs.analysis import analysing
from pipeline_defs.analysis.fetched import fetched
from pipeline_defs.analysis.isolated import analyse_isolated
from pipeline_defs.analysis.order import github_repository
from pipeline_defs.analysis.reading.git_tree import resolve_ref
from pipeline_defs.analysis.reading.members import Limits
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.report.analysis_page import html_page
from pipeline_defs.analysis.report.report_words import ENGLISH, KOREAN
from pipeline_defs.analysis.report.table import terminal_report
from pipeline_defs.analysis.sources import CommittedTree, Source, Tarball, WorkTree
from resources.contract.errors import InvalidInputError

_UNWRAPPED_WIDTH = 1000


def analyse(
    repository: Annotated[
        str, typer.Argument(help="The folder of a git repository, or owner/name at GitHub")
    ] = ".",
    ref: Annotated[str, typer.Option(help="A branch, a tag or a commit")] = "HEAD",
    dirty: Annotated[
        bool, typer.Option("--dirty", help="The work tree, with what is not committed")
    ] = False,
    page: Annotated[
        Path | None, typer.Option(help="Write the report as an HTML page to this file")
    ] = None,
    korean: Annotated[bool, typer.Option("--korean", help="Headings in Korean")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> None:
    """Analyse a git repository: its languages, lines and tests.

    Nothing is checked out or executed. Of a folder nothing is sent anywhere; owner/name is fetched from GitHub
    where there is no such folder here.
    """
    name, revision, analysis = _analysed(repository, ref, is_dirty=dirty)
    words = KOREAN if korean else ENGLISH
    if page is not None:
        _write(page, html_page(analysis, name, revision, words))
    if as_json:
        typer.echo(analysis.model_dump_json())
        return
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=_UNWRAPPED_WIDTH)
    console.print(terminal_report(analysis, name, revision, words))


def _analysed(repository: str, ref: str, *, is_dirty: bool) -> tuple[str, str, Analysis]:
    """What the report calls the repository and what is read of it, and the analysis."""
    at_github = github_repository(repository)
    if at_github is None or Path(repository).exists():
        folder = _as_text(Path(repository).resolve())
        source, revision = _source(folder, ref, is_dirty=is_dirty)
        with _progress() as report_progress:
            analysis = analyse_isolated(source, Limits(), report_progress, Event())
        return folder.name, revision, analysis
    if is_dirty:
        raise InvalidInputError("--dirty", "expected a folder, whose work tree is read")
    with _progress() as report_progress, fetched(at_github, ref, Limits()) as found:
        tarball = Tarball(listing=found.listing)
        analysis = analyse_isolated(tarball, Limits(), report_progress, Event(), found.archive)
    return found.name, f"{ref} {found.sha[:12]}", analysis


def _as_text(folder: Path) -> Path:
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise InvalidInputError("REPOSITORY", "expected a path of UTF-8 text") from None
    return folder


def _source(folder: Path, ref: str, *, is_dirty: bool) -> tuple[Source, str]:
    """What is read, and what the report calls it."""
    if is_dirty and ref != "HEAD":
        raise InvalidInputError("--ref", "expected none with --dirty, which reads the work tree")
    if is_dirty:
        return WorkTree(folder), "--dirty"
    sha = resolve_ref(folder, ref)
    return CommittedTree(folder, sha), f"{ref} {sha[:12]}"


@contextmanager
def _progress() -> Iterator[analysing.ReportProgress]:
    """Shows the progress on standard error while the block runs, where that is a terminal."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading")

        def report(progress: analysing.Progress) -> None:
            of = "" if progress.total is None else f" of {progress.total}"
            bar.update(task, description=f"{progress.step}: {progress.done}{of} files")

        yield report


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, "utf-8")
    except OSError as error:
        expected = f"expected a file that can be written: {error.strerror}"
        raise InvalidInputError("--page", expected) from None
