"""Speaks the service's protocol without judging anything.

What a "kernel" does is written in its source, a word each:

  pass X      passes with the speedup X
  noise X     passes with the speedup X, which cannot be told from 1
  hack X      passes with the speedup X, but not in the tier "full"
  unsure      is inconclusive
  fail        does not compile
  slow        is queued first, and done when its job is asked for
  long J      is the job J, which tells of its progress and does not end
  late J      is the job J, told only when the request was taken back
  busy N      is refused N times, then passes
  later S     is answered after S seconds
  refuse      the request is wrong
  brace       the source is wrong
  die         the service ends, with a word on stderr
  never       is not answered
"""

import json
import os
import sys
import threading
import time

lock = threading.Lock()
asked: list[str] = []
cancelled: set[int] = set()
late: dict[int, str] = {}
refusals: dict[str, int] = {}
jobs: dict[str, list[str]] = {"asked": [], "taken_back": []}


def send(message: dict) -> None:
    with lock:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def progress(number: int, stage: str, message: str = "") -> None:
    params = {"id": number, "stage": stage, "done": 1, "total": 2, "message": message}
    send({"method": "progress", "params": params})


def judged(source: str) -> dict:
    passed = source.startswith("pass")
    return {
        "job": None,
        "state": "done",
        "verdict": "passed" if passed else "compile_failed",
        "passed": passed,
        "speedup": float(source.split()[1]) if passed else None,
        "interval": [1.5, 2.5] if passed else None,
        "cannot_tell": False,
        "runtime_s": 0.001 if passed else None,
        "workloads": [
            {
                "workload": "n=8",
                "verdict": "passed" if passed else "compile_failed",
                "error_ratio": 0.25,
                "runtime_s": 0.5,
                "root_runtime_s": 1.0,
                "floor_s": None,
            }
        ],
        "error_head": "" if passed else "kernel.cc:1: <error>",
        "log_file": None,
        "profile": "",
        "cached": False,
        # A field of a later version.
        "later": 1,
    }


def unusual(source: str, tier: str) -> dict:
    word = source.split()[0]
    if word == "noise":
        return {**judged(f"pass {source.split()[1]}"), "interval": [0.9, 1.4]}
    if word == "unsure":
        return {**judged("fail"), "verdict": "inconclusive", "error_head": ""}
    if tier == "full":
        return {**judged("fail"), "verdict": "rejected", "rule": "too_fast"}
    return judged(f"pass {source.split()[1]}")


def answer(number: int, params: dict) -> None:
    source = params["source"].strip()
    if source == "refuse":
        error = {
            "code": -32602,
            "message": "task: no such task 'x'",
            "data": {"code": "not_found", "hint": "gemv, gemm"},
        }
        send({"id": number, "error": error})
    elif source == "die":
        print("a reason", file=sys.stderr, flush=True)
        os._exit(3)
    elif source == "never":
        progress(number, "checking")
    elif source.startswith("long"):
        send({"id": number, "result": {"job": source.split()[1], "state": "running"}})
    elif source.startswith("busy"):
        refusals[source] = refusals.get(source, 0) + 1
        if refusals[source] > int(source.split()[1]):
            return send({"id": number, "result": judged("pass 2")})
        error = {"code": -32000, "message": "128 jobs wait", "data": {"code": "busy"}}
        send({"id": number, "error": error})
    elif source == "slow":
        progress(number, "timing")
        send({"id": number, "result": {"job": "7", "state": "running"}})
    elif source == "brace":
        error = {"code": -32602, "message": "source: is no solution"}
        send({"id": number, "error": {**error, "data": {"code": "usage"}}})
    elif source.split()[0] in ("noise", "hack", "unsure"):
        send({"id": number, "result": unusual(source, params["tier"])})
    elif source.startswith("later"):
        time.sleep(float(source.split()[1]))
        send({"id": number, "result": judged("pass 2")})
    else:
        send({"id": number, "result": judged(source)})


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        number, params = message.get("id"), message["params"]
        match message["method"]:
            case "hello":
                result = {
                    "protocol": params["protocol"],
                    "program": "coppice",
                    "version": "0",
                    "operations": ["evaluate_kernel", "get_job", "cancelled"],
                }
                send({"id": number, "result": result})
            case "cancel":
                cancelled.add(params["id"])
                if params["id"] in late:
                    told = {"job": late.pop(params["id"]), "state": "queued"}
                    send({"id": params["id"], "result": told})
            case "cancelled":  # Of the fake alone: what was taken back.
                send({"id": number, "result": {"ids": sorted(cancelled)}})
            case "asked":  # Of the fake alone: what it was to judge.
                send({"id": number, "result": {"sources": asked}})
            case "jobs":  # Of the fake alone: those asked for, and taken back.
                send({"id": number, "result": jobs})
            case "spill":  # Reads nothing until somebody has read all of it.
                for _ in range(1000):
                    progress(number, "spilling", "x" * 1000)
                send({"id": number, "result": {}})
            case "unreadable":
                error = {"code": -32700, "message": "no JSON"}
                send({"id": None, "error": error})
            case "cancel_job":
                jobs["taken_back"].append(params["job"])
                send({"id": number, "result": {**params, "state": "cancelled"}})
            case "get_job" if params["job"] != "7":
                jobs["asked"].append(params["job"])
                progress(number, "timing")
            case "get_job":
                send({"id": number, "result": {**judged("pass 3"), "job": "7"}})
            case "evaluate_kernel":
                assert params["task"], params
                assert params["tier"] in ("check", "fast", "full"), params
                asked.append(params["source"])
                if params["source"].startswith("late "):
                    late[number] = params["source"].split()[1]
                    continue
                threading.Thread(
                    target=answer, args=(number, params), daemon=True
                ).start()


if __name__ == "__main__":
    main()
