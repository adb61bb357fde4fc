"""The products of the stages, as the ledger stores them."""

from typing import Any

from pydantic import BaseModel

from resources.files.artifacts import StoredArtifact


class Prepared(BaseModel):
    """The graph as it is sent, and its pictures as files under the names by which it loads them.

    `pictures` is the number of files that it makes and `usd` its price, if the template states them.
    """

    graph: dict[str, Any]
    pictures: int | None = None
    usd: float | None = None
    files: list[StoredArtifact] = []


class RenderedPicture(BaseModel):
    """A picture as its maker gave it, and the node that saved it."""

    node: str
    name: str
    width: int
    height: int


class Rendered(BaseModel):
    """The pictures as the maker gave them."""

    pictures: list[RenderedPicture]
    files: list[StoredArtifact] = []


class DeliveredPicture(BaseModel):
    """A finished picture; `node` saved it, and `label` is the title or the prefix that the graph gives it."""

    name: str
    node: str = ""
    label: str
    width: int
    height: int
    bytes: int


class Delivered(BaseModel):
    """The finished pictures."""

    pictures: list[DeliveredPicture]
    files: list[StoredArtifact] = []
