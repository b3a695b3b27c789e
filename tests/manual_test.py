#!/usr/bin/env python3
"""The pages of the manual, held to what man-page checkers say of them.

Skips what is not installed: mandoc, groff.  Exit code 77 if neither is.
"""

import argparse
import gzip
import pathlib
import shutil
import subprocess
import sys


def complaints(command, page):
    done = subprocess.run(command, input=page, capture_output=True,
                          check=False)
    # mandoc complains on its output, groff beside it.
    said = done.stdout if "-Tlint" in command else done.stderr
    return said.decode(errors="replace").splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=pathlib.Path)
    folder = parser.parse_args().pages
    checkers = [command for command in (
        ["mandoc", "-Tlint", "-Wstyle"],
        ["groff", "-man", "-ww", "-z"]) if shutil.which(command[0])]
    if not checkers:
        print("skipped: neither mandoc nor groff is installed")
        sys.exit(77)
    pages = {path.name.split(".")[0]: path for path in folder.iterdir()}
    failed = [f"no page {name}" for name in ("coppice", "coppice-run")
              if name not in pages]
    for name, path in sorted(pages.items()):
        page = path.read_bytes()
        if path.suffix == ".gz":
            page = gzip.decompress(page)
        for command in checkers:
            failed += [f"{name}: {line}" for line in complaints(command, page)]
    print("\n".join(failed) or f"{len(pages)} pages are sound")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
