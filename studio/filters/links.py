"""How the nodes of a graph hang together: each takes outputs of others."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from studio.filters.nodes import NODES


def is_link(value: Any) -> bool:
    """Whether an input's value is another node's output: its id and the number of the output."""
    return isinstance(value, list)


def links_of(graph: Mapping[str, Any], node: str) -> Iterator[str]:
    """The nodes of the graph whose outputs a node takes by inputs that its class has."""
    about = graph[node]
    given = about.get("inputs", {})
    for name in NODES[about["class_type"]].inputs:
        value = given.get(name)
        if is_link(value) and value and isinstance(value[0], str) and value[0] in graph:
            yield value[0]


def needed_nodes(graph: Mapping[str, Any], output: str) -> set[str]:
    """The node and all that it takes something from, however far away."""
    found, left = {output}, [output]
    while left:
        new = {*links_of(graph, left.pop())} - found
        found |= new
        left += new
    return found


def nodes_in_cycles(graph: Mapping[str, Any]) -> set[str]:
    """The nodes that need themselves, or stand between two that do."""
    sources = {node: {*links_of(graph, node)} for node in graph}
    takers: dict[str, set[str]] = {node: set() for node in graph}
    for node, needed in sources.items():
        for each in needed:
            takers[each].add(node)
    return _never_ready(sources, takers) & _never_ready(takers, sources)


def _never_ready(waits: Mapping[str, set[str]], waited_for: Mapping[str, set[str]]) -> set[str]:
    """What is left when everything has been taken away that waits for nothing (Kahn, CACM 5, 1962)."""
    left = {node: len(needed) for node, needed in waits.items()}
    ready = [node for node, count in left.items() if not count]
    while ready:
        for each in waited_for[ready.pop()]:
            left[each] -= 1
            if not left[each]:
                ready.append(each)
    return {node for node, count in left.items() if count}


def node_order(node: str) -> tuple[tuple[int, str], ...]:
    """Return what sorts nodes as people number them: 2, 9, 10, and 10:3 inside of a group of nodes."""
    parts = (re.match(r"\d{0,18}", part) for part in node.split(":"))
    return tuple((int(number[0] or -1), number.string) for number in parts if number)
