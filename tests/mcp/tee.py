#!/usr/bin/env python3
"""Stands between a client and a server that speak by lines, and writes down
both: "> " before what the client said, "< " before what the server did.

usage: tee.py LOG PROGRAM ARGUMENT...
"""

import subprocess
import sys
import threading


def main():
    log = open(sys.argv[1], "ab", buffering=0)
    lock = threading.Lock()
    server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)

    def carry(source, target, mark):
        for line in iter(source.readline, b""):
            with lock:
                log.write(mark + line)
            try:
                target.write(line)
                target.flush()
            except OSError:
                break
        if target is server.stdin:
            target.close()

    threading.Thread(target=carry, args=(sys.stdin.buffer, server.stdin,
                                         b"> "), daemon=True).start()
    carry(server.stdout, sys.stdout.buffer, b"< ")
    sys.exit(server.wait())


if __name__ == "__main__":
    main()
