"""What a page shows of one work, by its status. Pure."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from castad.readmodels.snapshot import Snapshot, newest_files
from castad.readmodels.status_body import StatusBody
from castad.web.texts import Translator
from pipeline_defs.capabilities import get_changeable, list_changeable_fields
from pipeline_defs.pipeline import BoughtStage, Cover, Pipeline
from resources.contract.errors import UnknownSubmissionError
from resources.ledger.request import Request
from resources.ledger.schema.tables import Status
from resources.views.order_body import ArtifactBody

Scene = Literal["held", "live", "result", "stopped"]
FileUrl = Callable[[str], str]

_NAME = re.compile(r"^(?P<base>[^.-]+)")
_OPENS = ("video", "image", "audio", "text")


@dataclass(frozen=True)
class FileView:
    """A file as a page offers it; `kind` is video, audio, image, text or other."""

    name: str
    label: str
    kind: str
    media_type: str
    bytes: int
    url: str
    stage: str
    generation: int = 1


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
    """A redo that may be bought: from this stage on, with this field changed, if one is named."""

    stage: str
    label: str
    field: str = ""
    value: str = ""


def scene_of(order: Request) -> Scene:
    """What the page of the order is about now."""
    if order.held_stage is not None:
        return "held"
    if order.status is Status.COMPLETED:
        return "result"
    is_doubtful = order.status is Status.FAILED and order.error_code == UnknownSubmissionError.code
    return "stopped" if order.is_terminal or is_doubtful else "live"


def stage_label(pipeline: Pipeline | None, stage: str, translate: Translator) -> str:
    """The stage's name in the pipeline's texts, else its title."""
    found = None if pipeline is None else pipeline.find_stage(stage)
    return translate.find(f"stage_{stage}", stage if found is None else found.title)


def stage_lines(
    status: StatusBody, pipeline: Pipeline | None, translate: Translator
) -> list[StageLine]:
    """Every stage in order."""
    return [
        StageLine(
            name=name,
            label=stage_label(pipeline, name, translate),
            state=_STATES.get(body.status, "next"),
            progress=body.progress,
            note=body.progress_note or "",
            seconds=body.seconds,
            usd=body.cost_usd,
        )
        for name, body in status.stages.items()
    ]


_STATES: Mapping[str, str] = {"completed": "done", "processing": "now", "failed": "failed"}


def file_views(
    artifacts: Iterable[ArtifactBody],
    url: FileUrl,
    translate: Translator,
    cover: Cover | None = None,
) -> list[FileView]:
    """The files of the newest generation of each stage; the largest kinds first.

    Of covers in one size, which begin with one name, there is only the newest.
    """
    views = [_file_view(each, url, translate) for each in newest_files(artifacts, cover)]
    return sorted(views, key=lambda view: (*_OPENS, "other").index(view.kind))


def made_and_earlier(
    snapshot: Snapshot, status: StatusBody, translate: Translator
) -> tuple[list[FileView], list[FileView]]:
    """The files of the products that there are now, and those that were made before a stage was made again."""
    now: list[ArtifactBody] = []
    before: dict[int, list[ArtifactBody]] = defaultdict(list)
    used = {stage: _generation(each, status) for stage, each in read_results(snapshot).items()}
    for file in status.artifacts:
        is_now = file.stage in used and file.generation >= used[file.stage]
        (now if is_now else before[file.generation]).append(file)
    cover = None if snapshot.pipeline is None else snapshot.pipeline.cover
    shown = [
        file_views(files, own_url(status), translate, cover)
        for files in (now, *(before[each] for each in sorted(before, reverse=True)))
    ]
    return shown[0], [*chain.from_iterable(shown[1:])]


def _generation(product: Mapping[str, Any], status: StatusBody) -> int:
    """That of the product's files: a product that a person has changed has those of the one before."""
    names = {file["name"] for file in product.get("files", ())}
    return max((file.generation for file in status.artifacts if file.name in names), default=1)


def _file_view(file: ArtifactBody, url: FileUrl, translate: Translator) -> FileView:
    found = _NAME.match(file.name)
    kind = _kind(file.media_type)
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


def _kind(media_type: str) -> str:
    general = media_type.partition("/")[0]
    return general if general in _OPENS else "other"


def redo_offers(pipeline: Pipeline, brief: Mapping[str, Any], translate: Translator) -> list[Offer]:
    """What may be made another way: each other value of a changeable choice, and each bought stage again."""
    changed = [
        Offer(
            get_changeable(pipeline)[field.name],
            _change_label(field.name, value, translate),
            field.name,
            value,
        )
        for field in list_changeable_fields(pipeline)
        for value in _other_values(field.type.choices, brief.get(field.name))
    ]
    again = [
        Offer(stage.name, _again_label(pipeline, stage.name, translate))
        for stage in reversed(pipeline.stages)
        if isinstance(stage, BoughtStage)
    ]
    return [*changed, *again]


def _other_values(choices: Sequence[str], now: Any) -> list[str]:
    return [value for value in choices if value != str(now)]


def _change_label(field: str, value: str, translate: Translator) -> str:
    shown = translate.find(f"choice_{value}", value)
    label = translate.find(f"field_{field}", field)
    return translate.find(f"change_{field}_{value}", translate("change", field=label, value=shown))


def _again_label(pipeline: Pipeline, stage: str, translate: Translator) -> str:
    label = stage_label(pipeline, stage, translate)
    return translate.find(f"again_{stage}", translate("again", stage=label))


def own_url(status: StatusBody) -> FileUrl:
    """The addresses of the files, for who may read the work."""
    addresses = {each.name: each.url for each in status.artifacts}
    return lambda name: addresses[name]


def read_results(snapshot: Snapshot) -> dict[str, Mapping[str, Any]]:
    """The stored results by stage."""
    return {each.stage: each.result for each in snapshot.overview.stages if each.result is not None}
