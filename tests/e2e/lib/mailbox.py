# SPDX-License-Identifier: MIT
"""A machine that gets commands through the mailbox, without the tool."""

import collections
import ctypes
import json
import mmap
import pathlib
import struct
import subprocess
import sys
import time

import region as tr

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/firmware"))
import qemu  # noqa: E402

MAILBOX = tr.table("mailbox")  # the eighth table of the header
CONSOLE = tr.table("console")
TEXT = 2040
MACHINES = {
    "x86_64": ["-machine", "q35", "-cpu", "max,-monitor", *qemu.firmware(), *qemu.NO_MENU],
    "aarch64": ["-machine", "virt,gic-version=3,virtualization=on", "-cpu", "max", "-bios",
                "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd", *qemu.NO_MENU],
}


class Agent:
    """The host's side of the mailbox, as docs/trace-region.md describes it."""

    def __init__(self, directory, arch, *options, program=None, mib=16, server=None, base=None):
        """A machine of this ISA, with QEMU's options, whose trace region is a file in the
        directory, of so many MiB. program: the QEMU. server: makes an ivshmem server that passes
        the file on and listens at .path; or None. base: machine, CPU and firmware, if not the usual
        ones."""
        self.path = pathlib.Path(directory) / "region"
        with open(self.path, "wb") as file:
            file.truncate(mib << 20)
        self.server = server and server(self.path)
        memory = ["-object",
                  f"memory-backend-file,id=shm,share=on,size={mib}M,mem-path={self.path}",
                  "-device", "ivshmem-plain,memdev=shm"]
        if server:
            memory = ["-chardev", f"socket,id=shm,path={self.server.path}", "-device",
                      "ivshmem-doorbell,chardev=shm,vectors=4"]
        self.process = subprocess.Popen(
            [qemu.parked(program or f"qemu-system-{arch}", mib), *(base or MACHINES[arch]), "-m", "512", "-nodefaults",
             "-display", "none", "-no-reboot", *memory, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 0)

    def word(self, offset, form="<I"):
        return tr.word(self.bytes, offset, form)

    def store(self, offset, kind, value):
        """A single store, by a ctypes integer: struct.pack_into() clears the bytes first, and the
        machine would read that 0 as a request."""
        kind.from_buffer(self.bytes, offset).value = value

    def state(self):
        return self.word(48) if self.bytes[:8] == b"BAREPERF" else None

    def until(self, condition, seconds=qemu.PATIENCE):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                return condition()
            time.sleep(0.01)
        return True

    def post(self, text, length=None):
        """Send a command without waiting."""
        box = self.word(MAILBOX, "<Q")
        self.bytes[box + 8:box + 8 + len(text)] = text
        struct.pack_into("<I", self.bytes, box + 4, len(text) if length is None else length)
        self.store(box, ctypes.c_uint32, self.word(box) + 1)
        return box

    def is_answered(self, box):
        return self.word(box + 8 + TEXT) == self.word(box)

    def command(self, text, length=None, seconds=qemu.PATIENCE):
        """Send a command. Returns its status; None: no answer came."""
        box = self.post(text, length)
        if not self.until(lambda: self.is_answered(box), seconds):
            return None
        return self.word(box + 12 + TEXT, "<i")

    def summary(self):
        """The summary of the region in its present state, by `dump --json`."""
        done = subprocess.run([TOP / "build/host/bareperf", "dump", "--json", self.path],
                              capture_output=True, text=True, check=False)
        return json.loads(done.stdout)

    def samples(self):
        """The number of samples that each CPU generated in the last run."""
        counts = collections.Counter()
        for event in self.summary()["events"]:
            counts[event["cpu"]] += event["generated"]
        return counts

    def printed(self):
        """The payload's standard output of this run, followed by its standard error, as far as it
        is still in the region."""
        table, _, stride = struct.unpack_from("<QII", self.bytes, tr.STREAMS)
        text = b""
        for kind in (0, 1):
            head, first, _, offset, size = struct.unpack_from("<QQQQI", self.bytes,
                                                              table + kind * stride)
            text += bytes(self.bytes[offset + i % size] for i in range(first, head))
        return text.decode(errors="replace")

    def console(self, since=0):
        """The machine's console text from this position on, or the oldest text that is still
        there."""
        at = self.word(CONSOLE, "<Q")
        head, size = struct.unpack_from("<QI", self.bytes, at)
        text = bytes(self.bytes[at + 16 + i % size] for i in range(max(since, head - size), head))
        return text.decode(errors="replace")

    def run(self, command):
        """A command's status (None: no answer came), and all text that was printed meanwhile."""
        before = self.word(self.word(CONSOLE, "<Q"), "<Q")
        status = self.command(command.encode())
        return status, self.console(before) + self.printed()
