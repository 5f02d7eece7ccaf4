# SPDX-License-Identifier: MIT
"""`bareperf run` with a fake machine (fake_qemu.py): no QEMU and no image are needed."""

import json
import os
import pathlib
import pty
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
FAKE = pathlib.Path(__file__).resolve().parent / "fake_qemu.py"


class Rig:
    """A directory with an image; recordings are written to `out`."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="bareperf-fake-")
        self.here = pathlib.Path(self.directory.name)
        self.image = self.here / "image.efi"
        self.image.write_bytes(b"MZ")
        self.out = self.here / "perf.data"

    def words(self, *guest, options=(), image=None, out=None):
        """The words of a `bareperf run` of this command."""
        return [TOOL, "run", "--qemu", FAKE, "-i", image or self.image, "-o", out or self.out,
                *options, "--", *guest]

    def command(self, *line, env=None, **more):
        """Runs a command with a time limit and more environment variables. Returns its result."""
        return subprocess.run([str(word) for word in line], capture_output=True, text=True,
                              timeout=300, cwd=self.here, stdin=subprocess.DEVNULL,
                              errors="replace", env={**(env or os.environ), **more})

    def dump(self, path=None):
        """`dump --json`: its exit status, its messages, and the summary."""
        done = self.command(TOOL, "dump", "--json", path or self.out)
        return done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else {}

    def on_terminal(self, *line, **more):
        """A command's output when it writes to a terminal."""
        settings = {**os.environ, "TERM": "xterm", **more}
        if "NO_COLOR" not in more:
            settings.pop("NO_COLOR", None)
        master, slave = pty.openpty()
        with subprocess.Popen(line, stdout=slave, stderr=slave, stdin=subprocess.DEVNULL,
                              cwd=self.here, env=settings) as process:
            os.close(slave)
            shown = b""
            try:
                while chunk := os.read(master, 4096):
                    shown += chunk
            except OSError:  # the other end is closed
                pass
            process.wait(timeout=300)
        os.close(master)
        return shown.decode().replace("\r\n", "\n")
