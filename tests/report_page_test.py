#!/usr/bin/env python3
"""Opens a report in a browser: it loads nothing, breaks no policy of its own,
and what kernels hold runs nowhere.

usage: report_page_test.py --program COPPICE

Exits 77, which ctest takes for "skipped", where there is no Chromium.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Whatever of it ran would change the title.
HOSTILE = """</script><script>document.title='ran'</script>
<img src=x onerror="document.title='ran'"><!-- <script>
</pre></details><svg onload="document.title='ran'"> \u202e \x1b[2J
<style>*{display:none}</style><base href=http://other.example/>
"""


def check(condition, what):
    if not condition:
        raise SystemExit(f"report: {what}")


def report(program, folder):
    """The page of a campaign on a simulated task, with a hostile kernel in it."""
    database = folder / "x.db"
    environment = dict(os.environ, HOME=str(folder), USER="annabella",
                       HOSTNAME="lab7-gpu")

    def say(*words, codes=(0, 3)):
        done = subprocess.run([program, *words, "--db", database],
                              env=environment, capture_output=True)
        check(done.returncode in codes, f"{words}: {done.stderr}")

    say("run", "sim:basic", "--budget", "40", "--name", "c", "--progress",
        "none")
    kernel = folder / "hostile.cc"
    kernel.write_text(HOSTILE)
    say("submit", "gelu_tanh", kernel, "--author", "<script>", "--progress",
        "none")
    pages = []
    for campaign in ("c", "gelu_tanh.submissions"):
        pages.append(folder / f"{len(pages)}.html")
        say("export", "report", campaign, "--output", pages[-1])
    return pages


def open_in(chromium, folder, page):
    """Returns the page as the browser has it, and what it complained of."""
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={folder}/profile", "--enable-logging=stderr",
         "--virtual-time-budget=3000", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120,
        env=dict(os.environ, HOME=str(folder)))
    complaints = [line for line in done.stderr.splitlines()
                  if "CONSOLE" in line]
    return done.stdout, complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    program = parser.parse_args().program.resolve()
    chromium = shutil.which("chromium")
    if chromium is None:
        print("skipped: chromium is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="report.") as name:
        folder = pathlib.Path(name)
        for page in report(program, folder):
            dom, complaints = open_in(chromium, folder, page)
            check(not complaints, complaints)
            title = re.search(r"<title>(.*?)</title>", dom)[1]
            check(title in ("c", "gelu_tanh.submissions"),
                  f"the title became '{title}'")
            check(dom.count("<script") == 1, "there is a script of others")
            check("<img" not in dom and "<base" not in dom,
                  "there is an element of others")
            check(re.search(r"<th[^>]*><button", dom),
                  "its own script did not run")
            for secret in ("annabella", "lab7-gpu", name):
                check(secret not in page.read_text(), f"it holds '{secret}'")
    return 0


if __name__ == "__main__":
    sys.exit(main())
