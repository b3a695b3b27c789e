#!/usr/bin/env python3
"""Writes a source that holds the files of a built page, each as gzip.

usage: page_files.py DIST OUTPUT

Every build runs it.  It leaves OUTPUT alone when nothing has changed, so nothing
is compiled again then.  Where DIST has no index.html the list is empty, and the
program says how the page is made.
"""

import gzip
import hashlib
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript",
         ".css": "text/css", ".svg": "image/svg+xml",
         ".md": "text/plain; charset=utf-8"}

HEAD = """// Made by cmake/page_files.py of page/dist.
#include "engine/inspector/page_files.h"

namespace coppice::inspector {
"""


def literal(data):
    """A string literal of these bytes, some 60 to a line."""
    lines = []
    for at in range(0, len(data), 60):
        # Octal, always three digits: what follows is never taken for one more.
        lines.append('    "' + "".join(
            chr(b) if 0x20 <= b < 0x7f and chr(b) not in '"\\?' else f"\\{b:03o}"
            for b in data[at:at + 60]) + '"')
    return "\n".join(lines) or '    ""'


def files(dist):
    if not (dist / "index.html").is_file():
        return []
    return [(path, path.read_bytes()) for path in sorted(dist.rglob("*"))
            if path.suffix in TYPES and path.is_file()]


def source(dist):
    found = files(dist)
    if not found:
        return (HEAD + "\nstd::span<const PageFile> PageFiles() { return {}; }\n"
                "\n}  // namespace coppice::inspector\n")
    text = [HEAD, "namespace {\n"]
    rows = []
    for number, (path, data) in enumerate(found):
        packed = gzip.compress(data, 9, mtime=0)
        text.append(f"constexpr char kFile{number}[] =\n{literal(packed)};\n")
        name = "/" + path.relative_to(dist).as_posix()
        etag = hashlib.sha256(data).hexdigest()[:16]
        rows.append(f'      {{"{name}", "{TYPES[path.suffix]}", "{etag}",\n'
                    f"       Bytes(kFile{number}, {len(packed)})}},")
    text.append("std::span<const std::byte> Bytes(const char* data, "
                "std::size_t size) {\n"
                "  return std::as_bytes(std::span(data, size));\n}\n")
    text.append("}  // namespace\n\nstd::span<const PageFile> PageFiles() {\n"
                "  static const PageFile kFiles[] = {\n" + "\n".join(rows) +
                "\n  };\n  return kFiles;\n}\n\n"
                "}  // namespace coppice::inspector\n")
    return "\n".join(text)


def main():
    dist, output = map(pathlib.Path, sys.argv[1:])
    made = source(dist)
    if not output.is_file() or output.read_text() != made:
        output.write_text(made)


if __name__ == "__main__":
    main()
