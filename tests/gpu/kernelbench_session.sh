#!/usr/bin/env bash
# What needs a GPU of the tasks in PyTorch, in parts of less than nine minutes.
#
# usage: tests/gpu/kernelbench_session.sh BUILD PYTHON OUT CHECKOUT PART...
#
#   BUILD     a build tree with coppice and tests/exploit_corpus
#   PYTHON    a Python with PyTorch for CUDA
#   OUT       a folder for what comes of it; it may have that of other parts
#   CHECKOUT  of KernelBench; for the part `own`, -
#   PART      own         problems and candidates of our own
#             admissions  task check of the representative problems
#             baselines   eager, compile and max-autotune of them
#             candidates  tests/gpu/kernelbench/ by both evaluators, in turn
#             exploits    tests/exploits/python/ by both
#             inline      load_inline_session.sh
#
# ONLY='level2/|relu' in the environment: only those whose task and file match;
# BASELINES='eager compile': only these; PROTOCOLS='coppice kernelbench': ours
# judges candidates by both; DEVICE=cpu: everything of ours on the CPU; SIDE=1:
# so many admissions at a time (2), as many as the device has memory for.
# What is left when a part's time is over is listed as "not run".  Each part
# writes OUT/PART.tsv as it goes: what, exit status, seconds; and OUT/tables.md.
set -uo pipefail
if (($# < 5)); then
  sed -n '4,15s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$1 out=$3 checkout=$4
export COPPICE_PYTHON=$2
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
device=${DEVICE:-cuda:0}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
problems=$here/tests/kernelbench
exploits=$here/tests/exploits/python
coppice=$build/coppice
# KernelBench's own evaluator takes the first device that it sees.
theirs=(env "CUDA_VISIBLE_DEVICES=${device#cuda:}" "$COPPICE_PYTHON"
  "$here/tests/gpu/kernelbench_theirs.py" "$checkout")
settings=(--devices "${device#cuda:}" --call-timeout-s 60 --compile-timeout-s 240
  --cache-directory "$scratch/cache")

begin() {
  part=$1
  ends=$((SECONDS + ${MINUTES:-8} * 60))
  echo "== $part"
}

# keep WHAT LIMIT FILE COMMAND...: runs it, at most so long and at most until
# the part ends; what it prints is in FILE, of this folder of OUT's.
keep() {
  local what=$1 limit=$2 file=$out/$3 left=$((ends - SECONDS)) start status
  shift 3
  mkdir -p "$(dirname "$file")"
  if ((left < 20)); then
    printf '%s\tnot run\t\n' "$what" | tee -a "$out/$part.tsv"
    return
  fi
  start=$(date +%s.%N)
  timeout -k 5 $((limit < left ? limit : left)) "$@" >"$file" 2>"$file.err"
  status=$?
  [[ -s $file.err ]] || rm -f "$file.err"
  printf '%s\t%d\t%.1f\n' "$what" "$status" \
    "$(awk "BEGIN { print $(date +%s.%N) - $start }")" | tee -a "$out/$part.tsv"
}

chosen() { [[ $1 =~ ${ONLY:-.} ]]; }

# The representative problems of the checkout, as level1/19_ReLU.
representative() {
  local level number file
  while read -r level number; do
    for file in "$checkout/KernelBench/level$level/${number}"_*.py; do
      file=${file#"$checkout/KernelBench/"}
      chosen "$file" && echo "${file%.py}"
    done
  done <<<"$(
    printf '1 %d\n' 1 3 6 18 23 26 33 36 40 42 48 54 57 65 77 82 86 87
    printf '2 %d\n' 1 2 8 18 23 28 33 43
    printf '3 %d\n' 1 5 8 11 20 21 33 38 43
  )"
}

# The lines of a list like corpus.txt: file and task.
listed() {
  awk -F ' [|] ' '!/^#/ && NF == 5 { sub(/[+].*/, "", $3); print $2, $3 }' "$1"
}

own() {
  local task file
  for task in level1/1_Row_scale level1/2_Linear_with_bias \
    level1/4_Wide_softmax level2/1_Vanishing; do
    keep "$task" 120 "own/$task.json" "$coppice" task check --json \
      "${settings[@]}" "kernelbench:$problems/$task.py"
  done
  for file in honest_load_inline honest_triton honest_compiled; do
    keep "$file" 200 "own/$file.json" "$coppice" eval --json "${settings[@]}" \
      "kernelbench:$problems/level1/1_Row_scale.py" "$exploits/$file.py"
  done
}

admissions() {
  local task
  for task in $(representative); do
    while (($(jobs -rp | wc -l) >= ${SIDE:-2})); do wait -n; done
    keep "$task" 200 "admissions/$task.json" "$coppice" task check --json \
      "${settings[@]}" "kernelbench:$checkout/KernelBench/$task.py" &
  done
  wait
}

baselines() {
  local task which
  for task in $(representative); do
    for which in ${BASELINES:-eager compile max-autotune}; do
      keep "$task $which" 300 "baselines/$task.$which.json" "$coppice" eval \
        --json --baseline "$which" "${settings[@]}" \
        "kernelbench:$checkout/KernelBench/$task.py"
    done
  done
}

candidates() {
  local file task protocol list=$here/tests/gpu/kernelbench/candidates.txt
  # What is compiled once for a torch, not for a candidate.
  keep "(first load_inline of this torch)" 200 "ours/first.json" "$coppice" \
    eval --json "${settings[@]}" "kernelbench:$problems/level1/1_Row_scale.py" \
    "$exploits/honest_load_inline.py"
  while read -r file task; do
    chosen "$task $file" || continue
    for protocol in ${PROTOCOLS:-coppice}; do
      keep "ours $protocol $file" 180 "ours/$file.$protocol.json" "$coppice" \
        eval --json --protocol "$protocol" "${settings[@]}" \
        "kernelbench:$checkout/KernelBench/$task.py" \
        "$here/tests/gpu/kernelbench/$file"
    done
    keep "theirs $file" 190 "theirs/$file.txt" "${theirs[@]}" \
      "$out/theirs.jsonl" --corpus "$list" "$checkout/KernelBench" \
      --only "$file" --limit 180
  done < <(listed "$list")
}

exploits() {
  local side=cuda list=$exploits/corpus_cuda.txt files
  [[ $device == cuda* ]] || side=$device list=$exploits/corpus.txt
  files=$(listed "$list" | while read -r file task; do
    chosen "$task $file" && echo "$file"
  done)
  keep theirs 240 exploits_theirs.txt "${theirs[@]}" \
    "$out/exploits_theirs.jsonl" --corpus "$list" "$problems" --limit 60 \
    --jobs 3 $(printf -- '--only %s ' $files)
  keep ours 400 exploits_ours.txt "$build/tests/exploit_corpus" --python \
    --device "$side" $files
}

inline() {
  keep load_inline 240 load_inline.txt "$here/tests/gpu/load_inline_session.sh" \
    "$build" "$COPPICE_PYTHON" "$scratch/inline" "$device"
  cat "$out/load_inline.txt"
}

for name in "$@"; do
  case $name in
    own | admissions | baselines | candidates | exploits | inline)
      begin "$name"
      "$name"
      ;;
    *)
      echo "$name: no such part" >&2
      exit 2
      ;;
  esac
  python3 "$here/tests/gpu/kernelbench_tables.py" "$out" >"$out/tables.md"
done
