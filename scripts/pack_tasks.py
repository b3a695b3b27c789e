#!/usr/bin/env python3
"""Packs task folders (data/README.md) into a FlashInfer-Bench trace set.

usage: pack_tasks.py OUTPUT TASK_FOLDER...

Each folder becomes a definition, its workloads, a solution by "baseline" (the
root), one by "oracle" and, if there is an expert.cc or .cu, one by "expert".  A folder
with root.cc is a task for CPUs, one with root.cu a task for CUDA devices.
OUTPUT is replaced, by equal bytes for equal sources.  Anything wrong is
reported as `FILE: what` and nothing is written.
"""

import ast
import json
import pathlib
import re
import shutil
import sys

# What the C ABI of kernels can pass.
CPU_TYPES = {"float32": "float", "int32": "int32_t", "int64": "int64_t",
             "int8": "int8_t", "bool": "bool"}
CUDA_TYPES = CPU_TYPES | {"float16": "__half", "bfloat16": "__nv_bfloat16"}
MIN_WORKLOADS = 3
# The last: kernels that the catalogue was not tuned on.
LEVELS = ("1", "2", "3", "foreign")
# Words of a launch plan that are not names of the task's.
PLAN_WORDS = {"ceil_div", "min", "max", "int32"}


class Invalid(Exception):
    """`FILE: what is wrong`."""


def require(condition, place, what):
    if not condition:
        raise Invalid(f"{place}: {what}")


def read_json(place, text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Invalid(f"{place}: {error}") from None


def varying(definition):
    return [name for name, axis in definition["axes"].items()
            if axis["type"] == "var"]


def on_cuda(folder):
    return (folder / "root.cu").is_file()


def c_types(folder):
    return CUDA_TYPES if on_cuda(folder) else CPU_TYPES


def read_definition(folder):
    place = folder / "definition.json"
    definition = read_json(place, place.read_text())
    for key in ("name", "op_type", "description", "tags", "axes", "inputs",
                "outputs"):
        require(definition.get(key), place, f"/{key}: missing or empty")
    name = f"cuda_{folder.name}" if on_cuda(folder) else folder.name
    require(definition["name"] == name, place,
            f"/name: is not the folder's, {name}")
    for name, axis in definition["axes"].items():
        size = axis.get("value")
        good = axis.get("type") == "var" or (
            axis.get("type") == "const" and type(size) is int and size > 0)
        require(good, place, f"/axes/{name}: neither var nor const with a size")
    check_tensors(place, definition, c_types(folder))
    tags = dict(tag.split(":", 1) for tag in definition["tags"] if ":" in tag)
    require(tags.get("level") in LEVELS, place,
            f'/tags: no "level:1" or other level of {", ".join(LEVELS)}')
    require(re.fullmatch(r"\d+(\.\d+)?", tags.get("tolerance", "")), place,
            '/tags: no "tolerance:FACTOR"')
    return definition


def check_tensors(place, definition, types):
    inputs, outputs = definition["inputs"], definition["outputs"]
    require(not inputs.keys() & outputs.keys(), place,
            "/outputs: a name is also an input's")
    seen = set()
    for group in ("inputs", "outputs"):
        for name, spec in definition[group].items():
            at = f"/{group}/{name}"
            require(spec.get("dtype") in types, place,
                    f"{at}/dtype: not one of {', '.join(types)}")
            require("shape" in spec, place, f"{at}/shape: missing")
            shape = spec["shape"]
            require(shape is not None or group == "inputs", place,
                    f"{at}/shape: an output cannot be a scalar")
            for axis in shape or []:
                require(axis in definition["axes"], place,
                        f"{at}/shape: no axis {axis}")
            if group == "inputs":
                seen.update(shape or [])
    for axis in varying(definition):
        require(axis in seen, place,
                f"/axes/{axis}: varies, but shapes no input")


def read_reference(folder, definition):
    place = folder / "reference.py"
    text = place.read_text()
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Invalid(f"{place}:{error.lineno}: {error.msg}") from None
    runs = [node for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name == "run"]
    require(len(runs) == 1, place, "needs one top-level `def run`")
    names = [argument.arg for argument in runs[0].args.args]
    require(names == list(definition["inputs"]), place,
            f"run({', '.join(names)}): not the inputs in order")
    return text


def parameters(definition, entry, types):
    """The C parameters that `entry`, run or oracle, must have."""
    listed = []
    for name, spec in definition["inputs"].items():
        c_type = types[spec["dtype"]]
        if entry == "oracle":
            c_type = "double" if spec["dtype"] == "float32" else "int64_t"
        listed.append(f"{c_type} {name}" if spec["shape"] is None
                      else f"const {c_type}* {name}")
    for name, spec in definition["outputs"].items():
        c_type = "double" if entry == "oracle" else types[spec["dtype"]]
        listed.append(f"{c_type}* {name}")
    if entry == "oracle":
        listed += [f"double* {name}_m" for name in definition["outputs"]]
    return listed + [f"int64_t {name}" for name in varying(definition)]


def check_signature(place, text, entry, expected):
    found = re.search(r'extern "C" void ' + entry + r"\(([^)]*)\)", text)
    require(found, place, f'no extern "C" void {entry}(...)')
    declared = [" ".join(part.split()) for part in found[1].split(",")]
    require(declared == expected, place,
            f"{entry}({', '.join(declared)}): expected "
            f"({', '.join(expected)})")


def check_constants(place, text, definition):
    constant = r"constexpr (?:int|int64_t) (\w+) = (\d+);"
    for name, value in re.findall(constant, text):
        axis = definition["axes"].get(name, {"value": int(value)})
        require(axis.get("value") == int(value), place,
                f"{name} = {value}: not the definition's")


def read_source(folder, definition, file, entry):
    """A source with a C entry, for the host."""
    place = folder / file
    text = place.read_text()
    expected = parameters(definition, entry, c_types(folder))
    if file.endswith(".cu"):
        expected.append("cudaStream_t stream")
    check_signature(place, text, entry, expected)
    check_constants(place, text, definition)
    return text


def read_device_source(folder, definition, file):
    """A device-only source: its launch plan names what there is.  (The
    program, which runs the plan, checks its grammar.)"""
    place = folder / file
    text = place.read_text()
    known = {*definition["axes"], *definition["inputs"],
             *definition["outputs"], *PLAN_WORDS}
    if file == "oracle.cu":
        known |= {f"{name}_m" for name in definition["outputs"]}
    known |= set(re.findall(r"^//@ scratch \w+ (\w+)\[", text, re.M))
    launches = re.findall(r"^//@ launch (\w+)(<<<.*>>>\(.*\))$", text, re.M)
    require(launches, place, "no //@ launch KERNEL<<<...>>>(...)")
    for kernel, rest in launches:
        require(re.search(r'extern "C" __global__ void\s+(__launch_bounds__'
                          r"\(\w+\)\s+)?" + kernel + r"\(", text), place,
                f'{kernel}: launched, but no extern "C" __global__ void')
        for name in re.findall(r"[A-Za-z_]\w*", rest):
            require(name in known, place,
                    f"launch {kernel}: {name}: neither tensor, axis nor "
                    "scratch")
    for name in definition["outputs"]:
        require(any(re.search(rf"\b{name}\b", rest) for _, rest in launches),
                place, f"no launch takes the output {name}")
    check_constants(place, text, definition)
    return text


def read_workloads(folder, definition):
    place = folder / "workloads.jsonl"
    lines = []
    for number, text in enumerate(place.read_text().splitlines(), 1):
        at = f"{place}:{number}"
        line = read_json(at, text)
        require(line.get("definition") == definition["name"], at,
                "/definition: not this task")
        require(line.get("solution", 0) is None
                and line.get("evaluation", 0) is None, at,
                "/solution and /evaluation: must be null")
        check_workload(at, definition, line.get("workload", {}))
        lines.append(line)
    require(len(lines) >= MIN_WORKLOADS, place,
            f"fewer than {MIN_WORKLOADS} workloads")
    sizes = [size for line in lines for size in
             line["workload"]["axes"].values()]
    require(any(size % 16 for size in sizes), place,
            "every size is a multiple of 16")
    return lines


def check_workload(at, definition, workload):
    require(workload.get("uuid"), at, "/workload/uuid: missing")
    axes = workload.get("axes", {})
    require(list(axes) == varying(definition), at,
            f"/workload/axes: not the varying ones, {varying(definition)}")
    for name, size in axes.items():
        require(type(size) is int and size > 0, at,
                f"/workload/axes/{name}: not a size")
    inputs = workload.get("inputs", {})
    require(list(inputs) == list(definition["inputs"]), at,
            "/workload/inputs: not the definition's in order")
    for name, spec in definition["inputs"].items():
        kind = "scalar" if spec["shape"] is None else "random"
        require(inputs[name].get("type") == kind, at,
                f"/workload/inputs/{name}: expected type {kind}")
        require(kind == "random" or "value" in inputs[name], at,
                f"/workload/inputs/{name}: no value")


def solution(definition, author, file, entry, text, description,
             dependencies):
    stem, suffix = file.split(".")
    on_device = suffix == "cu"
    return {
        "name": f"{definition['name']}_{stem}",
        "definition": definition["name"],
        "author": author,
        "spec": {
            "language": "cuda" if on_device else "cpp",
            "target_hardware": ["cuda" if on_device else "cpu"],
            "entry_point": f"{file}::{entry}",
            "dependencies": dependencies,
            "destination_passing_style": True,
        },
        "sources": [{"path": file, "content": text}],
        "description": description,
    }


def read_expert(folder, definition, file):
    """What is known to be fast: a host function that may call libraries."""
    text = read_source(folder, definition, file, "run")
    libraries = re.findall(r"^//@ library (\w+)$", text, re.M)
    return solution(
        definition, "expert", file, "run", text,
        "What an expert would write or call; trusted, for comparison.",
        ["coppice-c-abi", *libraries])


def read_solutions(folder, definition):
    suffix, kind = (("cu", "coppice-launch-plan") if on_cuda(folder) else
                    ("cc", "coppice-c-abi"))

    def read(file, entry):
        if suffix == "cu":
            return read_device_source(folder, definition, file)
        return read_source(folder, definition, file, entry)

    root = solution(
        definition, "baseline", f"root.{suffix}", "run",
        read(f"root.{suffix}", "run"),
        "The naive source that speedups are measured against.", [kind])
    oracle = solution(
        definition, "oracle", f"oracle.{suffix}", "oracle",
        read(f"oracle.{suffix}", "oracle"),
        "Expected values in double precision, and magnitudes of the error "
        "allowed.", [kind])
    made = [root, oracle]
    expert = f"expert.{suffix}"
    if (folder / expert).is_file():
        made.append(read_expert(folder, definition, expert))
    return made


def pack(folder):
    """Returns {path below OUTPUT: text} for one task."""
    require((folder / "definition.json").is_file(), folder,
            "no definition.json")
    definition = read_definition(folder)
    definition["reference"] = read_reference(folder, definition)
    name, kind = definition["name"], definition["op_type"]
    files = {f"definitions/{kind}/{name}.json": dump(definition)}
    for made in read_solutions(folder, definition):
        files[f"solutions/{made['author']}/{kind}/{name}/{made['name']}.json"
              ] = dump(made)
    files[f"workloads/{kind}/{name}.jsonl"] = "".join(
        json.dumps(line, separators=(",", ":")) + "\n"
        for line in read_workloads(folder, definition))
    return files


def dump(document):
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def check_uuids(files):
    seen = {}
    for path, text in files.items():
        if path.startswith("workloads/"):
            for line in text.splitlines():
                uuid = json.loads(line)["workload"]["uuid"]
                require(uuid not in seen, path,
                        f"uuid {uuid}: also in {seen.get(uuid)}")
                seen[uuid] = path


def main(output, *folders):
    files = {}
    try:
        for folder in folders:
            files |= pack(pathlib.Path(folder))
        check_uuids(files)
    except (Invalid, OSError) as error:
        print(f"pack_tasks: {error}", file=sys.stderr)
        return 1
    output = pathlib.Path(output)
    for part in ("definitions", "solutions", "workloads"):
        shutil.rmtree(output / part, ignore_errors=True)
    for path, text in sorted(files.items()):
        (output / path).parent.mkdir(parents=True, exist_ok=True)
        (output / path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
