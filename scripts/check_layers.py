#!/usr/bin/env python3
"""Holds the tree to its one direction of dependency (ARCHITECTURE.md).

Reads every #include against the tables below and, given a build directory,
the undefined symbols of each folder's static library.  Includes lead one way
between all directories, so none of them lie on a circle.  No provider of the
two tables of them is named elsewhere.  Prints a line for each breach and exits
1 if there is any.

usage: check_layers.py [--source DIR] [--build DIR]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import include_graph
from include_graph import is_test

# Who may include whose headers, by folder.
EVERY = {"agents", "config", "engine", "eval", "search", "store",
         "store/records", "tests"}
MAY_INCLUDE = {
    "store/records": {"store/records"},
    "agents": {"agents", "store/records"},
    "config": {"config", "store/records"},
    "eval": {"eval", "store/records"},
    "search": {"search", "store/records"},
    "store": {"store", "store/records"},
    "engine": EVERY - {"tests"},
    "tests": EVERY,
}

# The rooms of the evaluator, lowest first: each may include itself and those
# before it, and what stands beside them all of them.
ROOMS = ("host", "formats", "sandbox", "judge", "cpu", "cuda", "torch")
APART = {("cuda", "cpu")}  # Neither needs the other.

# Who may include a system header; the first pattern that matches decides.
# Tests may use all of the standard library and POSIX, and what their folder
# may.
FOR_TESTS = re.compile(
    r"[a-z_0-9]+|g(test|mock)/.*|(arpa/|netinet/|sys/)?[a-z]+\.h")
OWNERS = [
    (r"gtest/.*|gmock/.*", set()),  # Only tests.
    (r"SQLiteCpp/.*|sqlite3\.h|zstd(_errors)?\.h|zdict\.h", {"store"}),
    (r"openssl/.*", {"store"}),
    (r"curl/.*", {"agents"}),
    (r"nlohmann/.*", {"agents", "config", "engine", "eval"}),
    (r"yaml-cpp/.*", {"eval"}),
    (r"boost/(asio|beast)/.*", {"engine"}),
    (r"boost/program_options(/.*|\.hpp)", {"config", "engine"}),
    # Torch and CUDA, and our look-alikes of their headers.
    (r"(ATen|torch|c10|coppice)/.*|cuda_[a-z0-9_]+\.h|cuda_runtime.*",
     {"eval"}),
    (r"seccomp\.h|ffi\.h|dlfcn\.h|gnu/.*|(asm|linux)/.*", {"eval"}),
    (r"tl/expected\.hpp", EVERY),
    # Clocks, entropy and threads are passed in.
    (r"random", {"engine"}),
    (r"chrono|ctime|thread", {"engine", "eval"}),
    # search is pure.
    (r"fstream|iostream|filesystem", EVERY - {"search", "store/records"}),
    (r"[a-z_0-9]+", EVERY),
    (r"(sys/)?[a-z_0-9]+\.h", {"agents", "engine", "eval", "store"}),
]

# Large: in a header of ours every includer would pay for them.
ONLY_IN_SOURCES = re.compile(
    r"nlohmann/json\.hpp|curl/.*|boost/.*|yaml-cpp/.*"
)

# Words that read a clock or draw entropy, and who may.
HIDDEN_INPUT = [
    (r"system_clock|std::time\(|gettimeofday\(|random_device", {"engine"}),
    (r"clock_gettime\(|steady_clock", {"engine", "eval"}),
]

# Undefined symbols that only one static library may have.
SYMBOLS = [
    (r"sqlite3_|_ZN6SQLite|ZSTD_", "store"),
    (r"curl_", "agents"),
    (r"seccomp_", "eval"),
]

# The tables of providers.  What is asked of a provider is a property of its
# row, so that its name is a literal nowhere else.
OWN_PROVIDERS = "store/records/own_providers.h"
LISTED_PROVIDERS = "data/models.json"
# Where such a word means another thing: the two forms of output that rows of
# the table name, programs to set up, a verb, a member of documents, Python's
# own words.  python/ asks for agents as users do.
OTHER_WORDS = {
    "claude": {"agents/provider/model_table.cc", "engine/cli/setup_agent.cc"},
    "codex": {"agents/provider/model_table.cc", "engine/cli/setup_agent.cc"},
    "exec": {"agents/provider/model_table.cc", "store/python_tokens.cc",
             "eval/torch/definition_syntax.cc",
             "python/coppice_kernels/policy.py"},
    "outside": {"config/settings.h", "store/records/attempt.h",
                "python/coppice_kernels/rl/__init__.py",
                "python/coppice_kernels/rl/episode.py",
                "python/coppice_kernels/rl/outside.py"},
    "replay": {"engine/cli/replay.cc", "eval/torch/call_tracer.py"},
    "session": {"agents/provider/model_table.cc", "engine/cli/noise.cc",
                "engine/cli/portrait_json.cc", "engine/inspector/samples_route.cc",
                "engine/sessions/tool_session.cc", "eval/formats/trace.cc"},
}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """The layer that `path`, relative to the source tree, belongs to."""
    top = path.parts[0]
    return "store/records" if path.parts[:2] == ("store", "records") else top


def room_of(path):
    """Its place in ROOMS; after all of them, for what is in none."""
    name = path.parts[1] if len(path.parts) > 2 else ""
    return ROOMS.index(name) if name in ROOMS else len(ROOMS)


def check_rooms(path, included):
    """What is wrong if one file of the evaluator's includes another."""
    own, other = room_of(path), room_of(included)
    if other > own or (own < len(ROOMS) and other < len(ROOMS)
                       and (ROOMS[own], ROOMS[other]) in APART):
        return f'{path.parent} may not include "{included}"'
    return None


def check_own(path, included):
    target = folder_of(pathlib.PurePosixPath(included))
    if target not in EVERY:
        return f'"{included}" is not written from the source tree\'s root'
    if target not in MAY_INCLUDE[folder_of(path)]:
        return f'{folder_of(path)} may not include "{included}"'
    if folder_of(path) == target == "eval":
        return check_rooms(path, pathlib.PurePosixPath(included))
    return None


def check_system(path, included):
    if is_test(path) and FOR_TESTS.fullmatch(included):
        return None
    if path.suffix == ".h" and ONLY_IN_SOURCES.fullmatch(included):
        return f"<{included}> belongs in a .cc file"
    for pattern, folders in OWNERS:
        if re.fullmatch(pattern, included):
            if folder_of(path) in folders or path.parts[0] == "tests":
                return None
            return f"{folder_of(path)} may not include <{included}>"
    return f"<{included}> has no owner in scripts/check_layers.py"


def check_file(root, path):
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            check = check_own if match[1] == '"' else check_system
            if breach := check(path, match[2]):
                yield f"{path}:{number}: {breach}"
        code = line.split("//")[0]
        for pattern, folders in HIDDEN_INPUT:
            if (match := re.search(pattern, code)) and not is_test(path) \
                    and folder_of(path) not in folders:
                yield (f"{path}:{number}: {folder_of(path)} may not use "
                       f"{match[0]}: it is passed in")


def check_includes(root):
    for top in sorted(folder for folder in EVERY if "/" not in folder):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield from check_file(root, path.relative_to(root))


def provider_names(root):
    own = re.findall(r'^ +{\.name = "([^"]+)"',
                     (root / OWN_PROVIDERS).read_text(), re.MULTILINE)
    listed = json.loads((root / LISTED_PROVIDERS).read_text())["providers"]
    return own + [row["name"] for row in listed]


def check_providers(root):
    """Where the name of a provider, or with the colon behind it, is a
    literal."""
    names = "|".join(map(re.escape, provider_names(root)))
    literal = re.compile(rf'"({names}):?"')
    unused = {(path, name) for name, paths in OTHER_WORDS.items()
              for path in paths if (root / path).exists()}
    for folder in sorted({*include_graph.FOLDERS, "python"} - {"tests"}):
        for path in sorted((root / folder).rglob("*")):
            path = path.relative_to(root)
            comment = {".h": "//", ".cc": "//", ".py": "#"}.get(path.suffix)
            if not comment or is_test(path) or "tests" in path.parts \
                    or str(path) == OWN_PROVIDERS:
                continue
            for number, line in enumerate(
                    (root / path).read_text().splitlines(), 1):
                for name in literal.findall(line.split(comment)[0]):
                    unused.discard((str(path), name))
                    if str(path) not in OTHER_WORDS.get(name, ()):
                        yield (f'{path}:{number}: "{name}" is a provider: '
                               f"ask its row in {OWN_PROVIDERS} or "
                               f"{LISTED_PROVIDERS}")
    for path, name in sorted(unused):
        yield f'{path}: says "{name}" no more: OTHER_WORDS need not name it'


def without_tests_in_their_folder(files):
    """A folder's tests are one program, which is linked after all rooms of
    that folder: they may look into each of them."""
    return {path: [header for header in headers if not (
                is_test(path) and header.parts[0] == path.parts[0])]
            for path, headers in files.items()}


def check_circles(arrows):
    """Directories that lead to each other; of each circle what its thinnest
    arrow is made of."""
    for circle in include_graph.cycles(include_graph.neighbours(arrows)):
        _, thinnest = min((len(made_of), arrow) for arrow, made_of in
                          arrows.items() if set(arrow) <= set(circle))
        for path, header in arrows[thinnest]:
            yield (f'{path}: "{header}" closes a circle of '
                   f'{", ".join(circle)}')


def check_symbols(build):
    libraries = sorted(build.glob("*/lib*.a"))
    if not libraries:
        yield f"{build}: no libraries here; build first"
    for library in libraries:
        name = library.stem.removeprefix("lib")
        listing = subprocess.run(
            ["nm", "--undefined-only", "--format=posix", library],
            check=True, capture_output=True, text=True).stdout
        undefined = {line.split()[0] for line in listing.splitlines()
                     if line and not line.endswith(":")}
        for pattern, owner in SYMBOLS:
            for symbol in sorted(undefined):
                if name != owner and re.match(pattern, symbol):
                    yield f"{library}: only lib{owner}.a may call {symbol}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=pathlib.Path,
                        help="also read the symbols of the libraries here")
    options = parser.parse_args()
    breaches = list(check_includes(options.source))
    breaches += check_providers(options.source)
    breaches += check_circles(include_graph.directory_arrows(
        without_tests_in_their_folder(
            include_graph.includes(options.source))))
    if options.build:
        breaches += check_symbols(options.build)
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
