"""Random trees for the golden texts of peers' rules, in the form of
search/text_tree.h, and what their authors' code is given of them."""

import importlib.abc
import importlib.machinery
import importlib.util
import subprocess
import sys
import types


class Node:
    def __init__(self, number, parent, outcome):
        self.number = number
        self.parent = parent  # A number; None: the root.
        self.outcome = outcome  # Microseconds; None: it failed.

    @property
    def passes(self):
        return self.outcome is not None


def random_tree(rng, size, failing, reach):
    """`reach`: how many nodes back a parent may be."""
    nodes = [Node(0, None, 1000)]
    for number in range(1, size):
        parent = rng.randrange(max(0, number - reach), number)
        outcome = None if rng.random() < failing else rng.randrange(200, 1500)
        nodes.append(Node(number, parent, outcome))
    return nodes


def speedup(nodes, node):
    """Over the root, which counts as 1 s if it fails."""
    root = nodes[0].outcome if nodes[0].passes else 1e6
    return root / node.outcome


def write_tree(nodes, out):
    depths = {}
    children = {node.number: [] for node in nodes}
    for node in nodes[1:]:
        children[node.parent].append(node)
    stack = [nodes[0]]
    while stack:
        node = stack.pop()
        depth = 0 if node.parent is None else depths[node.parent] + 1
        depths[node.number] = depth
        what = f"{node.outcome}us" if node.passes else "failed"
        out.write(f"{'  ' * depth}n{node.number} {what}\n")
        stack.extend(reversed(children[node.number]))


class _StandIn(types.ModuleType):
    """A module whose names are all classes that do nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Exception,), {})


class _StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path, target=None):
        if not any(name == own or name.startswith(own + ".")
                   for own in self.names):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module):
        pass


def _is_installed(name):
    return "." not in name and importlib.util.find_spec(name) is not None


def do_without(*names):
    """For what a package imports and no choice of its rule needs, where it is
    not installed: clients of models, counters of code, coloured screens."""
    sys.meta_path.insert(0, _StandIns(
        [name for name in names if not _is_installed(name)]))


def version_of(checkout):
    """The commit, or what the folder says it is."""
    head = subprocess.run(["git", "-C", checkout, "rev-parse", "--short=10",
                           "HEAD"], capture_output=True, text=True)
    return head.stdout.strip() if head.returncode == 0 else "an export"
