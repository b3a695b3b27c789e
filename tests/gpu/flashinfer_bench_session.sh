#!/usr/bin/env bash
# One solution per language and binding of FlashInfer-Bench, each judged and
# its evaluation written as JSON, two by FlashInfer-Bench's own protocol, too;
# under 120 s.
#
# usage: tests/gpu/flashinfer_bench_session.sh BUILD PYTHON OUT [DEVICE]
#
#   BUILD   a build tree with coppice
#   PYTHON  a Python with PyTorch for DEVICE (cuda:0, or cpu); with tvm_ffi,
#           or a folder .../site-packages that has it in PYTHONPATH
#   OUT     a folder for what comes of it
set -uo pipefail
build=$1 out=$3 device=${4:-cuda:0}
export COPPICE_PYTHON=$2 XDG_CACHE_HOME=$3/cache
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$out"
task=fib:$here/trace_set/definitions/rowwise/row_scale.json

"$COPPICE_PYTHON" -c 'import torch; print("torch", torch.__version__)'
"$COPPICE_PYTHON" -c 'import tvm_ffi; print("tvm_ffi", tvm_ffi.__version__)'
judge() {  # SOLUTION [PROTOCOL]
  local solution=$1 protocol=${2:-coppice} name=$1${2:+_$2}
  local start=$EPOCHREALTIME
  timeout 60 "$build/coppice" eval --json --devices "${device#cuda:}" \
    --compile-timeout-s 50 --protocol "$protocol" \
    "$task" "$here/solutions/$solution.json" \
    >"$out/$name.json" 2>"$out/$name.err"
  local status=$? end=$EPOCHREALTIME
  "$COPPICE_PYTHON" - "$name" "$status" "$start" "$end" "$out/$name.json" \
    "$out/$name.err" <<'PY'
import json, sys
name, status, start, end, file, said = sys.argv[1:]
wall = float(end) - float(start)
try:
    judged = json.load(open(file))
    what = judged["verdict"]
    if what == "passed":
        what += f" {1e6 * judged['runtime_s']:.1f} us, x{judged['speedup']:.2f}"
    else:
        what += ": " + judged["log"][-600:]
except (ValueError, KeyError):
    what = open(said).read()[-600:]
print(f"{name}: exit status {status}, {wall:.1f} s: {what}")
PY
}
for name in python triton cuda_tvm_ffi cuda_torch; do
  judge "$name"
done
[[ $device == cpu* ]] && judge cpp_tvm_ffi  # Its host code reads its inputs.
for name in python cuda_tvm_ffi; do
  judge "$name" flashinfer-bench
done
