"""The work of the stages: resolve, read, analyse, record.

A stage imports what it needs when it begins, since every command imports this file.
"""

from pathlib import Path

from pipeline_defs.analysis.order import GitHubRepository, Order
from pipeline_defs.analysis.products import Counted, Readable, Resolved
from pipeline_defs.pipeline import Products
from resources.contract.protocol import Product, Work
from resources.process.settings import settings

ARCHIVE_FILE = "archive.tar.gz"
RESULT_FILE = "analysis.json"
PAGE_FILE = "report.html"


def resolve(order: Order, products: Products, work: Work) -> Product:
    """Resolve the ref to a commit.

    Raise PermanentError `repository_not_found`, `repository_broken`, `ref_not_found` or `repository_private`, and
    the errors of `GitHubClient.resolve`.
    """
    if order.github is not None:
        return _resolve_at_github(order.github, order.ref, work)
    from pipeline_defs.analysis.reading.git_tree import resolve_ref

    folder = Path(order.repository)
    return Product({"owner": "", "name": folder.name, "sha": resolve_ref(folder, order.ref)})


def _resolve_at_github(repository: GitHubRepository, ref: str, work: Work) -> Product:
    from pipeline_defs.analysis.reading.members import make_private_error
    from resources.providers.github.vendor import make_github_client

    github = make_github_client(settings())
    with work.calling(github.name):
        commit = github.resolve(repository.owner, repository.name, ref)
    if commit.is_private:
        raise make_private_error(f"{commit.owner}/{commit.name}")
    return Product({"owner": commit.owner, "name": commit.name, "sha": commit.sha})


def read(order: Order, products: Products, work: Work) -> Product:
    """Fetch a commit of GitHub as an archive, or check that a local one can be read.

    Raise PermanentError as `resolve` does, and the errors of `GitHubClient.download`.
    """
    if order.github is not None:
        return _fetch_from_github(products["resolve"], work)
    from pipeline_defs.analysis.reading.git_tree import resolve_ref

    resolve_ref(Path(order.repository), products["resolve"].sha)
    return Product({"bytes": 0})


def _fetch_from_github(resolved: Resolved, work: Work) -> Product:
    from pipeline_defs.analysis.fetched import write_commit_listing
    from pipeline_defs.analysis.reading.members import AnalysisLimits
    from resources.providers.github.vendor import make_github_client

    of = (resolved.owner, resolved.name, resolved.sha)
    github, archive = make_github_client(settings()), work.folder / ARCHIVE_FILE
    most = AnalysisLimits().compressed_bytes
    with work.calling(github.name):
        listing = write_commit_listing(github, of, work.folder)
        github.download(*of, archive, work.check, most)
    return Product({"bytes": archive.stat().st_size}, (archive, listing))


def analyse(order: Order, products: Products, work: Work) -> Product:
    """Analyse the commit in a process that ends with this attempt.

    Raise PermanentError with a code of `members.RefusalCode`, and the errors of `work.report`.
    """
    from pipeline_defs.analysis.analysing import CommittedTree, Tarball
    from pipeline_defs.analysis.isolated import analyse_supervised
    from pipeline_defs.analysis.reading.members import AnalysisLimits

    fetched: Readable = products["read"]
    if fetched.files:
        with work.open(vars(fetched.files[0])).open("rb") as archive:
            listing = next((work.open(vars(each)) for each in fetched.files[1:]), None)
            source = Tarball(listing=listing)
            analysis = analyse_supervised(source, AnalysisLimits(), work.report, archive)
    else:
        commit = CommittedTree(Path(order.repository), products["resolve"].sha)
        analysis = analyse_supervised(commit, AnalysisLimits(), work.report)
    file = work.folder / RESULT_FILE
    file.write_text(analysis.model_dump_json(), "utf-8")
    counted = Counted(
        file_count=analysis.files,
        bytes=analysis.bytes,
        code_lines=analysis.lines.code,
        languages={each.name: each.percent for each in analysis.languages},
        test_count=analysis.test_count,
        frameworks={each.framework: each.tests for each in analysis.tests},
    )
    return Product(counted.model_dump(mode="json", exclude={"files"}), (file,))


def write_report(order: Order, products: Products, work: Work) -> Product:
    """Write the report as a page."""
    from pipeline_defs.analysis.report.analysis import Analysis
    from pipeline_defs.analysis.report.rendering import ENGLISH, build_html_page

    [stored] = products["analyse"].files
    analysis = Analysis.model_validate_json(work.open(vars(stored)).read_bytes())
    resolved: Resolved = products["resolve"]
    name = f"{resolved.owner}/{resolved.name}" if resolved.owner else order.repository
    short = resolved.sha[:12]
    revision = short if order.ref == resolved.sha else f"{order.ref} {short}"
    page = work.folder / PAGE_FILE
    page.write_text(build_html_page(analysis, name, revision, ENGLISH), "utf-8")
    return Product({}, (page,))
