#!/usr/bin/env python3
"""Command lines that a real shell completes with the program's own script.

Exit code 77 if the shell is not installed.
"""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

# What is typed, up to the cursor, and what the line becomes or what is offered.
CASES = (
    ("coppice sho", ["show"]),
    ("coppice db d", ["doctor"]),
    ("coppice run --code-m", ["--code-model"]),
    ("coppice run --answers ", ["auto", "text"]),
    ("coppice run --answers=t", ["--answers=text"]),
    ("coppice run gemm_sq", ["gemm_square"]),
    ("coppice run sim:hill/", ["sim:hill/1", "sim:hill/2", "sim:hill/3"]),
    ("coppice show --campaign sim:b", ["sim:basic.xei_hint.s1"]),
    ("coppice diff root 1", ["1"]),
    ("coppice eval row_sum my_ker", ["my_kernel.cc"]),
    ("coppice nosuch ", []),
)

# Functions as the shells call them, with what they would be given.
BASH = r"""
source <("$program" completion bash)
COMP_LINE=$line COMP_POINT=${#line}
# As readline has it: cut at blanks, and at each of : and =.
COMP_WORDS=() COMP_CWORD=-1
rest=$line
while [[ -n $rest ]]; do
  blanks=${rest%%[! ]*} rest=${rest#"${rest%%[! ]*}"}
  case $rest in
    [:=]*) word=${rest:0:1} ;;
    *) word=${rest%%[ :=]*} ;;
  esac
  COMP_WORDS+=("$word") rest=${rest#"$word"}
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_coppice
# What stands before the part that bash replaces.
last=${line##* } kept=${last%"${last##*[:=]}"}
for word in "${COMPREPLY[@]}"; do printf '%s\n' "$kept$word"; done
"""

ZSH = r"""
compdef() { : }
compadd() {
  local -a shown
  while [[ $1 == -* ]]; do
    case $1 in
      -a) print -rl -- "${(@P)2}"; return ;;
      -l) shift ;;
      *) shift 2 ;;
    esac
  done
}
source <("$program" completion zsh)
words=("${(@s: :)line}") CURRENT=${#words} PREFIX=${words[-1]}
_coppice
"""

FISH = r"""
$program completion fish | source
complete -C "$line" | string replace -r '\t.*' ''
"""

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-c", BASH]),
    "zsh": (["zsh", "-f", "-c", ZSH]),
    "fish": (["fish", "--no-config", "-c", FISH]),
}


def completed(shell, program, line, folder):
    environment = dict(os.environ, program=str(program), line=line,
                       HOME=str(folder),
                       PATH=f"{program.parent}:{os.environ['PATH']}")
    done = subprocess.run(SHELLS[shell], cwd=folder, env=environment,
                          capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    words = [word for word in done.stdout.splitlines() if word]
    return words, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("shell", choices=SHELLS)
    arguments = parser.parse_args()
    if not shutil.which(arguments.shell):
        print(f"skipped: {arguments.shell} is not installed")
        sys.exit(77)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "my_kernel.cc").write_text("")
        subprocess.run([arguments.program, "run", "sim:basic", "--budget", "2",
                        "--progress", "none"], cwd=folder, check=True,
                       env=dict(os.environ, HOME=name),
                       stdout=subprocess.DEVNULL)
        for line, expected in CASES:
            words, complaint = completed(arguments.shell, arguments.program,
                                         line, folder)
            if sorted(words) == sorted(expected) and not complaint:
                continue
            wrong += 1
            print(f"{shlex.quote(line)}: expected {expected}, not {words}; "
                  f"{complaint}")
    print(f"{len(CASES) - wrong} of {len(CASES)} lines complete")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
