"""Works of every pipeline, in every state, all of whose texts are hostile."""

from collections.abc import Mapping
from typing import Any

from pipeline_defs.capabilities import MainFile
from pipeline_defs.catalog import get_catalog
from pipeline_defs.fields import list_order_fields
from pipeline_defs.pipeline import Pipeline
from resources.files.artifacts import StoredArtifact
from resources.ledger.db.database import Database
from resources.ledger.ledger_errors import HeldError
from resources.ledger.request import format_payload
from resources.ledger.rules import Failure, FailureAction, classify_failure
from resources.ledger.transitions.core import Lease
from resources.ledger.transitions.stages import begin_stage, complete_stage
from tests.ledger_steps import Steps

_INSERT = (
    "INSERT INTO requests (task_id, pipeline, payload, owner, callback_url, hold) "
    "VALUES (:task_id, :pipeline, :payload, :owner, :text, :hold)"
)


class Shelf:
    """The works of one owner; `works` has the text of each by its task_id."""

    def __init__(self, db: Database, owner: str) -> None:
        self.db, self.owner, self.steps = db, owner, Steps(db)
        self.works: dict[str, str] = {}

    def fill(self, text: str) -> None:
        """There is a work of this text in every state that one of each pipeline can have."""
        for pipeline in get_catalog():
            self.order(pipeline, "waits", text)
            self._begun(pipeline, text)
            self._done(pipeline, text)
            self._failed(pipeline, "failed", text, FailureAction.RETRY)
            self._failed(pipeline, "dead", text, FailureAction.DEAD_LETTER)
            for stage in pipeline.holdable_stages:
                self._held(pipeline, stage, text)
            if pipeline.holdable_stages:
                rejected = self._held(pipeline, pipeline.holdable_stages[0], text, "rejected")
                self.steps.reject(rejected, reason=text, by=text[:200])

    def order(
        self, pipeline: Pipeline, state: str, text: str, hold: str | None = None, task_id: str = ""
    ) -> str:
        """A row that somebody has inserted; what the API refuses is in it too."""
        task_id = task_id or f"{pipeline.name}-{state}-{len(self.works)}"
        payload = {
            field.name: _hostile(field.type.kind, field.type.choices, text)
            for field in list_order_fields(pipeline.order_model)
        }
        known: Mapping[str, Any] = {"pipeline": pipeline.name, "owner": self.owner, "hold": hold}
        self.steps.sql(
            _INSERT, task_id=task_id, payload=format_payload(payload), text=text, **known
        )
        self.works[task_id] = text
        return task_id

    def _taken(self, task_id: str, text: str) -> Lease:
        return self.steps.take(task_id, owner=text[:200], run_id=text[:64])

    def _begun(self, pipeline: Pipeline, text: str) -> None:
        task_id = self.order(pipeline, "begun", text)
        lease = self._taken(task_id, text)
        begin_stage(self.db, lease, pipeline.stages[0].name, pipeline.stage_names)
        row = self.steps.row(task_id).id
        note = "UPDATE stages SET progress = 0.5, progress_note = :text WHERE request_id = :row"
        self.steps.sql(note, text=text, row=row)

    def _done(self, pipeline: Pipeline, text: str) -> None:
        lease = self._taken(self.order(pipeline, "done", text), text)
        for stage in pipeline.stages:
            self._make(pipeline, lease, stage.name, text)

    def _held(self, pipeline: Pipeline, held: str, text: str, state: str = "held") -> str:
        task_id = self.order(pipeline, f"{state}-{held}", text, hold=held)
        lease = self._taken(task_id, text)
        names = pipeline.stage_names
        for name in names[: names.index(held) + 1]:
            self._make(pipeline, lease, name, text)
        following = names[names.index(held) + 1]
        try:
            begin_stage(self.db, lease, following, names)
        except HeldError as error:
            self.steps.fail_as(lease, classify_failure(error, following), following)
        return task_id

    def _failed(self, pipeline: Pipeline, state: str, text: str, action: FailureAction) -> None:
        lease = self._taken(self.order(pipeline, state, text), text)
        self.steps.fail_as(lease, Failure(text[:64], text, action), pipeline.stages[0].name)

    def _make(self, pipeline: Pipeline, lease: Lease, stage: str, text: str) -> None:
        entry = begin_stage(self.db, lease, stage, pipeline.stage_names)
        name = f"{stage} {text}".replace("/", "|")[:200]
        main = pipeline.find_extra(MainFile)
        kinds = {"video/mp4": "video/mp4", "image/": "image/png"}
        kind = "text/plain" if main is None else kinds[main.media_type]
        files = [StoredArtifact(name, "0" * 64, 1, kind, f"x/{stage}")]
        product = pipeline.get_stage("stage", stage).product.model_json_schema()
        complete_stage(
            self.db,
            lease,
            entry,
            result=_product(product, product.get("$defs", {}), text),
            cost=7,
            token=None,
            files=files,
            pipeline_stages=pipeline.stage_names,
            settled=None,
        )


def _hostile(kind: str, choices: tuple[str, ...], text: str) -> Any:
    if kind in ("whole number", "number"):
        return 10
    if kind == "yes or no":
        return True
    if choices:
        return choices[0]
    return [text] if kind == "list" else text


def _product(schema: Mapping[str, Any], known: Mapping[str, Any], text: str) -> Any:
    """A value of this shape, with the text wherever one can be."""
    if "$ref" in schema:
        return _product(known[schema["$ref"].rpartition("/")[2]], known, text)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return _product(schema[several][0], known, text)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [""])[0])
    match schema.get("type"):
        case "object" if "properties" in schema:
            return {
                name: _product(each, known, text) for name, each in schema["properties"].items()
            }
        case "object":
            values = schema.get("additionalProperties")
            inner = _product(values, known, text) if isinstance(values, dict) else text
            return {text: inner}
        case "array":
            return [_product(schema.get("items", {"type": "string"}), known, text)] * 2
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "null":
            return None
    return text
