#!/usr/bin/env python3
"""A whole campaign over HTTP, streaming, against a server that is not ours.

Runs aimock (npm, installed by scripts/setup) on a free port of this machine,
with answers to each role from fixtures.json, and `coppice run` against it.  It
refuses whoever has not the right key, and keeps a journal of what it was asked.

usage: campaign_test.py --program COPPICE --server DIR
                        --provider openai|responses|anthropic|exec
Exits 77, which ctest takes for "skipped", where the server is not installed.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
KEY = "sk-mock-0123456789abcdef"
ATTEMPTS = 2
SKIPPED = 77

# By provider: its model, the variable of its key, and the settings that lead it
# to the server at URL.  Rows of the user's table reach it, too.
PROVIDERS = {
    "openai": ("openai:gpt-4.1", "OPENAI_API_KEY",
               {"openai_base_url": "URL/v1"}, None),
    "anthropic": ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY",
                  {"anthropic_base_url": "URL"}, None),
    "responses": ("mock:gpt-5.3-codex", "MOCK_API_KEY", {},
                  {"api": "responses", "base_url": "URL/v1",
                   "key_env": "MOCK_API_KEY"}),
    "exec": ("mock:gpt-4.1", "MOCK_API_KEY", {},
             {"api": "exec", "env": ["MOCK_API_KEY"],
              "command": f"{sys.executable} {HERE}/agent.py URL/v1 {{model}}"}),
}
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages",
         "responses": "/v1/responses", "exec": "/v1/chat/completions"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(server, port, fixtures="fixtures.json"):
    cli = server / "node_modules/@copilotkit/aimock/dist/cli.js"
    if shutil.which("node") is None or not cli.exists():
        print(f"skipped: {cli} is not installed; see scripts/setup")
        sys.exit(SKIPPED)
    process = subprocess.Popen(
        ["node", cli, "--port", str(port), "--fixtures", HERE / fixtures,
         "--chunk-size", "7", "--strict", "--log-level", "warn"],
        env=dict(os.environ, AIMOCK_API_KEYS=KEY), stdin=subprocess.DEVNULL)
    for _ in range(300):
        if process.poll() is not None:
            sys.exit(f"the server ended with exit code {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process
        except OSError:
            time.sleep(0.1)
    process.kill()
    sys.exit("the server does not listen")


def journal(port):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/_requests",
        headers={"Authorization": f"Bearer {KEY}"})
    with opener.open(request, timeout=10) as reply:
        return json.load(reply)


def reach(provider, port, folder):
    """The model, the options that lead to it, and the environment."""
    model, variable, settings, row = PROVIDERS[provider]
    if row is not None:
        table = {"version": "mock", "providers": [dict(row, name="mock")]}
        settings = {"models_file": folder / "models.json"}
        settings["models_file"].write_text(
            json.dumps(table).replace("URL", f"http://127.0.0.1:{port}"))
    options = []
    for key, value in settings.items():
        options += ["--" + key.replace("_", "-"),
                    str(value).replace("URL", f"http://127.0.0.1:{port}")]
    environment = dict(os.environ, no_proxy="127.0.0.1",
                       XDG_CONFIG_HOME=str(folder))
    environment[variable] = KEY
    return model, options, environment


def run(program, provider, port, folder):
    model, options, environment = reach(provider, port, folder)
    command = [program, "run", "row_sum", "--db", folder / "runs.db",
               "--budget", str(ATTEMPTS)]
    for role in ("plan", "code", "debug"):
        command += [f"--{role}-model", model]
    command += options
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                   check=False, timeout=300)
    subprocess.run([program, "report", "spend", "--by", "role", "--db",
                    folder / "runs.db"], env=environment, check=True)


def must_have_no_key(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), f"{path} has the key"


def check(folder, provider, requests):
    with sqlite3.connect(folder / "runs.db") as db:
        outcomes = db.execute("SELECT outcome FROM model_call").fetchall()
        verdicts = [row[0] for row in db.execute(
            "SELECT verdict FROM nodes WHERE node > 0 ORDER BY node")]
    calls = [r for r in requests if r["path"].startswith("/v1/")
             and r["method"] == "POST"]
    # Beside other tests a time may not be believed; what was written is right.
    assert len(verdicts) == ATTEMPTS, verdicts
    assert set(verdicts) <= {"passed", "inconclusive"}, verdicts
    # A plan and a kernel for each attempt, each asked for once.
    assert len(calls) == len(outcomes) == 2 * ATTEMPTS, (calls, outcomes)
    paths = {call["path"] for call in calls}
    assert paths == {PATHS[provider]}, paths
    if provider != "exec":
        assert all(call["body"]["stream"] for call in calls), calls
    must_have_no_key(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--provider", choices=PROVIDERS, required=True)
    args = parser.parse_args()
    port = free_port()
    server = start(args.server, port)
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(args.program, args.provider, port, pathlib.Path(folder))
            check(pathlib.Path(folder), args.provider, journal(port))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
