"""Prompts for tasks, where there is no campaign whose prompts could be taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import _errors
from .._service import Service
from ..evaluation import shared

_PROMPT = """\
Write a faster kernel for this task, in {language}.

{summary}
It must compute what this reference does:

```
{reference}
```

The kernel is one source file with the entry point `{entry}`, called exactly as \
the source below is, which it is measured against:

```
{root}
```

{workloads}
Tolerance: {tolerance}

A program compiles your answer, compares every element for fresh inputs, and \
measures it. Say in a few sentences what you change and why. Then, last, give one \
fenced code block with the whole new source.
"""


def prompt_of(service: Service, task: str) -> str:
    parts = {
        part: service.ask("describe_task", {"task": task, "part": part})
        for part in ("summary", "reference", "root", "workloads")
    }
    about = parts["summary"]
    return _PROMPT.format(
        language=about["language"],
        entry=about["entry"],
        tolerance=about["tolerance"],
        **{name: str(answer["text"]).strip() + "\n" for name, answer in parts.items()},
    )


def _names(service: Service, level: int | str | None, device: str) -> Iterator[str]:
    request = {"device": device}
    if level is not None:
        request["level"] = str(level)
    while True:
        answer = service.ask("list_tasks", request)
        for task in answer["tasks"]:
            yield str(task["task"])
        if not answer["next_cursor"]:
            return
        request["cursor"] = str(answer["next_cursor"])


def prompts(
    tasks: Sequence[str] = (),
    *,
    level: int | str | None = None,
    device: str = "cpu",
    service: Service | None = None,
) -> list[dict[str, str]]:
    """A row for each task, with `task` and `prompt`, as data sets have them.

    Without `tasks` those that come with coppice: of a level, or of all.
    """
    asked = service or shared().service
    names = list(tasks) or list(_names(asked, level, device))
    if not names:
        raise _errors.UsageError(
            f"no task for {device!r}" + ("" if level is None else f" of level {level}")
        )
    return [{"task": name, "prompt": prompt_of(asked, name)} for name in names]
