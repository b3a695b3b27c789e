"""Runs a long test, unless it has passed with the same contents before.

    kept_pass.py [--unless-said REGEX] --of PATH... -- COMMAND...

What the test depends on is named: its own sources, and those of what it tests,
as files or folders of the tree.  Where none of them, nor a package installed,
nor the processor or a GPU, has changed since COMMAND succeeded, that is said in
place of running it.  A success that printed REGEX has skipped its work: it is
exit code 77 here, and counts for nothing.  A failure stays one, whatever it
printed.  ~/.cache/coppice-checks/passed keeps a name for each success.
A program that was built before the last change says nothing of it, and what
changes while a test runs is not what it has seen.  COPPICE_TEST_ANEW=1 in the
environment runs it whatever is kept; with COPPICE_TEST_WHOLE (whole.h) it is
another test, which is kept for itself.
"""

import argparse
import datetime
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or
                    pathlib.Path.home() / ".cache") / "coppice-checks/passed"
SKIPPED = 77  # ctest's SKIP_RETURN_CODE.


def files_of(paths: list[str]) -> list[pathlib.Path]:
    """All files under them, in order; a path that is not there is an error."""
    files = []
    for path in map(ROOT.joinpath, paths):
        if path.is_file():
            files.append(path)
        elif path.is_dir():
            files += [file for file in path.rglob("*")
                      if file.is_file() and "__pycache__" not in file.parts]
        else:
            sys.exit(f"kept_pass.py: {path}: No such file or directory")
    return sorted(files)


def is_stale(command: list[str], files: list[pathlib.Path]) -> bool:
    """Whether it would run a program made before the last change of a file."""
    newest = max(file.stat().st_mtime for file in files)
    return any(pathlib.Path(word).is_relative_to(ROOT / "build")
               and pathlib.Path(word).is_file()
               and pathlib.Path(word).stat().st_mtime < newest
               for word in command)


def machine() -> str:
    """The processor, GPUs and all packages, of Debian and of Python."""
    processor = [line for line in open("/proc/cpuinfo", encoding="utf-8")
                 if line.startswith(("model name", "flags"))][:2]
    packages = subprocess.run(["dpkg-query", "--show"], check=False,
                              capture_output=True, text=True).stdout
    wheels = sorted(folder.name for folder in
                    (ROOT / "build/python").glob("lib/*/site-packages/*"))
    gpus = sorted(map(str, pathlib.Path("/proc/driver/nvidia/gpus").glob("*")))
    return "".join([*processor, *gpus, packages, *wheels])


def fingerprint(files: list[pathlib.Path], command: list[str]) -> str:
    """The same as long as the test would end the same."""
    digest = hashlib.sha256(machine().encode())
    digest.update(os.environ.get("COPPICE_TEST_WHOLE", "").encode() + b"\0")
    for word in command:
        digest.update(word.replace(str(ROOT), "").encode() + b"\0")
    for file in files:
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def run(command: list[str], skipping: str | None) -> tuple[int, bool]:
    """Its exit code, and whether it printed `skipping`."""
    skipped = False
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            if skipping and re.search(skipping, line):
                skipped = True
    code = process.returncode
    return code if code >= 0 else 128 - code, skipped


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unless-said", metavar="REGEX")
    parser.add_argument("--of", nargs="+", required=True, metavar="PATH")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    options = parser.parse_args()
    files = files_of(options.of)
    kept = KEPT / fingerprint(files, options.command)
    stale = is_stale(options.command, files)
    if kept.exists() and not stale and not os.environ.get("COPPICE_TEST_ANEW"):
        day = datetime.datetime.fromtimestamp(kept.stat().st_mtime)
        print(f"passed at {day:%Y-%m-%d %H:%M} with the same contents of "
              f"{len(files)} files; COPPICE_TEST_ANEW=1 runs it again")
        return 0
    code, skipped = run(options.command, options.unless_said)
    unchanged = kept.name == fingerprint(files_of(options.of), options.command)
    if code == 0 and unchanged and not stale and not skipped:
        KEPT.mkdir(parents=True, exist_ok=True)
        kept.touch()
    return SKIPPED if code == 0 and skipped else code


if __name__ == "__main__":
    sys.exit(main())
