#!/usr/bin/env python3
"""Whom a program trusts that asks a model over HTTPS.

An authority of its own signs a server of this machine, which answers like
OpenAI's.

usage: tls_test.py --program COPPICE [--places]

--places hides this machine's certificates from the program and puts the
authority's where each distribution has them; it needs root.  Exits 77, which
ctest takes for "skipped", where there is no openssl.
"""

import argparse
import http.server
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

OPTIONS = argparse.ArgumentParser()
OPTIONS.add_argument("--program", type=pathlib.Path, required=True)
OPTIONS.add_argument("--places", action="store_true")
GIVEN = OPTIONS.parse_args()
SAID = "That is the root."
ANSWER = {
    "id": "a", "object": "chat.completion", "model": "gpt-4.1",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": SAID}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}}

# In a namespace of its own, as on a machine that has certificates there alone.
HIDING = """
for folder in /etc/ssl /etc/pki /usr/lib/ssl /usr/share/ca-certificates; do
  [[ ! -d $folder ]] || mount -t tmpfs none "$folder"
done
place=$1 authority=$2
shift 2
[[ -z $place ]] || { mkdir -p "${place%/*}" && cp "$authority" "$place"; }
exec "$@"
"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def make_certificates(folder):
    """authority.pem, and server.pem with its key, which that has signed."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj",
            "/CN=authority", "-days", "2", "-keyout", folder / "authority.key",
            "-out", folder / "authority.pem")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
            "-keyout", folder / "server.key", "-out", folder / "server.csr")
    extensions = folder / "extensions"
    extensions.write_text("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-in", folder / "server.csr", "-CA",
            folder / "authority.pem", "-CAkey", folder / "authority.key",
            "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out",
            folder / "server.pem")


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        make_certificates(cls.folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.folder / "server.pem",
                                cls.folder / "server.key")
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.server.socket = context.wrap_socket(cls.server.socket,
                                                server_side=True)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.shutdown)
        cls.database = cls.folder / "a.db"
        subprocess.run([GIVEN.program, "run", "sim:hill/1", "--budget", "2",
                        "--db", cls.database, "--progress", "none"],
                       check=False, capture_output=True)

    def ask(self, before=(), **variables):
        """One question of the user's."""
        url = f"https://localhost:{self.server.server_address[1]}/v1"
        return subprocess.run(
            [*before, GIVEN.program, "ask", "--db", self.database, "--model",
             "openai:gpt-4.1", "--openai-base-url", url,
             "--assistant-usd-day", "none", "--model-timeout-s", "4", "which?"],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder),
                 "OPENAI_API_KEY": "sk-x", **variables},
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False)

    def with_place(self, place):
        return self.ask(["unshare", "-m", "bash", "-c", HIDING, "_", place,
                         str(self.folder / "authority.pem")])

    def test_an_authority_of_ones_own_is_named(self):
        authority = str(self.folder / "authority.pem")
        for variable in ("SSL_CERT_FILE", "CURL_CA_BUNDLE"):
            asked = self.ask(**{variable: authority})
            self.assertEqual(asked.returncode, 0, asked.stderr)
            self.assertIn(SAID, asked.stdout)

    def test_others_are_not_trusted_and_it_is_said_what_to_do(self):
        asked = self.ask()
        self.assertEqual(asked.returncode, 1, asked.stdout)
        # It tries again: before a server there may be a portal, for a while.
        # The last try has what time is left, which a busy machine uses up.
        self.assertIn("; SSL_CERT_FILE names others",
                      asked.stderr.splitlines()[0])

    def test_a_file_that_is_not_there_is_one_line(self):
        asked = self.ask(SSL_CERT_FILE="/no/such.pem")
        self.assertEqual(asked.returncode, 1, asked.stdout)
        self.assertEqual(asked.stderr.count("\n"), 1, asked.stderr)
        self.assertIn("/no/such.pem", asked.stderr)

    @unittest.skipUnless(GIVEN.places, "without --places")
    def test_it_finds_the_place_of_each_distribution(self):
        for place in ("/etc/ssl/certs/ca-certificates.crt",
                      "/etc/pki/tls/certs/ca-bundle.crt",
                      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                      "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"):
            if not pathlib.Path("/etc/pki").exists() and "/pki/" in place:
                pathlib.Path("/etc/pki").mkdir()
                self.addCleanup(pathlib.Path("/etc/pki").rmdir)
            asked = self.with_place(place)
            self.assertEqual(asked.returncode, 0, f"{place}: {asked.stderr}")
            self.assertIn(SAID, asked.stdout)

    @unittest.skipUnless(GIVEN.places, "without --places")
    def test_where_there_are_none_it_says_so_at_once(self):
        asked = self.with_place("")
        self.assertEqual(asked.returncode, 1, asked.stdout)
        self.assertEqual(asked.stderr.count("\n"), 1, asked.stderr)
        self.assertIn("install ca-certificates", asked.stderr)


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        sys.exit(77)
    unittest.main(argv=[__file__])
