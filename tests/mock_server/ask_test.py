#!/usr/bin/env python3
"""`coppice ask` over HTTP, streaming and with tools, against a server that is
not ours.

The server (see campaign_test.py) streams two calls of tools side by side, in
pieces, and an answer once it is given their results.

usage: ask_test.py --program COPPICE --server DIR
                   --provider openai|responses|anthropic
Exits 77, which ctest takes for "skipped", where the server is not installed.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import tempfile

from campaign_test import (PATHS, PROVIDERS, free_port, journal,
                           must_have_no_key, reach, start)


def ask(program, provider, port, folder):
    model, options, environment = reach(provider, port, folder)
    database = folder / "runs.db"
    subprocess.run([program, "run", "sim:hill/1", "--budget", "5", "--db",
                    database, "--progress", "none"], env=environment,
                   stdin=subprocess.DEVNULL, check=False, timeout=120)
    asked = subprocess.run(
        [program, "ask", "--model", model, "--assistant-usd-day", "none",
         *options, "--db", database, "which is fastest?"],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=120)
    assert asked.returncode == 0, asked.stderr
    return asked


def check(folder, provider, asked, requests):
    # The link to nothing, and the number of nobody, are marked.
    assert ("It is not the root node 0, and not ~~[[n:999999]]~~, which would "
            "be at 123.456(not found)x.") in asked.stdout, asked.stdout
    tools = [line.split()[0] for line in asked.stderr.splitlines()
             if line.startswith("  ")]
    assert tools == ["sql", "node"], asked.stderr
    calls = [r for r in requests if r["path"].startswith("/v1/")
             and r["method"] == "POST"]
    assert [call["path"] for call in calls] == 2 * [PATHS[provider]], calls
    assert all(call["body"]["stream"] and len(call["body"]["tools"]) > 10
               for call in calls), calls
    # The second tells of both results, by the names of their calls.
    assert json.dumps(calls[1]["body"]).count("data from the history") == 2
    with sqlite3.connect(folder / "runs.db") as db:
        outcomes = db.execute(
            "SELECT outcome, charged_usd > 0 OR cost_usd IS NULL"
            " FROM assistant_turns").fetchall()
    assert outcomes == 2 * [("answered", 1)], outcomes
    must_have_no_key(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--provider", choices=PROVIDERS, required=True)
    args = parser.parse_args()
    port = free_port()
    server = start(args.server, port, "ask_fixtures.json")
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            asked = ask(args.program, args.provider, port, folder)
            check(folder, args.provider, asked, journal(port))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
