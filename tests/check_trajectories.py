#!/usr/bin/env python3
"""usage: check_trajectories.py CALLS.jsonl VIEWS.json

Whether exported trajectories say what the views of the same database do."""
import json
import sys

lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
views = json.load(open(sys.argv[2], encoding="utf-8"))
assert lines and len(lines) == len(views), (len(lines), len(views))
for line, view in zip(lines, views):
    assert [m["role"] for m in line["prompt"]] == ["system", "user"]
    assert line["prompt"][1]["content"] == view["user_prompt"]
    assert line["completion"] == [
        {"role": "assistant", "content": view["answer"]}]
    for key in ("campaign", "decision", "role", "verdict", "node",
                "changed_inside", "cost_usd", "input_tokens", "served_model",
                "temperature", "top_p", "max_output_tokens", "effort",
                "template_set", "template_hash"):
        assert line[key] == view[key], (key, line[key], view[key])
    assert line["lineage"][0] == 0 and line["lineage"][-1] == view["parent"]
    assert (line["speedup"] or 0.0) == line["reward"]
    assert abs((view["speedup"] or 0.0) - line["reward"]) < 1e-12
