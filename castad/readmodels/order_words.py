"""What orders say: the brief, one line for people, and the picture that shows an order. Pure."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline_defs.catalog import get_catalog
from pipeline_defs.pipeline import Brief, Pipeline, find_newest_file
from resources.contract.errors import InvalidInputError
from resources.ledger.queries.listing import Picture
from resources.ledger.request import Request
from resources.views.text import readable

_log = logging.getLogger("castad.orders")


@dataclass(frozen=True)
class ReadOrder:
    """An order whose payload its pipeline understands."""

    pipeline: Pipeline
    parsed: Brief

    @property
    def summary(self) -> str | None:
        """The order in one line for people; None where the pipeline's function fails."""
        try:
            return " ".join(str(readable(self.pipeline.summary(self.parsed))).split())
        except Exception as error:  # noqa: BLE001 - a function of the folder may raise anything
            name, kind = self.pipeline.name, type(error).__name__
            _log.warning("summary not shown: pipeline=%s error=%s", name, kind)
            return None

    @property
    def brief(self) -> dict[str, Any]:
        """The order as JSON, with all defaults."""
        given: dict[str, Any] = _encodable(self.parsed.model_dump(mode="json"))
        return given


def read_order(request: Request) -> ReadOrder | None:
    """The order of the request; None where its pipeline is unknown or does not understand the payload."""
    pipeline, payload = get_catalog().find_pipeline(request.pipeline), request.order()
    if pipeline is None or payload is None:
        return None
    try:
        return ReadOrder(pipeline, pipeline.parse(payload))
    except (InvalidInputError, RecursionError):
        return None


def cover_of(pipeline: Pipeline | None, pictures: Sequence[Picture]) -> str | None:
    """The name of the picture that shows an order, of all its pictures as they were made; None without any.

    It is the pipeline's cover, else the first of the last stage that made one, and of the newest generation.
    """
    cover = None if pipeline is None else pipeline.cover
    named = cover and find_newest_file(cover.large, (each.name for each in pictures))
    return named or _first_made(pipeline, pictures)


def thumbnail_of(pipeline: Pipeline | None, pictures: Sequence[Picture]) -> str | None:
    """The name of the small picture that shows an order in a list; else its cover."""
    cover = None if pipeline is None else pipeline.cover
    named = cover and find_newest_file(cover.small, (each.name for each in pictures))
    return named or cover_of(pipeline, pictures)


def _first_made(pipeline: Pipeline | None, pictures: Sequence[Picture]) -> str | None:
    stages = () if pipeline is None else pipeline.stage_names

    def rank(picture: Picture) -> tuple[int, int]:
        position = stages.index(picture.stage) if picture.stage in stages else -1
        return position, picture.generation

    best = max(pictures, key=rank, default=None)
    return None if best is None else best.name


def _encodable(value: Any) -> Any:
    """The JSON value with text that UTF-8 can encode; an operator's SQL may have stored anything."""
    if isinstance(value, dict):
        return {readable(name): _encodable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_encodable(each) for each in value]
    return readable(value) if isinstance(value, str) else value
