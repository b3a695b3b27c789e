"""What nvcc does for a source file, its halves at the same time.

nvcc runs its programs one after the other: for the host, a preprocessor and
cudafe++; for the device, a preprocessor, cicc, ptxas and fatbinary; and then
the host's compiler on what came of both.  All that the first half gives to the
second is a name that is the file's own.  So nvcc is asked for its commands,
which are run here; where they are not those that are known, it runs them itself.
"""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Optional

_HOST = ["gcc", "cudafe++"]
_DEVICE = {"gcc", "cicc", "ptxas", "fatbinary"}  # Again for each architecture.


@dataclasses.dataclass(frozen=True)
class Plan:
    host: list[list[str]]
    device: list[list[str]]
    last: list[str]
    module_id: str  # The file that has the name.
    environment: dict[str, str]


def read_plan(printed: str) -> Optional[Plan]:
    """Reads what nvcc --dryrun prints; None: its commands are not those above."""
    environment: dict[str, str] = {}
    commands = []
    for line in printed.splitlines():
        text = line.removeprefix("#$ ")
        if text == line:
            return None  # A warning, which is nvcc's own.
        variable = re.match(r"(\w+)=(.*)$", text)
        if variable is not None:
            environment[variable[1]] = variable[2]
            continue
        text = text.replace("$CICC_PATH", environment.get("CICC_PATH", ""))
        try:
            words = shlex.split(text)
        except ValueError:
            return None
        if any("$" in word for word in words):
            return None
        commands.append(words)
    commands = [words for words in commands if words[0] != "rm"]
    names = [os.path.basename(words[0]) for words in commands]
    if names[:2] != _HOST or names[-2:] != ["fatbinary", "gcc"] or not (
            _DEVICE.issuperset(names[2:])):
        return None
    front = commands[1]
    if "--gen_module_id_file" not in front:
        return None
    module_id = front[front.index("--module_id_file_name") + 1]
    front.remove("--gen_module_id_file")
    return Plan(commands[:2], commands[2:-1], commands[-1], module_id,
                environment)


def run_all(commands: list[list[str]], folder: pathlib.Path,
            environment: dict[str, str]) -> tuple[bool, str]:
    """One after the other, until one fails: whether none did, what they said."""
    said = ""
    for command in commands:
        ran = subprocess.run(command, cwd=folder, env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             errors="replace", check=False)
        said += ran.stdout
        if ran.returncode < 0:
            said += f"{command[0]}: killed by signal {-ran.returncode}\n"
        if ran.returncode != 0:
            return False, said
    return True, said


def _ask(command: list[str], folder: pathlib.Path, keeps: str) -> Optional[Plan]:
    asked = subprocess.run([*command, "--dryrun", "--keep", "--keep-dir", keeps],
                           cwd=folder, text=True, capture_output=True,
                           errors="replace", check=False)
    return read_plan(asked.stderr) if asked.returncode == 0 else None


def compile_cuda(command: list[str], folder: pathlib.Path) -> tuple[bool, str]:
    """`command`: nvcc's, which ends with: -c PATH -o OBJECT."""
    keeps = f"{command[-1]}.keep"  # Files of one name may be compiled.
    (folder / keeps).mkdir(exist_ok=True)
    plan = _ask(command, folder, keeps)
    if plan is None:
        return run_all([command], folder, dict(os.environ))
    # The identifier has the form that cudafe++ gives it.
    path = command[-3]
    stem = re.sub(r"\W", "_", pathlib.Path(path).name)
    mark = zlib.crc32(path.encode() + (folder / path).read_bytes())
    (folder / plan.module_id).write_text(
        f"_{mark:08x}_{len(stem)}_{stem}_{mark:08x}_1")
    environment = {**os.environ, **plan.environment}

    def run(commands: list[list[str]]) -> tuple[bool, str]:
        return run_all(commands, folder, environment)

    with ThreadPoolExecutor() as pool:
        halves = list(pool.map(run, (plan.host, plan.device)))
    for done, said in halves:  # Both say what is wrong with the source.
        if not done:
            return False, said
    done, said = run([plan.last])
    return done, "".join([*(part for _, part in halves), said])
