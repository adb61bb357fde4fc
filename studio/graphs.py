"""The engine of graphs in ComfyUI's API format: filters by nodes that need no model, never generation.

Each node of a graph has a `class_type` and `inputs`:
`{"3": {"class_type": "ImageInvert", "inputs": {"image": ["1", 0]}}}`.
"""

from collections.abc import Mapping
from typing import Any

from studio.filters.engine import Picture, render
from studio.filters.levels import stretch_levels
from studio.filters.links import node_order
from studio.filters.nodes import NODES, object_info
from studio.filters.verdict import Verdict, verdict_on

__all__ = [
    "LOADERS",
    "Graph",
    "Picture",
    "Verdict",
    "inputs_of",
    "node_order",
    "object_info",
    "render",
    "saved_under",
    "stretch_levels",
    "unknown_nodes",
    "verdict_on",
    "with_inputs",
]

Graph = Mapping[str, Any]
LOADERS = ("LoadImage", "LoadImageMask")
"""The nodes whose `image` is the name of a picture."""


def unknown_nodes(graph: Graph) -> dict[str, str]:
    """Return the nodes whose class this machine does not execute, with their classes."""
    return {
        node: about["class_type"]
        for node, about in graph.items()
        if about["class_type"] not in NODES
    }


def inputs_of(graph: Graph) -> tuple[str, ...]:
    """The names of the pictures that a graph loads, each once, in the order of its nodes."""
    return tuple(dict.fromkeys(filter(None, map(_loaded, graph.values()))))


def _loaded(node: Mapping[str, Any]) -> str | None:
    image = node["inputs"].get("image") if node["class_type"] in LOADERS else None
    return image if isinstance(image, str) else None


def with_inputs(graph: Graph, names: Mapping[str, str]) -> dict[str, Any]:
    """A copy that loads its pictures under other names; a name that is not given stays."""

    def renamed(node: Mapping[str, Any]) -> dict[str, Any]:
        name = _loaded(node)
        given = names.get(name, name) if name is not None else None
        return dict(node) if given is None else _with_input(node, "image", given)

    return {key: renamed(node) for key, node in graph.items()}


def saved_under(graph: Graph, prefix: str) -> dict[str, Any]:
    """A copy in which each SaveImage node N has the `filename_prefix` `<prefix>-N`."""
    return {
        key: _with_input(node, "filename_prefix", f"{prefix}-{key}")
        if node["class_type"] == "SaveImage"
        else dict(node)
        for key, node in graph.items()
    }


def _with_input(node: Mapping[str, Any], name: str, value: str) -> dict[str, Any]:
    return {**node, "inputs": {**node["inputs"], name: value}}
