"""The pipeline: resolve a ref to a commit, read and analyse the commit, store its report."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from pipeline_defs.analysis import stages
from pipeline_defs.analysis.order import Order, build_commit_key, is_sha
from pipeline_defs.analysis.products import Counted, Readable, Recorded, Resolved
from pipeline_defs.analysis.reanalysis import get_hourly_limit, get_source_key
from pipeline_defs.capabilities import Projection, RemoteAcceptance, SourceCheck, UniqueKey
from pipeline_defs.pipeline import LocalStage, Pipeline, Products
from resources.contract.errors import InvalidInputError

_LONGEST_ANALYSIS = 1_300.0


def _check_remote(order: Order) -> None:
    if order.github is None:
        expected = (
            "expected a repository of GitHub; a local path can only be ordered by `castad make`"
        )
        raise InvalidInputError("repository", expected)


def _build_unique_key(order: Order) -> str | None:
    return build_commit_key(order.repository, order.ref) if is_sha(order.ref) else None


def _build_settled_key(order: Order, resolved: Resolved) -> str:
    repository = f"{resolved.owner}/{resolved.name}" if resolved.owner else order.repository
    return build_commit_key(repository, resolved.sha)


def _build_projection(order: Order, products: Products) -> Mapping[str, Any]:
    resolved: Resolved = products["resolve"]
    counted: Counted | None = products.get("analyse")
    summary = None if counted is None else counted.model_dump_json(exclude={"files"})
    return {
        "name_key": f"{resolved.owner}/{resolved.name}".lower(),
        "owner": resolved.owner,
        "repo": resolved.name,
        "sha": resolved.sha,
        "summary": summary,
    }


def _build_requested(order: Order) -> Mapping[str, Any] | None:
    repository = order.github
    if repository is None:
        return None
    return {
        "name_key": str(repository).lower(),
        "owner": repository.owner,
        "repo": repository.name,
        "sha": order.ref if is_sha(order.ref) else None,
    }


class Result(BaseModel):
    """What a client gets; `languages` in percent, `analysis` and `report` are names of files."""

    sha: str
    file_count: int
    bytes: int
    code_lines: int
    languages: Mapping[str, float]
    test_count: int
    frameworks: Mapping[str, int]
    analysis: str
    report: str


def _build_result(products: Products) -> Result:
    resolved: Resolved = products["resolve"]
    counted: Counted = products["analyse"]
    return Result(
        sha=resolved.sha,
        **counted.model_dump(exclude={"files"}),
        analysis=counted.files[0].name,
        report=products["record"].files[0].name,
    )


def _format_counted(counted: Counted) -> str:
    languages = ", ".join(f"{name} {share:g} %" for name, share in counted.languages.items())
    figures = (
        f"{counted.file_count:,} files, {counted.code_lines:,} lines of code, "
        f"{counted.test_count:,} tests"
    )
    return f"{figures}\n{languages}".rstrip()


def _summarize(order: Order) -> str:
    return f"{order.repository} at {order.ref[:12] if is_sha(order.ref) else order.ref}"


PIPELINE = Pipeline(
    name="analysis",
    title="The languages, lines and tests of a git repository",
    order_model=Order,
    stages=(
        LocalStage(
            "resolve",
            Resolved,
            "Find the commit of the ref",
            work=stages.resolve,
            words=lambda each: f"{each.owner}/{each.name} {each.sha}".lstrip("/"),
        ),
        LocalStage(
            "read", Readable, "Fetch the commit, or make sure that it can be read", work=stages.read
        ),
        LocalStage(
            "analyse",
            Counted,
            "Count languages, lines and tests",
            work=stages.analyse,
            needs=("resolve", "read"),
            deadline=_LONGEST_ANALYSIS,
            metadata="pipeline_defs.analysis.previews:build_counted_metadata",
            words=_format_counted,
        ),
        LocalStage(
            "record",
            Recorded,
            "Store the report",
            work=stages.write_report,
            needs=("resolve", "analyse"),
        ),
    ),
    example={"repository": "psf/requests", "ref": "v2.32.3"},
    summary=_summarize,
    result=_build_result,
    queue="analysis",
    extras=(
        RemoteAcceptance(_check_remote),
        UniqueKey(_build_unique_key, shared=True, settled={"resolve": _build_settled_key}),
        SourceCheck(
            "resolve",
            get_source_key,
            "pipeline_defs.analysis.reanalysis:find_commit",
            vendor="github",
            an_hour=get_hourly_limit,
        ),
        Projection(
            "analyses",
            since="read",
            values=_build_projection,
            path="/analysis",
            names=("owner", "repo"),
            version="sha",
            asked=_build_requested,
        ),
    ),
)
