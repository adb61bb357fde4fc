"""What ComfyUI would answer to a graph: which output nodes it would execute, and what is wrong with the others.

The kinds of errors and the form of the answer are those of its POST /prompt (docs/vendors/comfyui.md).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.filters.kinds import COMBO, Input
from studio.filters.links import is_link, needed_nodes, nodes_in_cycles
from studio.filters.nodes import NODES

MOST_NODES = 1_000
_LONGEST_SHOWN = 100
_NO_CLASS = "Cannot execute because a node is missing the class_type property."
HasInput = Callable[[str], bool]
Error = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """`error` is None where the graph would be queued; `node_errors` may name nodes all the same.

    `outputs` are the output nodes that would be executed.
    """

    error: Error | None = None
    node_errors: Mapping[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()


def verdict_on(graph: Any, has_input: HasInput) -> Verdict:
    """The verdict on any JSON; `has_input` is whether a name is a picture that can be loaded."""
    refused = _refused(graph)
    if refused is not None:
        return Verdict(refused)
    outputs = [node for node, about in graph.items() if NODES[about["class_type"]].is_output]
    if not outputs:
        return Verdict(_error("prompt_no_outputs", "Prompt has no outputs"))
    cyclic = nodes_in_cycles(graph)
    wrong = {
        node: errors for node in graph if (errors := [*_wrong_with(graph, node, has_input, cyclic)])
    }
    return _judged(graph, outputs, wrong)


def _refused(graph: Any) -> Error | None:
    """Why the whole graph is refused before its nodes are looked at."""
    if not isinstance(graph, dict):
        return _error("no_prompt", "No prompt provided", "expected an object with nodes")
    if len(graph) > MOST_NODES:
        return _error("invalid_prompt", f"Cannot execute more than {MOST_NODES} nodes")
    for node, about in graph.items():
        kind = about.get("class_type") if isinstance(about, dict) else None
        where = f"Node ID '#{_shown(node)}'"
        if not isinstance(kind, str):
            return _error("invalid_prompt", _NO_CLASS, where)
        if kind not in NODES:
            message = f"Cannot execute because node {_shown(kind)} does not exist."
            return _error("invalid_prompt", message, where)
        if not isinstance(about.get("inputs", {}), dict):
            return _error(
                "invalid_prompt", "Cannot execute a node whose inputs are no object", where
            )
    return None


def _judged(
    graph: Mapping[str, Any], outputs: list[str], wrong: Mapping[str, list[Error]]
) -> Verdict:
    needed = {output: needed_nodes(graph, output) for output in outputs}
    good = tuple(output for output in outputs if not needed[output] & wrong.keys())
    node_errors = {
        node: {
            "errors": errors,
            "dependent_outputs": [each for each in outputs if node in needed[each]],
            "class_type": graph[node]["class_type"],
        }
        for node, errors in wrong.items()
        if any(node in needed[each] for each in outputs)
    }
    if good:
        return Verdict(None, node_errors, good)
    details = "\n".join(
        f"{error['message']}: {error['details']}"
        for output in outputs
        for error in wrong.get(output, ())
    )
    failed = "Prompt outputs failed validation"
    return Verdict(_error("prompt_outputs_failed_validation", failed, details), node_errors)


def _wrong_with(
    graph: Mapping[str, Any], node: str, has_input: HasInput, cyclic: set[str]
) -> Iterator[Error]:
    about = graph[node]
    given = about.get("inputs", {})
    if node in cyclic:
        yield _error("dependency_cycle", "Dependency cycle detected", _shown(node))
        return
    for name, wanted in NODES[about["class_type"]].inputs.items():
        if name not in given:
            if wanted.is_required:
                yield _of_input(name, "required_input_missing", "Required input is missing", name)
        elif is_link(given[name]):
            yield from _wrong_link(graph, node, name, given[name])
        else:
            yield from _wrong_value(name, wanted, given[name], has_input)


def _wrong_link(graph: Mapping[str, Any], node: str, name: str, link: list[Any]) -> Iterator[Error]:
    taker = NODES[graph[node]["class_type"]]
    wanted = taker.inputs[name]
    if len(link) != 2 or not isinstance(link[0], str):
        message = "Bad linked input, must be a length-2 list of [node_id, slot_index]"
        yield _of_input(name, "bad_linked_input", message, name, received_value=link)
        return
    source, slot = link
    outputs = NODES[graph[source]["class_type"]].outputs if source in graph else ()
    if not isinstance(slot, int) or isinstance(slot, bool) or not 0 <= slot < len(outputs):
        message = f"there is no output {_shown(slot)} of node {_shown(source)}"
        if taker.is_output:
            kind, failed = "exception_during_validation", "Exception when validating node"
        else:
            kind, failed = (
                "exception_during_inner_validation",
                "Exception when validating inner node",
            )
        yield _of_input(name, kind, failed, message)
    elif outputs[slot] != wanted.kind:
        details = f"{name}, received_type({outputs[slot]}) mismatch input_type({wanted.kind})"
        yield _of_input(
            name,
            "return_type_mismatch",
            "Return type mismatch between linked nodes",
            details,
            received_type=outputs[slot],
            linked_node=link,
        )


def _wrong_value(name: str, wanted: Input, value: Any, has_input: HasInput) -> Iterator[Error]:
    try:
        converted = converted_value(wanted, value)
    except (TypeError, ValueError, OverflowError):
        message = f"Failed to convert an input value to a {wanted.kind} value"
        details = f"{name}, {_shown(value)}"
        yield _of_input(name, "invalid_input_type", message, details, received_value=_shown(value))
        return
    shown = _shown(converted)
    if wanted.minimum is not None and not converted >= wanted.minimum:
        message = f"Value {shown} smaller than min of {wanted.minimum}"
        yield _of_input(name, "value_smaller_than_min", message, name, received_value=shown)
    elif wanted.maximum is not None and not converted <= wanted.maximum:
        message = f"Value {shown} bigger than max of {wanted.maximum}"
        yield _of_input(name, "value_bigger_than_max", message, name, received_value=shown)
    elif wanted.kind == COMBO and converted not in wanted.choices:
        details = f"{name}: '{shown}' not in {list(wanted.choices)}"
        yield _of_input(
            name, "value_not_in_list", "Value not in list", details, received_value=shown
        )
    elif wanted.is_file and not has_input(converted):
        message = "Custom validation failed for node"
        details = f"{name} - Invalid image file: {shown}"
        yield _of_input(name, "custom_validation_failed", message, details)


def converted_value(wanted: Input, value: Any) -> Any:
    """The value as the node takes it. Raises TypeError, ValueError or OverflowError where it is none."""
    if isinstance(value, dict) and "__value__" in value:
        value = value["__value__"]
    if wanted.is_link:
        raise TypeError("expected a link")
    match wanted.kind:
        case "INT":
            return int(value)
        case "FLOAT":
            return float(value)
        case "BOOLEAN":
            return bool(value)
    return str(value)


def within_limits(name: str, wanted: Input, value: Any) -> Any:
    """The value that another node gives; raises ValueError where it is a number out of the input's limits."""
    low, high = wanted.minimum, wanted.maximum
    if low is not None and high is not None and not low <= value <= high:
        raise ValueError(f"{name}: {value} is given; expected from {low} to {high}")
    return value


def _of_input(name: str, kind: str, message: str, details: str, **extra: Any) -> Error:
    return _error(kind, message, details, {"input_name": name, **extra})


def _error(
    kind: str, message: str, details: str = "", extra: Mapping[str, Any] | None = None
) -> Error:
    return {"type": kind, "message": message, "details": details, "extra_info": extra or {}}


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text[:_LONGEST_SHOWN]
