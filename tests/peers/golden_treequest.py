#!/usr/bin/env python3
"""Writes what TreeQuest's own code selects on random trees: the golden text of
search/policies/peers_test.cc.

    tests/peers/golden_treequest.py --checkout TREEQUEST > search/testdata/treequest.txt

TREEQUEST is a checkout of github.com/SakanaAI/treequest.  Python has numpy and
scipy.  A node's score is r^2 / (1 + r^2), with r its speedup over the root: the
1 / (1 + exp(-2 ln r)) of search/indexes/subtree_rewards.h.  A failure scores 0.
"""

import argparse
import collections
import random
import sys

import trees


def score(nodes, node):
    if not node.passes:
        return 0.0
    square = trees.speedup(nodes, node) ** 2
    return square / (1.0 + square)


def tell_all(algorithm, state, nodes):
    """As if it had asked for each node where that was made."""
    for node in nodes[1:]:
        parent = state.tree.get_node(node.parent - 1)  # The root is -1.
        if hasattr(state, "thompson_states"):
            state.all_rewards_store.setdefault("edit", [])
            state.thompson_states.get_or_create(parent, ["edit"])
        else:
            # Whatever pair was asked for before is complete.
            state.trial_store.next_nodes["edit"] = [parent, parent]
        trial = state.trial_store.create_trial(parent, "edit")
        state = algorithm.tell(state, trial.trial_id, (node.number,
                                                       score(nodes, node)))
    return state


def grow(algorithm, rng, size):
    """A tree of their own, with random results."""
    state = algorithm.init_tree()
    nodes = trees.random_tree(rng, 1, 0.0, 1)
    while len(nodes) < size:
        state, trial = algorithm.ask(state, ["edit"])
        outcome = None if rng.random() < 0.3 else rng.randrange(200, 1500)
        nodes.append(trees.Node(len(nodes), trial.node_to_expand + 1, outcome))
        state = algorithm.tell(state, trial.trial_id,
                               (len(nodes), score(nodes, nodes[-1])))
    return nodes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkout", required=True)
    parser.add_argument("--draws", type=int, default=10000)
    args = parser.parse_args()
    sys.path.insert(0, args.checkout + "/src")
    trees.do_without("ulid")
    import numpy
    import ulid
    from treequest.algos.ab_mcts_a.algo import ABMCTSA
    from treequest.algos.standard_mcts import StandardMCTS

    serial = iter(range(10**9))
    ulid.new = lambda: next(serial)  # Names of trials.
    rng = random.Random(8)
    numpy.random.seed(8)
    out = sys.stdout
    out.write(f"# made by tests/peers/golden_treequest.py of TreeQuest "
              f"{trees.version_of(args.checkout)}\n")
    # Even numbers of results: the last pair is complete.
    shapes = [(3, 0.0, 3), (7, 0.3, 7), (11, 0.2, 3), (15, 0.3, 15),
              (21, 0.5, 5), (31, 0.3, 31), (41, 0.4, 8)]
    for size, failing, reach in shapes:
        nodes = trees.random_tree(rng, size, failing, reach)
        out.write("tree\n")
        trees.write_tree(nodes, out)
        for name, kind in (("ab_mcts_a", "gaussian"),
                           ("ab_mcts_a_beta", "beta")):
            algorithm = ABMCTSA(dist_type=kind)
            state = tell_all(algorithm, algorithm.init_tree(), nodes)
            counts = collections.Counter()
            for _ in range(args.draws):
                node, _action = algorithm._get_expand_node_and_action(
                    state, ["edit"])
                counts[node.expand_idx + 1] += 1
            out.write(f"drawn {name} {args.draws}\n")
            for number, count in sorted(counts.items()):
                out.write(f"n{number} {count}\n")
        # What is selected once a pair is complete.
        algorithm = StandardMCTS()
        state = tell_all(algorithm, algorithm.init_tree(), nodes)
        chosen = algorithm._select(state).expand_idx + 1
        out.write(f"chosen treequest_mcts\nn{chosen}\n")
        out.flush()
    for _ in range(3):
        # What each node was made from is the answer.
        nodes = grow(StandardMCTS(), rng, 60)
        out.write("tree\n")
        trees.write_tree(nodes, out)
        out.write("grown treequest_mcts\n")


if __name__ == "__main__":
    main()
