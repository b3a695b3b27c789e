#!/usr/bin/env python3
"""Others' clients against `coppice mcp`, with what passes between them held to
the protocol's own schemas.

usage: clients.py --program COPPICE [--schemas FOLDER] [--mcp2 PYTHON]
           [--mcp1 PYTHON] [--fastmcp PYTHON] [--node NODE FOLDER]
           [--inspector NODE FOLDER] [--keep FOLDER]

Each client is where the user has put it, outside of this tree:

    python3 -m venv mcp2 && mcp2/bin/pip install 'mcp>=2,<3' jsonschema
    python3 -m venv mcp1 && mcp1/bin/pip install 'mcp<2'
    python3 -m venv fast && fast/bin/pip install fastmcp
    npm i --prefix js @modelcontextprotocol/client @modelcontextprotocol/sdk
    npm i --prefix inspector node@22 @modelcontextprotocol/inspector@2

FOLDER of --schemas is schema/ of the repository
modelcontextprotocol/modelcontextprotocol, in place of the parts of it that are
beside this; both need jsonschema here.  Prints a line for each client, and
exits 1 if any did not get what it wanted.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
import transcript  # noqa: E402


def rows(options):
    """(name, command that a server's command follows, over HTTP)."""
    python = HERE / "python_client.py"
    for mode in ("auto", "legacy", "2026-07-28") if options.mcp2 else ():
        command = [options.mcp2, python, f"mcp2:{mode}"]
        yield f"Python mcp 2, {mode}", command, False
        yield f"Python mcp 2, {mode}, HTTP", command, True
    if options.mcp1:
        yield "Python mcp 1", [options.mcp1, python, "mcp1"], False
    for mode in ("auto", "legacy") if options.fastmcp else ():
        command = [options.fastmcp, python, f"fastmcp:{mode}"]
        yield f"fastmcp, {mode}", command, False
        yield f"fastmcp, {mode}, HTTP", command, True
    if options.node:
        node, folder = options.node
        for kind in ("client:legacy", "client:auto", "client:pin", "sdk"):
            yield (f"TypeScript {kind}",
                   [node, HERE / "node_client.mjs", folder, kind], False)


def server_of(options, folder):
    return [str(pathlib.Path(options.program).absolute()), "mcp", "--db",
            str(folder / "tour.db")]


def run(command, **more):
    return subprocess.run([str(word) for word in command], text=True,
                          capture_output=True, timeout=300, check=False,
                          **more)


def over_http(options, folder, command):
    token = folder / "token"
    server = subprocess.Popen(
        server_of(options, folder) + ["--http", "127.0.0.1:0", "--token-file",
                                      str(token)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = server.stdout.readline().strip()
        return run(command + [url, token.read_text().strip()])
    finally:
        server.terminate()
        server.wait(10)


def check_log(options, log):
    lines = log.read_bytes().splitlines()
    count = transcript.check(lines, transcript.Schemas(options.schemas))
    return f"{count} messages as the schemas have them"


def tour(options, folder, name, command, is_http):
    begun = time.monotonic()
    log = folder / (name.replace(" ", "_").replace(":", "_") + ".log")
    if is_http:
        done = over_http(options, folder, command)
    else:
        done = run(command + [sys.executable, HERE / "tee.py", log] +
                   server_of(options, folder))
    took = time.monotonic() - begun
    if done.returncode != 0:
        return f"FAILED\n{done.stdout}{done.stderr}"
    try:
        about = "" if is_http else "; " + check_log(options, log)
    except AssertionError as breach:
        return f"FAILED\n{breach}"
    return f"as wanted, {took:.1f} s{about}"


def inspect(options, folder):
    """The Inspector's command line, which ends with 5 at a tool's error."""
    node, modules = options.inspector
    bin_of = pathlib.Path(modules) / "node_modules/.bin/mcp-inspector"
    server = server_of(options, folder)
    config = folder / "inspector.json"
    config.write_text(json.dumps({"mcpServers": {"coppice": {
        "command": server[0], "args": server[1:],
        "protocolEra": "modern"}}}))

    def ask(*words):
        return run([node, bin_of, "--cli", *words])

    for start in (server, ["--config", config, "--server", "coppice"]):
        listed = ask(*start, "--method", "tools/list", "--format", "json")
        assert listed.returncode == 0, listed.stderr
        assert "evaluate_kernel" in listed.stdout, listed.stdout[:500]
        called = ask(*start, "--method", "tools/call", "--tool-name",
                     "describe_task", "--tool-arg", "task=row_sum")
        assert called.returncode == 0 and "row_sum" in called.stdout
        wrong = ask(*start, "--method", "tools/call", "--tool-name",
                    "describe_task", "--tool-arg", "task=row_sumx")
        assert wrong.returncode == 5, (wrong.returncode, wrong.stderr)
    return "as wanted"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", required=True)
    for name in ("schemas", "mcp2", "mcp1", "fastmcp", "keep"):
        parser.add_argument("--" + name)
    for name in ("node", "inspector"):
        parser.add_argument("--" + name, nargs=2)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        for name, command, is_http in rows(options):
            said = tour(options, folder, name, command, is_http)
            failed |= said.startswith("FAILED")
            print(f"{name}: {said}", flush=True)
        if options.inspector:
            print(f"Inspector: {inspect(options, folder)}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
