#!/usr/bin/env python3
"""inspector_figures: what is made of figures, and when a goal is met."""

import contextlib
import gzip
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import inspector_figures

# Prints its address, and answers each request of the page it has.
SERVER = r'''#!/usr/bin/env python3
import http.server
import signal
import sys

class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path == "/?t=secret" or self.headers["Cookie"] == "a=b"
        self.send_response(200 if known else 403)
        self.send_header("Set-Cookie", "a=b; HttpOnly")
        body = b"of " + self.path.encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

if sys.argv[2] == "mute":
    sys.exit(1)
server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
signal.signal(signal.SIGINT, lambda *_: sys.exit(STATUS))
print(f"http://localhost:{server.server_port}/?t=secret", flush=True)
server.serve_forever()
'''


class InspectorFiguresTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.said = io.StringIO()
        self.enter(contextlib.redirect_stdout(self.said))
        self.enter(contextlib.redirect_stderr(io.StringIO()))

    def enter(self, context):
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def program(self, text):
        file = self.folder / "program"
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def test_of_many_values_the_one_at_a_share_is_told(self):
        values = [5.0, 1.0, 4.0, 2.0, 3.0]
        for share, value in ((0.0, 1.0), (0.5, 3.0), (0.99, 5.0), (1.0, 5.0)):
            self.assertEqual(inspector_figures.percentile(values, share), value)

    def test_a_goal_is_met_up_to_what_it_says(self):
        table = inspector_figures.Table()
        table.add("page", 50.0, 50.0, "ms", 1)
        table.add("commit", 250.0, 500.0, "ms")
        table.add("frames", 60.0, 30.0, "1/s", at_least=True)
        table.add("tabs", 8, 8, "tabs", at_least=True)
        table.add("median", None, 7.0, "ms")
        table.sum_up()
        self.assertEqual(self.said.getvalue(), """\
| page | <= 50 ms | 50.0 ms | 1.00 | met |
| commit | <= 250 ms | 500 ms | 2.00 | short |
| frames | >= 60 1/s | 30 1/s | 0.50 | short |
| tabs | >= 8 tabs | 8 tabs | 1.00 | met |
| median |  | 7 ms |  |  |

2 of 4 goals are met
short: commit
short: frames
""")

    def test_a_goal_of_nothing_is_met_by_nothing_alone(self):
        table = inspector_figures.Table()
        table.add("wrong", 0, 0, "times")
        table.add("wrong", 0, 1, "times")
        self.assertEqual([row[-1] for row in table.rows], ["met", "short"])

    def test_a_database_is_made_once_and_whole(self):
        made = []

        def run(command, **_):
            made.append(command[-1])
            pathlib.Path(command[2]).write_text("whole")

        with mock.patch("subprocess.run", run):
            file = inspector_figures.make("maker", self.folder, 10)
            self.assertEqual(inspector_figures.make("maker", self.folder, 10),
                             file)
        self.assertEqual(made, ["10"])
        self.assertEqual([f.name for f in self.folder.iterdir()],
                         ["nodes_10.db"])

    def test_a_campaign_that_finds_nothing_is_no_fault(self):
        with mock.patch("subprocess.run") as run:
            for status in (0, 3):
                run.return_value.returncode = status
                inspector_figures.attempt(["coppice", "run"])
            run.return_value.returncode = 1
            run.return_value.stderr = "no disk"
            with self.assertRaisesRegex(SystemExit, "coppice run: no disk"):
                inspector_figures.attempt(["coppice", "run"])

    def test_what_watching_costs_is_by_pairs_that_take_turns(self):
        order = []

        def run_campaign(_, __, viewers):
            order.append(viewers)
            return ((90.0 if viewers else 100.0), 2e6 if viewers else 9e9,
                    3.0 if viewers else 0.0)

        table = inspector_figures.Table()
        with mock.patch.object(inspector_figures, "run_campaign",
                               run_campaign):
            inspector_figures.slow_down(table, "coppice", self.folder, 2)
        self.assertEqual(order, [0, 20, 20, 0])
        # 10 of 100 are lost each time, so the interval has no width; the log
        # is that of those with viewers.
        self.assertEqual([row[2] for row in table.rows], [
            "100.0 1/s", "10.00 %", "10.00 %", "3.00 ms", "0.300 %",
            "2.00 MB"])

    def test_the_entry_is_the_index_and_the_files_that_it_names(self):
        dist = self.folder / "page/dist"
        (dist / "assets").mkdir(parents=True)
        texts = {"index.html": '<script src="/assets/a.js">',
                 "assets/a.js": "a" * 9000, "assets/later.js": "b" * 5000}
        for name, text in texts.items():
            (dist / name).write_text(text)
        packed = {name: len(gzip.compress(text.encode(), 9))
                  for name, text in texts.items()}
        table = inspector_figures.Table()
        with (mock.patch.object(inspector_figures, "ROOT", self.folder),
              mock.patch.object(table, "add") as add):
            inspector_figures.sizes(table)
        entry, whole, added = [call.args[2] for call in add.call_args_list]
        self.assertEqual(1000 * entry,
                         packed["index.html"] + packed["assets/a.js"])
        self.assertEqual(1000 * whole, sum(packed.values()))
        self.assertEqual(1000 * added, sum(packed.values()) + 300)

    def test_a_server_is_asked_by_its_cookie_and_stopped_by_a_signal(self):
        program = self.program(SERVER.replace("STATUS", "0"))
        with inspector_figures.Server(program, ["x.db"]) as server:
            took_ms, body = server.get("/api/node?n=1", server.connect())
            self.assertEqual(body, b"of /api/node?n=1")
            self.assertGreater(took_ms, 0.0)
            self.assertGreater(server.resident(), 1 << 20)
            server.headers = {"Host": server.host, "Cookie": "a=c"}
            with self.assertRaisesRegex(SystemExit, "/api/tree: 403"):
                server.get("/api/tree", server.connect())
            self.assertGreater(server.stop(), 0.0)

    def test_a_server_that_says_nothing_or_ends_badly_is_refused(self):
        program = self.program(SERVER.replace("STATUS", "7"))
        with self.assertRaisesRegex(SystemExit, "printed no address"):
            inspector_figures.Server(program, ["mute"])
        with inspector_figures.Server(program, ["x.db"]) as server:
            with self.assertRaisesRegex(SystemExit, "ended with 7"):
                server.stop()

    def test_what_a_browser_measures_is_read_as_json(self):
        program = self.program("#!/bin/sh\nprintf '[\"%s\", \"%s\"]' \"$@\"\n")
        self.assertEqual(inspector_figures.measure([program], "--db", 1),
                         json.loads('["--db", "1"]'))


if __name__ == "__main__":
    unittest.main()
