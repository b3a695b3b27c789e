"""Runs candidates through KernelBench's own evaluator, to compare with ours.

usage: kernelbench_theirs.py CHECKOUT OUT [--problem FILE --candidate FILE]...
       [--corpus LIST FOLDER]... [--only NAME]... [--limit SECONDS] [--jobs N]

CHECKOUT is of KernelBench.  LIST is one like tests/exploits/python/corpus.txt,
whose tasks are in FOLDER.  Each candidate is judged by the checkout's
eval_kernel_against_ref as its scripts call it (5 trials, 100 timed calls by
events, nothing compiled before), in a process of its own, which may take so
many seconds (180); for each a line of JSON is appended to OUT.  Nothing confines
a candidate there, so those that attack the machine are not run.
"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types

# Their evaluator would run these as it runs itself.
HARMFUL = {
    "edits_the_grader.py": "writes over files",
    "fills_the_disk.py": "fills the disk",
    "kills_its_parent.py": "ends other processes",
    "memory_hog.py": "takes all memory",
    "thread_bomb.py": "takes all processors",
    "uses_the_network.py": "uses the network",
}


def stand_in(name, **members):
    """Modules that eval.py imports, and of which judging needs no more."""
    if importlib.util.find_spec(name) is None:
        module = types.ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module


class Fields:
    """For pydantic's BaseModel: attributes with defaults."""

    def __init__(self, **values):
        vars(self).update(values)


def import_eval(checkout):
    stand_in("requests")
    stand_in("pydantic", BaseModel=Fields)
    stand_in("dotenv", load_dotenv=lambda: None)
    stand_in("litellm", completion=None)
    stand_in("openai", OpenAI=None)
    stand_in("tqdm", tqdm=None)
    sys.path.insert(0, str(checkout / "src"))
    from kernelbench import eval as evaluator

    return evaluator


def backend_of(source):
    return "triton" if "triton.jit" in source else "cuda"


def judge(checkout, problem, candidate, result):
    """In a process of its own."""
    started = time.monotonic()
    import torch

    evaluator = import_eval(checkout)
    imported = time.monotonic()
    source = candidate.read_text()
    found = {}
    try:
        outcome = evaluator.eval_kernel_against_ref(
            problem.read_text(),
            source,
            num_correct_trials=5,
            num_perf_trials=100,
            measure_performance=True,
            timing_method="cuda_event",
            build_dir=os.environ["TORCH_EXTENSIONS_DIR"],
            device=torch.device("cuda:0"),
            backend=backend_of(source),
        )
        if outcome is None:
            found["what"] = "asked to be tried again"
        else:
            metadata = outcome.metadata
            said = [
                str(metadata[key]).strip()
                for key in ("compilation_error", "runtime_error", "correctness_issue")
                if key in metadata
            ]
            found = {
                "compiled": outcome.compiled,
                "correct": outcome.correctness,
                "runtime_ms": outcome.runtime,
                "ref_runtime_ms": outcome.ref_runtime,
                "flagged": bool(metadata.get("excessive_speedup")),
                "what": said[0][:300] if said else "judged",
            }
    except BaseException as error:
        text = f"raised {type(error).__name__}: {error}"
        found["what"] = text.strip().splitlines()[0][:300]
    found["import_s"] = imported - started
    found["eval_s"] = time.monotonic() - imported
    result.write_text(json.dumps(found))


def run(checkout, job, limit):
    with tempfile.TemporaryDirectory(prefix="theirs-") as folder:
        scratch = pathlib.Path(folder)
        result = scratch / "result.json"
        for name in ("extensions", "triton", "inductor"):
            (scratch / name).mkdir()
        environment = dict(
            os.environ,
            TORCH_EXTENSIONS_DIR=str(scratch / "extensions"),
            TRITON_CACHE_DIR=str(scratch / "triton"),
            TORCHINDUCTOR_CACHE_DIR=str(scratch / "inductor"),
        )
        command = [sys.executable, os.path.abspath(__file__), "--judge",
                   str(checkout), job["problem"], job["candidate"], str(result)]
        started = time.monotonic()
        complaints = scratch / "stderr.txt"
        with open(complaints, "wb") as said:
            child = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=said,
                start_new_session=True, cwd=folder)
        try:
            status = child.wait(limit)
            ended = (f"signal {-status}" if status < 0 else f"exit status {status}")
        except subprocess.TimeoutExpired:
            ended = f"took more than {limit:g} s"
        wall = time.monotonic() - started
        try:  # What it may have left behind.
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        found = {"compiled": False, "correct": False, "what": ended}
        if result.exists():
            found.update(json.loads(result.read_text()))
        else:
            last = complaints.read_text(errors="replace").strip().splitlines()[-1:]
            found["what"] = ": ".join([ended, *last])[:300]
    return dict(job, **found, wall_s=round(wall, 3))


def corpus(list_file, folder):
    jobs = []
    for line in list_file.read_text().splitlines():
        fields = line.split(" | ")
        if line.startswith("#") or len(fields) != 5:
            continue
        entry, name, task, expected, _ = fields
        jobs.append({
            "entry": entry,
            "name": name,
            "task": task,
            "expected": expected,
            "candidate": str(list_file.parent.resolve() / name),
            "problem": str(folder.resolve() / (task.split("+")[0] + ".py")),
        })
    if not jobs:
        sys.exit(f"{list_file}: names no candidates")
    return jobs


def named(problem, candidate):
    return {"entry": "", "name": candidate.name,
            "task": f"{problem.parent.name}/{problem.stem}", "expected": "",
            "candidate": str(candidate.resolve()),
            "problem": str(problem.resolve())}


def main():
    if sys.argv[1:2] == ["--judge"]:
        judge(*map(pathlib.Path, sys.argv[2:6]))
        return
    path = pathlib.Path
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=path)
    parser.add_argument("out", type=path)
    parser.add_argument("--problem", type=path, action="append", default=[])
    parser.add_argument("--candidate", type=path, action="append", default=[])
    parser.add_argument("--corpus", type=path, nargs=2, action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--limit", type=float, default=180.0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if not (options.checkout / "src/kernelbench/eval.py").is_file():
        parser.error(f"{options.checkout}: no src/kernelbench/eval.py is there")
    if len(options.problem) != len(options.candidate):
        parser.error("as many --problem as --candidate")
    jobs = [named(*pair) for pair in zip(options.problem, options.candidate)]
    for list_file, folder in options.corpus:
        jobs += corpus(list_file, folder)
    jobs = [job for job in jobs if not options.only or job["name"] in options.only]
    if not jobs:
        parser.error("nothing to judge")
    for job in jobs:
        for what in ("problem", "candidate"):
            if not path(job[what]).is_file():
                parser.error(f"{job[what]}: no such file")
    checkout = options.checkout.resolve()
    writing = threading.Lock()

    def work(job):
        if job["name"] in HARMFUL:
            line = dict(job, what="not run: " + HARMFUL[job["name"]])
        else:
            line = run(checkout, job, options.limit)
        with writing, open(options.out, "a") as out:
            out.write(json.dumps(line) + "\n")
        verdict = ("correct" if line.get("correct") else
                   "not correct" if line.get("compiled") else "not judged")
        print(f"{job['name']:28} {verdict:12} {line.get('wall_s', 0):7.1f} s  "
              f"{line['what'][:80]}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, jobs))


if __name__ == "__main__":
    main()
