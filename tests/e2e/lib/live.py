# SPDX-License-Identifier: MIT
"""A `bareperf run` that continues while a test looks at its region and its processes. A file
that another process is still writing may be incomplete: that counts as "not yet"."""

import contextlib
import mmap
import os
import pathlib
import subprocess
import tempfile
import time

import machine
import region as tr

PATIENCE = machine.boots.PATIENCE


def until(condition, seconds=PATIENCE, process=None, pause=0.002):
    """Wait until a condition holds, or a process ends. Returns the condition's last value."""
    limit = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > limit or (process and process.poll() is not None):
            return condition()  # the condition may have become true just before the process ended
        time.sleep(pause)
    return found


def is_as_long(path, size):
    """Whether a file that another process writes exists and has at least this size."""
    with contextlib.suppress(FileNotFoundError):
        return os.stat(path).st_size >= size
    return False


def child(pid, name, last=None):
    """The process id of a child of this process whose program's name begins with this text, but not
    `last`; or None."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for one in map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            if one != last and pathlib.Path(f"/proc/{one}/comm").read_text().startswith(name):
                return one
    return None


def cpu_time(pid):
    """A process's time on the host's CPUs, in seconds (proc(5), stat: utime and stime)."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Live:
    """A recording under way: file is its perf.data, region its trace region. With stderr=PIPE,
    standard error is separate."""

    def __init__(self, command, *options, qemu=(), stderr=subprocess.STDOUT):
        self.directory = tempfile.TemporaryDirectory(prefix="bareperf-test-")
        here = pathlib.Path(self.directory.name)
        self.file, self.region = here / "perf.data", here / "region"
        self.memory, self.status, self.text, self.out, self.said = None, None, "", "", None
        self.process = subprocess.Popen(
            [*machine.run_words("-o", self.file, "--region", self.region, *options), *qemu, "--",
             *command.split()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=stderr, text=True)

    def until(self, condition):
        return until(condition, process=self.process)

    def is_made(self):
        """Whether the machine has written the region's magic. The magic is written last, and after
        the file got its size."""
        if self.memory is None:
            with contextlib.suppress(FileNotFoundError), open(self.region, "rb") as file:
                if file.read(len(tr.MAGIC)) == tr.MAGIC:
                    self.memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        return self.memory is not None

    def word(self, offset, form="<Q"):
        """A word of the region, which must exist."""
        return tr.word(self.memory, offset, form)

    def state(self):
        """The region's state; None before the region exists."""
        return self.word(*tr.HEADER["state"]) if self.is_made() else None

    def is_recording(self):
        return self.state() == tr.RECORDING

    def table(self, name):
        """Offset of the first entry of one of the header's tables."""
        return self.word(tr.table(name))

    def reader(self, last=None):
        """The process id of the reader, but not `last`; or None."""
        return child(self.process.pid, "bareperf-reader", last)

    def signal_reader(self, number, last=None):
        """Send a signal to the reader, but not to `last`. Returns its process id, or None."""
        pid = self.reader(last)
        with contextlib.suppress(ProcessLookupError):  # the run may have ended already
            if pid:
                os.kill(pid, number)
                return pid
        return None

    def finish(self, number=None):
        """Send a signal, if one is given, and wait for the end of the process."""
        if number:
            self.process.send_signal(number)
        self.out, self.said = self.process.communicate(timeout=PATIENCE)
        self.text = self.out + (self.said or "")
        self.status = self.process.returncode
        return self

    summary = machine.Recording.summary
    perf = machine.Recording.perf
    chains = machine.Recording.chains
    raw_samples = machine.Recording.raw_samples
