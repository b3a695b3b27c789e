"""Joins what kernelbench_session.sh left in a folder: tables for RESULTS.md.

usage: kernelbench_tables.py OUT
"""

import json
import math
import pathlib
import re
import sys


def read_json(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def read_lines(path):
    return path.read_text().splitlines() if path.exists() else []


def seconds_of(out, part):
    """Reads PART.tsv: what, then (exit status, seconds); the last time counts."""
    found = {}
    for line in read_lines(out / f"{part}.tsv"):
        what, status, seconds = (line.split("\t") + ["", ""])[:3]
        found[what] = (status, float(seconds) if seconds else None)
    return found


def complaint(path):
    """What a command without JSON said."""
    for line in read_lines(path.with_name(path.name + ".err")):
        if line.strip():
            return re.sub(r"^coppice[ a-z]*: ", "", line)
    return "said nothing"


def short(text, most=90):
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def ms(seconds):
    return "-" if not seconds or seconds < 0 else f"{seconds * 1e3:.3g}"


def ratio(over, under):
    if not over or not under or over < 0 or under < 0:
        return "-"
    return f"{over / under:.2f}"


def seconds(value):
    return "-" if value is None else f"{value:.1f}"


def table(title, head, rows, end=""):
    if not rows:
        return ""
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |",
             "|" + "---|" * len(head)]
    for row in rows:
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines + (["", end] if end else [])) + "\n"


def last_line(document):
    """What went wrong: an exception's last line, and not what was printed."""
    said = document["log"].split("it printed:")[0].strip()
    return said.rpartition("\n")[2]


def admissions(out):
    rows, fit = [], 0
    for task, (status, took) in seconds_of(out, "admissions").items():
        path = out / "admissions" / f"{task}.json"
        document = read_json(path)
        if status == "not run":
            said, reason = "not run", ""
        elif document:
            bad = [f for f in document[0]["findings"] if not f["good"]]
            said = "fit" if document[0]["fit"] else "UNFIT"
            reason = "; ".join(
                f"{f['candidate']}: {f['found']}, not {f['expected']}"
                + (f" ({short(f['log'])})" if f.get("log") else "") for f in bad)
            fit += document[0]["fit"]
        else:
            said = "out of time" if status in ("124", "137") else "refused"
            reason = "" if said == "out of time" else short(complaint(path))
        rows.append([task, said, reason, seconds(took)])
    return table("Admissions", ["problem", "", "why", "s"], rows,
                 f"{fit} of {len(rows)} are fit for use.")


def baselines(out):
    found = {}
    for what, (status, took) in seconds_of(out, "baselines").items():
        task, which = what.split()
        path = out / "baselines" / f"{task}.{which}.json"
        document = read_json(path)
        if status == "not run":
            cell = "not run"
        elif document and document["verdict"] == "passed":
            cell = f"{ms(document.get('runtime_s'))} ({took:.0f} s)"
        elif document:
            cell = f"{document['verdict']}: {short(last_line(document), 90)}"
        else:
            timed_out = status in ("124", "137")
            cell = "out of time" if timed_out else short(complaint(path), 60)
        found.setdefault(task, {})[which] = cell
    names = sorted({which for row in found.values() for which in row},
                   key=["eager", "compile", "max-autotune"].index)
    rows = [[task] + [row.get(which, "") for which in names]
            for task, row in found.items()]
    return table("Baselines, ms (and how long measuring one took)",
                 ["problem"] + names, rows)


def theirs_of(path):
    found = {}
    for line in read_lines(path):
        entry = json.loads(line)
        found[entry["name"]] = entry
    return found


def verdict_there(line):
    if line.get("correct"):
        return "correct" + (", flagged" if line.get("flagged") else "")
    what = line["what"]
    if what.startswith("not run"):
        return what
    if line.get("compiled"):
        return "not correct: " + short(what, 60)
    return short(what, 70)


def candidates(out):
    theirs = theirs_of(out / "theirs.jsonl")
    took = seconds_of(out, "candidates")
    rows, ratios = [], []
    for what, (status, wall) in took.items():
        words = what.split()
        if words[0] != "ours":
            continue
        _, protocol, name = words
        path = out / "ours" / f"{name}.{protocol}.json"
        ours = read_json(path) or {}
        their = theirs.get(name, {})
        judged = sum(ours.get(key, 0.0) for key in ("compile_s", "check_s", "timing_s"))
        verdict = ours.get("verdict") or (
            "not run" if status == "not run" else
            "out of time" if status in ("124", "137") else short(complaint(path)))
        wall_there = their.get("wall_s")
        if wall and wall_there and their.get("correct"):
            ratios.append(wall_there / wall)
        runtime, root = ours.get("runtime_s"), ours.get("root_runtime_s")
        runtime_there = their.get("runtime_ms", -1) / 1e3
        root_there = their.get("ref_runtime_ms", -1) / 1e3
        rows.append([
            their.get("task", ""), name + ("" if protocol == "coppice" else " *"),
            verdict, verdict_there(their) if their else "not run",
            f"{ms(root)}, {ms(runtime)}", f"{ms(root_there)}, {ms(runtime_there)}",
            ratio(root, runtime), ratio(root_there, runtime_there),
            f"{seconds(wall)} ({judged:.1f})",
            f"{seconds(wall_there)} ({their.get('eval_s', 0):.1f})",
            ratio(wall_there, wall)])
    end = ("Times of root, candidate in ms; seconds of the whole command, and of "
           "judging alone.")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        end += (f"  Ours takes 1/{mean:.2f} of their seconds (geometric mean of the "
                f"{len(ratios)} that theirs finds correct).")
    if any(row[1].endswith("*") for row in rows):
        end += "  *: by --protocol kernelbench."
    return table(
        "Candidates, by ours and by KernelBench's own evaluator",
        ["problem", "candidate", "ours", "theirs", "ours: ms", "theirs: ms",
         "ours: speedup", "theirs: speedup", "ours: s", "theirs: s", "theirs / ours"],
        rows, end)


def exploits(out):
    theirs = theirs_of(out / "exploits_theirs.jsonl")
    ours = {}
    for line in read_lines(out / "exploits_ours.txt"):
        fields = re.split(r"\s{2,}", line.strip())
        if len(fields) >= 4 and fields[1].endswith(".py"):
            ours[fields[1]] = fields
    rows, passed = [], 0
    for name in dict.fromkeys([*ours, *theirs]):
        own, their = ours.get(name), theirs.get(name)
        entry = own[0] if own else their["entry"]
        honest = entry == "HONEST"
        said = f"{own[2]}" if own else "not run"
        if own and len(own) > 4 and re.fullmatch(r"[0-9.]+", own[4]):
            said += f", {own[4]}x"
        if own and own[-1] == "UNEXPECTED":
            said += " UNEXPECTED"
        there = "not run"
        if their:
            there = verdict_there(their)
            if their.get("correct"):
                speedup = ratio(their["ref_runtime_ms"], their["runtime_ms"])
                there += f", {speedup}x"
                passed += not honest
        rows.append([entry, name, own[3] if own else their["expected"], said, there])
    return table("Exploits and their honest twins",
                 ["entry", "candidate", "expected of ours", "ours",
                  "KernelBench's own"], rows,
                 f"{passed} exploits are correct for KernelBench's own evaluator.")


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit("usage: kernelbench_tables.py OUT")
    out = pathlib.Path(sys.argv[1])
    parts = [make(out) for make in (admissions, baselines, candidates, exploits)]
    print("\n".join(part for part in parts if part), end="")


if __name__ == "__main__":
    main()
