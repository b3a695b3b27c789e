"""Who includes whom, by file and by directory: what check_layers.py,
house_figures.py and rooms.py are made of.

Paths are PurePosixPath, relative to the root of a tree.
"""

import collections
import pathlib
import re

# The folders of our C++; what is in others is told apart by who asks.
FOLDERS = ("agents", "config", "engine", "eval", "search", "store", "tests")
SUFFIXES = (".h", ".cc", ".cu")

# What tests beside code share: never part of a library.  One with a folder is
# that folder's; elsewhere the name is another thing's.
TEST_HELPERS = {"bench_fixture", "campaign_findings", "cli_fixture",
                "device_rewriting", "factory_fixture", "fake_cuda",
                "fake_runner", "generate", "history_fixture", "pages_fixture",
                "random_tree", "recorded_examples", "recount", "rewriting",
                "runner_fixture", "scripted_agent", "scripted_model",
                "scripted_server", "simulated_rig", "situations",
                "store/scratch", "store/scratch_file", "terrain_examples",
                "test_documents", "test_operations", "test_service",
                "test_tasks", "test_timer", "text_tree", "textbook_kernels",
                "tree_scan"}

OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def is_test(path):
    return (path.parts[0] == "tests" or path.stem.endswith("_test")
            or path.stem in TEST_HELPERS
            or str(path.with_suffix("")) in TEST_HELPERS)


def includes(root, folders=FOLDERS):
    """The headers of this tree that each source includes, sorted."""
    found = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                own = [pathlib.PurePosixPath(name) for name in
                       OWN_INCLUDE.findall(path.read_text())]
                found[pathlib.PurePosixPath(path.relative_to(root))] = sorted(
                    name for name in own if (root / name).exists())
    return found


def directory_arrows(files):
    """Includes that leave their directory: {(from, to): [(file, header)]}."""
    arrows = collections.defaultdict(list)
    for path, headers in files.items():
        for header in headers:
            if header.parent != path.parent:
                arrows[str(path.parent), str(header.parent)].append(
                    (path, header))
    return dict(arrows)


def reached(graph, start):
    """What arrows lead to from `start`; itself only along a cycle."""
    seen, waiting = set(), [start]
    while waiting:
        for target in graph.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def neighbours(arrows):
    graph = collections.defaultdict(set)
    for source, target in arrows:
        graph[source].add(target)
    return graph


def cycles(graph):
    """Sets of two or more that all lead to each other, each as a sorted
    list."""
    beyond = {node: reached(graph, node) for node in graph}
    found = []
    for node in sorted(graph):
        if node in beyond[node] and not any(node in cycle for cycle in found):
            together = sorted(other for other in beyond[node]
                              if node in beyond.get(other, ()))
            if len(together) > 1:
                found.append(together)
    return found


def floors(graph):
    """The storey of each node, 0 for what leads nowhere.  A cycle's nodes
    share one."""
    home = {node: node for targets in graph.values() for node in targets}
    home.update({node: node for node in graph})
    for cycle in cycles(graph):
        home.update({node: cycle[0] for node in cycle})
    down = collections.defaultdict(set)
    for node, targets in graph.items():
        down[home[node]] |= {home[other] for other in targets} - {home[node]}
    storeys = {}

    def storey(node):
        if node not in storeys:
            storeys[node] = 1 + max(map(storey, down[node]), default=-1)
        return storeys[node]

    return {node: storey(home[node]) for node in home}
