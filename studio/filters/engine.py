"""Executes a graph: each node that an output needs once, in an order that is always the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from studio.errors import GraphError, StoppedError
from studio.filters.nodes import NODES, Saved, Surroundings
from studio.filters.values import TooLargeError
from studio.filters.verdict import converted_value, is_link, links_of, needed_nodes, verdict_on

Report = Callable[[int, int, str], None]
_FAILURES = (TooLargeError, ValueError, OSError, KeyError, MemoryError)


@dataclass(frozen=True)
class Picture:
    """A saved picture and its node; `type` is `output`, or `temp` for a preview."""

    node: str
    filename: str
    subfolder: str
    type: str


def render(
    graph: Mapping[str, Any],
    open_input: Callable[[str], Path],
    folder: Path,
    *,
    report: Report,
    stop: Event,
) -> tuple[Picture, ...]:
    """The pictures that the graph's valid outputs save, as `folder/<type>/<subfolder>/<filename>`.

    `report` is called before each node with how many are done, how many there are, and the node's class. Raises
    GraphError, which names the node that failed, and StoppedError once `stop` is set.
    """
    verdict = verdict_on(graph, lambda name: True)
    if verdict.error is not None:
        raise GraphError("", "", f"{verdict.error['message']}: {verdict.error['details']}")
    return _Execution(graph, open_input, folder, report, stop).run(verdict.outputs)


class _Execution:
    def __init__(
        self,
        graph: Mapping[str, Any],
        open_input: Callable[[str], Path],
        folder: Path,
        report: Report,
        stop: Event,
    ) -> None:
        self._graph = graph
        self._around = Surroundings(open_input, folder, self._check)
        self._report = report
        self._stop = stop
        self._values: dict[str, Any] = {}

    def run(self, outputs: tuple[str, ...]) -> tuple[Picture, ...]:
        order = _order(self._graph, outputs)
        last_use = {
            source: position
            for position, node in enumerate(order)
            for source in links_of(self._graph, node)
        }
        saved: list[Picture] = []
        for position, node in enumerate(order):
            self._check()
            kind = self._graph[node]["class_type"]
            self._report(position, len(order), kind)
            made = self._made(node, kind)
            if NODES[kind].is_output:
                saved += [Picture(node, *_parts(each)) for each in made]
            else:
                self._values[node] = made
            for source in {*links_of(self._graph, node)}:
                if last_use[source] == position:
                    del self._values[source]
        return tuple(saved)

    def _made(self, node: str, kind: str) -> Any:
        """What the node puts out. Raises GraphError."""
        try:
            return NODES[kind].run(self._inputs(node, kind), self._around)
        except _FAILURES as error:
            message = "there is not enough memory" if isinstance(error, MemoryError) else str(error)
            raise GraphError(node, kind, message) from error

    def _inputs(self, node: str, kind: str) -> dict[str, Any]:
        given = self._graph[node].get("inputs", {})
        return {
            name: self._values[given[name][0]][given[name][1]]
            if is_link(given[name])
            else converted_value(wanted, given[name])
            for name, wanted in NODES[kind].inputs.items()
            if name in given
        }

    def _check(self) -> None:
        if self._stop.is_set():
            raise StoppedError("the graph was stopped")


def _parts(saved: Saved) -> tuple[str, str, str]:
    return saved.filename, saved.subfolder, saved.type


def _order(graph: Mapping[str, Any], outputs: tuple[str, ...]) -> list[str]:
    """The nodes that the outputs need, each after those that it takes something from; no cycle is among them."""
    needed: set[str] = set().union(*(needed_nodes(graph, output) for output in outputs))
    order: list[str] = []
    done: set[str] = set()
    left = [node for node in reversed([*graph]) if node in needed]
    while left:
        node = left[-1]
        missing = [source for source in links_of(graph, node) if source not in done]
        if missing and node not in done:
            left += reversed(missing)
        else:
            left.pop()
            if node not in done:
                done.add(node)
                order.append(node)
    return order
