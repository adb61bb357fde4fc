"""The engine of graphs in ComfyUI's API format: filters by nodes that need no model, never generation.

Each node of a graph has a `class_type` and `inputs`:
`{"3": {"class_type": "ImageInvert", "inputs": {"image": ["1", 0]}}}`. A list is a link: the id of another node and
the number of its output. Errors have the kinds and the form of ComfyUI's POST /prompt (docs/vendors/comfyui.md).
"""

import errno
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any

from studio.errors import GraphError, StoppedError, StudioError, TemporaryError
from studio.filters.arrays import ensure_held
from studio.filters.nodes import COMBO, Context, Input, read_nodes

Graph = Mapping[str, Any]
Error = Mapping[str, Any]
HasInput = Callable[[str], bool]
Report = Callable[[int, int, str], None]

LOADERS = ("LoadImage", "LoadImageMask")
"""The nodes whose `image` is the name of a picture."""
MOST_NODES = 1_000
_LONGEST_SHOWN = 100
_FAILURES = (ArithmeticError, LookupError, MemoryError, OSError, TypeError, ValueError)


@dataclass(frozen=True)
class GraphCheck:
    """ComfyUI's answer to a graph.

    `error` is None where it would be queued; `node_errors` may name nodes all the same. `outputs` are the output
    nodes that would be executed.
    """

    error: Error | None = None
    node_errors: Mapping[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A saved picture and its node; `type` is `output`, or `temp` for a preview."""

    node: str
    filename: str
    subfolder: str
    type: str


def describe_nodes() -> dict[str, Any]:
    """Return the nodes as ComfyUI's `GET /object_info` describes its own."""
    return {name: node.describe(name) for name, node in read_nodes().items()}


def find_unknown_nodes(graph: Graph) -> dict[str, str]:
    """Return the nodes whose class this machine does not execute, with their classes."""
    return {
        node: about["class_type"]
        for node, about in graph.items()
        if about["class_type"] not in read_nodes()
    }


def list_inputs(graph: Graph) -> tuple[str, ...]:
    """Return the names of the pictures that a graph loads, each once, in the order of its nodes."""
    return tuple(dict.fromkeys(filter(None, map(_find_input, graph.values()))))


def rename_inputs(graph: Graph, names: Mapping[str, str]) -> dict[str, Any]:
    """Return a copy that loads its pictures under other names; a name that is not given stays."""

    def rename(node: Mapping[str, Any]) -> dict[str, Any]:
        name = _find_input(node)
        return dict(node) if name is None else _set_input(node, "image", names.get(name, name))

    return {key: rename(node) for key, node in graph.items()}


def set_prefixes(graph: Graph, prefix: str) -> dict[str, Any]:
    """Return a copy in which each SaveImage node N has the `filename_prefix` `<prefix>-N`."""
    return {
        key: _set_input(node, "filename_prefix", f"{prefix}-{key}")
        if node["class_type"] == "SaveImage"
        else dict(node)
        for key, node in graph.items()
    }


def _find_input(node: Mapping[str, Any]) -> str | None:
    image = node["inputs"].get("image") if node["class_type"] in LOADERS else None
    return image if isinstance(image, str) else None


def _set_input(node: Mapping[str, Any], name: str, value: str) -> dict[str, Any]:
    return {**node, "inputs": {**node["inputs"], name: value}}


def parse_node_id(node: str) -> tuple[tuple[int, str], ...]:
    """Return what sorts nodes as people number them: 2, 9, 10, and 10:3 inside of a group of nodes."""
    parts = (re.match(r"\d{0,18}", part) for part in node.split(":"))
    return tuple((int(number[0] or -1), number.string) for number in parts if number)


def render(
    graph: Graph, open_input: Callable[[str], Path], folder: Path, *, report: Report, stop: Event
) -> tuple[Picture, ...]:
    """Execute each node that an output needs once; return what the valid outputs save, by node.

    A picture is `folder/<type>/<subfolder>/<filename>`. `report` is called before each node with how many are
    done, how many there are, and the node's class. Raises GraphError, which names the node that failed,
    TemporaryError where the disk is full, and StoppedError once `stop` is set.
    """
    checked = check_graph(graph, lambda name: True)
    if checked.error is not None:
        raise _refuse(checked)

    def ensure_running() -> None:
        if stop.is_set():
            raise StoppedError("the graph was stopped")

    context = Context(open_input, folder, ensure_running)
    order = _sort_nodes(graph, checked.outputs)
    sources = {node: {*_list_sources(graph, node)} for node in order}
    last_use = {source: node for node in order for source in sources[node]}
    values: dict[str, Any] = {}
    saved: list[Picture] = []
    for done, node in enumerate(order):
        ensure_running()
        kind = graph[node]["class_type"]
        report(done, len(order), kind)
        made = _execute(graph, node, values, context)
        if read_nodes()[kind].is_output:
            saved += [Picture(node, *each) for each in made]
        else:
            values[node] = made
        for source in sources[node]:
            if last_use[source] == node:
                del values[source]
    return tuple(sorted(saved, key=lambda picture: parse_node_id(picture.node)))


def _refuse(checked: GraphCheck) -> GraphError:
    for node, about in checked.node_errors.items():
        first = about["errors"][0]
        return GraphError(node, about["class_type"], f"{first['message']}: {first['details']}")
    error = checked.error or {}
    return GraphError("", "", f"{error['message']}: {error['details']}")


def _execute(graph: Graph, node: str, values: Mapping[str, Any], context: Context) -> Any:
    """Return what the node puts out. Raises GraphError and TemporaryError."""
    kind = graph[node]["class_type"]
    given = graph[node].get("inputs", {})
    try:
        inputs = {
            name: _take(name, wanted, values[given[name][0]][given[name][1]])
            if isinstance(given[name], list)
            else _convert(wanted, given[name])
            for name, wanted in read_nodes()[kind].inputs.items()
            if name in given
        }
        made = read_nodes()[kind].run(inputs, context)
        ensure_held(chain(made, *values.values()))
    except _FAILURES as error:
        raise _explain(node, kind, error) from error
    return made


def _explain(node: str, kind: str, error: Exception) -> StudioError:
    match error:
        case OSError(errno=errno.ENOSPC):
            return TemporaryError("there is no space left on the disk", code="disk_full")
        case MemoryError():
            message = "there is not enough memory"
        case OSError():
            message = error.strerror or type(error).__name__
        case _:
            message = str(error) or type(error).__name__
    return GraphError(node, kind, message)


def _take(name: str, wanted: Input, value: Any) -> Any:
    """Return another node's value; raises ValueError for a number that is out of the input's limits."""
    low, high = wanted.minimum, wanted.maximum
    if low is not None and high is not None and not low <= value <= high:
        raise ValueError(f"{name}: {value} is given; expected from {low} to {high}")
    return value


def _convert(wanted: Input, value: Any) -> Any:
    """Return the value as the node takes it. Raises TypeError, ValueError or OverflowError."""
    if isinstance(value, dict) and "__value__" in value:
        value = value["__value__"]
    if wanted.is_link:
        raise TypeError("expected a link")
    types: dict[str, Callable[[Any], Any]] = {"INT": int, "FLOAT": float, "BOOLEAN": bool}
    return types.get(wanted.kind, str)(value)


def _sort_nodes(graph: Graph, outputs: tuple[str, ...]) -> list[str]:
    """Return the nodes that the outputs need, each after its sources; there is no cycle among them."""
    needed: set[str] = set().union(*(_find_needed(graph, output) for output in outputs))
    order: dict[str, None] = {}
    left = [node for node in reversed([*graph]) if node in needed]
    while left:
        node = left[-1]
        missing = [source for source in _list_sources(graph, node) if source not in order]
        if missing and node not in order:
            left += reversed(missing)
        else:
            order.setdefault(left.pop())
    return [*order]


def _list_sources(graph: Graph, node: str) -> Iterator[str]:
    """Yield the nodes of the graph that the node is linked to by inputs of its class."""
    about = graph[node]
    given = about.get("inputs", {})
    for name in read_nodes()[about["class_type"]].inputs:
        value = given.get(name)
        if isinstance(value, list) and value and isinstance(value[0], str) and value[0] in graph:
            yield value[0]


def _find_needed(graph: Graph, output: str) -> set[str]:
    """Return the node and all nodes that it needs, however far away."""
    found, left = {output}, [output]
    while left:
        new = {*_list_sources(graph, left.pop())} - found
        found |= new
        left += new
    return found


def _find_cycles(graph: Graph) -> set[str]:
    """Return the nodes that need themselves, or stand between two that do."""
    sources = {node: {*_list_sources(graph, node)} for node in graph}
    takers: dict[str, set[str]] = {node: set() for node in graph}
    for node, needed in sources.items():
        for each in needed:
            takers[each].add(node)
    return _find_stuck(sources, takers) & _find_stuck(takers, sources)


def _find_stuck(waits: Mapping[str, set[str]], waited_for: Mapping[str, set[str]]) -> set[str]:
    """Return what is left after removing whatever waits for nothing (Kahn, CACM 5, 1962)."""
    left = {node: len(needed) for node, needed in waits.items()}
    ready = [node for node, count in left.items() if not count]
    while ready:
        for each in waited_for[ready.pop()]:
            left[each] -= 1
            if not left[each]:
                ready.append(each)
    return {node for node, count in left.items() if count}


def check_graph(graph: Any, has_input: HasInput) -> GraphCheck:
    """Return what ComfyUI would answer to any JSON; `has_input` says whether a picture can be loaded."""
    error = _check_form(graph)
    if error is not None:
        return GraphCheck(error)
    outputs = [node for node, about in graph.items() if read_nodes()[about["class_type"]].is_output]
    if not outputs:
        return GraphCheck(_error("prompt_no_outputs", "Prompt has no outputs"))
    cyclic = _find_cycles(graph)
    wrong = {
        node: errors for node in graph if (errors := [*_check_node(graph, node, has_input, cyclic)])
    }
    needed = {output: _find_needed(graph, output) for output in outputs}
    node_errors = {
        node: {
            "errors": errors,
            "dependent_outputs": dependent,
            "class_type": graph[node]["class_type"],
        }
        for node, errors in wrong.items()
        if (dependent := [output for output in outputs if node in needed[output]])
    }
    good = tuple(output for output in outputs if not needed[output] & wrong.keys())
    if good:
        return GraphCheck(None, node_errors, good)
    details = "\n".join(
        f"{error['message']}: {error['details']}"
        for output in outputs
        for error in wrong.get(output, ())
    )
    failed = "Prompt outputs failed validation"
    return GraphCheck(_error("prompt_outputs_failed_validation", failed, details), node_errors)


def _check_form(graph: Any) -> Error | None:
    """Return why the whole graph is refused before the inputs of its nodes are read."""
    if not isinstance(graph, dict):
        return _error("no_prompt", "No prompt provided", "expected an object with nodes")
    if len(graph) > MOST_NODES:
        return _error("invalid_prompt", f"Cannot execute more than {MOST_NODES} nodes")
    for node, about in graph.items():
        kind = about.get("class_type") if isinstance(about, dict) else None
        if not isinstance(kind, str):
            message = "Cannot execute because a node is missing the class_type property."
        elif kind not in read_nodes():
            message = f"Cannot execute because node {_show(kind)} does not exist."
        elif not isinstance(about.get("inputs", {}), dict):
            message = "Cannot execute a node whose inputs are no object"
        else:
            continue
        return _error("invalid_prompt", message, f"Node ID '#{_show(node)}'")
    return None


def _check_node(graph: Graph, node: str, has_input: HasInput, cyclic: set[str]) -> Iterator[Error]:
    if node in cyclic:
        yield _error("dependency_cycle", "Dependency cycle detected", _show(node))
        return
    given = graph[node].get("inputs", {})
    for name, wanted in read_nodes()[graph[node]["class_type"]].inputs.items():
        if name not in given:
            if wanted.is_required:
                message = "Required input is missing"
                yield _input_error(name, "required_input_missing", message, name)
        elif isinstance(given[name], list):
            yield from _check_link(graph, node, name, given[name])
        else:
            yield from _check_value(name, wanted, given[name], has_input)


def _check_link(graph: Graph, node: str, name: str, link: list[Any]) -> Iterator[Error]:
    taker = read_nodes()[graph[node]["class_type"]]
    wanted = taker.inputs[name].kind
    if len(link) != 2 or not isinstance(link[0], str):
        message = "Bad linked input, must be a length-2 list of [node_id, slot_index]"
        yield _input_error(name, "bad_linked_input", message, name, received_value=link)
        return
    source, slot = link
    outputs = read_nodes()[graph[source]["class_type"]].outputs if source in graph else ()
    if not isinstance(slot, int) or isinstance(slot, bool) or not 0 <= slot < len(outputs):
        kind, message = "exception_during_validation", "Exception when validating node"
        if not taker.is_output:
            kind = "exception_during_inner_validation"
            message = "Exception when validating inner node"
        missing = f"there is no output {_show(slot)} of node {_show(source)}"
        yield _input_error(name, kind, message, missing)
    elif outputs[slot] != wanted:
        message = "Return type mismatch between linked nodes"
        details = f"{name}, received_type({outputs[slot]}) mismatch input_type({wanted})"
        extra = {"received_type": outputs[slot], "linked_node": link}
        yield _input_error(name, "return_type_mismatch", message, details, **extra)


def _check_value(name: str, wanted: Input, value: Any, has_input: HasInput) -> Iterator[Error]:
    try:
        converted = _convert(wanted, value)
    except (TypeError, ValueError, OverflowError):
        message = f"Failed to convert an input value to a {wanted.kind} value"
        details, shown = f"{name}, {_show(value)}", _show(value)
        yield _input_error(name, "invalid_input_type", message, details, received_value=shown)
        return
    shown = _show(converted)
    if wanted.minimum is not None and not converted >= wanted.minimum:
        message = f"Value {shown} smaller than min of {wanted.minimum}"
        yield _input_error(name, "value_smaller_than_min", message, name, received_value=shown)
    elif wanted.maximum is not None and not converted <= wanted.maximum:
        message = f"Value {shown} bigger than max of {wanted.maximum}"
        yield _input_error(name, "value_bigger_than_max", message, name, received_value=shown)
    elif wanted.kind == COMBO and converted not in wanted.choices:
        message, details = "Value not in list", f"{name}: '{shown}' not in {list(wanted.choices)}"
        yield _input_error(name, "value_not_in_list", message, details, received_value=shown)
    elif wanted.is_file and not has_input(converted):
        message = "Custom validation failed for node"
        details = f"{name} - Invalid image file: {shown}"
        yield _input_error(name, "custom_validation_failed", message, details)


def _input_error(name: str, kind: str, message: str, details: str, **extra: Any) -> Error:
    return _error(kind, message, details, input_name=name, **extra)


def _error(kind: str, message: str, details: str = "", **extra: Any) -> Error:
    return {"type": kind, "message": message, "details": details, "extra_info": extra}


def _show(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text[:_LONGEST_SHOWN]
