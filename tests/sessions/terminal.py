"""A terminal that a program types into: bash in tmux, of a given width.

The server of tmux is one's own, and so are HOME and TMPDIR; nothing of the
person who runs the tests leaks in.
"""

import os
import select
import subprocess
import time

PATIENCE_S = 60  # For one prompt or one text: not a bound on speed.
ROWS = 50

CONFIGURATION = """\
set -g default-terminal screen-256color
set -g history-limit 50000
set -g status off
set -s escape-time 0
"""


class Stuck(Exception):
    """What was waited for did not come."""


class Terminal:
    """One interactive bash, in a fresh home with a checkout of `sources`."""

    def __init__(self, folder, columns, program, sources):
        home = folder / "home"
        home.mkdir()
        (home / "coppice").symlink_to(sources)
        (folder / "tmp").mkdir()
        (folder / "tmux.conf").write_text(CONFIGURATION)
        (folder / "inputrc").write_text("set bell-style none\n")
        self._tmux = ["tmux", "-S", str(folder / "socket"), "-u",
                      "-f", str(folder / "tmux.conf")]
        # Bash says in this pipe that it prompts, and how its last command ended.
        pipe = folder / "prompts"
        os.mkfifo(pipe)
        self._prompts = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self.environment = {
            "HISTFILE": "/dev/null",
            "HOME": str(home),
            "INPUTRC": str(folder / "inputrc"),
            "LANG": "C.UTF-8",
            "PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin",
            "PROMPT_COMMAND": f'printf "%s\\n" "$?" >"{pipe}"',
            "PS1": "$ ",
            "PS2": "> ",
            "SHELL": "/bin/bash",
            "TMPDIR": str(folder / "tmp"),
        }
        self._say("new-session", "-d", "-x", str(columns), "-y", str(ROWS),
                  "-c", str(home), "bash", "--norc", "--noprofile")
        self._bash = int(self._say("display-message", "-p", "#{pane_pid}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        bash = os.pidfd_open(self._bash)
        self._say("kill-server")
        ended = select.select([bash], [], [], PATIENCE_S)[0]
        os.close(bash)
        os.close(self._prompts)
        if not ended:
            raise Stuck("the end of bash did not come")

    def _say(self, *words):
        return subprocess.run([*self._tmux, *words], check=True, text=True,
                              stdin=subprocess.DEVNULL, env=self.environment,
                              stdout=subprocess.PIPE).stdout

    def _capture(self, *flags):
        text = self._say("capture-pane", "-p", "-S", "-", *flags).rstrip()
        return [line.rstrip() for line in text.split("\n")]

    def rows(self):
        """What is on the screen and above it, as a person sees it."""
        return self._capture()

    def lines(self):
        """The same, where a line that the terminal has wrapped is one."""
        return self._capture("-J")

    def coloured(self):
        """The same lines, with what sets their colours."""
        return self._capture("-J", "-e")

    def type(self, text):
        if text.endswith(";"):  # Ends a command of tmux's.
            text = text[:-1] + "\\;"
        if text:
            self._say("send-keys", "-l", "--", text)

    def press(self, key):
        """A key by tmux's name for it: Enter, Tab, Up, C-c."""
        self._say("send-keys", key)

    def resize(self, columns, rows):
        self._say("resize-window", "-x", str(columns), "-y", str(rows))

    def kill(self, signal, name):
        """Sends it to the program of that name which bash runs now."""
        with open(f"/proc/{self._bash}/task/{self._bash}/children") as children:
            for child in children.read().split():
                with open(f"/proc/{child}/comm") as comm:
                    if comm.read().strip() == name:
                        os.kill(int(child), signal)
                        return
        raise Stuck(f"no {name} runs that could be killed")

    def wait(self, is_there, what, look=None):
        """Returns the lines, or what `look` sees, once they are as wanted."""
        end = time.monotonic() + PATIENCE_S
        while True:
            lines = look() if look else self.lines()
            if is_there(lines):
                return lines
            if time.monotonic() > end:
                shown = "\n".join("    " + line for line in lines[-ROWS:])
                raise Stuck(f"{what} did not come; the screen:\n{shown}")
            time.sleep(0.02)

    def wait_for_prompt(self, after):
        """Returns the lines with the prompt as last, and the exit code.

        There were `after` lines before the command was begun.
        """
        if not select.select([self._prompts], [], [], PATIENCE_S)[0]:
            self.wait(lambda lines: False, "the prompt")
        code = int(os.read(self._prompts, 100).split()[-1])
        lines = self.wait(
            lambda lines: len(lines) > after and lines[-1].endswith("$"),
            "the prompt")
        return lines, code
