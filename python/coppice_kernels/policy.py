"""Search policies in Python: which node the next attempt works on.

    from coppice_kernels.policy import Policy, Selection

    class Mine(Policy):
        def select(self, tree, stream):
            if stream.uniform() < 0.3 and tree.leaves:
                return Selection(tree.leaves.pick(stream), "explore")
            return Selection(tree.best_eligible or 0, "exploit")

    coppice run gemv --policy python:mine.py:Mine

A policy is a pure function of the tree and the random stream, and it is found
out if it is not.  This file needs nothing but the standard library, not even
the rest of its package: the program ships it, and runs it as the child that
it asks (``python3 policy.py serve``, protocol coppice-policy/1).
"""

from __future__ import annotations

import ast
import json
import linecache
import math
import os
import signal
import sys
import time
import traceback
import types
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import IntEnum
from heapq import heappop, heappush
from typing import Any, ClassVar

PROTOCOL = "coppice-policy/1"
NO_LIMIT = 2**31 - 1
ROOT = 0

__all__ = [
    "ROOT",
    "IdSet",
    "Limit",
    "Node",
    "Policy",
    "Selection",
    "Stream",
    "Technique",
    "Tree",
    "Verdict",
    "check",
    "load",
]


class Verdict(IntEnum):
    """What a candidate did; the column ``verdict`` has these numbers."""

    PASSED = 0
    COMPILE_FAILED = 1
    CRASHED = 2
    TIMED_OUT = 3
    WRONG_OUTPUT = 4
    REJECTED = 5
    NO_CANDIDATE = 6
    INCONCLUSIVE = 7


class Limit(IntEnum):
    """What limits a kernel that passed; the column ``limit``."""

    UNKNOWN = 0
    MEMORY = 1
    COMPUTE = 2
    LATENCY = 3


class Technique(IntEnum):
    """Which family of techniques made it; the column ``technique``."""

    OTHER = 0
    ALGORITHM = 1
    FUSION = 2
    LOOPS = 3
    MEMORY = 4
    VECTORS = 5
    PARALLEL = 6
    PRECISION = 7


_PASSED = int(Verdict.PASSED)
_NO_CANDIDATE = int(Verdict.NO_CANDIDATE)
_INCONCLUSIVE = int(Verdict.INCONCLUSIVE)


# --- Random numbers ---------------------------------------------------------

_MASK32 = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF


def philox4x32(counter: Sequence[int], key: Sequence[int]) -> tuple[int, int, int, int]:
    """One block of Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011)."""
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        p0 = 0xD2511F53 * a
        p1 = 0xCD9E8D57 * c
        a = (p1 >> 32) ^ b ^ k0
        b = p1 & _MASK32
        c = (p0 >> 32) ^ d ^ k1
        d = p0 & _MASK32
        k0 = (k0 + 0x9E3779B9) & _MASK32
        k1 = (k1 + 0xBB67AE85) & _MASK32
    return a, b, c, d


class Stream:
    """The random numbers of one decision: those that a policy in C++ draws."""

    __slots__ = ("_blocks", "_index", "_key", "_left", "_purpose")

    def __init__(self, seed: int, purpose: int, index: int) -> None:
        self._key = (seed & _MASK32, seed >> 32 & _MASK32)
        self._purpose = purpose
        self._index = index
        self._blocks = 0
        self._left: list[int] = []

    def next_u64(self) -> int:
        if not self._left:
            counter = (
                self._blocks,
                self._purpose,
                self._index & _MASK32,
                self._index >> 32 & _MASK32,
            )
            a, b, c, d = philox4x32(counter, self._key)
            self._blocks += 1
            self._left = [d << 32 | c, b << 32 | a]
        return self._left.pop()

    def uniform(self) -> float:
        """Uniform in the open interval (0, 1)."""
        value = ((self.next_u64() >> 11) + 0.5) * 2.0**-53
        return min(value, 1.0 - 2.0**-53)

    def below(self, n: int) -> int:
        """Uniform among 0 to n - 1, without bias (Lemire 2019)."""
        if n <= 0:
            raise ValueError("below(n) needs n > 0")
        while True:
            product = self.next_u64() * n
            low = product & _MASK64
            if low >= n or low >= (2**64 - n) % n:
                return product >> 64

    def normal(self) -> float:
        """Mean 0 and variance 1 (Box and Muller 1958)."""
        radius = math.sqrt(-2.0 * math.log(self.uniform()))
        return radius * math.cos(2.0 * math.pi * self.uniform())

    def gamma(self, shape: float) -> float:
        """Draws with scale 1 (Marsaglia and Tsang 2000)."""
        if shape < 1.0:
            boost = math.pow(self.uniform(), 1.0 / shape)
            return boost * self.gamma(shape + 1.0)
        d = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9.0 * d)
        while True:
            x = self.normal()
            root = 1.0 + c * x
            if root <= 0.0:
                continue
            v = root * root * root
            u = self.uniform()
            if u < 1.0 - 0.0331 * (x * x) * (x * x) or math.log(
                u
            ) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v

    def beta(self, a: float, b: float) -> float:
        """By two gammas; in [0, 1]."""
        x = self.gamma(a)
        y = self.gamma(b)
        if x + y > 0.0:
            return x / (x + y)
        return 1.0 if self.uniform() * (a + b) < a else 0.0


# --- The tree ---------------------------------------------------------------


class IdSet:
    """Node ids in ascending order, with the k-th at hand.

    One byte for each id up to the largest, with counts of 1,024 and of 32,768
    of them, so that a change touches three numbers and ``at`` scans a few.
    """

    __slots__ = ("_blocks", "_count", "_members", "_supers")

    def __init__(self) -> None:
        self._members = bytearray()
        self._blocks: list[int] = []
        self._supers: list[int] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, node: object) -> bool:
        return (
            isinstance(node, int)
            and 0 <= node < len(self._members)
            and self._members[node] == 1
        )

    def __iter__(self) -> Iterator[int]:
        at = self._members.find(1)
        while at >= 0:
            yield at
            at = self._members.find(1, at + 1)

    def at(self, k: int) -> int:
        """The k-th smallest, from 0."""
        if not 0 <= k < self._count:
            raise IndexError(f"at({k}) of {self._count} nodes")
        block = 0
        for count in self._supers:
            if k < count:
                break
            k -= count
            block += 32
        blocks = self._blocks
        while k >= blocks[block]:
            k -= blocks[block]
            block += 1
        low, high = block << 10, (block + 1) << 10
        members = self._members
        while high - low > 1:
            middle = (low + high) >> 1
            count = members.count(1, low, middle)
            if k < count:
                high = middle
            else:
                k -= count
                low = middle
        return low

    __getitem__ = at

    def pick(self, stream: Stream) -> int:
        """One of them, each as likely."""
        if not self._count:
            raise IndexError("pick() of no nodes; ask for len() first")
        return self.at(stream.below(self._count))

    def _insert(self, node: int) -> None:
        while node >= len(self._members):
            self._members.extend(bytes(1024))
            self._blocks.append(0)
            if len(self._blocks) > 32 * len(self._supers):
                self._supers.append(0)
        if not self._members[node]:
            self._members[node] = 1
            self._blocks[node >> 10] += 1
            self._supers[node >> 15] += 1
            self._count += 1

    def _erase(self, node: int) -> None:
        if node < len(self._members) and self._members[node]:
            self._members[node] = 0
            self._blocks[node >> 10] -= 1
            self._supers[node >> 15] -= 1
            self._count -= 1


@dataclass(frozen=True)
class Rule:
    """Which nodes may be selected at all; the program keeps to it, too."""

    max_root_children: int = NO_LIMIT
    max_failing_children: int = NO_LIMIT


_NAN = math.nan

# A column for each fact, with its type in array's letters.
_COLUMNS = {
    "parent": "q",
    "verdict": "b",
    "runtime_s": "d",
    "speedup": "d",
    "source_hash": "Q",
    "is_repeat": "b",
    "is_frozen": "b",
    "log_hint": "d",
    "cost_s": "d",
    "limit": "b",
    "technique": "b",
    "depth": "l",
    "children": "l",
    "failing_children": "l",
    "in_flight": "l",
    "last_child": "q",
    "previous_sibling": "q",
}


def _column(name: str, doc: str) -> Any:
    def read(tree: Tree) -> memoryview:
        return memoryview(tree._columns[name])[: len(tree)].toreadonly()

    return property(read, doc=doc)


class Tree:
    """All nodes of a campaign, by number, with the attempts in flight on them.

    A column is a memoryview that cannot be written to: it has an index, a
    length and slices, and ``numpy.asarray(tree.speedup)`` takes it without a
    copy.  One that was taken before a node came does not show that node.
    """

    parent = _column("parent", "of the root: -1")
    verdict = _column("verdict", "numbers of Verdict")
    runtime_s = _column("runtime_s", "seconds; NaN if it does not pass")
    speedup = _column("speedup", "over the root; NaN if it does not pass")
    source_hash = _column("source_hash", "of equal kernels the same; 0: none")
    is_repeat = _column("is_repeat", "1: the tokens of a node before it")
    is_frozen = _column("is_frozen", "1: a person wants nothing built on it")
    log_hint = _column("log_hint", "of a wrong output, and no speed; or NaN")
    cost_s = _column("cost_s", "seconds of the evaluator")
    limit = _column("limit", "numbers of Limit")
    technique = _column("technique", "numbers of Technique")
    depth = _column("depth", "of the root: 0")
    children = _column("children", "how many are committed")
    failing_children = _column("failing_children", "those of them that failed")
    in_flight = _column("in_flight", "attempts on it that have not ended")

    def __init__(self, rule: Rule | None = None) -> None:
        self.rule = rule or Rule()
        self.eligible = IdSet()
        """Those that may be selected."""
        self.leaves = IdSet()
        """Those eligible that have no child and no attempt in flight."""
        self.failing = IdSet()
        """Those leaves that do not pass."""
        self.attempts_left: int | None = None
        """The rest of the budget; None: nobody said, or looks_ahead is not set."""
        self.best: int | None = None
        """The fastest that passes; of equals the first."""
        self._size = 0
        self._room = 0
        self._columns: dict[str, Any] = {
            name: array(kind) for name, kind in _COLUMNS.items()
        }
        self._fastest: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return self._size

    @property
    def best_eligible(self) -> int | None:
        """The fastest that passes and may be selected; of equals the first."""
        heap = self._fastest
        while heap and heap[0][1] not in self.eligible:
            heappop(heap)
        return heap[0][1] if heap else None

    def node(self, node: int) -> Node:
        if not 0 <= node < self._size:
            raise IndexError(f"node {node} of {self._size}")
        return Node(self, node)

    def children_of(self, node: int) -> list[int]:
        """In the order of their commits."""
        children = []
        child = self._columns["last_child"][node]
        while child:
            children.append(child)
            child = self._columns["previous_sibling"][child]
        children.reverse()
        return children

    # What follows is for whoever feeds it.

    def add(self, row: Sequence[Any]) -> int:
        """A row of the wire: parent, verdict, runtime_s, source_hash, flags,
        log_hint, cost_s, limit, technique."""
        node = self._size
        if node == self._room:
            self._grow()
        columns = self._columns
        parent, verdict, runtime_s, source_hash, flags = row[:5]
        columns["verdict"][node] = verdict
        columns["source_hash"][node] = source_hash
        if flags:
            columns["is_repeat"][node] = flags & 1
            columns["is_frozen"][node] = flags >> 1
        hint = row[5]
        columns["log_hint"][node] = _NAN if hint is None else hint
        columns["cost_s"][node] = row[6]
        columns["limit"][node] = row[7]
        columns["technique"][node] = row[8]
        self._size = node + 1
        if runtime_s is None:
            columns["runtime_s"][node] = columns["speedup"][node] = _NAN
        else:
            columns["runtime_s"][node] = runtime_s
            root = columns["runtime_s"][ROOT]
            columns["speedup"][node] = root / runtime_s if runtime_s else _NAN
            best = self.best
            if best is None or runtime_s < columns["runtime_s"][best]:
                self.best = node
        if parent is None:
            columns["parent"][node] = -1
            self._refresh(node)
            return node
        columns["parent"][node] = parent
        columns["previous_sibling"][node] = columns["last_child"][parent]
        columns["last_child"][parent] = node
        columns["children"][parent] += 1
        if verdict != _PASSED and verdict != _INCONCLUSIVE:
            columns["failing_children"][parent] += 1
        columns["depth"][node] = columns["depth"][parent] + 1
        self._refresh(node)
        self._refresh(parent)
        return node

    def begin(self, parent: int) -> None:
        self._columns["in_flight"][parent] += 1
        self._refresh(parent)

    def end(self, parent: int) -> None:
        self._columns["in_flight"][parent] -= 1
        self._refresh(parent)

    def row(self, node: int) -> list[Any]:
        """The row that ``add`` made the node of."""
        of = {name: column[node] for name, column in self._columns.items()}
        passes = of["verdict"] == _PASSED
        return [
            None if node == ROOT else of["parent"],
            of["verdict"],
            of["runtime_s"] if passes else None,
            of["source_hash"],
            of["is_repeat"] | of["is_frozen"] << 1,
            None if math.isnan(of["log_hint"]) else of["log_hint"],
            of["cost_s"],
            of["limit"],
            of["technique"],
        ]

    def _grow(self) -> None:
        # A column that somebody holds is left to them: it cannot be resized.
        self._room = max(64, 2 * self._room)
        for name, old in self._columns.items():
            new = array(old.typecode, bytes(self._room * old.itemsize))
            new[: len(old)] = old
            self._columns[name] = new

    def _is_eligible(self, node: int) -> bool:
        columns = self._columns
        verdict = columns["verdict"][node]
        if (
            not columns["source_hash"][node]
            or verdict >= _NO_CANDIDATE
            or columns["is_repeat"][node]
            or columns["is_frozen"][node]
        ):
            return False
        children = columns["children"][node]
        rule = self.rule
        if (
            node == ROOT
            and children + columns["in_flight"][node] >= rule.max_root_children
        ):
            return False
        return bool(
            children <= rule.max_failing_children
            or columns["failing_children"][node] < children
        )

    def _refresh(self, node: int) -> None:
        columns = self._columns
        if not self._is_eligible(node):
            self.eligible._erase(node)
            self.leaves._erase(node)
            self.failing._erase(node)
            return
        if columns["children"][node] + columns["in_flight"][node]:
            self.leaves._erase(node)
        else:
            self.leaves._insert(node)
        if node in self.eligible:
            return
        self.eligible._insert(node)
        if columns["verdict"][node] == _PASSED:
            heappush(self._fastest, (columns["runtime_s"][node], node))
        else:
            self.failing._insert(node)


class Node:
    """One row of a tree: ``tree.node(7).speedup`` is ``tree.speedup[7]``."""

    __slots__ = ("_tree", "id")

    def __init__(self, tree: Tree, node: int) -> None:
        self._tree = tree
        self.id = node

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _COLUMNS:
            raise AttributeError(f"a node has no {name!r}")
        return self._tree._columns[name][self.id]

    @property
    def passes(self) -> bool:
        return bool(self._tree._columns["verdict"][self.id] == _PASSED)

    def __repr__(self) -> str:
        return f"<node {self.id}: {Verdict(self.verdict).name.lower()}>"


# --- Policies ---------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """The node to work on, and why, in one line for the record."""

    node: int
    reason: str
    scores: dict[int, float] | None = None
    """Some nodes' scores; the five largest are added to the reason."""
    mate: int | None = None
    """A second parent, for an attempt to combine with the node."""


class Policy:
    """What to derive from.  It is made anew for each tree, with no argument."""

    max_root_children: ClassVar[int] = NO_LIMIT
    """The root is not eligible once it has so many children."""
    max_failing_children: ClassVar[int] = NO_LIMIT
    """Nor is a node with more children than that, all failing."""
    looks_ahead: ClassVar[bool] = False
    """Whether it goes by tree.attempts_left."""

    def select(self, tree: Tree, stream: Stream) -> Selection:
        raise NotImplementedError("a policy has a method select(tree, stream)")

    def on_add(self, node: Node) -> None:
        """A node has come; for an index of your own.

        It may rest on the nodes alone: it is made again from all of them
        whenever a campaign goes on.
        """


def rule_of(policy: type[Policy]) -> Rule:
    """Makes a rule of the attributes of the class."""
    values = []
    for name in ("max_root_children", "max_failing_children"):
        value = getattr(policy, name)
        if not isinstance(value, int) or not 0 <= value <= NO_LIMIT:
            raise ValueError(f"{name} is {value!r}, which is no count")
        values.append(value)
    return Rule(*values)


class Fault(Exception):
    """What a policy may not do, in words for whoever wrote it."""


class _NoPolicy(LookupError):
    """A file has no policy of that name."""


class _Seat:
    """A policy with its tree: what decisions are asked of."""

    def __init__(self, policy: type[Policy], rule: Rule) -> None:
        self.of = policy
        self._rule = rule
        self._indexes = policy.on_add is not Policy.on_add
        self.clear()

    def clear(self) -> None:
        self.tree = Tree(self._rule)
        self.policy = self.of()

    def add(self, row: Sequence[Any]) -> None:
        node = self.tree.add(row)
        if self._indexes:
            self.policy.on_add(Node(self.tree, node))

    def quarantine(self, rows: Sequence[Sequence[Any]]) -> None:
        """Nodes count for something else now, so all is made anew of them."""
        before = self.tree
        changed = {row[0]: row[1:] for row in rows}
        flights = list(before.in_flight)
        self.clear()
        for node in range(len(before)):
            self.add(changed.get(node) or before.row(node))
        for node, count in enumerate(flights):
            for _ in range(count):
                self.tree.begin(node)

    def select(self, stream: Stream) -> dict[str, Any]:
        selection = self.policy.select(self.tree, stream)
        if not isinstance(selection, Selection):
            name = type(selection).__name__
            raise Fault(f"select() returned {name}, not a Selection")
        answer: dict[str, Any] = {"node": _number("node", selection.node)}
        reason = selection.reason
        if not isinstance(reason, str):
            raise Fault(f"the reason is {reason!r}, which is no text")
        if selection.scores:
            reason = f"{reason} ({_ranking(selection.scores)})"
        answer["reason"] = reason
        if selection.mate is not None:
            answer["mate"] = _number("mate", selection.mate)
        return answer


def _number(what: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise Fault(f"the {what} selected is {value!r}, which is no number")
    return int(value.__index__())


def _ranking(scores: Mapping[int, float]) -> str:
    """The five largest."""
    for node, score in scores.items():
        if score != score:
            raise Fault(f"the score of node {node} is NaN")
    ranked = sorted(scores.items(), key=lambda s: (-s[1], s[0]))
    return ", ".join(f"{of}: {score:.4g}" for of, score in ranked[:5])


def load(text: str, file: str, name: str) -> type[Policy]:
    """The class of that name in the text of a file.

    The text is all that it is made of: its folder is not searched for others.
    """
    module = types.ModuleType("coppice_policy_file")
    module.__file__ = file
    sys.modules[module.__name__] = module
    # Tracebacks show the lines that ran, whatever the file has by then.
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), module.__dict__)
    policy = getattr(module, name, None)
    if isinstance(policy, type) and issubclass(policy, Policy):
        return policy
    if isinstance(policy, type):
        raise _NoPolicy(f"{file}: its class {name} does not derive from Policy")
    there = [
        each
        for each, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Policy) and value is not Policy
    ]
    raise _NoPolicy(
        f"{file} has no policy {name!r}; it has {', '.join(there) or 'none'}"
    )


# --- What is said of one that fails -----------------------------------------

_MOST_FRAMES = 10
_PATIENCE_S = 10.0  # As --policy-timeout-s is, unless it is said.
_IMPURE = ("datetime", "os", "random", "secrets", "time", "uuid")


class _Late(BaseException):
    """Nothing that a policy catches by mistake."""


class _Limit:
    """Whoever is within for longer than so many seconds is stopped there.

    In the main thread.  What computes outside of Python is not reached.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        signal.signal(signal.SIGALRM, self._stop)

    def _stop(self, *_: object) -> None:
        raise _Late(f"gave no answer in {self._limit_s:g} s (--policy-timeout-s)")

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self._limit_s)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _place(policy: type[Policy] | None) -> str:
    """FILE:LINE of its select(); empty where it has none of its own."""
    code = getattr(getattr(policy, "select", None), "__code__", None)
    if code is None or code.co_filename == __file__:
        return ""
    return f"{code.co_filename}:{code.co_firstlineno}"


def _told(file: str, policy: type[Policy] | None = None) -> str:
    """What is being handled, in a line that begins with where it was in the
    file, and with a traceback if that was within a function."""
    kind, error, trace = sys.exc_info()
    if isinstance(error, _NoPolicy):
        return str(error)
    frames = [each for each in traceback.extract_tb(trace) if each.filename == file]
    where = f"{file}:{frames[-1].lineno}" if frames else _place(policy) or file
    what = " ".join(str(error).split())
    if isinstance(error, SyntaxError):
        what = error.msg
        if error.filename == file:
            where = f"{file}:{error.lineno}"
    if not isinstance(error, Fault | _Late):
        what = f"{type(error).__name__}: {what}".removesuffix(": ")
    if isinstance(error, ModuleNotFoundError):
        what += f" for {sys.executable or 'this Python'}; --policy-python names another"
    line = f"{where}: {what}"
    if isinstance(error, Fault) or all(each.name == "<module>" for each in frames):
        return line
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    shown = traceback.format_exception(kind, error, trace, limit=_MOST_FRAMES)
    return line + "\n" + "".join(shown).strip()


def _suspects(text: str) -> str:
    """What in a policy's text may make it no pure function of the tree."""
    found: dict[int, str] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in _imported_by(node):
                if name.split(".")[0] in _IMPURE:
                    found[node.lineno] = f"imports {name}"
        elif isinstance(node, ast.Global):
            found[node.lineno] = f"has the global {node.names[0]}"
        elif isinstance(node, ast.FunctionDef) and node.name == "select":
            found.update(_kept_by(node))
    return ", ".join(f"line {line} {found[line]}" for line in sorted(found)[:3])


def _imported_by(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [each.name for each in statement.names]
    return [statement.module or ""]


def _kept_by(select: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Attributes of its own that it sets."""
    own = select.args.args[0].arg if select.args.args else ""
    for node in ast.walk(select):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == own
        ):
            yield node.lineno, f"sets {own}.{node.attr}"


# --- The child --------------------------------------------------------------


def _own_wire() -> tuple[Any, int]:
    """Standard input and output for the wire alone: what is printed goes to
    standard error, and what reads finds nothing."""
    source = os.fdopen(os.dup(0), "rb", 1 << 16)
    sink = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return source, sink


def _check_names(message: dict[str, Any]) -> None:
    for key, names in (
        ("verdicts", Verdict),
        ("limits", Limit),
        ("techniques", Technique),
    ):
        ours = [each.name.lower() for each in names]
        if message[key] != ours:
            raise ValueError(f"{key} are {message[key]} there and {ours} here")


def _hello(message: dict[str, Any]) -> tuple[_Seat, dict[str, Any]]:
    if message.get("protocol") != PROTOCOL:
        raise ValueError(f"speaks {PROTOCOL}, not {message.get('protocol')!r}")
    _check_names(message)
    with _Limit(message.get("timeout_s", _PATIENCE_S)):
        policy = load(message["text"], message["file"], message["class"])
    rule = rule_of(policy)
    answer = {
        "protocol": PROTOCOL,
        "name": policy.__name__,
        "rule": {
            "max_root_children": rule.max_root_children,
            "max_failing_children": rule.max_failing_children,
        },
        "looks_ahead": bool(policy.looks_ahead),
        "version": sys.version.split()[0],
        "place": _place(policy),
        "suspects": _suspects(message["text"]),
    }
    return _Seat(policy, rule), answer


@dataclass
class _Asked:
    """Whose policy it is, for whoever tells of a failure."""

    file: str = "?"
    seat: _Seat | None = None

    def told(self) -> str:
        return _told(self.file, None if self.seat is None else self.seat.of)


def _serve_lines(
    source: Any, say: Callable[[dict[str, Any]], None], asked: _Asked
) -> None:
    limit = _Limit(0.0)
    decode = json.loads
    for line in source:
        message = decode(line)
        op = message["op"]
        seat = asked.seat
        if op == "hello":
            asked.file = message["file"]
            asked.seat, answer = _hello(message)
            limit = _Limit(message.get("timeout_s", _PATIENCE_S))
            say(answer)
        elif seat is None:
            raise ValueError(f"{op} came before hello")
        elif op == "add":
            for row in message["nodes"]:
                seat.add(row)
        elif op == "select":
            of = message["stream"]
            seat.tree.attempts_left = message.get("attempts_left")
            with limit:
                answer = seat.select(Stream(of["seed"], of["purpose"], of["index"]))
            say(answer)
        elif op == "begin":
            seat.tree.begin(message["parent"])
        elif op == "end":
            seat.tree.end(message["parent"])
        elif op == "quarantine":
            seat.quarantine(message["nodes"])
        elif op == "tree":
            seat.clear()
        else:
            raise ValueError(f"{op!r} is no message of {PROTOCOL}")


def serve() -> int:
    source, sink = _own_wire()

    def say(answer: dict[str, Any]) -> None:
        text = json.dumps(answer, separators=(",", ":")).encode() + b"\n"
        while text:
            text = text[os.write(sink, text) :]

    asked = _Asked()
    try:
        _serve_lines(source, say, asked)
    except BrokenPipeError:
        return 1
    except BaseException:
        say({"error": asked.told()})
        return 1
    return 0


# --- Whether one is what a policy has to be ---------------------------------


@dataclass(frozen=True)
class Finding:
    what: str
    passed: bool
    told: str


def _random_row(stream: Stream, nodes: int, shape: int) -> list[Any]:
    """Trees have ties, failures, repeated sources, chains and bushes."""
    if not nodes:
        return [None, _PASSED, 1e-3, 1, 0, None, 0.0, 0, 0]
    reach = nodes if shape == 0 else min(nodes, 3)
    parent = stream.below(reach) if shape == 2 else nodes - 1 - stream.below(reach)
    verdict = _PASSED if stream.below(2) else 1 + stream.below(7)
    runtime_s = None if verdict else 1e-4 * (1 + stream.below(12))
    hint = 0.25 * (nodes % 9 - 3) if verdict == Verdict.WRONG_OUTPUT else None
    source = 0 if verdict == _NO_CANDIDATE else 1 + stream.below(20)
    flags = 2 if stream.below(40) == 0 else 0
    return [parent, verdict, runtime_s, source, flags, hint, 0.1, 0, nodes % 8]


def _inadmissible(tree: Tree, answer: dict[str, Any]) -> str:
    """Why the program would not take it; empty: it would."""
    node = answer["node"]
    if node in tree.eligible or (node == ROOT and not tree.eligible):
        return ""
    if not 0 <= node < len(tree):
        return f"node {node} is none of the {len(tree)}"
    return f"node {node} is not eligible"


def _try_tree(
    policy: type[Policy], rule: Rule, index: int, limit: AbstractContextManager[None]
) -> tuple[str, str, str, int]:
    """What was found on one tree: not admissible, not pure, not resumed."""
    draws = Stream(index, 9, 0)
    shape = draws.below(3)
    flights: list[int] = []
    lasting = _Seat(policy, rule)
    bad, impure, lost, decisions = "", "", "", 0
    for _ in range(1 + draws.below(60)):
        if flights and draws.below(2):
            lasting.tree.end(flights.pop())
        lasting.add(_random_row(draws, len(lasting.tree), shape))
        if draws.below(3) == 0:
            flights.append(draws.below(len(lasting.tree)))
            lasting.tree.begin(flights[-1])
        decisions += 1
        with limit:
            answer = lasting.select(Stream(index, 1, decisions))
        bad = bad or _inadmissible(lasting.tree, answer)
        again = lasting.select(Stream(index, 1, decisions))
        if again != answer:
            impure = impure or f"{answer} and then {again}"
        if decisions % 4 == 0:
            fresh = _Seat(policy, rule)
            for node in range(len(lasting.tree)):
                fresh.add(lasting.tree.row(node))
            for node in flights:
                fresh.tree.begin(node)
            resumed = fresh.select(Stream(index, 1, decisions))
            if resumed != answer:
                lost = lost or f"{answer}, but {resumed} after a restart"
    return bad, impure, lost, decisions


def _timing(policy: type[Policy], rule: Rule, nodes: int) -> Finding:
    seat = _Seat(policy, rule)
    draws = Stream(1, 9, 1)
    rows = [_random_row(draws, min(node, 64), 0) for node in range(2048)]
    begun = time.perf_counter()
    for node in range(nodes):
        row = rows[node] if node < 2048 else list(rows[64 + node % 1984])
        if node >= 2048:
            row[0] = (node * 0x9E3779B1) % node
        seat.add(row)
    fed_s = time.perf_counter() - begun
    times: list[float] = []
    while len(times) < 50 and sum(times) < 5.0:
        begun = time.perf_counter()
        seat.select(Stream(1, 1, len(times)))
        times.append(time.perf_counter() - begun)
    times.sort()
    told = (
        f"{nodes:,} nodes: {1e6 * fed_s / nodes:.1f} us to take up each, a decision "
        f"{1e6 * times[len(times) // 2]:.0f} us (median), "
        f"{1e6 * times[-1]:.0f} us (longest)"
    )
    return Finding("timing", times[-1] < 10.0, told)


def check(
    policy: type[Policy],
    trees: int = 200,
    nodes: int = 1_000_000,
    quiet: bool = False,
    timeout_s: float | None = None,
) -> list[Finding]:
    """Whether it is admissible, pure and resumes, and how long it takes.

    Prints a table unless it is to be ``quiet``.  ``timeout_s``, of a decision,
    is for the main thread alone, and takes its SIGALRM.
    """
    limit = nullcontext() if timeout_s is None else _Limit(timeout_s)
    rule = rule_of(policy)
    bad, impure, lost, decisions = "", "", "", 0
    for index in range(trees):
        found = _try_tree(policy, rule, index, limit)
        bad, impure, lost = bad or found[0], impure or found[1], lost or found[2]
        decisions += found[3]
    asked = f"{decisions:,} decisions on {trees} trees"
    where = _place(policy) + ": " if _place(policy) else ""
    if bad:
        bad = where + bad
    if impure:
        impure = where + impure
    if lost:
        lost = where + lost
    findings: list[Finding] = []

    def add(each: Finding) -> None:  # Printed at once: timing may take long.
        findings.append(each)
        if not quiet:
            is_so = "yes" if each.passed else "NO"
            print(f"{each.what:<11} {is_so:<4} {each.told}", flush=True)

    add(Finding("admissible", not bad, bad or asked))
    add(Finding("pure", not impure, impure or "each was asked twice"))
    add(Finding("resumes", not lost, lost or "every fourth, fed from nothing"))
    add(_timing(policy, rule, nodes))
    return findings


_USAGE = """usage: python3 -m coppice_kernels.policy check FILE:CLASS [NODES]
       python3 -m coppice_kernels.policy serve"""


def _check_file(arguments: Sequence[str]) -> int:
    place, nodes = arguments[0], int(arguments[1]) if arguments[1:] else 1_000_000
    file, _, name = place.rpartition(":")
    if not file:
        print(f"{place}: expected FILE:CLASS, as in mine.py:Mine", file=sys.stderr)
        return 2
    try:
        with open(file, encoding="utf-8") as source:
            text = source.read()
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return 2
    except UnicodeDecodeError:
        print(f"{file}: is no text in UTF-8", file=sys.stderr)
        return 2
    policy = None
    try:
        with _Limit(_PATIENCE_S):
            policy = load(text, file, name)
        findings = check(policy, nodes=nodes, timeout_s=_PATIENCE_S)
    except KeyboardInterrupt:
        return 130
    except (Exception, _Late, SystemExit):
        print(_told(file, policy), file=sys.stderr)
        return 2
    suspects = _suspects(text)
    if suspects and not all(each.passed for each in findings[1:3]):
        print(f"Look at {file}: {suspects}")
    return 0 if all(each.passed for each in findings) else 1


def main(arguments: Sequence[str]) -> int:
    # Whoever imports it finds this file, not a second one of another version.
    sys.modules.setdefault("coppice_kernels", types.ModuleType("coppice_kernels"))
    package = sys.modules["coppice_kernels"]
    sys.modules["coppice_kernels.policy"] = sys.modules[__name__]
    package.policy = sys.modules[__name__]  # type: ignore[attr-defined]
    if len(arguments) == 1 and arguments[0] == "serve":
        return serve()
    if len(arguments) in (2, 3) and arguments[0] == "check":
        return _check_file(arguments[1:])
    print(_USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
