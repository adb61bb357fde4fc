"""Executes a graph: each node that an output needs once, in an order that is always the same."""

import errno
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any

from studio.errors import GraphError, StoppedError, StudioError, TemporaryError
from studio.filters.kinds import Saved, Surroundings
from studio.filters.links import is_link, links_of, needed_nodes, node_order
from studio.filters.nodes import NODES
from studio.filters.values import ensure_held
from studio.filters.verdict import Verdict, converted_value, verdict_on, within_limits

Report = Callable[[int, int, str], None]
_FAILURES = (ArithmeticError, LookupError, MemoryError, OSError, TypeError, ValueError)


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
    """Return what the graph's valid outputs save, by node, as `folder/<type>/<subfolder>/<filename>`.

    `report` is called before each node with how many are done, how many there are, and the node's class. Raises
    GraphError, which names the node that failed, TemporaryError where the disk is full, and StoppedError once
    `stop` is set.
    """
    verdict = verdict_on(graph, lambda name: True)
    if verdict.error is not None:
        raise _refusal(verdict)
    return _Execution(graph, open_input, folder, report, stop).run(verdict.outputs)


def _refusal(verdict: Verdict) -> GraphError:
    for node, about in verdict.node_errors.items():
        first = about["errors"][0]
        return GraphError(node, about["class_type"], f"{first['message']}: {first['details']}")
    error = verdict.error or {}
    return GraphError("", "", f"{error['message']}: {error['details']}")


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
        return tuple(sorted(saved, key=lambda picture: node_order(picture.node)))

    def _made(self, node: str, kind: str) -> Any:
        """What the node puts out. Raises GraphError and TemporaryError."""
        try:
            made = NODES[kind].run(self._inputs(node, kind), self._around)
            ensure_held(chain(made, *self._values.values()))
        except _FAILURES as error:
            raise _failure(node, kind, error) from error
        return made

    def _inputs(self, node: str, kind: str) -> dict[str, Any]:
        """The node's inputs. Raises ValueError for a number of another node that is out of the input's limits."""
        given = self._graph[node].get("inputs", {})
        return {
            name: within_limits(name, wanted, self._values[given[name][0]][given[name][1]])
            if is_link(given[name])
            else converted_value(wanted, given[name])
            for name, wanted in NODES[kind].inputs.items()
            if name in given
        }

    def _check(self) -> None:
        if self._stop.is_set():
            raise StoppedError("the graph was stopped")


def _failure(node: str, kind: str, error: Exception) -> StudioError:
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
