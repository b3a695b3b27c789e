"""What a tool has passed of a source, and need not look at again.

A name is kept for each, made of the tool, its options, the packages installed
and all that the source includes of ours.  COPPICE_TEST_PART=K/N in the environment
leaves all sources but the K-th part of N for other days.
"""
import hashlib
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDED = re.compile(r'^#include "(.*)"', re.MULTILINE)


def kept(name):
    """The folder of the names that this tool keeps."""
    cache = (os.environ.get("XDG_CACHE_HOME") or
             pathlib.Path.home() / ".cache")
    return pathlib.Path(cache) / "coppice-checks" / name


def is_of_part(source):
    """Whether it is of the part that COPPICE_TEST_PART names, if it names one."""
    part, _, parts = os.environ.get("COPPICE_TEST_PART", "1/1").partition("/")
    name = str(source.relative_to(ROOT) if source.is_relative_to(ROOT)
               else source)
    digest = hashlib.sha256(name.encode()).digest()
    return int.from_bytes(digest[:8], "big") % int(parts) == int(part) - 1


def texts(source, seen):
    """Ours that it includes, itself among them."""
    if source in seen or not source.exists():
        return
    seen.add(source)
    for name in INCLUDED.findall(source.read_text()):
        texts(ROOT / name, seen)


def fingerprint(machine, source, arguments):
    """The same as long as a tool would say the same of it."""
    included = set()
    texts(source, included)
    digest = hashlib.sha256(machine.encode())
    for text in [*arguments, *sorted(map(str, included))]:
        digest.update(text.replace(str(ROOT), "").encode() + b"\0")
    for file in sorted(included):
        # A unity source names those of a tree by their whole paths.
        digest.update(file.read_bytes().replace(bytes(ROOT), b"") + b"\0")
    return digest.hexdigest()


def machine_of(tool):
    """The tool and all packages, with their versions."""
    return "".join(
        subprocess.run(command, check=True, capture_output=True,
                       text=True).stdout
        for command in ([tool, "--version"], ["dpkg-query", "--show"]))
