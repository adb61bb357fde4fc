"""The work of the stages: resolve, read, analyse, record.

What an analysis loads is imported when a stage begins: every command imports this file.
"""

from pathlib import Path

from pipeline_defs.analysis.order import Order
from pipeline_defs.analysis.products import Counted, Resolved
from pipeline_defs.pipeline import Products
from resources.contract.protocol import Product
from resources.contract.work import Work

RESULT_FILE = "analysis.json"
PAGE_FILE = "report.html"


def resolve(order: Order, products: Products, work: Work) -> Product:
    """The commit that the ref names.

    Raises PermanentError `repository_not_found`, `repository_broken` or `ref_not_found`.
    """
    from pipeline_defs.analysis.reading.git_tree import resolve_ref

    folder = Path(order.repository)
    return Product({"owner": "", "name": folder.name, "sha": resolve_ref(folder, order.ref)})


def read(order: Order, products: Products, work: Work) -> Product:
    """The commit is there, and nothing has to be fetched. Raises PermanentError as `resolve` does."""
    from pipeline_defs.analysis.reading.git_tree import resolve_ref

    resolve_ref(Path(order.repository), products["resolve"].sha)
    return Product({"bytes": 0})


def analyse(order: Order, products: Products, work: Work) -> Product:
    """The analysis, made in a process of its own that ends with this attempt.

    Raises PermanentError with a code of `refusals.Code`, and what `work.report` raises.
    """
    from pipeline_defs.analysis.reading.limits import Limits
    from pipeline_defs.analysis.sources import CommittedTree
    from pipeline_defs.analysis.supervised import analyse_supervised

    source = CommittedTree(Path(order.repository), products["resolve"].sha)
    analysis = analyse_supervised(source, Limits(), work.report)
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


def record(order: Order, products: Products, work: Work) -> Product:
    """The report as a page."""
    from pipeline_defs.analysis.report.analysis import Analysis
    from pipeline_defs.analysis.report.page import html_page
    from pipeline_defs.analysis.report.words import ENGLISH

    [stored] = products["analyse"].files
    analysis = Analysis.model_validate_json(work.open(vars(stored)).read_bytes())
    resolved: Resolved = products["resolve"]
    page = work.folder / PAGE_FILE
    page.write_text(
        html_page(analysis, order.repository, revision(order, resolved), ENGLISH), "utf-8"
    )
    return Product({}, (page,))


def revision(order: Order, resolved: Resolved) -> str:
    """What the report calls the commit."""
    short = resolved.sha[:12]
    return short if order.ref == resolved.sha else f"{order.ref} {short}"
