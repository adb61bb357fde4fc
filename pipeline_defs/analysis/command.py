"""`castad analyse`: analyse a repository in this terminal, without a daemon, database or git program."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from pipeline_defs.analysis import analysing
from pipeline_defs.analysis.analysing import CommittedTree, Source, Tarball, WorkTree
from pipeline_defs.analysis.fetched import fetch_commit
from pipeline_defs.analysis.isolated import analyse_isolated
from pipeline_defs.analysis.order import parse_repository
from pipeline_defs.analysis.reading.git_tree import resolve_ref
from pipeline_defs.analysis.reading.members import AnalysisLimits
from pipeline_defs.analysis.report.analysis import Analysis
from pipeline_defs.analysis.report.rendering import (
    ENGLISH,
    KOREAN,
    build_html_page,
    build_terminal_report,
)
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
    name, revision, analysis = _analyse_repository(repository, ref, is_dirty=dirty)
    words = KOREAN if korean else ENGLISH
    if page is not None:
        try:
            page.write_text(build_html_page(analysis, name, revision, words), "utf-8")
        except OSError as error:
            expected = f"expected a file that can be written: {error.strerror}"
            raise InvalidInputError("--page", expected) from None
    if as_json:
        typer.echo(analysis.model_dump_json())
        return
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=_UNWRAPPED_WIDTH)
    console.print(build_terminal_report(analysis, name, revision, words))


def _analyse_repository(repository: str, ref: str, *, is_dirty: bool) -> tuple[str, str, Analysis]:
    at_github = parse_repository(repository)
    if at_github is None or Path(repository).exists():
        folder = Path(repository).resolve()
        try:
            str(folder).encode()
        except UnicodeEncodeError:
            raise InvalidInputError("REPOSITORY", "expected a path of UTF-8 text") from None
        source, revision = _choose_source(folder, ref, is_dirty=is_dirty)
        with _show_progress() as report_progress:
            analysis = analyse_isolated(source, AnalysisLimits(), report_progress, Event())
        return folder.name, revision, analysis
    if is_dirty:
        raise InvalidInputError("--dirty", "expected a folder, whose work tree is read")
    with (
        _show_progress() as report_progress,
        fetch_commit(at_github, ref, AnalysisLimits()) as found,
    ):
        tarball = Tarball(listing=found.listing)
        analysis = analyse_isolated(
            tarball, AnalysisLimits(), report_progress, Event(), found.archive
        )
    return found.name, f"{ref} {found.sha[:12]}", analysis


def _choose_source(folder: Path, ref: str, *, is_dirty: bool) -> tuple[Source, str]:
    if is_dirty and ref != "HEAD":
        raise InvalidInputError("--ref", "expected none with --dirty, which reads the work tree")
    if is_dirty:
        return WorkTree(folder), "--dirty"
    sha = resolve_ref(folder, ref)
    return CommittedTree(folder, sha), f"{ref} {sha[:12]}"


@contextmanager
def _show_progress() -> Iterator[analysing.ReportProgress]:
    """Show the progress on standard error during the block, if that is a terminal."""
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
