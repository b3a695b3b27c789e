#!/usr/bin/env bash
# What needs a GPU of the tasks in PyTorch, in one go.
#
# usage: tests/gpu/kernelbench_session.sh BUILD PYTHON OUT [CHECKOUT]
#
#   BUILD     a build tree with coppice and tests/exploit_corpus
#   PYTHON    a Python with PyTorch for CUDA
#   OUT       a folder for what comes of it
#   CHECKOUT  of KernelBench: its representative problems are checked, too
set -uo pipefail
build=$1 out=$3 checkout=${4:-}
export COPPICE_PYTHON=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$out"
problems=$here/tests/kernelbench
exploits=$here/tests/exploits/python

echo "== problems of our own: admitted, or why not"
"$build/coppice" task check --torch-device cuda:0 --threads 4 \
  "kernelbench:$problems/level1/1_Row_scale.py" \
  "kernelbench:$problems/level1/2_Linear_with_bias.py" \
  "kernelbench:$problems/level1/4_Wide_softmax.py" \
  "kernelbench:$problems/level2/1_Vanishing.py" 2>&1 | tee "$out/own.txt"

echo "== candidates with kernels of their own"
for file in honest_load_inline honest_triton honest_compiled; do
  "$build/coppice" eval --json --torch-device cuda:0 \
    --compile-timeout-s 180 "kernelbench:$problems/level1/1_Row_scale.py" \
    "$exploits/$file.py" >"$out/$file.json" 2>"$out/$file.err"
  echo "$file: exit status $?"
  head -c 1500 "$out/$file.json" "$out/$file.err"
done

echo "== exploits"
"$build/tests/exploit_corpus" --python --device cuda >"$out/exploits.txt" \
  2>"$out/exploits.err"
echo "exit status $?"
cat "$out/exploits.txt"
"$build/tests/exploit_corpus" --python --device cuda --kernelbench \
  >"$out/exploits_kernelbench.txt" 2>"$out/exploits_kernelbench.err"

[[ -n $checkout ]] || exit 0
echo "== representative problems"
while read -r level number; do
  for file in "$checkout"/KernelBench/level"$level"/"$number"_*.py; do
    timeout 240 "$build/coppice" task check --json --torch-device cuda:0 \
      --call-timeout-s 60 --compile-timeout-s 120 "kernelbench:$file" \
      >"$out/$(basename "$file" .py).json" 2>&1
    echo "$(basename "$file"): exit status $?"
  done
done <<'LIST'
1 1
1 19
1 23
1 36
1 40
2 18
2 23
2 43
3 1
LIST
