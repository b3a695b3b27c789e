#!/usr/bin/env python3
"""`coppice mcp` and `coppice setup-agent` as clients and users meet them, by a
client that is this script.

usage: raw_client_test.py --program COPPICE [--lines N]

N damaged lines are sent, 300 by default; 10,000 take four seconds.
"""

import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from server import Pipe, Web, request  # noqa: E402

OPTIONS = {"--program": "", "--lines": "300"}
SLOW = """#include <cstdint>
extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  for (volatile int64_t i = 0; i >= 0;) {}
}
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def coppice(self, *words):
        return subprocess.run([OPTIONS["--program"], *words], text=True,
                              cwd=self.folder, capture_output=True,
                              timeout=60, check=False)


class StdioTest(InFolder):
    def setUp(self):
        super().setUp()
        self.server = Pipe(OPTIONS["--program"], self.folder)

    def tearDown(self):
        if self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.communicate()
        super().tearDown()

    def test_both_eras_have_the_same_tools(self):
        hello = self.server.ask(0, "initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"}})["result"]
        self.assertEqual(hello["protocolVersion"], "2025-11-25")
        legacy = self.server.ask(1, "tools/list")["result"]["tools"]
        modern = self.server.ask(2, "tools/list", modern=True)["result"]
        self.assertEqual(legacy, modern["tools"])
        self.assertLessEqual(len(legacy), 15)
        for tool in legacy:
            self.assertEqual(len(tool["annotations"]), 5, tool["name"])
            self.assertIs(tool["inputSchema"]["additionalProperties"], False)
            self.assertEqual(tool["outputSchema"]["type"], "object")

    def test_nothing_is_made_before_a_tool_needs_it(self):
        self.server.ask(1, "server/discover", modern=True)
        self.server.ask(2, "tools/list")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_end_of_input_ends_what_runs(self):
        self.server.send(request(7, "tools/call", {
            "name": "evaluate_kernel", "arguments": {
                "task": "row_sum", "source": SLOW, "tier": "check"},
            "_meta": {"progressToken": 1}}))
        # It is at work once it says so.
        self.assertEqual(self.server.line()["method"],
                         "notifications/progress")
        rest = self.server.end()  # Which the kernel never comes to.
        self.assertEqual(self.server.process.returncode, 0,
                         self.server.errors.decode())
        self.assertNotIn(b'"id":7', rest)

    def test_sigterm_ends_it(self):
        self.server.ask(1, "ping")
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.end(), b"")

    def test_damaged_lines_are_answered_or_passed_over(self):
        seeds = [json.dumps(one).encode() for one in (
            request(1, "tools/list"), request("a", "ping"),
            request(2, "tools/call", {"name": "describe_task", "arguments": {
                "task": "row_sum", "part": "root"}}, modern=True),
            request(3, "tools/call", {"name": "list_tasks", "arguments": {
                "level": "1", "query": "sum"}}),
            request(4, "resources/read", {"uri": "coppice://schema"}),
            request(5, "prompts/get", {"name": "optimise", "arguments": {
                "task": "x"}}),
            {"jsonrpc": "2.0", "method": "notifications/cancelled",
             "params": {"requestId": 2}})]
        chance = random.Random(1)
        for number in range(int(OPTIONS["--lines"])):
            line = bytearray(chance.choice(seeds))
            for _ in range(chance.randint(1, 3)):
                at = chance.randrange(len(line))
                kind = chance.randrange(4)
                if kind == 0:
                    line[at] ^= 1 << chance.randrange(8)
                elif kind == 1:
                    del line[at:at + chance.randint(1, 9)]
                elif kind == 2:
                    line[at:at] = chance.choice(
                        [b"\xff", b"[" * 99, b"\\u0000", b"\x1b[2J", b"1e999",
                         b'"', b"null"])
                else:
                    line = line[:at] + chance.choice(seeds)[at:]
                line = line or bytearray(b"{")
            self.server.send(bytes(line).replace(b"\n", b" "))
            # All that came before is read, and each answer is a line of JSON.
            alive = self.server.ask(f"alive {number}", "ping")
            self.assertEqual(alive["result"], {})
        self.server.end()
        self.assertEqual(self.server.process.returncode, 0,
                         self.server.errors.decode())


class HttpTest(InFolder):
    def setUp(self):
        super().setUp()
        self.web = Web(OPTIONS["--program"], self.folder)
        self.url, self.host = self.web.url, self.web.host
        self.token, self.ask = self.web.token, self.web.post

    def tearDown(self):
        self.web.end()
        super().tearDown()

    def test_a_tool_is_called_by_both_eras(self):
        call = {"name": "describe_task", "arguments": {"task": "row_sum"}}
        _, headers, _ = self.ask(request(1, "initialize", {
            "protocolVersion": "2025-11-25"}))
        session = headers["Mcp-Session-Id"]
        legacy = self.ask(request(2, "tools/call", call),
                          Mcp_Session_Id=session)
        modern = self.ask(request(2, "tools/call", call, modern=True),
                          Mcp_Protocol_Version="2026-07-28",
                          Mcp_Method="tools/call", Mcp_Name="describe_task")
        for status, headers, body in (legacy, modern):
            self.assertEqual(status, 200)
            self.assertEqual(headers["Content-Type"], "text/event-stream")
            self.assertEqual(headers["X-Accel-Buffering"], "no")
            self.assertIn('"structuredContent"', body)

    def test_who_may_not_ask_is_told_why(self):
        ping = request(1, "ping")
        self.assertEqual(self.ask(ping)[0], 200)
        status, headers, body = self.ask(ping, Authorization="Bearer x")
        self.assertEqual(status, 401)
        self.assertTrue(headers["WWW-Authenticate"].startswith("Bearer"))
        self.assertIn("coppice mcp --show-config", body)
        self.assertEqual(self.ask(ping, Origin="http://evil.example")[0], 403)
        self.assertEqual(self.ask(ping, Host="evil.example")[0], 403)
        self.assertEqual(self.ask(ping, method="GET")[0], 405)

    def test_the_configuration_that_is_shown_opens_the_door(self):
        shown = self.coppice("mcp", "--http", self.host, "--token-file",
                             "token", "--show-config")
        server = json.loads(shown.stdout)["mcpServers"]["coppice"]
        self.assertEqual(server["url"], self.url)
        self.assertEqual(server["headers"]["Authorization"],
                         "Bearer " + self.token)
        self.assertEqual((self.folder / "token").stat().st_mode & 0o777, 0o600)


class SetupAgentTest(InFolder):
    ALL = ("--claude", "--codex", "--cursor")

    def files(self):
        return sorted(str(path.relative_to(self.folder))
                      for path in self.folder.rglob("*") if path.is_file())

    def test_it_writes_what_it_says_and_takes_it_away_again(self):
        rehearsed = self.coppice("setup-agent", *self.ALL, "--dry-run")
        self.assertEqual(self.files(), [])
        done = self.coppice("setup-agent", *self.ALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.files()), 9)
        for name in self.files():
            self.assertIn(name, done.stdout)
            self.assertIn(name, rehearsed.stdout)
        again = self.coppice("setup-agent", *self.ALL)
        self.assertNotIn("wrote", again.stdout)
        self.coppice("setup-agent", *self.ALL, "--undo")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_server_that_is_written_starts(self):
        self.coppice("setup-agent", "--claude")
        entry = json.loads((self.folder / ".mcp.json").read_text())
        server = entry["mcpServers"]["coppice"]
        done = subprocess.run(
            [server["command"], *server["args"]], text=True, cwd="/",
            input=json.dumps(request(1, "ping")) + "\n", capture_output=True,
            timeout=60, check=False)
        self.assertEqual(json.loads(done.stdout)["result"], {})

    def test_a_link_out_of_the_folder_is_not_followed(self):
        with tempfile.TemporaryDirectory() as outside:
            (self.folder / ".claude").symlink_to(outside)
            refused = self.coppice("setup-agent", "--claude")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("leads out of the folder", refused.stderr)
            self.assertEqual(list(pathlib.Path(outside).iterdir()), [])
            self.assertEqual([file.name for file in self.folder.iterdir()],
                             [".claude"])

    def test_what_cannot_be_done_is_not_done_by_halves(self):
        (self.folder / ".claude").write_text("a file, where a folder goes")
        refused = self.coppice("setup-agent", "--claude")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(".claude: is no folder", refused.stderr)
        self.assertEqual(self.files(), [".claude"])
        (self.folder / ".codex").mkdir()
        (self.folder / ".codex/config.toml").write_text("[mcp_servers\n")
        refused = self.coppice("setup-agent", "--codex")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("config.toml: line 1 is no TOML", refused.stderr)
        self.assertEqual(self.files(), [".claude", ".codex/config.toml"])
        (self.folder / ".mcp.json").mkdir()
        refused = self.coppice("setup-agent", "--claude")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stderr.count(".mcp.json"), 1)

    def test_what_is_others_is_left(self):
        mine = self.folder / ".claude/skills/coppice-inspect/SKILL.md"
        mine.parent.mkdir(parents=True)
        mine.write_text("# My own\n")
        (self.folder / ".mcp.json").write_text("{ // mine\n}")
        refused = self.coppice("setup-agent", "--claude")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(".mcp.json", refused.stderr)
        self.assertEqual(len(self.files()), 2)  # Nothing by halves.
        (self.folder / ".mcp.json").unlink()
        done = self.coppice("setup-agent", "--claude")
        self.assertIn("left ", done.stdout)
        self.coppice("setup-agent", "--claude", "--undo")
        self.assertEqual(mine.read_text(), "# My own\n")
        self.assertEqual(len(self.files()), 1)

    def test_each_skill_has_front_matter(self):
        self.coppice("setup-agent", "--codex")
        for path in self.folder.rglob("SKILL.md"):
            lines = path.read_text().splitlines()
            self.assertEqual(lines[0], "---")
            self.assertEqual(lines[1], "name: " + path.parent.name)
            self.assertTrue(lines[2].startswith("description: "))
            self.assertLessEqual(len(lines[2]), 1024)
            self.assertEqual(lines[3], "---")


if __name__ == "__main__":
    for option in OPTIONS:
        if option in sys.argv:
            at = sys.argv.index(option)
            OPTIONS[option] = sys.argv[at + 1]
            del sys.argv[at:at + 2]
    OPTIONS["--program"] = str(pathlib.Path(OPTIONS["--program"]).absolute())
    unittest.main()
