"""Describe in one sentence what is wrong with a graph, by an answer of ComfyUI or of this machine's engine."""

from collections.abc import Iterator, Mapping
from typing import Any

from resources.http.vendor_client import read_json_object, shorten_to_line

INVALID_WORKFLOW = "invalid_workflow"
_MOST_NAMED = 3


def describe_workflow_refusal(fields: Mapping[str, Any], *secrets: str) -> str | None:
    """Describe the errors in a server's answer to a graph, with node, class and input; None without any.

    `fields` is the answer with `error` and `node_errors`; these secrets are removed from the text.
    """
    wrong = [*_list_node_refusals(read_json_object(fields.get("node_errors")))]
    error = read_json_object(fields.get("error"))
    if not wrong and not error:
        return None
    named = wrong[:_MOST_NAMED] or [_format_message(error) or "it cannot be run"]
    more = f"; and {len(wrong) - len(named)} more" if len(wrong) > len(named) else ""
    return "; ".join(shorten_to_line(each, *secrets) for each in named) + more


def _list_node_refusals(nodes: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each error of each node."""
    for node, about in nodes.items():
        refusals = read_json_object(about)
        kind = str(refusals.get("class_type", ""))
        listed = refusals.get("errors")
        for error in listed if isinstance(listed, list) else ():
            if not isinstance(error, dict):
                continue
            name = read_json_object(error.get("extra_info")).get("input_name")
            where = f", input {name}" if name else ""
            yield f"node {node} ({kind}){where}: {_format_message(error)}"


def _format_message(error: Mapping[str, Any]) -> str:
    """Join the error's `message` and `details`."""
    parts = (str(error.get(name) or "") for name in ("message", "details"))
    return ": ".join(part for part in parts if part)
