"""The source of a kernel in what a model said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

# A text, or messages of which the last one counts, as trainers have them.
Completion = str | Sequence[Mapping[str, Any]]

_MOST_SOURCE_BYTES = 256 << 10

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")


def text_of(completion: Completion) -> str:
    """What was said last.  Content may be a text or parts of one."""
    if isinstance(completion, str):
        return completion
    if not completion:
        return ""
    content = completion[-1].get("content")
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(str(part.get("text", "")) for part in content)


def source_of(completion: Completion, *, bare: bool = False) -> str | None:
    """The last fenced block that is closed, after any thoughts.

    `bare`: a text without any fence is a source as it is.
    """
    text = text_of(completion).rpartition("</think>")[2]
    source: str | None = None
    opened = ""
    block: list[str] = []
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if not opened:
            # What follows backticks on their line is a language, not code.
            if fence and "`" not in fence[2]:
                opened, block = fence[1], []
        elif fence and fence[1].startswith(opened) and not fence[2].strip():
            source, opened = "\n".join(block), ""
        else:
            block.append(line)
    if source is None and not opened and bare:
        source = text
    if source is None or not source.strip():
        return None
    # Halves of characters, as some tokenizers leave them, are in no source.
    whole = source.encode(errors="replace").decode()
    return whole.strip("\n") + "\n"


def why_unfit(source: str | None) -> str | None:
    """Why there is nothing that can be sent."""
    if source is None:
        return "no code block"
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        return "source: is no UTF-8"
    if size > _MOST_SOURCE_BYTES:
        return f"source: has {size} bytes, more than {_MOST_SOURCE_BYTES}"
    return None
