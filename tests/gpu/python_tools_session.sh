#!/usr/bin/env bash
# What coppice eval --sanitize and --profile say of candidates in PyTorch on a
# GPU: with mistakes that right outputs do not show, and without.  Under three
# minutes.
#
# usage: tests/gpu/python_tools_session.sh BUILD PYTHON OUT [DEVICE] [SECONDS]
#
#   BUILD   a build tree with coppice
#   PYTHON  a Python with PyTorch for DEVICE, "cuda:0"
#   OUT     a folder for what comes of it, emptied first
#   SECONDS after which nothing more is begun
set -uo pipefail
build=$1 python=$2 out=$3 device=${4:-cuda:0} limit=${5:-170}
rm -rf "$out"
mkdir -p "$out"

cat >"$out/Rows.py" <<'PY'
import torch


class Model(torch.nn.Module):
    """The sum of each row, twice."""

    def forward(self, x):
        return 2 * x.sum(dim=1)


def get_inputs():
    return [torch.randn(1000, 256)]


def get_init_inputs():
    return []
PY

# One block sums a row; MARK is where the others differ.
cat >"$out/clean.py" <<'PY'
import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
__global__ void rows_kernel(const float* x, float* y) {
  __shared__ float part[256];
  const int i = threadIdx.x;
  part[i] = x[blockIdx.x * 256 + i];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();  // MARK
    if (i < half) part[i] += part[i + half];
  }
  if (i == 0) y[blockIdx.x] = 2 * part[0];
}

torch::Tensor rows(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  rows_kernel<<<x.size(0), 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
"""
extension = load_inline("rows", "torch::Tensor rows(torch::Tensor x);", CUDA,
                        functions=["rows"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.rows(x)
PY
# A store by one element behind the outputs, whose value nobody looks at.
sed 's/y\[blockIdx.x\] = 2 \* part\[0\];/{ y[blockIdx.x] = 2 * part[0]; if (blockIdx.x == gridDim.x - 1) y[gridDim.x] = 0; }/' \
  "$out/clean.py" >"$out/store_behind.py"
# Reads what another warp may have written, and makes nothing of it.
sed 's|  for (int half|  const float early = part[(i + 128) % 256];\n  for (int half|
     s|2 \* part\[0\];|2 * part[0] + (early > 1e38f ? 1e-30f : 0.f);|' \
  "$out/clean.py" >"$out/race.py"
# A sum of what nobody wrote, times nothing.
sed 's|auto y = |auto junk = torch::empty({256}, x.options());\n  auto y = |
     s|(const float\* x, float\* y)|(const float* x, float* y, const float* junk)|
     s|y.data_ptr<float>());|y.data_ptr<float>(), junk.data_ptr<float>());|
     s|2 \* part\[0\];|2 * part[0] + (junk[i] > 1e38f ? 1e-30f : 0.f);|' \
  "$out/clean.py" >"$out/unwritten.py"

cat >"$out/triton_rows.py" <<'PY'
import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(x, y, columns: tl.constexpr):
    row = tl.program_id(0)
    values = tl.load(x + row * columns + tl.arange(0, columns))
    tl.store(y + row, 2 * tl.sum(values))


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty(x.shape[0], device=x.device)
        rows_kernel[(x.shape[0],)](x, y, x.shape[1])
        return y
PY
sed 's|tl.arange(0, columns))|tl.arange(0, columns) + (row == 999) * 1)|
     s|2 \* tl.sum(values)|2 * tl.sum(tl.load(x + row * columns + tl.arange(0, columns))) + tl.where(tl.max(values) > 1e38, 1e-30, 0.0)|' \
  "$out/triton_rows.py" >"$out/triton_behind.py"

cat >"$out/plain.py" <<'PY'
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return (x + x).sum(dim=1)
PY

# Prints what a verb says, its status and how long it took.
say() {
  local tool=$1 name=$2 start end status
  shift 2
  if ((SECONDS > limit)); then
    echo "-- $tool $name: no time is left"
    return
  fi
  start=$(date +%s.%N)
  timeout 90 "$build/coppice" eval "--$tool" --devices "${device#cuda:}" \
    --python "$python" --cache-directory "$out/cache" --compile-timeout-s 60 \
    "kernelbench:$out/Rows.py" "$out/$name.py" "$@" \
    >"$out/${tool}_$name.txt" 2>&1
  status=$?
  end=$(date +%s.%N)
  printf -- '-- %s %s: exit status %d, %.1f s\n' "$tool" "$name" "$status" \
    "$(awk "BEGIN { print $end - $start }")"
  head -c 3000 "$out/${tool}_$name.txt"
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
"$python" -c 'import torch; print("torch", torch.__version__)'
for name in store_behind clean; do say sanitize "$name"; done
say profile clean --json
for name in race triton_rows; do say sanitize "$name"; done
say profile triton_rows
for name in plain triton_behind unwritten; do say sanitize "$name"; done
say profile plain
