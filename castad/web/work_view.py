"""What the page of a work shows, by its status.

What a pipeline's own folder adds to the pages of its works: values, a template and a script.

`pipeline_defs/<name>/page_view.py` may have `held(stage, brief, product)` and `result(brief, products)`. Both
return JSON, which the folder's templates `page/held.html` and `page/result.html` show as `view`.
"""

import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import PurePath
from types import ModuleType
from typing import Any, Literal

from castad.api.state import Api
from castad.orders.acts import list_redo_prices
from castad.orders.submit import StagePrice, sum_prices
from castad.views.events import LiveProgress, ProgressReader
from castad.views.snapshot import Snapshot, select_newest_files
from castad.views.status_body import StatusBody
from castad.web.pages import find_script_folders, has_template
from castad.web.words import (
    Refusal,
    Translator,
    build_error_sentence,
    build_retry_sentence,
    build_waiting_sentence,
    format_duration,
    get_paused_provider,
)
from pipeline_defs.capabilities import get_changeable, list_changeable_fields
from pipeline_defs.pipeline import BoughtStage, Cover, Pipeline
from resources.contract.errors import InvalidInputError, UnknownSubmissionError
from resources.ledger.ledger_errors import LedgerError
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.views.order_body import ArtifactBody, build_artifact_url, to_dollars

Scene = Literal["held", "live", "result", "stopped"]
FileUrl = Callable[[str], str]

_NAME = re.compile(r"^(?P<base>[^.-]+)")
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')
"""What no file system of a reader takes in a name."""
_LONGEST_NAME = 80
_OPENS = ("video", "image", "audio", "text")


@dataclass(frozen=True)
class FileView:
    """A file as a page offers it; `kind` is video, audio, image, text or other.

    `is_copy` says that it is another file's sound in a smaller form. `saved_as` is its name on the reader's disk.
    """

    name: str
    label: str
    kind: str
    media_type: str
    bytes: int
    url: str
    stage: str
    generation: int = 1
    is_copy: bool = False
    saved_as: str = ""


@dataclass(frozen=True)
class StageLine:
    """A stage in the list of a work that is being made; `state` is done, now, failed or next."""

    name: str
    label: str
    state: str
    progress: int | None
    note: str
    seconds: float | None
    usd: float


@dataclass(frozen=True)
class Offer:
    """A redo that may be bought, from this stage on and with the named field changed."""

    stage: str
    label: str
    field: str = ""
    value: str = ""


def find_scene(order: Request) -> Scene:
    """Choose the scene for the order's state."""
    if order.held_stage is not None:
        return "held"
    if order.status is Status.COMPLETED:
        return "result"
    is_doubtful = order.status is Status.FAILED and order.error_code == UnknownSubmissionError.code
    return "stopped" if order.is_terminal or is_doubtful else "live"


def find_stage_label(pipeline: Pipeline | None, stage: str, translate: Translator) -> str:
    """Return the stage's name in the pipeline's texts, else its title."""
    found = None if pipeline is None else pipeline.find_stage(stage)
    return translate.find(f"stage_{stage}", stage if found is None else found.title)


def build_stage_lines(
    status: StatusBody, pipeline: Pipeline | None, translate: Translator
) -> list[StageLine]:
    """Build the lines of all stages in order."""
    return [
        StageLine(
            name=name,
            label=find_stage_label(pipeline, name, translate),
            state=_STATES.get(body.status, "next"),
            progress=body.progress,
            note=body.progress_note or "",
            seconds=body.seconds,
            usd=body.cost_usd,
        )
        for name, body in status.stages.items()
    ]


_STATES: Mapping[str, str] = {"completed": "done", "processing": "now", "failed": "failed"}


def build_file_views(
    artifacts: Iterable[ArtifactBody],
    url: FileUrl,
    translate: Translator,
    cover: Cover | None = None,
) -> list[FileView]:
    """Build the views of each stage's newest files; video, image, audio and text first.

    Of covers in one size, which begin with one name, there is only the newest.
    """
    views = [
        _build_file_view(each, url, translate) for each in select_newest_files(artifacts, cover)
    ]
    wavs = {_get_base(each.name) for each in views if each.media_type == "audio/wav"}
    views = [
        replace(each, is_copy=each.media_type == "audio/mpeg" and _get_base(each.name) in wavs)
        for each in views
    ]
    return sorted(views, key=lambda view: (*_OPENS, "other").index(view.kind))


def _get_base(name: str) -> str:
    return name.rpartition(".")[0]


def _name_downloads(files: Iterable[FileView], about: str) -> list[FileView]:
    """Name the files by what they are about, what they are, and a number where several are alike."""
    seen: Counter[str] = Counter()
    named = []
    for file in files:
        base = " ".join(_NOT_IN_NAMES.sub(" ", f"{about} {file.label}").split())[:_LONGEST_NAME]
        suffix = PurePath(file.name).suffix
        seen[base + suffix] += 1
        count = seen[base + suffix]
        name = f"{base}{f' {count}' if count > 1 else ''}{suffix}"
        named.append(replace(file, saved_as=name))
    return named


def split_files(
    snapshot: Snapshot, status: StatusBody, translate: Translator
) -> tuple[list[FileView], list[FileView]]:
    """Split the files into those of current products and those from before a redo."""
    now: list[ArtifactBody] = []
    before: dict[int, list[ArtifactBody]] = defaultdict(list)
    used = {
        stage: _find_files_generation(each, status)
        for stage, each in read_results(snapshot).items()
    }
    for file in status.artifacts:
        is_now = file.stage in used and file.generation >= used[file.stage]
        (now if is_now else before[file.generation]).append(file)
    cover = None if snapshot.pipeline is None else snapshot.pipeline.cover
    shown = [
        build_file_views(files, get_own_url(status), translate, cover)
        for files in (now, *(before[each] for each in sorted(before, reverse=True)))
    ]
    return shown[0], [*chain.from_iterable(shown[1:])]


def _find_files_generation(product: Mapping[str, Any], status: StatusBody) -> int:
    """Return the generation of the product's files; an edited product keeps the files of its predecessor."""
    names = {file["name"] for file in product.get("files", ())}
    return max((file.generation for file in status.artifacts if file.name in names), default=1)


def _build_file_view(file: ArtifactBody, url: FileUrl, translate: Translator) -> FileView:
    found = _NAME.match(file.name)
    general = file.media_type.partition("/")[0]
    kind = general if general in _OPENS else "other"
    own = translate.find(f"file_{found['base']}" if found else "", translate(f"kind_{kind}"))
    return FileView(
        name=file.name,
        label=own,
        kind=kind,
        media_type=file.media_type,
        bytes=file.bytes,
        url=url(file.name),
        stage=file.stage,
        generation=file.generation,
    )


def list_redo_offers(
    pipeline: Pipeline, brief: Mapping[str, Any], translate: Translator
) -> list[Offer]:
    """List the possible redos: each other value of a changeable choice, and each bought stage."""
    changed = [
        Offer(
            get_changeable(pipeline)[field.name],
            _build_change_label(field.name, value, translate),
            field.name,
            value,
        )
        for field in list_changeable_fields(pipeline)
        for value in field.type.choices
        if value != str(brief.get(field.name))
    ]
    again = []
    for stage in reversed(pipeline.stages):
        if isinstance(stage, BoughtStage):
            general = translate("again", stage=find_stage_label(pipeline, stage.name, translate))
            again.append(Offer(stage.name, translate.find(f"again_{stage.name}", general)))
    return [*changed, *again]


def _build_change_label(field: str, value: str, translate: Translator) -> str:
    shown = translate.find(f"choice_{value}", value)
    label = translate.find(f"field_{field}", field)
    return translate.find(f"change_{field}_{value}", translate("change", field=label, value=shown))


def get_own_url(status: StatusBody) -> FileUrl:
    """Return a function from a file's name to its address for readers of the work."""
    addresses = {each.name: each.url for each in status.artifacts}
    return lambda name: addresses[name]


def read_results(snapshot: Snapshot) -> dict[str, Mapping[str, Any]]:
    """Return the stored results by stage."""
    return {each.stage: each.result for each in snapshot.overview.stages if each.result is not None}


@dataclass(frozen=True)
class Live:
    """A work that is being made, or waits for its turn."""

    stages: Sequence[StageLine]
    percent: int
    note: str
    left: str
    waiting: str | None
    retry: str | None
    error: Refusal | None
    paused: str | None
    limit: float | None


def build_live(api: Api, snapshot: Snapshot, status: StatusBody, translate: Translator) -> Live:
    """Build the view of a work in progress."""
    order = snapshot.request
    found: LiveProgress | None = ProgressReader(api.db).read({order.id}).get(order.id)
    return Live(
        stages=build_stage_lines(status, snapshot.pipeline, translate),
        percent=status.progress if found is None else found.percent,
        note="" if found is None else found.note,
        left=_format_time_left(status, found, snapshot.pipeline, translate),
        waiting=build_waiting_sentence(status, translate),
        retry=build_retry_sentence(status, translate),
        error=build_error_sentence(status.error, translate),
        paused=get_paused_provider(status),
        limit=api.settings.max_cost,
    )


def _format_time_left(
    status: StatusBody, now: LiveProgress | None, pipeline: Pipeline | None, translate: Translator
) -> str:
    """Say how long the running stage or the wait for a permit still takes; "" where it is not known."""
    seconds = status.expected_wait_seconds if now is None else now.expected_seconds
    if seconds is None:
        return ""
    time = format_duration(seconds, translate.language)
    if now is None:
        return translate("wait_left", time=time)
    stage = find_stage_label(pipeline, now.stage, translate)
    return translate("js_left" if seconds else "js_overdue", stage=stage, time=time)


@dataclass(frozen=True)
class PricedOffer(Offer):
    """A redo with its price in US dollars; `generation` is that of the stage which is shown."""

    usd: float = 0.0
    generation: int = 1


def list_priced_offers(
    api: Api, snapshot: Snapshot, brief: Mapping[str, Any] | None, translate: Translator
) -> list[PricedOffer]:
    """List the redos that may be bought now with their prices; omit those that change nothing."""
    pipeline = snapshot.pipeline
    if pipeline is None or brief is None:
        return []
    found = [
        (offer, _compute_prices(api, snapshot, offer))
        for offer in list_redo_offers(pipeline, brief, translate)
    ]
    return [
        PricedOffer(
            **vars(offer),
            usd=to_dollars(sum_prices(prices)),
            generation=find_generation(snapshot, offer.stage),
        )
        for offer, prices in found
        if prices is not None
    ]


def build_another_offer(
    api: Api, snapshot: Snapshot, stage: str, translate: Translator
) -> PricedOffer | None:
    """Return the offer of another product of the held stage, or None; it is approved before the next stage."""
    label = translate.find(f"another_{stage}", translate("another"))
    prices = _compute_prices(api, snapshot, Offer(stage, label))
    if prices is None:
        return None
    price, generation = to_dollars(prices[0].price), find_generation(snapshot, stage)
    return PricedOffer(stage, label, usd=price, generation=generation)


def find_generation(snapshot: Snapshot, stage: str) -> int:
    """Return the newest generation of the stage."""
    return next((each.generation for each in snapshot.stages if each.stage == stage), 1)


def _compute_prices(api: Api, snapshot: Snapshot, offer: Offer) -> list[StagePrice] | None:
    """Return the prices of the redo; None if it is refused or no provider would make the stage."""
    changes = {offer.field: offer.value} if offer.field else {}
    try:
        prices = list_redo_prices(
            api.db, snapshot.request.task_id, offer.stage, changes, api.settings
        )
    except (InvalidInputError, LedgerError):
        return None
    return prices if prices and prices[0].provider else None


_log = logging.getLogger("castad.web")
Values = Mapping[str, Any]


@lru_cache
def _import_page_view(name: str) -> ModuleType | None:
    path = f"pipeline_defs.{name}.page_view"
    return import_module(path) if find_spec(path) else None


def call_view(pipeline: Pipeline | None, kind: str, *given: Any) -> Values | None:
    """Call the pipeline's view function of this kind; return None if there is none or it fails."""
    function = None if pipeline is None else getattr(_import_page_view(pipeline.name), kind, None)
    if pipeline is None or function is None:
        return None
    try:
        return dict(function(*given))
    except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
        name, why = pipeline.name, type(error).__name__
        _log.warning("page's view not shown: pipeline=%s kind=%s error=%s", name, kind, why)
        return None


def find_own_template(pipeline: Pipeline | None, kind: str, values: Values | None) -> str | None:
    """Return the name of the pipeline's template of this kind, or None if it or its values are missing."""
    name = None if pipeline is None or values is None else f"{pipeline.name}/{kind}.html"
    return name if name and has_template(name) else None


def list_own_files(pipeline: Pipeline | None) -> frozenset[str]:
    """Return which of `work.css` and `work.js` the pipeline has."""
    folder = None if pipeline is None else find_script_folders().get(pipeline.name)
    return frozenset(
        name for name in ("work.css", "work.js") if folder and (folder / name).is_file()
    )


@dataclass(frozen=True)
class Finished:
    """A work that is done; `facts` are its result where the pipeline has no view of it."""

    files: Sequence[FileView]
    cover: FileView | None
    facts: Sequence[tuple[str, str]]
    offers: Sequence[PricedOffer]
    view: Values | None
    template: str | None

    def list_of_kind(self, kind: str) -> list[FileView]:
        """Return the files of this kind."""
        return [each for each in self.files if each.kind == kind]

    def find_file(self, name: str) -> FileView | None:
        """Return the shown file of this name, or None."""
        return next((each for each in self.files if each.name == name), None)


def build_finished(
    snapshot: Snapshot,
    status: StatusBody,
    translate: Translator,
    *,
    url: FileUrl | None = None,
    offers: Sequence[PricedOffer] = (),
) -> Finished:
    """Build the view of a finished work, with files at these addresses."""
    pipeline = snapshot.pipeline
    cover = None if pipeline is None else pipeline.cover
    files = build_file_views(status.artifacts, url or get_own_url(status), translate, cover)
    view = call_view(pipeline, "result", status.brief or {}, read_results(snapshot))
    if view is not None and view.get("name"):
        files = _name_downloads(files, str(view["name"]))
    return Finished(
        files=files,
        cover=next(
            (
                each
                for each in files
                if build_artifact_url(status.task_id, each.name) == status.cover
            ),
            None,
        ),
        facts=_list_facts(status.result, translate),
        offers=offers,
        view=view,
        template=find_own_template(pipeline, "result", view),
    )


def _list_facts(result: Any, translate: Translator) -> list[tuple[str, str]]:
    """Build label and text of each part of the result; nested values are JSON."""
    members = result.items() if isinstance(result, dict) else [("result", result)]
    facts = []
    for name, value in members:
        if value not in (None, "", [], {}):
            label = translate.find(f"result_{name}", name.replace("_", " "))
            shown = (
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
            )
            facts.append((label, shown))
    return facts
