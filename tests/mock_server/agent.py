#!/usr/bin/env python3
"""A command that is an agent: the prompt on standard input, an answer on
standard output.  It asks the server at BASE_URL.

usage: agent.py BASE_URL MODEL
"""

import json
import os
import sys
import urllib.request

base_url, model = sys.argv[1:]
question = {"model": model,
            "messages": [{"role": "user", "content": sys.stdin.read()}]}
request = urllib.request.Request(
    f"{base_url}/chat/completions", json.dumps(question).encode(),
    {"Authorization": "Bearer " + os.environ["MOCK_API_KEY"],
     "Content-Type": "application/json"})
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(request, timeout=60) as reply:
    print(json.load(reply)["choices"][0]["message"]["content"])
