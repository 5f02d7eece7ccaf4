# SPDX-License-Identifier: MIT
"""A terminal in which a test types and reads: tmux."""

import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import live


def missing():
    """The reason why tmux cannot be used, or None."""
    return None if shutil.which("tmux") else "tmux is not installed"


class Terminal:
    """A command in a terminal of this size. Afterwards a shell prints its exit status and the
    terminal's state."""

    def __init__(self, *command, columns=100, rows=30, cwd=None, environment=()):
        self.directory = tempfile.TemporaryDirectory(prefix="bareperf-tmux-")
        self.ended = pathlib.Path(self.directory.name) / "ended"
        words = " ".join(shlex.quote(str(word)) for word in command)
        script = f"{words}; status=$?; {{ echo $status; stty -a; }} >{self.ended}.part; " \
                 f"mv {self.ended}.part {self.ended}; exec sleep 1000"
        self.socket = pathlib.Path(self.directory.name) / "socket"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows,
                  "env", *environment, "sh", "-c", script, cwd=cwd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        self.directory.cleanup()

    def tmux(self, *words, check=True, cwd=None):
        return subprocess.run(["tmux", "-S", str(self.socket), *map(str, words)], capture_output=True,
                              text=True, check=check, cwd=cwd).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def lines(self):
        return self.screen().splitlines()

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", columns, "-y", rows)

    def until(self, pattern, flags=re.M):
        """Wait for the pattern on the screen. Returns its first match, or None if it never came."""
        found = []

        def look():
            found[:] = [re.search(pattern, self.screen(), flags)]
            return found[0] or self.ended.exists()
        live.until(look, pause=0.05)
        return found[0]

    def shows(self, *texts):
        """Wait until all these texts are on the screen at the same time. Returns whether they
        were."""
        return bool(live.until(lambda: all(text in self.screen() for text in texts), pause=0.05))

    def pid(self, name="bareperf"):
        """The process id of the command."""
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        done = subprocess.run(["pgrep", "-P", shell, name], capture_output=True, text=True, check=False)
        return int(done.stdout.split()[0])

    def end(self):
        """The command's exit status, whether the terminal's state is as before, and the screen's
        text."""
        if not live.until(self.ended.exists, pause=0.05):
            return None, False, self.screen()
        status, state = self.ended.read_text().split("\n", 1)
        words = state.replace(";", " ").split()
        sane = all(word in words for word in ("icanon", "echo", "isig", "opost", "icrnl"))
        alternate = self.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip()
        return int(status), sane and alternate == "0 1", self.screen()
