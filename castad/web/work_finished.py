"""What a finished work shows: on its own page, and on that of a share link."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from castad.readmodels.snapshot import Snapshot
from castad.readmodels.status_body import StatusBody
from castad.web.pipeline_views import Values, own_template, view_values
from castad.web.texts import Translator
from castad.web.work_offers import PricedOffer
from castad.web.work_view import FileUrl, FileView, file_views, own_url, read_results
from resources.views.order_body import build_artifact_url


@dataclass(frozen=True)
class Finished:
    """A work that is done; `facts` are its result where the pipeline has no view of it."""

    files: Sequence[FileView]
    cover: FileView | None
    facts: Sequence[tuple[str, str]]
    offers: Sequence[PricedOffer]
    view: Values | None
    template: str | None

    def of_kind(self, kind: str) -> list[FileView]:
        """The files of this kind."""
        return [each for each in self.files if each.kind == kind]

    def named(self, name: str) -> FileView | None:
        """The file of this name, if it is among those shown."""
        return next((each for each in self.files if each.name == name), None)


def finished_of(
    snapshot: Snapshot,
    status: StatusBody,
    translate: Translator,
    *,
    url: FileUrl | None = None,
    offers: Sequence[PricedOffer] = (),
) -> Finished:
    """The finished work, with files at these addresses."""
    pipeline = snapshot.pipeline
    cover = None if pipeline is None else pipeline.cover
    files = file_views(status.artifacts, url or own_url(status), translate, cover)
    view = view_values(pipeline, "result", status.brief or {}, read_results(snapshot))
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
        facts=_facts(status.result, translate),
        offers=offers,
        view=view,
        template=own_template(pipeline, "result", view),
    )


def _facts(result: Any, translate: Translator) -> list[tuple[str, str]]:
    """The result as label and text; what has parts is shown as JSON."""
    members = result.items() if isinstance(result, dict) else [("result", result)]
    return [
        (translate.find(f"result_{name}", name.replace("_", " ")), _fact(value))
        for name, value in members
        if value not in (None, "", [], {})
    ]


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
