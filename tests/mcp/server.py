"""`coppice mcp` as a process, over its pipes or over HTTP, by a client that is
this file.  What passes is written down as tee.py does."""

import http.client
import json
import subprocess

VERSION = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {}}


def request(number, method, params=None, modern=False):
    params = dict(params or {})
    if modern:
        params["_meta"] = {**META, **params.get("_meta", {})}
    return {"jsonrpc": "2.0", "id": number, "method": method,
            "params": params}


class Pipe:
    """Over standard input and output."""

    def __init__(self, program, folder, *words):
        self.process = subprocess.Popen(
            [program, "mcp", *words], cwd=folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.transcript = []
        self.errors = b""

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(
            message).encode()
        self.transcript.append(b"> " + line)
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def line(self):
        """The next that it says; EOFError if it said its last."""
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        self.transcript.append(b"< " + line)
        return json.loads(line)

    def ask(self, *words, **more):
        """EOFError or OSError where it was killed meanwhile."""
        self.send(request(*words, **more))
        while True:
            line = self.line()
            if line.get("id") == words[0]:
                return line

    def end(self):
        """What it still said, and as `errors` what went wrong."""
        rest, self.errors = self.process.communicate(timeout=30)
        return rest

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout,
                       self.process.stderr):
            try:
                stream.close()
            except OSError:  # It was told more than it took.
                pass


class Web:
    """Over HTTP."""

    def __init__(self, program, folder, *words):
        self.process = subprocess.Popen(
            [program, "mcp", "--http", "127.0.0.1:0", "--token-file", "token",
             *words], cwd=folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.url = self.process.stdout.readline().strip()
        self.host = self.url.split("/")[2]
        self.token = (folder / "token").read_text().strip()
        self.session = None
        self.transcript = []

    def post(self, message, method="POST", **headers):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {"Authorization": "Bearer " + self.token,
                   "Content-Type": "application/json",
                   **{name.replace("_", "-"): value
                      for name, value in headers.items()}}
        try:
            connection.request(method, "/mcp", json.dumps(message), headers)
            answer = connection.getresponse()
            return (answer.status, dict(answer.getheaders()),
                    answer.read().decode())
        finally:
            connection.close()

    def ask(self, number, method, params=None, modern=False):
        """EOFError, OSError or HTTPException where it was killed meanwhile."""
        message = request(number, method, params, modern)
        headers = {}
        if modern:
            headers = {"Mcp_Protocol_Version": VERSION, "Mcp_Method": method,
                       "Mcp_Name": message["params"].get("name", "")}
        elif self.session:
            headers = {"Mcp_Session_Id": self.session}
        _, said, body = self.post(message, **headers)
        self.session = said.get("Mcp-Session-Id", self.session)
        lines = [line.removeprefix("data: ") for line in body.splitlines()
                 if line]
        self.transcript.append(b"> " + json.dumps(message).encode())
        self.transcript += [b"< " + line.encode() for line in lines]
        for line in lines:
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer
        raise EOFError

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=10)

    def kill(self):
        self.process.kill()
        self.process.communicate()
