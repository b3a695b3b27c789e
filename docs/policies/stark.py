"""Three policies of coppice, written again in Python, draw for draw.

    coppice compare --in-memory --policies stark,python:docs/policies/stark.py:Stark
"""

from coppice_kernels.policy import ROOT, IdSet, Policy, Selection, Stream, Tree


def time_text(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{seconds / unit:.4g} {name}"
    return f"{seconds / 1e-9:.4g} ns"


def uniformly(nodes: IdSet, act: str, what: str, stream: Stream) -> Selection:
    reason = f"{act}: uniform over {len(nodes)} {what}"
    return Selection(nodes.pick(stream), reason)


def exploit(tree: Tree, stream: Stream) -> Selection:
    best = tree.best_eligible
    if best is not None:
        runtime = time_text(tree.runtime_s[best])
        return Selection(best, f"exploit: lowest runtime {runtime}")
    if tree.failing:
        what = "failing nodes, none passing is eligible"
        return uniformly(tree.failing, "exploit", what, stream)
    return Selection(ROOT, "exploit: the root, no node is eligible")


class Greedy(Policy):
    def select(self, tree: Tree, stream: Stream) -> Selection:
        return exploit(tree, stream)


class EpsilonGreedy(Policy):
    def select(self, tree: Tree, stream: Stream) -> Selection:
        if stream.uniform() < 0.3 and tree.eligible:
            return uniformly(tree.eligible, "explore", "expandable nodes", stream)
        return exploit(tree, stream)


class Stark(Policy):
    max_root_children = 5
    max_failing_children = 3

    def select(self, tree: Tree, stream: Stream) -> Selection:
        if stream.uniform() < 0.3 and tree.leaves:
            return uniformly(tree.leaves, "explore", "expandable leaves", stream)
        return exploit(tree, stream)
