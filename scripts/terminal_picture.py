"""Draws what a terminal shows, colours included, as an SVG.

The text stays text, and follows the reader's light or dark mode.  Known are
the escape sequences that coppice prints (SGR: bold, dim, and the eight colours)
and no others; anything else is an error, so that no picture lies.
"""

import html
import re

CELL = 8.4  # Pixels of a column, at 14 pixels a letter.
LINE = 18
MARGIN = 14

SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
CLASSES = {1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 34: "u", 35: "m",
           36: "c"}

STYLE = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',
monospace;white-space:pre;fill:#1f2328}
rect{fill:#f6f8fa;stroke:#d0d7de}
.b{font-weight:bold}.d{fill:#656d76}.r{fill:#b3261e}.g{fill:#1a7f37}
.y{fill:#8a6100}.u{fill:#0550ae}.m{fill:#8250df}.c{fill:#0f6b78}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}
rect{fill:#0d1117;stroke:#30363d}
.d{fill:#8d96a0}.r{fill:#ff7b72}.g{fill:#3fb950}.y{fill:#d29922}
.u{fill:#79c0ff}.m{fill:#d2a8ff}.c{fill:#56d4dd}}
"""


def spans(line):
    """[(text, {class})] of one line."""
    found, active, at = [], set(), 0
    for match in SEQUENCE.finditer(line):
        found.append((line[at:match.start()], set(active)))
        for code in (int(c or 0) for c in match[1].split(";")):
            if code == 0:
                active.clear()
            elif code in (22, 39):
                active -= {"b", "d"} if code == 22 else set("rgyumc")
            elif code in CLASSES:
                active.add(CLASSES[code])
            else:
                raise ValueError(f"unknown colour {code}")
        at = match.end()
    found.append((line[at:], set(active)))
    return [(text, classes) for text, classes in found if text]


def draw(text, columns, title):
    """The SVG of `text`, whose lines must fit into so many columns."""
    lines = text.expandtabs().rstrip("\n").split("\n")
    rows = []
    for number, line in enumerate(lines):
        parts = spans(line)
        plain = "".join(part for part, _ in parts)
        if "\x1b" in plain or "\r" in plain:
            raise ValueError(f"line {number + 1}: an unknown sequence")
        if len(plain) > columns:
            raise ValueError(f"line {number + 1}: {len(plain)} columns")
        y = MARGIN + LINE * number + 14
        at, inner = 0, ""
        for part, classes in parts:
            # Each part is as wide as its columns, whatever the reader's font.
            kind = f' class="{" ".join(sorted(classes))}"' if classes else ""
            inner += (f'<tspan x="{MARGIN + CELL * at:.1f}" '
                      f'textLength="{CELL * len(part):.1f}"{kind}>'
                      f"{html.escape(part, quote=False)}</tspan>")
            at += len(part)
        if inner:
            rows.append(f'<text y="{y}">{inner}</text>')
    width = round(2 * MARGIN + CELL * columns)
    height = 2 * MARGIN + LINE * len(lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" role="img" '
            f'xml:space="preserve">\n<title>{html.escape(title)}</title>\n'
            f"<style>{STYLE}</style>\n"
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}"'
            ' rx="8"/>\n' + "\n".join(rows) + "\n</svg>\n")
