"""Finds the guards of writes in a module's source, and how each is broken once.

A guard is a term of a WHERE, a lock, a refusal, a term of a condition, a limit's comparison, or the order of two
steps. Each break is a small edit of the text, so the rest of the module keeps its lines.

The order of two steps is broken where both touch what outlives them, also with a crash point or a line of the log
between them. It is kept where it cannot be seen: two bare writes of one transaction are there together or not at
all, no other thread sees what is done while the lock is held that they share, and no other object sees one that is
being made. A database's lock, or a read, and its neighbour change places.

A limit of a clock's time is kept too: it never shows exactly the moment that is compared with.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_SHIFTED: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SHIFTED_SQL = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_DEFAULTS = (ast.Constant, ast.Dict, ast.List, ast.Tuple)
_TERMS = frozenset({"where", "and_", "or_"})
_LOCKS = re.compile(r"^(AdvisoryLock\.\w+\.take|lock\w*|_lock\w*)$")
_OUTLIVES = re.compile(
    r"\b_?(attempt|budget|call|connection|db|delivery|feed|instance|progress|provider|sender|sock|spool|store|thread"
    r"|threads|tx)\b"
)
_IN_TRANSACTION = re.compile(r"\btx\b")
_UNSEEN = re.compile(
    r"^(trigger_crash_point|(self\.)?\w*\.?pass_crash_point|_log\.\w+|self\.(\w+\.)?log)$"
)
_THREAD_LOCK = re.compile(r"^self\.\w*(lock|changed)$")
_CLOCK = "time.monotonic()"
_SQL_LIMIT = re.compile(r"(?<=\s)[<>]=?(?=\s)")
_PIECE = r"[^()'\"]|'[^'\"]*'|\((?:[^()\"]|\([^()\"]*\))*\)"
_TERM = rf"(?:(?!\s+(?:AND|OR|ORDER|LIMIT|RETURNING|GROUP|DO)\b)(?:{_PIECE}))+"
_SQL_TERMS = [
    re.compile(rf"(?:\s+|(?<=\"))AND\s+{_TERM}"),
    re.compile(rf"(?<=WHERE\s){_TERM}\s+AND\s+"),
    re.compile(rf"\s+WHERE\s+{_TERM}(?!\s+AND\b)(?!.*\sAND\s)"),
]


@dataclass(frozen=True)
class Break:
    """One edit of a module that weakens one guard."""

    kind: str
    line: int
    function: str
    """The qualified name of the function around it; for a constant of the module, the constant's name."""
    was: str
    start: int
    end: int
    text: str

    def apply(self, source: str) -> str:
        """Return the source with this guard broken."""
        return source[: self.start] + self.text + source[self.end :]


def find_breaks(source: str) -> list[Break]:
    """Return every break of the module, in the order of its lines; each leaves a module that compiles."""
    found = sorted(_Finder(source).find(), key=lambda each: (each.line, each.start, each.kind))
    return [each for each in found if _compiles(each.apply(source))]


def _compiles(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


class _Finder:
    def __init__(self, source: str) -> None:
        self._source = source
        self._tree = ast.parse(source)
        self._starts = [0]
        for line in source.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._bytes = source.encode()
        self._scope: dict[ast.AST, str] = {}
        self._name_scopes(self._tree, "")

    def find(self) -> Iterator[Break]:
        for node in ast.walk(self._tree):
            match node:
                case ast.Call():
                    yield from self._find_in_call(node)
                case ast.Compare():
                    yield from self._shift_each(node)
                case ast.BoolOp() if not any(isinstance(each, _DEFAULTS) for each in node.values):
                    yield from self._drop_each("condition", node, node.values)
                case ast.BinOp(op=ast.BitAnd() | ast.BitOr()) if _joins_conditions(node):
                    yield from self._drop_each("where", node, [node.left, node.right])
                case ast.If(body=[ast.Raise() | ast.Return()], orelse=[]):
                    yield self._replace("refusal", node.test, "False")
                case ast.With(items=[item]) if _THREAD_LOCK.match(ast.unparse(item.context_expr)):
                    yield self._unlock_thread(node, item.context_expr)
                case ast.Constant(value="BEGIN IMMEDIATE"):
                    yield self._replace("lock", node, repr("BEGIN"))
                case ast.Constant(value=str(text)) if "WHERE " in text or " AND " in text:
                    yield from self._find_in_sql(node)
            for block in ("body", "orelse", "finalbody"):
                steps = getattr(node, block, None)
                if isinstance(steps, list) and not _is_apart(node):
                    yield from self._swap_steps(steps)

    def _find_in_call(self, call: ast.Call) -> Iterator[Break]:
        name = ast.unparse(call.func)
        method = name.rsplit(".", 1)[-1]
        if method in _TERMS and not call.keywords:
            if len(call.args) > 1:
                yield from self._drop_arguments(call)
            elif method == "where" and isinstance(call.func, ast.Attribute):
                yield self._replace("where", call, self._text(call.func.value))
        if method == "with_for_update" and isinstance(call.func, ast.Attribute):
            yield self._replace("lock", call, self._text(call.func.value))
            if call.keywords:
                yield self._replace(
                    "lock", call, f"{self._text(call.func.value)}.with_for_update()"
                )

    def _drop_arguments(self, call: ast.Call) -> Iterator[Break]:
        for argument in call.args:
            kept = ", ".join(self._text(each) for each in call.args if each is not argument)
            yield self._replace(
                "where", call, f"{self._text(call.func)}({kept})", self._text(argument)
            )

    def _drop_each(self, kind: str, node: ast.expr, terms: list[ast.expr]) -> Iterator[Break]:
        joint = {ast.And: " and ", ast.Or: " or "}.get(type(getattr(node, "op", None)), "")
        for term in terms:
            kept = joint.join(f"({self._text(each)})" for each in terms if each is not term)
            yield self._replace(kind, node, f"({kept})", self._text(term))

    def _find_in_sql(self, node: ast.Constant) -> Iterator[Break]:
        text = self._text(node)
        for term in (each for pattern in _SQL_TERMS for each in pattern.finditer(text)):
            yield self._replace(
                "where", node, text[: term.start()] + text[term.end() :], term.group().strip()
            )
        for sign in () if "CREATE " in text else _SQL_LIMIT.finditer(text):
            shifted = f"{text[: sign.start()]}{_SHIFTED_SQL[sign.group()]}{text[sign.end() :]}"
            around = text[max(sign.start() - 30, 0) : sign.end() + 15]
            yield self._replace("limit", node, shifted, around)

    def _swap_steps(self, steps: list[ast.stmt]) -> Iterator[Break]:
        for first, second in pairwise(step for step in steps if not _is_unseen(step)):
            if _are_ordered(first, second):
                between = self._bytes[self._end(first) : self._start(second)].decode()
                swapped = self._text(second) + between + self._text(first)
                yield self._edit(
                    "order",
                    first,
                    self._start(first),
                    self._end(second),
                    swapped,
                    f"{self._line(first)} before {self._line(second)}",
                )
        for step in steps:
            if _is_lock(step):
                yield self._replace("lock", step, "pass")

    def _unlock_thread(self, node: ast.With, lock: ast.expr) -> Break:
        was = f"with {self._text(lock)}"
        return self._edit("lock", node, self._start(node), self._end(lock), "if True", was)

    def _shift_each(self, node: ast.Compare) -> Iterator[Break]:
        sides = [node.left, *node.comparators]
        for op, (left, right) in zip(node.ops, pairwise(sides), strict=True):
            if type(op) in _SHIFTED and _CLOCK not in self._text(node):
                before = self._bytes[self._start(node) : self._end(left)].decode()
                after = self._bytes[self._start(right) : self._end(node)].decode()
                was = f"{self._text(left)} {_SIGNS[type(op)]} {self._text(right)}"
                shifted = f"{before} {_SHIFTED[type(op)]} {after}"
                yield self._replace("limit", node, shifted, was)

    def _replace(self, kind: str, node: ast.expr | ast.stmt, text: str, was: str = "") -> Break:
        was = was or self._line(node)
        return self._edit(kind, node, self._start(node), self._end(node), text, was)

    def _edit(
        self, kind: str, node: ast.expr | ast.stmt, start: int, end: int, text: str, was: str
    ) -> Break:
        begin = len(self._bytes[:start].decode())
        stop = len(self._bytes[:end].decode())
        return Break(kind, node.lineno, self._scope[node], " ".join(was.split()), begin, stop, text)

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self._bytes[self._start(node) : self._end(node)].decode()

    def _line(self, node: ast.expr | ast.stmt) -> str:
        return self._text(node).splitlines()[0]

    def _name_scopes(self, node: ast.AST, scope: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{scope}.{child.name}".lstrip(".")
            elif not scope and isinstance(child, ast.Assign | ast.AnnAssign):
                target = child.targets[0] if isinstance(child, ast.Assign) else child.target
                inner = ast.unparse(target)
            self._scope[child] = inner
            self._name_scopes(child, inner)


def _joins_conditions(node: ast.BinOp) -> bool:
    """Return whether the operands are conditions of a statement rather than sets or numbers."""
    return all(
        isinstance(each, ast.Compare | ast.Call | ast.UnaryOp) for each in (node.left, node.right)
    )


def _is_lock(step: ast.stmt) -> bool:
    """Return whether the statement is a call that takes a lock, and nothing else."""
    if not isinstance(step, ast.Expr) or not isinstance(step.value, ast.Call):
        return False
    return _LOCKS.match(ast.unparse(step.value.func)) is not None


def _is_apart(node: ast.AST) -> bool:
    """Return whether the order of the block's steps is out of sight: a class, a constructor, a thread's lock."""
    match node:
        case ast.Module() | ast.ClassDef() | ast.FunctionDef(name="__init__"):
            return True
        case ast.With(items=[item]):
            return _THREAD_LOCK.match(ast.unparse(item.context_expr)) is not None
        case _:
            return False


def _is_unseen(step: ast.stmt) -> bool:
    """Return whether the statement is a crash point or a line of the log."""
    if not isinstance(step, ast.Expr) or not isinstance(step.value, ast.Call):
        return False
    return _UNSEEN.match(ast.unparse(step.value.func)) is not None


def _are_ordered(first: ast.stmt, second: ast.stmt) -> bool:
    """Return whether the order of the two can be seen, and the second needs no name of the first."""
    if not any(_touches_outside(each) for each in (first, second)):
        return False
    if not all(_touches_outside(each) or _is_remembered(each) for each in (first, second)):
        return False
    if all(_is_bare_write(each) for each in (first, second)):
        return False
    made = {each.id for each in ast.walk(first) if isinstance(each, ast.Name) and _is_stored(each)}
    used = {each.id for each in ast.walk(second) if isinstance(each, ast.Name)}
    return not made & used


def _touches_outside(step: ast.stmt) -> bool:
    """Return whether the statement calls what outlives it."""
    if not isinstance(step, ast.Expr | ast.Assign | ast.With):
        return False
    calls = (ast.unparse(each) for each in ast.walk(step) if isinstance(each, ast.Call))
    return any(_OUTLIVES.search(each) for each in calls)


def _is_remembered(step: ast.stmt) -> bool:
    """Return whether the statement sets a field of the object."""
    if not isinstance(step, ast.Assign | ast.AugAssign):
        return False
    target = step.targets[0] if isinstance(step, ast.Assign) else step.target
    return isinstance(target, ast.Attribute)


def _is_bare_write(step: ast.stmt) -> bool:
    """Return whether the statement writes in a transaction and reads nothing."""
    if not isinstance(step, ast.Expr) or _is_lock(step):
        return False
    return _IN_TRANSACTION.search(ast.unparse(step)) is not None


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
