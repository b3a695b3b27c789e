#!/usr/bin/env python3
"""Tests of pack_tasks.py on one small task and on broken copies of it."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import pack_tasks

DEFINITION = """{
  "name": "scale", "op_type": "blas", "description": "y = a x",
  "tags": ["level:1", "tolerance:8"],
  "axes": {"N": {"type": "var"}, "K": {"type": "const", "value": 4}},
  "inputs": {"x": {"shape": ["N", "K"], "dtype": "float32"},
             "n": {"shape": ["N"], "dtype": "int32"},
             "a": {"shape": null, "dtype": "float32"}},
  "outputs": {"y": {"shape": ["N", "K"], "dtype": "float32"}}
}
"""
ROOT = """#include <cstdint>
extern "C" void run(const float* x, const int32_t* n, float a,
                    float* y, int64_t N) {
  constexpr int64_t K = 4;
}
"""
ORACLE = """#include <cstdint>
extern "C" void oracle(const double* x, const int64_t* n, double a, double* y,
                       double* y_m, int64_t N) {}
"""
REFERENCE = "def run(x, n, a):\n    return a * x\n"


def line(size):
    return json.dumps({
        "definition": "scale",
        "workload": {"uuid": f"scale_{size}", "axes": {"N": size},
                     "inputs": {"x": {"type": "random"},
                                "n": {"type": "random"},
                                "a": {"type": "scalar", "value": 2.0}}},
        "solution": None, "evaluation": None}) + "\n"


GOOD = {"definition.json": DEFINITION, "root.cc": ROOT, "oracle.cc": ORACLE,
        "reference.py": REFERENCE,
        "workloads.jsonl": line(16) + line(32) + line(7)}


GOOD_CUDA = {
    "definition.json": DEFINITION.replace('"scale"', '"cuda_scale"').replace(
        '"dtype": "float32"}', '"dtype": "float16"}').replace(
        '"a": {"shape": null, "dtype": "float16"}',
        '"a": {"shape": null, "dtype": "float32"}'),
    "root.cu": """//@ scratch __half half_y[N * K]
//@ launch scale<<<ceil_div(N, 256), 256>>>(x, n, a, half_y, int32(N))
//@ launch copy<<<1, 32>>>(half_y, y)
extern "C" __global__ void scale(const __half* x, const int* n, float a,
                                 __half* half_y, int N) {
  constexpr int K = 4;
}
extern "C" __global__ void __launch_bounds__(32) copy(const __half* half_y,
                                                      __half* y) {}
""",
    "oracle.cu": """//@ launch oracle<<<N, 32>>>(x, n, a, y, y_m, N)
extern "C" __global__ void oracle() {}
""",
    "expert.cu": """//@ library cublas
extern "C" void run(const __half* x, const int32_t* n, float a, __half* y,
                    int64_t N, cudaStream_t stream) {}
""",
    "reference.py": REFERENCE,
    "workloads.jsonl": GOOD["workloads.jsonl"].replace('"scale"',
                                                       '"cuda_scale"')}


class PackTasksTest(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.base = pathlib.Path(held.name)

    def pack(self, files):
        """Returns (exit code, what was printed)."""
        folder = self.base / "scale"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed):
            code = pack_tasks.main(self.base / "out", folder)
        return code, printed.getvalue()

    def packed(self):
        return {str(path.relative_to(self.base / "out")): path.read_text()
                for path in (self.base / "out").rglob("*") if path.is_file()}

    def test_a_task_becomes_four_documents(self):
        self.assertEqual(self.pack(GOOD), (0, ""))
        packed = self.packed()
        self.assertEqual(sorted(packed), [
            "definitions/blas/scale.json",
            "solutions/baseline/blas/scale/scale_root.json",
            "solutions/oracle/blas/scale/scale_oracle.json",
            "workloads/blas/scale.jsonl"])
        definition = json.loads(packed["definitions/blas/scale.json"])
        self.assertEqual(definition["reference"], REFERENCE)
        root = json.loads(
            packed["solutions/baseline/blas/scale/scale_root.json"])
        self.assertEqual(root["spec"]["entry_point"], "root.cc::run")
        self.assertEqual(root["sources"][0]["content"], ROOT)

    def test_an_expert_for_cpus_is_a_solution_that_may_use_libraries(self):
        expert = "//@ library openblas\n" + ROOT
        self.assertEqual(self.pack(GOOD | {"expert.cc": expert}), (0, ""))
        made = json.loads(self.packed()[
            "solutions/expert/blas/scale/scale_expert.json"])
        self.assertEqual(made["spec"]["language"], "cpp")
        self.assertEqual(made["spec"]["dependencies"],
                         ["coppice-c-abi", "openblas"])
        code, printed = self.pack(
            GOOD | {"expert.cc": ROOT.replace("void run", "void go")})
        self.assertEqual(code, 1)
        self.assertIn('expert.cc: no extern "C" void run', printed)

    def test_equal_sources_give_equal_bytes_and_stale_files_go(self):
        self.pack(GOOD)
        first = self.packed()
        (self.base / "out/definitions/blas/old.json").write_text("{}")
        self.pack(GOOD)
        self.assertEqual(self.packed(), first)

    def test_what_is_wrong_is_named_and_nothing_is_written(self):
        cases = [
            ("definition.json", '"scale"', '"scal"', "/name: is not the folder"),
            ("definition.json", '"op_type"', "op_type", "Expecting property"),
            ("definition.json", "level:1", "level:9", "/tags: no \"level:1\""),
            ("definition.json", "tolerance:8", "tolerance:x",
             "/tags: no \"tolerance"),
            ("definition.json", '"value": 4', '"value": 0',
             "/axes/K: neither var nor const"),
            ("definition.json", "int32", "uint8", "/inputs/n/dtype: not one"),
            ("definition.json", '["N", "K"]', '["N", "Q"]',
             "/inputs/x/shape: no axis Q"),
            ("definition.json", '{"y":', '{"x":',
             "/outputs: a name is also an input's"),
            ("definition.json", '"K": {"type": "const", "value": 4}',
             '"K": {"type": "const", "value": 4}, "Z": {"type": "var"}',
             "/axes/Z: varies, but shapes no input"),
            ("definition.json", "level:1", "level:alien",
             "other level of 1, 2, 3, foreign"),
            ("reference.py", "def run", "def go", "needs one top-level"),
            ("reference.py", "x, n, a", "x, a, n", "not the inputs in order"),
            ("reference.py", "a * x", "a *", "invalid syntax"),
            ("root.cc", "void run", "void go", "no extern \"C\" void run"),
            ("root.cc", "const float* x", "float* x",
             "expected (const float* x, const int32_t* n, float a, float* y, "
             "int64_t N)"),
            ("root.cc", "K = 4", "K = 5", "K = 5: not the definition's"),
            ("oracle.cc", "double* y_m, ", "", "expected (const double* x"),
            ("workloads.jsonl", line(7), "", "fewer than 3 workloads"),
            ("workloads.jsonl", line(7), line(48),
             "every size is a multiple of 16"),
            ("workloads.jsonl", line(32), line(16), "uuid scale_16: also in"),
            ("workloads.jsonl", '"N": 16', '"N": 0', ":1: /workload/axes/N"),
            ("workloads.jsonl", '{"N": 16}', "{}", ":1: /workload/axes: not"),
            ("workloads.jsonl", '"type": "scalar"', '"type": "random"',
             ":1: /workload/inputs/a: expected type scalar"),
        ]
        for file, old, new, complaint in cases:
            with self.subTest(file=file, new=new):
                self.assertIn(old, GOOD[file])
                code, printed = self.pack(
                    GOOD | {file: GOOD[file].replace(old, new, 1)})
                self.assertEqual(code, 1)
                self.assertIn(complaint, printed)
                self.assertFalse((self.base / "out").exists())

    def test_a_root_for_cuda_makes_a_task_for_cuda(self):
        self.assertEqual(self.pack(GOOD_CUDA), (0, ""))
        packed = self.packed()
        self.assertEqual(sorted(packed), [
            "definitions/blas/cuda_scale.json",
            "solutions/baseline/blas/cuda_scale/cuda_scale_root.json",
            "solutions/expert/blas/cuda_scale/cuda_scale_expert.json",
            "solutions/oracle/blas/cuda_scale/cuda_scale_oracle.json",
            "workloads/blas/cuda_scale.jsonl"])

        def spec(author, file):
            return json.loads(packed[
                f"solutions/{author}/blas/cuda_scale/cuda_scale_{file}.json"
            ])["spec"]

        self.assertEqual(spec("baseline", "root")["dependencies"],
                         ["coppice-launch-plan"])
        self.assertEqual(spec("baseline", "root")["entry_point"],
                         "root.cu::run")
        self.assertEqual(spec("expert", "expert")["dependencies"],
                         ["coppice-c-abi", "cublas"])
        self.assertEqual(spec("oracle", "oracle")["language"], "cuda")

    def test_what_is_wrong_with_a_task_for_cuda_is_named(self):
        cases = [
            ("definition.json", "cuda_scale", "scale",
             "/name: is not the folder's, cuda_scale"),
            ("definition.json", "float16", "float8_e4m3fn",
             "/inputs/x/dtype: not one"),
            ("oracle.cu", "//@ launch", "// launch", "no //@ launch"),
            ("root.cu", "void scale(", "void other(",
             "scale: launched, but no"),
            ("root.cu", "(x, n, a, half_y", "(x, n, b, half_y",
             "launch scale: b: neither tensor, axis nor scratch"),
            ("root.cu", "copy<<<1, 32>>>(half_y, y)",
             "copy<<<1, 32>>>(half_y)", "no launch takes the output y"),
            ("root.cu", "K = 4", "K = 5", "K = 5: not the definition's"),
            ("oracle.cu", "y_m, ", "y_n, ", "launch oracle: y_n: neither"),
            ("expert.cu", ", cudaStream_t stream", "",
             "expected (const __half* x, const int32_t* n, float a, "
             "__half* y, int64_t N, cudaStream_t stream)"),
        ]
        for file, old, new, complaint in cases:
            with self.subTest(file=file, new=new):
                self.assertIn(old, GOOD_CUDA[file])
                code, printed = self.pack(GOOD_CUDA | {
                    file: GOOD_CUDA[file].replace(old, new, 1)})
                self.assertEqual(code, 1)
                self.assertIn(complaint, printed)

    def test_a_missing_file_is_named(self):
        code, printed = self.pack({"root.cc": ROOT})
        self.assertEqual(code, 1)
        self.assertIn("no definition.json", printed)


if __name__ == "__main__":
    unittest.main()
