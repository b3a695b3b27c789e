#!/usr/bin/env python3
"""service_figures and mcp_start: clocks beside services that answer from a
script."""

import pathlib
import tempfile
import unittest

import mcp_start
import service_figures

# Answers each request; the second one of a kernel only after it was asked for
# again.
SERVICE = r'''#!/usr/bin/env python3
import json, os, sys
print('{"jsonrpc": "2.0", "method": "progress"}', flush=True)
kernels = 0
for line in sys.stdin:
    asked = json.loads(line)
    name, params = asked["method"], asked["params"]
    result = {"state": "done", "verdict": "passed"}
    if name == "describe_task":
        result = {"text": "root", "cache": os.environ["COPPICE_CACHE_DIRECTORY"]}
    elif name == "evaluate_kernel":
        kernels += 1
        if kernels == 2:
            result = {"state": "running", "job": "j7"}
        if "number() { return 13; }" in params["source"]:
            result["verdict"] = "crashed"
    elif name == "get_job":
        assert params["job"] == "j7"
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    answer |= ({"error": {"message": "no such task"}}
               if params.get("task") == "none" else {"result": result})
    print(json.dumps(answer), flush=True)
'''
MCP = r'''#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = ({"serverInfo": {"name": "coppice"}}
              if asked["method"] == "initialize" else {"isError": IS_ERROR})
    print(json.dumps({"id": 1, "result": result}), flush=True)
'''


class ServicesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def program(self, text):
        file = pathlib.Path(self.folder) / "program"
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def service(self):
        service = service_figures.Service(self.program(SERVICE), "/cache")

        def end():
            service.process.stdin.close()
            service.process.wait()
            service.process.stdout.close()

        self.addCleanup(end)
        return service

    def test_answers_are_told_apart_by_their_ids(self):
        service = self.service()
        first = service.send("describe_task", task="a")
        second = service.send("get_job", job="j7")
        self.assertEqual(service.wait(second)[1]["state"], "done")
        self.assertEqual(service.wait(first)[1],
                         {"text": "root", "cache": "/cache"})

    def test_an_error_ends_the_measurement(self):
        with self.assertRaisesRegex(SystemExit, "no such task"):
            self.service().ask("describe_task", task="none")

    def test_what_is_not_done_yet_is_waited_for(self):
        service = self.service()
        rate = service_figures.rate(service, "a", "root", "check", 0.05, 14)
        self.assertGreater(rate, 0.0)
        self.assertEqual(service.answers, {})

    def test_a_candidate_that_fails_ends_the_measurement(self):
        with self.assertRaisesRegex(SystemExit, "^check: .*crashed"):
            service_figures.rate(self.service(), "a", "root", "check", 0.01,
                                 13)

    def test_candidates_differ_in_one_function(self):
        self.assertEqual(service_figures.source_of("int x;", 4),
                         'int x;\nextern "C" int number() { return 4; }\n')

    def test_a_server_is_timed_to_its_first_answer(self):
        program = self.program(MCP.replace("IS_ERROR", "False"))
        self.assertGreater(mcp_start.seconds(program, self.folder), 0.0)
        self.assertGreater(mcp_start.call_s(program, self.folder, 2), 0.0)

    def test_a_call_that_fails_is_no_figure(self):
        program = self.program(MCP.replace("IS_ERROR", "True"))
        with self.assertRaises(AssertionError):
            mcp_start.call_s(program, self.folder, 2)


if __name__ == "__main__":
    unittest.main()
