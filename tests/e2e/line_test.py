#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""A machine that nobody sees into, at a serial line alone: text and typed commands, frames by a second
implementation of docs/wire-format.md, a panic that is read."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import line_host as host
import machine
import mailbox
import region as tr
import tap

TOP = machine.TOP
BOX, BELLS = tr.table("mailbox"), tr.table("doorbells")
RINGS, LEDGER = tr.table("rings"), tr.table("event_ledger")
RECORDING, PANIC = 2, 5
TAIL = 1032
STEADY = ("-icount", "shift=3,sleep=off")  # a tick is a tick, however busy the host


class Machine:
    """One of arch without shared memory, its line at a socket: its console's UART, or a PCI card."""

    def __init__(self, directory, arch, card=False, options=(), command=""):
        path = pathlib.Path(directory) / "line"
        chardev = ["-chardev", f"socket,id=line,path={path},server=on,wait=on"]
        serial = ["-serial", "null", "-device", "pci-serial,chardev=line"] if card else \
            ["-serial", "chardev:line"]
        self.monitor = machine.boots.Monitor(directory)
        self.process = subprocess.Popen(
            [f"qemu-system-{arch}", *mailbox.MACHINES[arch], "-m", "512", "-nodefaults", "-display",
             "none", "-no-reboot", *chardev, *serial, *self.monitor.options, *options, "-kernel",
             TOP / f"build/{arch}/bareperf.efi", *(["-append", command] if command else [])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.line = host.Line(path)
        self.name = arch + (", a PCI card" if card else "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.line.close()
        self.monitor.close()


def post(line, text):
    """A command by the mailbox; its number."""
    box = line.word(BOX, "<Q")
    for at in range(0, len(text), 200):
        line.put(box + 8 + at, text[at:at + 200])
    line.put(box + 4, struct.pack("<I", len(text)))
    number = line.word(box + 2048) + 1
    line.put(box, struct.pack("<I", number))
    return number


def save(line, path):
    """The region up to where the last ring ends, as a file of its size."""
    size, rings = line.word(32, "<Q"), line.word(RINGS, "<Q")
    count = line.word(RINGS + 8)
    used = 0
    for i in range(count):
        ring = struct.unpack("<4I5Q", line.get(rings + 128 * i, 56))
        used = max(used, ring[5] + ring[6], ring[7] + ring[8])
    data = line.get(0, used, encoded=True)
    with open(path, "wb") as file:
        file.write(data)
        file.truncate(size)
    return data


def dump(line, path):
    base = line.word(16, "<Q")
    return subprocess.run([machine.TOOL, "dump", f"--base={base:#x}", path], capture_output=True,
                          text=True, check=False)


def is_text(m):
    line = m.line
    tap.ok(line.wait_text("waiting for commands in the mailbox, or typed here"),
           f"{m.name}: without a host the console is text", line.text[-800:])
    tap.ok("B/s" in line.text.partition("line: ")[2], "it says what it reaches",
           line.text[-800:])
    line.write(b"hep\x7flp\r\n")
    tap.ok(line.wait_text("record [") and "hep\b \blp\r\n" in line.text,
           "what is typed is echoed, mended and carried out", line.text[-800:])
    line.text = ""
    line.write(b"recrod\r")
    tap.ok(line.wait_text("unknown command") and line.wait_text("recrod\r\n^\r\n"),
           "a wrong command is refused", line.text)
    line.text = ""
    line.write(b"record -m 16 -e cpu-clock -F 100 -- noploop 1\r")
    tap.ok(line.wait_text("samples, 0 lost"), "and leaves it waiting for the next",
           line.text)
    line.text = ""
    line.write(b"record -m 16 -e cpu-clock -F 100 -- noploop 30\r")
    line.until(lambda: False, 1)
    line.write(b"stop\r")
    line.wait_text("samples, 0 lost")
    samples = re.search(r"cpu-clock: (\d+) samples", line.text)
    tap.ok(samples and 0 < int(samples[1]) < 2900, "typed stop ends a recording", line.text)
    tap.ok(line.wait_text("further commands"), "before its workload has ended", line.text)


def is_framed(m, directory):
    line = m.line
    line.text = ""
    tap.ok(line.hello() and line.welcome.probe == bytes(range(256)),
           f"{m.name}: HELLO is answered, with all byte values", line.text[-300:])
    header = line.get(0, 4096)
    tap.equal((header[:8], struct.unpack_from("<QQQ", header, 16)),
              (b"BAREPERF", (line.welcome.address, line.welcome.nonce, line.welcome.size)),
              "GET brings the header that HELLO speaks of")
    line.put(tr.READER, struct.pack("<I", 7))
    number = post(line, b"record -m 16 -e cpu-clock -F 1000 -- calltree 1")
    tap.ok(line.until(lambda: line.status and line.status.state == RECORDING, 60, 0.1,
                      lambda: line.put(tr.READER + 4, os.urandom(4))),
           "a reader that is announced is waited for", line.status)
    line.put(tr.READY, struct.pack("<Q", line.status.run))
    bell = line.word(BELLS, "<Q")
    rung = []

    def look():
        line.put(tr.READER + 4, os.urandom(4))
        rung.append(line.status.r0)
        rung.append(line.clear(bell))

    line.until(lambda: line.status.reply == number, 120, 0.1, look)
    tap.ok(1 in rung and (0, 1) in rung, "its owner's wakeups come as STATUS, and CLEAR takes them",
           rung)
    tap.equal(line.word(line.word(BOX, "<Q") + 2052, "<i"), 0, "the mailbox works by PUT")
    line.put(tr.READER, bytes(4))
    data = save(line, directory / "region")
    done = dump(line, directory / "region")
    tap.ok(done.returncode == 0 and "conserved: yes" in done.stdout,
           "the recording that the line brings is exact", done.stdout[-2000:] + done.stderr)
    tap.ok(line.carried < 0.5 * line.raw,
           "its bytes were fewer on the line",
           (line.carried, line.raw))
    ring = struct.unpack("<4I5Q", data[struct.unpack_from("<Q", data, RINGS)[0]:][:56])
    head = line.word(ring[4] + 1024, "<Q")
    tap.ok(head > 0 and line.put(ring[4] + TAIL, struct.pack("<Q", head)) == 0 and
           line.word(ring[4] + TAIL, "<Q") == head, "a tail is stored", head)
    line.text = ""
    line.bye()
    line.write(b"version\r")
    tap.ok(line.wait_text("bareperf 0"), "behind BYE it is text again", line.text)
    line.hello()
    line.text, line.framed = "", False
    tap.ok(line.until(lambda: "bareperf 0" in line.text, 120, 3,
                      lambda: line.write(b"version\r")), "and when the host has been silent",
           line.text)


def panics(m):
    """An NMI that is nobody's."""
    line = m.line
    line.hello()
    m.monitor.ask("inject-nmi")
    tap.ok(line.until(lambda: line.status.state == PANIC, 60, 0.5, line.live),
           f"{m.name}: the state of a machine that panicked comes by its line", line.status)
    said = line.get(tr.MESSAGE, 128).split(b"\0")[0]
    tap.ok(said.startswith(b"CPU 0: "), "its message is read by it", said)
    line.text = ""
    line.bye()
    line.until(lambda: False, 2)
    line.hello()
    console = line.word(tr.table("console"), "<Q")
    head, size = struct.unpack("<QI", line.get(console, 12))
    text = line.get(console + 16, min(head, size), encoded=True).decode("ascii", "replace")
    tap.ok("panic: CPU 0" in text and "backtrace:" in text, "and so is its console", text[-500:])
    line.bye()


def whole_story(arch, card, directory):
    with Machine(directory, arch, card, STEADY) as m:
        is_text(m)
        is_framed(m, directory)
        if arch == "x86_64":
            panics(m)


def main():
    for arch, card in (("x86_64", True), ("aarch64", False)):
        if machine.missing(f"qemu-system-{arch}"):
            tap.skip(f"{arch}: a line", machine.missing(f"qemu-system-{arch}"))
            continue
        with tempfile.TemporaryDirectory(prefix="bareperf-line-") as directory:
            whole_story(arch, card, pathlib.Path(directory))
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
