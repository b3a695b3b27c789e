"""Holds coppice against FlashInfer-Bench's own data models.

usage: flashinfer_bench_test.py --program COPPICE --sets DIRECTORY [--python PY]

Both read the same documents: they take and refuse the same ones, but for two
that are named here, and write the same bytes.  What coppice exports loads
there, survives being rewritten there, and is the same bytes again when it was
imported and exported anew.  Their comparison of outputs is ours under
--protocol flashinfer-bench.  Exit code 77: PY has no
flashinfer_bench (scripts/setup test installs it in build/python).
"""

import argparse
import copy
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROBE = "import flashinfer_bench.data"
ROOT = pathlib.Path(__file__).resolve().parent.parent

DEFINITION = {
    "name": "n", "op_type": "o",
    "axes": {"M": {"type": "var"}, "K": {"type": "const", "value": 2}},
    "inputs": {"x": {"shape": ["M", "K"], "dtype": "float32"},
               "a": {"shape": None, "dtype": "int64"}},
    "outputs": {"y": {"shape": [], "dtype": "bool"}},
    "reference": "def run(x, a):\n    return x.any()\n"}
SOLUTION = {
    "name": "s", "definition": "n", "author": "me",
    "spec": {"language": "cuda", "target_hardware": ["H200"],
             "entry_point": "k.cu::run"},
    "sources": [{"path": "k.cu", "content": "// \u00e9 \"\\\n"}]}
TRACE = {
    "definition": "n", "solution": "s",
    "workload": {"uuid": "w", "axes": {"M": 3},
                 "inputs": {"x": {"type": "random"},
                            "a": {"type": "scalar", "value": 1}}},
    "evaluation": {
        "status": "PASSED", "timestamp": "t",
        "environment": {"hardware": "h", "libs": {"torch": "2"}},
        "correctness": {"max_relative_error": 1e-5},
        "performance": {"latency_ms": 1}}}
DROP = object()
STATUSES = ("PASSED", "INCORRECT_SHAPE", "INCORRECT_NUMERICAL",
            "INCORRECT_DTYPE", "RUNTIME_ERROR", "COMPILE_ERROR", "TIMEOUT")

# With every field that there is.
WHOLE = {
    "definition": {
        "name": "n", "op_type": "o",
        "axes": {"M": {"type": "var", "description": "rows"},
                 "K": {"type": "const", "value": 2, "description": None}},
        "inputs": {"x": {"shape": ["M", "K"], "dtype": "float8_e4m3fn",
                         "description": "\u00e9"},
                   "a": {"shape": None, "dtype": "bool"}},
        "outputs": {"z": {"shape": ["M"], "dtype": "bfloat16"},
                    "y": {"shape": [], "dtype": "int64",
                          "description": None}},
        "reference": "import torch\n\n\ndef run(x, a):\n\treturn x[:, 0], 1\n",
        "tags": ["stage:decode", "status:verified", "flag"],
        "description": "Two lines.\nAnd \"quotes\".",
        "constraints": ["M % 2 == 0", "K <= M"]},
    "solution": {
        "name": "s", "definition": "n", "author": "me",
        "spec": {"language": "cpp", "target_hardware": ["cpu", ""],
                 "entry_point": "src/k.cc::run",
                 "dependencies": ["cutlass", "cudnn"],
                 "destination_passing_style": False, "binding": "torch"},
        "sources": [{"path": "src/k.cc", "content": "#include \"k.h\"\r\n"},
                    {"path": "src/k.h", "content": "\t// \U0001f332\u0000\n"}],
        "description": "All of it."},
    "trace": {
        "definition": "n", "solution": "s",
        "workload": {
            "uuid": "w", "axes": {"M": 3},
            "inputs": {"x": {"type": "safetensors", "path": "blob/x.safetensors",
                             "tensor_key": "layer.0/x"},
                       "a": {"type": "scalar", "value": False},
                       "b": {"type": "random"},
                       "c": {"type": "scalar", "value": -2.5e-7}}},
        "evaluation": {
            "status": "PASSED", "timestamp": "2026-01-02T03:04:05.000006",
            "log": "line\n\u00e9\t\u001b[0m\n",
            "environment": {"hardware": "NVIDIA H200",
                            "libs": {"torch": "2.13.0", "cuda": "13.0"}},
            "correctness": {"max_relative_error": "NaN",
                            "max_absolute_error": 1.7976931348623157e308,
                            "extra": {"tvd": 0.25, "tvds_per_batch": [0.25, 0],
                                      "deep": {"z": None, "a": [True, "x"]}}},
            "performance": {"latency_ms": 5e-324, "reference_latency_ms": 3.0,
                            "speedup_factor": 123456789.0}}}}

# (path in the document, value); an empty path is the document itself.
DEFINITION_CASES = [
    ("", None), ("name", ""), ("name", 5), ("name", DROP), ("op_type", ""),
    ("op_type", DROP), ("axes", {}), ("axes", DROP), ("axes", []),
    ("axes/K/value", 2.0), ("axes/K/value", " +2 "), ("axes/K/value", "2.0"),
    ("axes/K/value", "1_0"), ("axes/K/value", True), ("axes/K/value", 0),
    ("axes/K/value", -1), ("axes/K/value", "2.5"), ("axes/K/value", 2.5),
    ("axes/K/value", None), ("axes/K/value", DROP), ("axes/K/type", DROP),
    ("axes/K/type", "var"), ("axes/K/type", None), ("axes/M/type", "const"),
    ("axes/M/type", "sym"), ("axes/M", {}), ("axes/M", None),
    ("axes/M/description", None), ("axes/M/description", "rows"),
    ("axes/M/description", 5), ("axes/M/parent", "B"), ("axes/", {}),
    ("inputs", DROP), ("inputs/x/shape", ["Q"]), ("inputs/x/shape", DROP),
    ("inputs/x/shape", [""]), ("inputs/x/shape", "M"),
    ("inputs/x/dtype", "uint64"), ("inputs/x/dtype", "complex64"),
    ("inputs/x/dtype", "float4_e2m1"), ("inputs/x/dtype", DROP),
    ("inputs/x/description", None), ("inputs/x/unknown", [1]),
    ("outputs/x", {"shape": None, "dtype": "int8"}), ("outputs", {}),
    ("reference", ""), ("reference", "def go(): pass"),
    ("reference", "def  run (x): pass"), ("reference", "async def run(): pass"),
    ("reference", "if 1:\n  def run(): pass"),
    ("reference", "@d\ndef run(): pass"), ("reference", DROP),
    ("tags", []), ("tags", ["level:1", "x"]), ("tags", [""]), ("tags", None),
    ("constraints", []), ("constraints", ["M > 1"]), ("constraints", None),
    ("constraints", [1]), ("description", None), ("description", ""),
    ("description", "d\u007f\u0001\u2028"), ("description", 1),
    ("extra", {"a": 1}), ("name", None), ("op_type", 1), ("axes/K", []),
    ("axes/K/description", "two"), ("axes/K/value", 1e3), ("axes/M", "var"),
    ("inputs", []), ("inputs", {}), ("inputs/x", None), ("inputs/x", []),
    ("inputs/", {"shape": None, "dtype": "int8"}), ("inputs/x/shape", [5]),
    ("inputs/x/shape", [None]), ("inputs/x/dtype", 5), ("inputs/x/dtype", None),
    ("inputs/x/dtype", "float8_e5m2"), ("outputs", DROP), ("outputs", None),
    ("outputs/y", {"dtype": "bool"}), ("outputs/y/shape", ["Q"]),
    ("outputs/", {"shape": [], "dtype": "int8"}), ("reference", 5),
    ("reference", "class run: pass"), ("reference", "run = abs"),
    ("tags", "x"), ("tags", [5]), ("constraints", [""]),
    ("constraints", "M > 1"), ("constraints", ["M > 1", "len(x) == M"]),
    ("constraints", ["M >"]), ("constraints", ["M = 1"]),
    ("reference", "def run(x, a):\n    return (x"),
    ("reference", "s = \"\"\"\ndef run(x, a): pass\"\"\"")]
SOLUTION_CASES = [
    ("name", ""), ("definition", DROP), ("author", ""), ("author", "baseline"),
    ("description", None), ("description", "x"), ("sources", []),
    ("sources", DROP), ("sources/0/content", ""), ("sources/0/path", "/k.cu"),
    ("sources/0/path", "../k.cu"), ("sources/0/path", "other.cu"),
    ("sources/0/extra", 1),
    ("sources", [{"path": "k.cu", "content": "x"}] * 2),
    ("spec/language", "rust"), ("spec/language", "tilelang"),
    ("spec/language", "sim"), ("spec/language", DROP),
    ("spec/target_hardware", []), ("spec/target_hardware", [""]),
    ("spec/target_hardware", DROP), ("spec/target_hardware", [1]),
    ("spec/entry_point", "k.cu"), ("spec/entry_point", "k.cu::a::b"),
    ("spec/entry_point", "k.cu:::a"), ("spec/entry_point", "k.cu::"),
    ("spec/entry_point", "x.cu::run"), ("spec/entry_point", ""),
    ("spec/dependencies", []), ("spec/dependencies", ["cublas"]),
    ("spec/dependencies", [""]), ("spec/dependencies", None),
    ("spec/destination_passing_style", False),
    ("spec/destination_passing_style", 1),
    ("spec/destination_passing_style", 0.0),
    ("spec/destination_passing_style", "Yes"),
    ("spec/destination_passing_style", "2"),
    ("spec/destination_passing_style", None),
    ("spec/binding", "tvm-ffi"), ("spec/binding", "torch"),
    ("spec/binding", None), ("spec/binding", "pybind"), ("", []),
    ("name", DROP), ("name", 1), ("definition", ""), ("author", DROP),
    ("description", 1), ("sources", {}), ("sources", [None]),
    ("sources/0/path", DROP), ("sources/0/path", ""), ("sources/0/path", 1),
    ("sources/0/content", DROP), ("sources/0/content", 1),
    ("sources", [{"path": "a/../k.cu", "content": "x"},
                 {"path": "k.cu", "content": "x"}]),
    ("sources", [{"path": "a/..b/k..cu", "content": "x"},
                 {"path": "k.cu", "content": "x"}]),
    ("sources", [{"path": "./k.cu", "content": "x"}]),
    ("sources", [{"path": "k.h", "content": "x"},
                 {"path": "k.cu", "content": "y"}]),
    ("spec", DROP), ("spec", None), ("spec/language", None),
    ("spec/target_hardware", "H200"), ("spec/entry_point", DROP),
    ("spec/entry_point", "k.cu:run"), ("spec/entry_point", "::run"),
    ("spec/dependencies", "cublas"), ("spec/binding", 1)]
TRACE_CASES = [
    ("definition", ""), ("definition", DROP), ("workload", DROP),
    ("workload/uuid", ""), ("workload/uuid", DROP), ("workload/axes", DROP),
    ("workload/axes/M", 0), ("workload/axes/M", -1), ("workload/axes/M", "7"),
    ("workload/axes/", 1), ("workload/inputs", {}), ("workload/inputs/x", {}),
    ("workload/inputs/x", {"type": "zeros"}), ("workload/inputs/x", None),
    ("workload/inputs/x", {"type": None}),
    ("workload/inputs/x", {"type": "random", "seed": 3}),
    ("workload/inputs/a/value", 2.5), ("workload/inputs/a/value", 2.0),
    ("workload/inputs/a/value", True), ("workload/inputs/a/value", "2"),
    ("workload/inputs/a/value", "2.5"), ("workload/inputs/a/value", "off"),
    ("workload/inputs/a/value", ""), ("workload/inputs/a/value", None),
    ("workload/inputs/a/value", [1]), ("workload/inputs/a", {"value": 4}),
    ("workload/inputs/x", {"type": "safetensors", "path": "p"}),
    ("workload/inputs/x", {"type": "safetensors", "path": "p",
                           "tensor_key": "k"}),
    ("workload/inputs/x", {"path": "p", "tensor_key": "k", "value": 1}),
    ("workload/inputs/x", {"path": "p"}),
    ("solution", ""), ("solution", None), ("solution", 1),
    ("evaluation/status", "passed"), ("evaluation/status", DROP),
    ("evaluation/status", "INCORRECT_NUMERICAL"),
    ("evaluation/status", "RUNTIME_ERROR"),
    ("evaluation/correctness", None), ("evaluation/correctness", DROP),
    ("evaluation/correctness", {}), ("evaluation/correctness", []),
    ("evaluation/performance", None), ("evaluation/performance", {}),
    ("evaluation/log", None), ("evaluation/log", "x\n"),
    ("evaluation/timestamp", ""), ("evaluation/environment", DROP),
    ("evaluation/environment/hardware", ""),
    ("evaluation/environment/libs", None), ("evaluation/environment/libs", DROP),
    ("evaluation/environment/libs/torch", 2),
    ("evaluation/correctness/extra", {"b": 1, "a": [1.0, 1e-7, None, "NaN"]}),
    ("evaluation/correctness/extra", None),
    ("evaluation/correctness/extra", []),
] + [("evaluation/correctness/max_absolute_error", value) for value in
     (0, 1e-6, 123456.789, 1e16, 1e22, "NaN", "nan", "Infinity", "-Infinity",
      "0.5", " 1 ", True, -1, None, "x")
] + [("evaluation/performance/speedup_factor", value) for value in
     (0, "2", -0.5, "NaN", None, "fast")
] + [("evaluation", {"status": status, "timestamp": "t",
                     "environment": {"hardware": "h"}}) for status in
     ("INCORRECT_SHAPE", "INCORRECT_DTYPE", "RUNTIME_ERROR", "COMPILE_ERROR",
      "TIMEOUT")
] + [("evaluation", {"status": status, "timestamp": "t",
                     "environment": {"hardware": "h"}, **found})
     for status in STATUSES for found in (
         {"correctness": {}}, {"performance": {}},
         {"correctness": {}, "performance": {}},
         {"correctness": None, "performance": None})
] + [("evaluation", {}), ("evaluation", []),
     ("evaluation/environment", {}), ("evaluation/environment/libs", {}),
     ("evaluation/environment/libs", []), ("evaluation/log", 5),
     ("evaluation/log", "\u00e9\u2028\\"), ("evaluation/timestamp", DROP),
     ("evaluation/status", None), ("evaluation/performance/latency_ms", -1),
     ("evaluation/performance/reference_latency_ms", 1e-9),
     ("workload", None), ("workload/uuid", 5), ("workload/axes", []),
     ("workload/axes/M", 1.5), ("workload/inputs", []),
     ("workload/inputs/x", {"type": "safetensors", "path": "",
                            "tensor_key": "k"}),
     ("workload/inputs/x", {"type": "safetensors", "path": "p",
                            "tensor_key": ""}),
     ("workload/inputs/x", {"type": "safetensors", "path": "p",
                            "tensor_key": 1}),
     ("workload/inputs/a", {"type": "scalar"})]
# They read these as a variable axis, and as random: not what was meant.
STRICTER = [("axes/K", {"value": -1}),
            ("workload/inputs/x", {"value": "x"})]
# Tasks in C++ have types that they have no word for.
WIDER = [("inputs/x/dtype", dtype)
         for dtype in ("float64", "uint8", "uint16", "uint32")]


# Candidates for gemm_k8.
KERNELS = [f"import time\nimport torch\n\n\ndef run(A, B, alpha):\n    {body}\n"
           for body in (
               "return torch.matmul(A, B).mul_(alpha)",
               "return torch.matmul(A, B)",
               "return (alpha * torch.matmul(A, B))[:, 1:].contiguous()",
               "return (alpha * torch.matmul(A, B)).double().half()",
               "return A @ A",
               "return )",
               "return time.sleep(9)")]
# A planner marks the last line of the source; a coder takes the next answer.
AGENT = """
import pathlib, re, sys
prompt = sys.stdin.read()
if "# Your role: planner" in prompt:
    source = re.findall(r"```python\\n(.*?)```", prompt, re.S)[-1]
    *lines, last = source.rstrip().split("\\n")
    lines += ["# <<<IMPROVE BEGIN>>>", last, "# <<<IMPROVE END>>>"]
    print("Technique: another line\\nWrite it otherwise.")
else:
    answer = min(pathlib.Path(sys.argv[1]).iterdir())
    lines = [answer.read_text().rstrip()]
    answer.unlink()
print("```python", *lines, "```", sep="\\n")
"""


def changed(document, path, value):
    if not path:
        return value
    document = copy.deepcopy(document)
    *parents, last = path.split("/")
    place = document
    for key in parents:
        place = place[int(key) if isinstance(place, list) else key]
    if value is DROP:
        del place[last]
    else:
        place[last] = value
    return document


def reversed_keys(value):
    if isinstance(value, list):
        return [reversed_keys(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: reversed_keys(value[key]) for key in reversed(value)}


def files_of(root):
    return {str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*") if path.is_file()}


class Holder:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.runs = 0
        self.faults = []

    def run(self, *words):
        return subprocess.run([self.program, *map(str, words)], text=True,
                              capture_output=True, check=False)

    def new(self):
        self.runs += 1
        return self.folder / str(self.runs)

    def rewritten(self, kind, document):
        """What coppice writes of it; None: it refuses it."""
        root, out = self.new(), self.new()
        text = json.dumps(document)
        documents = {"definition": DEFINITION, "solution": SOLUTION}
        documents[kind] = document
        for each, path in (("definition", "definitions/n.json"),
                           ("solution", "solutions/s.json"),
                           ("trace", "traces/t.jsonl")):
            (root / path).parent.mkdir(parents=True)
            if each in documents:
                text = json.dumps(documents[each])
                (root / path).write_text(text, encoding="utf-8")
        said = self.run("report", "merge", root, "--output", out)
        if said.returncode not in (0, 2) or len(said.stderr.splitlines()) != 1:
            self.faults.append(f"{text}: {said.returncode} {said.stderr}")
        if said.returncode != 0:
            # What it read, but has no place for in the layout, is not refused.
            said = self.run("report", "summary", root)
            return "placeless" if said.returncode == 0 else None
        folder = {"definition": "definitions", "solution": "solutions",
                  "trace": "traces"}[kind]
        return next((out / folder).rglob("*.json*")).read_text("utf-8")

    def compare(self, kind, model, document):
        ours = self.rewritten(kind, document)
        try:
            theirs = model.model_validate_json(json.dumps(document))
        except ValueError:
            theirs = None
        if (ours is None) != (theirs is None):
            self.faults.append(f"{kind} {json.dumps(document)}: only "
                               f"{'they' if theirs else 'we'} take it")
        elif theirs is not None and ours != "placeless":
            wanted = (theirs.model_dump_json() + "\n" if kind == "trace" else
                      theirs.model_dump_json(indent=2, exclude_unset=True))
            if ours != wanted:
                self.faults.append(f"{kind}: we write {ours!r}, "
                                   f"they {wanted!r}")

    def compare_all(self):
        from flashinfer_bench import data
        for kind, model, base, cases in (
                ("definition", data.Definition, DEFINITION, DEFINITION_CASES),
                ("solution", data.Solution, SOLUTION, SOLUTION_CASES),
                ("trace", data.Trace, TRACE, TRACE_CASES)):
            self.compare(kind, model, base)
            for path, value in cases:
                document = changed(base, path, value)
                if kind == "trace" and document.get("solution") is None and \
                        document.get("evaluation") is None:
                    continue
                self.compare(kind, model, document)
            self.compare(kind, model, WHOLE[kind])
            self.compare(kind, model, reversed_keys(WHOLE[kind]))
        for kind, base, case in (("definition", DEFINITION, STRICTER[0]),
                                 ("trace", TRACE, STRICTER[1])):
            if self.rewritten(kind, changed(base, *case)) is not None:
                self.faults.append(f"{case} is taken")
        for case in WIDER:
            document = changed(DEFINITION, *case)
            if self.rewritten("definition", document) is None:
                self.faults.append(f"{case} is refused")
            try:
                data.Definition.model_validate_json(json.dumps(document))
                self.faults.append(f"{case} is theirs by now")
            except ValueError:
                pass

    def check_set(self, root):
        """A set that coppice wrote loads there and is rewritten the same."""
        from flashinfer_bench import data
        traces = data.TraceSet.from_path(str(root))
        again = self.new()
        for path in sorted(root.rglob("*.json*")):
            target = again / path.relative_to(root)
            if path.suffix == ".json":
                model = (data.Definition if "definitions" in path.parts
                         else data.Solution)
                data.save_json_file(data.load_json_file(model, path), target)
            else:
                data.save_jsonl_file(data.load_jsonl_file(data.Trace, path),
                                     target)
        wrote = {path: text for path, text in files_of(root).items()
                 if not path.startswith("blob/")}
        for path, text in files_of(again).items():
            if wrote[path] != text:
                self.faults.append(f"{root / path}: rewritten otherwise")
        if set(files_of(again)) != set(wrote):
            self.faults.append(f"{root}: has other files than those rewritten")
        return traces

    def check_campaign(self, words, statuses, baselines=()):
        """One whose traces have these statuses, and are of these solutions
        beside its nodes', out and in and out again."""
        database, first = self.new(), self.new()
        said = self.run("run", *words, "--db", database, "--progress", "none")
        if said.returncode not in (0, 3):
            self.faults.append(f"run: {said.stderr}")
            return
        self.run("export", "traces", "--output", first, "--db", database)
        traces = self.check_set(first)
        for name in baselines:
            if not any(trace.solution == name for each in
                       traces.traces.values() for trace in each):
                self.faults.append(f"{words[0]}: no traces of {name}")
        found = {trace.evaluation.status.value
                 for each in traces.traces.values() for trace in each}
        if not found >= statuses:
            self.faults.append(f"{words[0]}: no traces of {statuses - found}")
        other, second = self.new(), self.new()
        said = self.run("import", "traces", first, "--db", other)
        if said.returncode != 0:
            self.faults.append(f"import: {said.stderr}")
            return
        for what in ("evaluations", "workload_results", "samples"):
            counts = [self.run("sql", f"SELECT count(*) FROM {what}", "--db",
                               path).stdout for path in (database, other)]
            if counts[0] != counts[1]:
                self.faults.append(f"{words[0]}: {what}: {counts}")
        self.run("export", "traces", "--output", second, "--db", other)
        before, after = files_of(first), files_of(second)
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                self.faults.append(f"{words[0]}: {path}: came back otherwise: "
                                   f"{before.get(path)} {after.get(path)}")
        for report in ("summary", "best", "leaderboard", "curves", "visualize"):
            said = self.run("report", report, database)
            if said.returncode != 0 or said.stdout != self.run(
                    "report", report, second).stdout:
                self.faults.append(f"report {report}: {said.stderr}")

    def check_matching(self):
        """eval/torch/matching.py finds what their own comparison finds."""
        import torch
        from flashinfer_bench.bench import config, utils
        sys.path.insert(0, str(ROOT / "eval/torch"))
        import matching
        random = torch.Generator().manual_seed(1)
        steps = torch.tensor([0, 0, 0, 1e-3, 0.0099, 0.0101, 0.5, 3.0])
        for number in range(400):
            count = int(torch.randint(0, 40, (1,), generator=random))
            root = torch.randn(count, generator=random) * 10.0 ** (number % 7 - 3)
            picked = torch.randint(0, 8, (count,), generator=random)
            own = root + steps[picked] * root.abs().clamp(min=number % 2)
            dtype = (torch.float32, torch.float16, torch.bfloat16, torch.int32,
                     torch.int64, torch.bool, torch.float8_e4m3fn,
                     torch.float8_e5m2)[number % 8]
            root = root.clamp(-400, 400).to(dtype)
            own = own.clamp(-400, 400).to(dtype)
            if number % 8 < 3 and count and number % 3 == 0:
                root[0] = float("nan" if number % 2 else "inf")
            least = 0.95 if number % 5 == 0 else None
            atol = 1e-3 if number % 11 == 0 else 1e-2
            rtol = 0.25 if number % 13 == 0 else 1e-2
            absolute, relative, fails, _ = utils.compute_error_stats(
                own, root, config.BenchmarkConfig(
                    required_matched_ratio=least, atol=atol, rtol=rtol))
            matching.CHUNK = 7
            found = matching.compare(
                own,
                root,
                {"least": least or 1.0, "absolute": atol, "relative": rtol},
            )
            theirs = [max(0.0, error) for error in (absolute, relative)]
            ours = [float(found[f"max_{name}_error"])
                    for name in ("absolute", "relative")]
            if fails != (found["wrong"] > 0) or theirs != ours:
                self.faults.append(f"{own} {root} {least}: we find {found}, "
                                   f"they {fails} {theirs}")

    def check_reports(self, sets):
        """What a newcomer meets; of the set, numbers that were worked out by
        hand: five passed, in 4, 6, 2, 1 and 3 ms."""
        def expect(words, code, *texts):
            said = self.run("report", *words)
            wrong = (said.returncode != code or
                     any(text not in said.stdout + said.stderr
                         for text in texts) or
                     code == 2 and len(said.stderr.splitlines()) != 1)
            if wrong:
                self.faults.append(f"report {words}: {said}")
            return said.stdout
        summary = json.loads(expect(["summary", sets, "--json"], 0))
        found = {row["what"]: row["value"] for row in summary["summary"]}
        for what, value in (("traces", 7), ("PASSED", 5),
                            ("INCORRECT_NUMERICAL", 1), ("TIMEOUT", 1),
                            ("authors", 3), ("min latency_ms", 1),
                            ("max latency_ms", 6), ("mean latency_ms", 3.2)):
            if found.get(what) != value:
                self.faults.append(f"summary: {what} is {found.get(what)}")
        best = json.loads(expect(["best", sets, "--json"], 0))["best"]
        if [(row["solution"], row["latency_ms"]) for row in best] != [
                ("gemm_ann", 1), ("gemm_ann", 3)]:
            self.faults.append(f"best: {best}")
        nothing, broken, quiet, odd, merged = (self.new() for _ in range(5))
        nothing.mkdir()
        for what in ("summary", "best", "leaderboard", "curves", "visualize"):
            expect([what, nothing], 2, "no trace set")
            expect([what, self.folder / "gone"], 2, "gone: no such file")
        expect(["merge", nothing, "--output", merged], 2, "no trace set")
        expect(["merge", sets], 2, "--output")
        shutil.copytree(sets, broken)
        lines = broken / "traces/ann/gemm/gemm_k8.jsonl"
        lines.write_text(lines.read_text() + "{\"definition\": \n")
        expect(["summary", broken], 2, "gemm_k8.jsonl:3: not JSON")
        expect(["merge", broken, "--output", merged], 2, "gemm_k8.jsonl:3: not")
        shutil.copytree(sets, quiet)
        shutil.rmtree(quiet / "traces")
        expect(["summary", quiet], 0, "workloads")
        for what in ("best", "leaderboard", "curves", "visualize"):
            expect([what, quiet], 0, "no solution has a trace that counts")
        # Traces of a solution that nobody has.
        shutil.copytree(sets, odd)
        shutil.rmtree(odd / "solutions/bob")
        for what in ("summary", "best", "leaderboard", "curves", "visualize"):
            expect([what, odd], 0)
        expect(["merge", odd, sets, "--output", merged], 0)
        if files_of(merged) != files_of(sets):
            self.faults.append("merge: what a set lacks is not filled in")
        expect(["merge", sets, "--output", merged], 2, "not empty")

    def check_foreign_campaign(self, definition):
        """Runs a task whose reference is Python, with an agent that answers by
        what is written here: a kernel of each fate."""
        agent, answers = self.new(), self.new()
        answers.mkdir()
        for i, kernel in enumerate(KERNELS):
            (answers / str(i)).write_text(kernel, encoding="utf-8")
        agent.write_text(AGENT, encoding="utf-8")
        model = f"exec:{sys.executable} {agent} {answers}"
        self.check_campaign(
            [f"fib:{definition}", "--budget", str(len(KERNELS)),
             "--call-timeout-s", "2", "--baselines", "eager", "--plan-model", model,
             "--code-model", model, "--debug-model", model],
            set(STATUSES), ("gemm_baseline", "gemm_k8__torch"))
        if list(answers.iterdir()):
            self.faults.append("not all answers were asked for")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--sets", required=True, type=pathlib.Path)
    parser.add_argument("--python", help="run under it")
    arguments = parser.parse_args()
    if arguments.python:
        if not pathlib.Path(arguments.python).exists() or subprocess.run(
                [arguments.python, "-c", PROBE], capture_output=True,
                check=False).returncode != 0:
            print(f"skipped: {arguments.python} has no flashinfer_bench; "
                  "scripts/setup test installs it")
            return 77
        return subprocess.run(
            [arguments.python, sys.argv[0], "--program", arguments.program,
             "--sets", arguments.sets], check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        holder = Holder(arguments.program, pathlib.Path(folder))
        merged = holder.new()
        holder.run("report", "merge", arguments.sets, "--output", merged)
        holder.check_set(merged)
        if files_of(merged) != files_of(arguments.sets):
            holder.faults.append(f"{arguments.sets}: merged otherwise")
        holder.compare_all()
        holder.check_matching()
        holder.check_reports(arguments.sets)
        holder.check_campaign(["gelu_tanh", "--budget", "2"], {"PASSED"})
        holder.check_foreign_campaign(
            arguments.sets / "definitions/gemm/gemm_k8.json")
    for fault in holder.faults:
        print(fault)
    cases = (len(DEFINITION_CASES) + len(SOLUTION_CASES) + len(TRACE_CASES) +
             2 * len(WHOLE))
    print(f"{cases} documents, {len(holder.faults)} faults")
    return 1 if holder.faults else 0


if __name__ == "__main__":
    sys.exit(main())
