"""Holds --protocol kernelbench against a checkout of KernelBench.

usage: kernelbench_protocol_test.py --program COPPICE --judge KERNELBENCH_JUDGE
       --python PYTHON

The checkout is what KERNELBENCH_CHECKOUT names.  The same candidates on the same
problems are judged by its eval_kernel_against_ref, which is told that the CPU is
its GPU, and by ours: seeds, casts, tolerances and verdicts are the same but for
what DIFFERENT names.  Files of results that we write are read and scored by it.
Exit code 77: no checkout, or no PyTorch.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

HEAD = "import torch\nimport torch.nn as nn\n\n\n"

LAYER = HEAD + """class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        return torch.sigmoid(self.linear(x)) / 4


def get_inputs():
    return [torch.rand(16, 32)]


def get_init_inputs():
    return [32]
"""
LABELS = HEAD + """class Model(nn.Module):
    def forward(self, x, labels):
        return x * labels


def get_inputs():
    return [torch.rand(4, 8), torch.randint(0, 5, (4, 8))]


def get_init_inputs():
    return []
"""
INFINITE = HEAD + """class Model(nn.Module):
    def forward(self, x):
        return 1 / torch.relu(x - 0.5)


def get_inputs():
    return [torch.rand(8, 8)]


def get_init_inputs():
    return []
"""

# A candidate for LAYER; `result` is what is returned, `before` comes before the
# parameters.
NEW = HEAD + """class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        {before}
        self.{name} = nn.Linear(width, width)

    def forward(self, x):
        y = torch.sigmoid(self.{name}(x)) / 4
        return {result}
"""
# Another's y, so far off that |y - r| is so many times atol + rtol |y|.
OFF = "(lambda r: ((r + {c} * {t}) / (1 - {c} * {t})).to(y.dtype))(y.double())"


def layer(result="y", name="linear", before="pass"):
    return NEW.format(result=result, name=name, before=before)


# Name -> source.  {t} is the tolerance of a precision.
CANDIDATES = {
    "right": layer(),
    "within": layer(OFF.replace("{c}", "0.9")),
    "beyond": layer(OFF.replace("{c}", "1.1")),
    "one_beyond": layer(
        "torch.where(torch.arange(y.numel()).view_as(y) == 77, "
        + OFF.replace("{c}", "1.1") + ", y)"),
    "nan": layer("y.masked_fill(torch.arange(y.numel()).view_as(y) == 5, "
                 "float('nan'))"),
    "zeros": layer("torch.zeros_like(y)"),
    "flat": layer("y.flatten()"),
    "one_row": layer("y[:1]"),
    "in_a_list": layer("[y]"),
    "nothing": layer("None"),
    "raises": layer("y / undefined"),
    "other_names": layer(name="other"),
    "other_draws_and_names": layer(name="other", before="torch.rand(3)"),
    "double": layer("y.double()"),
    "other_draws": layer(before="torch.rand(3)"),
}

# Where ours says otherwise, and why (docs/kernelbench.md).
DIFFERENT = {
    "in_a_list": "several outputs are allowed",
    "other_draws": "parameters of equal names are the reference's",
}

OF_INPUTS = HEAD + """SUMS = {sums}  # Of each call's inputs, in order.


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.calls = 0

    def forward(self, x):
        y = torch.sigmoid(self.linear(x)) / 4
        is_known = float(x.double().sum()) == SUMS[min(self.calls, len(SUMS) - 1)]
        self.calls += 1
        return y if is_known else y + 1
"""
OF_TYPES = HEAD + """class ModelNew(nn.Module):
    def forward(self, x, labels):
        same = x.dtype == labels.dtype == torch.{dtype}
        return x * labels if same else x * labels + 1
"""
SAME_INFINITE = HEAD + """class ModelNew(nn.Module):
    def forward(self, x):
        return 1 / torch.clamp(x - 0.5, min=0)
"""
NEGATIVE_INFINITE = SAME_INFINITE.replace("return 1", "return -1")

PRECISIONS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}

failures = []


def expect(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"FAILED: {what}: {found}, not {wanted}")


def import_theirs(checkout):
    """With the CPU for a GPU, as far as judging without timing asks one."""
    import torch

    if importlib.util.find_spec("requests") is None:  # Judging makes none.
        sys.modules["requests"] = types.ModuleType("requests")
    sys.path.insert(0, str(checkout / "src"))
    from kernelbench import eval as evaluator, timing

    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.get_device_name = lambda device=None: "a processor"
    cuda.device = lambda device: contextlib.nullcontext()
    for name in ("set_device", "synchronize", "empty_cache", "manual_seed",
                 "reset_peak_memory_stats"):
        setattr(cuda, name, lambda *_, **__: None)
    return evaluator, timing


def their_verdict(evaluator, problem, source, precision):
    import torch

    with contextlib.redirect_stdout(io.StringIO()), \
            contextlib.redirect_stderr(io.StringIO()):
        result = evaluator.eval_kernel_against_ref(
            problem, source, num_correct_trials=5, device=torch.device("cpu"),
            precision=getattr(torch, precision))
    return result.correctness


def their_sums(problem):
    """Sums of the inputs that run_and_check_correctness draws, and then of those that
    are timed; written out as there, since nothing returns them."""
    import torch

    space = {}
    exec(problem, space)
    torch.manual_seed(42)
    seeds = [torch.randint(0, 2**32 - 1, (1,)).item() for _ in range(5)] + [42]
    sums = []
    for seed in seeds:
        torch.manual_seed(seed)
        sums.append(float(space["get_inputs"]()[0].double().sum()))
    return sums


class Ours:
    def __init__(self, judge, folder):
        self.judge, self.folder = judge, folder

    def verdicts(self, problem, sources, precision):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "1_Problem.py").write_text(problem)
        files = []
        for name, source in sources.items():
            files.append(str(folder / f"{name}.py"))
            pathlib.Path(files[-1]).write_text(source)
        done = subprocess.run(
            [self.judge, str(folder / "1_Problem.py"), precision, "cpu", *files],
            capture_output=True, text=True, timeout=540)
        if done.returncode != 0:
            sys.exit(f"{self.judge}: {done.stderr}")
        found = [line.split()[0] for line in done.stdout.splitlines()]
        if "error" in found:
            sys.exit(done.stderr)
        return dict(zip(sources, found, strict=True))


def check_verdicts(evaluator, ours):
    for precision, short in PRECISIONS.items():
        tolerance = evaluator.get_tolerance_for_precision(short)
        sources = {name: source.replace("{t}", repr(tolerance))
                   for name, source in CANDIDATES.items()}
        if precision != "float32":  # The rest is of no precision.
            sources = {name: sources[name] for name in ("right", "within", "beyond")}
        for name, verdict in ours.verdicts(LAYER, sources, precision).items():
            wanted = their_verdict(evaluator, LAYER, sources[name], precision)
            if name in DIFFERENT:
                wanted = not wanted
            expect(verdict == "passed", wanted, f"{name} in {precision} ({verdict})")
        typed = {"types": OF_TYPES.format(dtype=precision),
                 "others": OF_TYPES.format(dtype="float64")}
        for name, verdict in ours.verdicts(LABELS, typed, precision).items():
            wanted = their_verdict(evaluator, LABELS, typed[name], precision)
            expect(wanted, name == "types", f"theirs: inputs' {name} in {precision}")
            expect(verdict == "passed", wanted, f"inputs' {name} in {precision}")
    infinite = {"same": SAME_INFINITE, "negative": NEGATIVE_INFINITE}
    for name, verdict in ours.verdicts(INFINITE, infinite, "float32").items():
        wanted = their_verdict(evaluator, INFINITE, infinite[name], "float32")
        expect(verdict == "passed", wanted, f"infinite: {name} ({verdict})")


def check_seeds(evaluator, ours):
    sums = their_sums(LAYER)
    sources = {"theirs": OF_INPUTS.format(sums=sums)}
    for i in range(5):  # So that each of them is looked at.
        other = list(sums)
        other[i] += 1
        sources[f"another_{i}"] = OF_INPUTS.format(sums=other)
    found = ours.verdicts(LAYER, sources, "float32")
    for name, verdict in found.items():
        wanted = their_verdict(evaluator, LAYER, sources[name], "float32")
        expect(wanted, name == "theirs", f"theirs: seeds, {name}")
        expect(verdict == "passed", wanted, f"seeds, {name} ({verdict})")


SOFTMAX = HEAD + """class {name}(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=1){end}
"""
SOFTMAX_INPUTS = """

def get_inputs():
    return [torch.rand(64, 256)]


def get_init_inputs():
    return []
"""
# Problem -> what is added to the softmax, and the time of another's baseline
# over ours: far from 1, since theirs is compared by the mean, ours by the median.
SCORED = {1: ("", 1000.0), 2: ("", 0.001), 3: (" + 1", 1000.0), 4: ("", 1000.0)}
THRESHOLDS = (0.0, 0.5, 0.8, 1.0, 1.5, 2.0, 4.0, 8.0)


def check_scores(timing, program, folder):
    from kernelbench import score

    database = folder / "scores.db"
    (folder / "coppice.conf").write_text("protocol = kernelbench\n"
                                         "devices = cpu\n")

    def run(*words):
        return subprocess.run(
            [program, *words, "--config", str(folder / "coppice.conf"),
             "--db", str(database)],
            capture_output=True, text=True, timeout=240, cwd=folder)

    def rows(query):
        done = run("sql", "--json", query)
        expect(done.returncode, 0, f"sql: {done.stderr}")
        return json.loads(done.stdout)

    def shares(correct, baselines, runtimes):
        return {p: float(score.fastp(correct, baselines, runtimes, len(SCORED), p))
                for p in THRESHOLDS}

    for number, (end, _) in SCORED.items():
        problem = folder / "level1" / f"{number}_Softmax.py"
        problem.parent.mkdir(exist_ok=True)
        problem.write_text(SOFTMAX.format(name="Model", end="") + SOFTMAX_INPUTS)
        kernels = folder / f"kernels{number}.json"
        kernels.write_text(json.dumps(
            [{"kernel": SOFTMAX.format(name="ModelNew", end=end)}]))
        done = run("import", "kernels", str(kernels), "--task",
                   f"kernelbench:{problem}", "--progress", "none")
        expect(done.returncode in (0, 3), True, f"import: {done.stderr}")
    exported = folder / "exported"
    done = run("export", "kernelbench", "--output", str(exported))
    expect(done.returncode, 0, f"export: {done.stderr}")

    results = json.loads(next(exported.glob("runs/*/eval_results.json")).read_text())
    timing_file = next(exported.glob("results/timing/*/baseline_time_torch.json"))
    times = json.loads(timing_file.read_text())
    samples = {int(key): entries[0] for key, entries in results.items()}
    expect(sorted(samples), sorted(SCORED), "problems of eval_results.json")
    expect(samples[1].keys(),
           {"sample_id", "compiled", "correctness", "metadata", "runtime",
            "runtime_stats"}, "fields of a result")
    named = timing.get_timing_stats([1.0, 2.0], device="cpu").keys()
    expect(samples[1]["runtime_stats"].keys(), named, "names of statistics")
    expect(times["level1"]["1_Softmax.py"].keys(), named, "names of a baseline's")
    expect(list(times["level1"]), [f"{number}_Softmax.py" for number in SCORED],
           "problems of the baselines")
    correct = [samples[number]["correctness"] for number in SCORED]
    expect(correct, [True, True, False, True], "correct")

    # Over the root, of our own speedups.
    speedups = [row["speedup"] or 0.0 for row in rows(
        "SELECT speedup FROM nodes WHERE node = 1 ORDER BY campaign")]
    expect({row["p"]: row["fast_p"] for row in rows("SELECT p, fast_p FROM fast_p")},
           shares(correct, speedups, [1.0] * len(SCORED)), "fast_p")

    # Over another's baseline, of the files: as benchmark_eval_analysis.py has it.
    runtimes = [samples[number]["runtime"] for number in SCORED]
    measured = [entry["runtime_stats"].get("mean", 1.0) for entry in samples.values()]
    means = [mean * factor for mean, (_, factor) in zip(measured, SCORED.values())]
    quoted = timing_file.parent / "baseline_time_other.json"
    quoted.write_text(json.dumps({"level1": {
        f"{number}_Softmax.py": dict(times["level1"][f"{number}_Softmax.py"], mean=mean)
        for number, mean in zip(SCORED, means)}}))
    timing_file.unlink()  # It holds what we measured.
    done = run("import", "kernelbench", str(quoted.parent))
    expect(done.returncode, 0, f"import of baselines: {done.stderr}")
    over = rows("SELECT p, fast_p FROM fast_p_over WHERE baseline = 'other'")
    expect({row["p"]: row["fast_p"] for row in over},
           shares(correct, means, runtimes), "fast_p over a baseline of the files")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--program", "--judge", "--python"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    checkout = os.environ.get("KERNELBENCH_CHECKOUT")
    if not checkout:
        print("skipped: KERNELBENCH_CHECKOUT names no checkout of KernelBench")
        return 77
    if not (pathlib.Path(checkout) / "src/kernelbench/eval.py").is_file():
        sys.exit(f"{checkout}: no src/kernelbench/eval.py is there")
    python = os.environ.get("COPPICE_PYTHON") or options.python
    if importlib.util.find_spec("torch") is None:
        probe = [python, "-c", "import pydantic, torch"]
        if not os.path.exists(python) or subprocess.run(
                probe, capture_output=True).returncode != 0:
            print(f"skipped: {python} has no PyTorch and pydantic")
            return 77
        os.execv(python, [python, *sys.argv])
    evaluator, timing = import_theirs(pathlib.Path(checkout).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours = Ours(os.path.abspath(options.judge), folder)
        check_verdicts(evaluator, ours)
        check_seeds(evaluator, ours)
        check_scores(timing, os.path.abspath(options.program), folder)
    print(f"{len(failures)} not as there")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
