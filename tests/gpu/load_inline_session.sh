#!/usr/bin/env bash
# How long a candidate with load_inline takes, from its file to its verdict,
# beside torch's own load_inline with KernelBench's trials.  Under two minutes
# on a GPU, of which torch's own takes most.
#
# usage: tests/gpu/load_inline_session.sh BUILD PYTHON OUT [DEVICE]
#
#   BUILD   a build tree with coppice
#   PYTHON  a Python with PyTorch for DEVICE: cuda:0, or cpu
#   OUT     a folder for what comes of it, emptied first
set -uo pipefail
build=$1 python=$2 out=$3 device=${4:-cuda:0}
rm -rf "$out"
mkdir -p "$out"

cat >"$out/Relu.py" <<'EOF'
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(2048, 2048)]


def get_init_inputs():
    return []
EOF

if [[ $device == cpu ]]; then
  cat >"$out/kernel.py" <<'EOF'
from torch.utils.cpp_extension import load_inline

CPP = r"""
torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] > 0 ? from[i] : 0;
  return y;
}
"""
extension = load_inline("relu", CPP, functions=["relu"], extra_cflags=["-O3"])
EOF
else
  cat >"$out/kernel.py" <<'EOF'
from torch.utils.cpp_extension import load_inline

CUDA = r"""
__global__ void relu_kernel(const float* x, float* y, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}

torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(),
                                        y.data_ptr<float>(), n);
  return y;
}
"""
extension = load_inline("relu", "torch::Tensor relu(torch::Tensor x);", CUDA,
                        functions=["relu"])
EOF
fi
cat >>"$out/kernel.py" <<'EOF'
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.relu(x)
EOF

# The same through torch's own: 5 trials, 3 calls to warm up, 100 timed ones.
cat >"$out/own.py" <<'EOF'
import sys
import torch

device = torch.device(sys.argv[1])
if device.type == "cuda":
    torch.cuda.set_device(device)
import Relu
import kernel

model, new = Relu.Model().to(device), kernel.ModelNew().to(device)
with torch.no_grad():
    for _ in range(5):
        inputs = [x.to(device) for x in Relu.get_inputs()]
        torch.testing.assert_close(new(*inputs), model(*inputs))
    for run in (model, new):
        for _ in range(3 + 100):
            run(*inputs)
            if device.type == "cuda":
                torch.cuda.synchronize()
EOF

# Says how long a command took, and keeps what it printed.
timed() {
  local name=$1 start end
  shift
  start=$(date +%s.%N)
  "$@" >"$out/$name.txt" 2>&1
  local status=$?
  end=$(date +%s.%N)
  seconds=$(awk "BEGIN { printf \"%.2f\", $end - $start }")
  printf '%-28s %7s s   exit status %d\n' "$name" "$seconds" "$status"
  ((status == 0)) || tail -n 20 "$out/$name.txt"
}

judge() {
  timed "$1" "$build/coppice" eval --json --devices "${device#cuda:}" \
    --python "$python" --cache-directory "$out/cache" \
    --compile-timeout-s 120 "kernelbench:$out/Relu.py" "$2"
}

judge first_of_this_torch "$out/kernel.py"
for i in 1 2; do  # Other sources: nothing of theirs is kept.
  sed "s/auto y/auto y$i/; s/return y;/return y$i;/; s/y.data_ptr/y$i.data_ptr/" \
    "$out/kernel.py" >"$out/kernel_$i.py"
  judge "cold_$i" "$out/kernel_$i.py"
  cold="${cold:-} $seconds"
done
for i in 1 2; do
  judge "kept_$i" "$out/kernel_$i.py"
  kept="${kept:-} $seconds"
done
export TORCH_EXTENSIONS_DIR=$out/extensions PYTHONDONTWRITEBYTECODE=1
timed torchs_own_cold "$python" "$out/own.py" "$device"
own=$seconds
timed torchs_own_kept "$python" "$out/own.py" "$device"
own_kept=$seconds

least() { tr ' ' '\n' <<<"$*" | grep . | sort -g | head -n 1; }
awk -v own="$own" -v cold="$(least $cold)" -v own_kept="$own_kept" \
  -v kept="$(least $kept)" 'BEGIN {
    printf "cold: %.2f s beside %.2f s, %.1f times as fast\n", \
           cold, own, own / cold
    printf "kept: %.2f s beside %.2f s, %.1f times as fast\n", \
           kept, own_kept, own_kept / kept
  }'
echo "of these, what a campaign waits for, where torch is imported already:"
grep -Eo '"(compile|check|timing)_s":[^,]*' "$out"/{cold,kept}_*.txt |
  sed "s|^$out/||"
