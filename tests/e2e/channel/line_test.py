#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""A machine that only a serial line reaches: text and typed commands, frames by a second
implementation of docs/wire-format.md, a host that sends garbage, a machine that is told to switch
off, a panic that the host reads."""

import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import line_host as host
import machine
import mailbox
import region as tr
import tap
import wire

TOP = machine.TOP
BOX, BELLS = tr.table("mailbox"), tr.table("doorbells")
RINGS, LEDGER = tr.table("rings"), tr.table("event_ledger")
IDLE, RECORDING, PANIC = 1, 2, 5
EINVAL = -22
FAULTS = 2560  # line_faults
HEAD, TAIL, AUX_TAIL = 1024, 1032, 1064
REPLY = 2048  # offset in the mailbox
TAIL_FAULTS = 80  # offset in a ring's ledger
SEED = int(os.environ.get("SEED", str(random.randrange(10**6))))
SHORT = b"record -m 16 -e cpu-clock -F 1000 -- noploop 1"
LAST = SHORT.decode().replace(" -- ", " --then poweroff -- ")
EXCLUSIVE = LAST.replace("record", "record --exclusive")
STEADY = ("-icount", "shift=3,sleep=off")  # ticks are exact, however busy the host is


class Machine:
    """A machine of arch without shared memory, whose line is a socket: its console's UART or a PCI
    card."""

    def __init__(self, directory, arch, card=False, options=(), command=""):
        path = pathlib.Path(directory) / "line"
        chardev = ["-chardev", f"socket,id=line,path={path},server=on,wait=on"]
        serial = ["-serial", "null", "-device", "pci-serial,chardev=line"] if card else \
            ["-serial", "chardev:line"]
        self.monitor = machine.boots.Monitor(directory)
        self.process = subprocess.Popen(
            [machine.boots.parked(f"qemu-system-{arch}"), *mailbox.MACHINES[arch], "-m", "512", "-nodefaults", "-display",
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
    """Post a command in the mailbox. Returns its number."""
    box = line.word(BOX, "<Q")
    for at in range(0, len(text), 200):
        line.put(box + 8 + at, text[at:at + 200])
    line.put(box + 4, struct.pack("<I", len(text)))
    number = line.word(box + REPLY) + 1
    line.put(box, struct.pack("<I", number))
    return number


def save(line, path):
    """The region up to the end of the last ring, as a file of the region's size."""
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


def printed(line):
    """The console's text in the region."""
    at = line.word(tr.table("console"), "<Q")
    head, size = struct.unpack("<QI", line.get(at, 12))
    return line.get(at + 16, min(head, size), encoded=True).decode("ascii", "replace")


def is_text(m):
    line = m.line
    tap.ok(line.wait_text("waiting for commands in the mailbox, or typed here"),
           f"{m.name}: without a host the console is text", line.text[-800:])
    tap.ok("B/s" in line.text.partition("line: ")[2], "it reports its rate",
           line.text[-800:])
    line.write(b"hep\x7flp\r\n")
    tap.ok(line.wait_text("record [") and "hep\b \blp\r\n" in line.text,
           "typed text is echoed, edited and carried out", line.text[-800:])
    line.text = ""
    line.write(b"recrod\r")
    tap.ok(line.wait_text("unknown command") and line.wait_text("recrod\r\n^\r\n"),
           "a wrong command is refused", line.text)
    line.text = ""
    line.write(b"record -m 16 -e cpu-clock -F 100 -- noploop 1\r")
    tap.ok(line.wait_text("cpu-clock: 100 samples, 0 lost") and line.wait_text("further commands"),
           "and leaves it waiting for the next", line.text)
    line.text = ""
    line.write(b"record -m 16 -e cpu-clock -F 100 -- noploop 10\r")
    line.until(lambda: False, 1)
    line.write(b"stop\r")
    line.wait_text("cpu-clock: ")
    line.wait_text("further commands")
    samples = re.search(r"cpu-clock: (\d+) samples", line.text)
    tap.ok(samples and 0 < int(samples[1]) < 900, "typed stop ends a recording", line.text)
    tap.ok("further commands" in line.text, "before its workload has ended", line.text)


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
    tap.ok(line.until(lambda: line.status and line.status.state == RECORDING, 300, 0.1,
                      lambda: line.put(tr.READER + 4, os.urandom(4))),
           "a reader that is announced is waited for", line.status)
    run, bell = line.status.run, line.word(BELLS, "<Q")
    line.clear(bell)
    line.status = None

    def renew():
        line.put(tr.READER + 4, os.urandom(4))

    line.put(tr.READY, struct.pack("<Q", run))
    tap.ok(line.until(lambda: line.status and line.status.r0 == 1, 300, 0.1, renew),
           "its owner's wakeup comes as STATUS", line.status)
    tap.equal(line.clear(bell), (0, 1), "and CLEAR takes it")
    line.until(lambda: line.status.reply == number, 300, 0.1, renew)
    tap.equal(line.word(line.word(BOX, "<Q") + REPLY + 4, "<i"), 0, "the mailbox works by PUT")
    line.put(tr.READER, bytes(4))
    data = save(line, directory / "region")
    done = dump(line, directory / "region")
    tap.ok(done.returncode == 0 and "conserved: yes" in done.stdout,
           "the recording that the line brings is exact", done.stdout[-2000:] + done.stderr)
    tap.ok(line.carried < 0.5 * line.raw,
           "its bytes were fewer on the line",
           (line.carried, line.raw))
    ring = struct.unpack("<4I5Q", data[struct.unpack_from("<Q", data, RINGS)[0]:][:56])
    head = line.word(ring[4] + HEAD, "<Q")
    tap.ok(head > 0 and line.put(ring[4] + TAIL, struct.pack("<Q", head)) == 0 and
           line.word(ring[4] + TAIL, "<Q") == head, "a tail is stored", head)
    line.text = ""
    line.bye()
    line.write(b"version\r")
    tap.ok(line.wait_text("bareperf 0"), "behind BYE it is text again", line.text)
    line.hello()
    line.text, line.framed = "", False
    tap.ok(line.until(lambda: "bareperf 0" in line.text, 300, 3,
                      lambda: line.write(b"version\r")), "and when the host has been silent",
           line.text)


def any_frames(line, chance, count):
    """A hostile host that knows the frames."""
    places = [0, tr.READER, tr.READY, line.word(RINGS, "<Q"), line.word(BELLS, "<Q"),
              line.word(BOX, "<Q"), line.welcome.size - 8, 2**64 - 8]
    for _ in range(count):
        kind = chance.choice([host.HELLO, host.GET, host.PUT, host.CLEAR, host.BAUD,
                              host.DATA, host.DONE, host.STATUS, chance.randrange(256)])
        at = chance.choice(places) + 4 * chance.randrange(600) & 2**64 - 1
        words = chance.choice([
            chance.randbytes(chance.randrange(500)),
            struct.pack("<IHQ", chance.choice([0, 1, 2, 3, chance.getrandbits(32)]),
                        chance.choice([0, 1, 4, 8, 48, 65535]), at) + chance.randbytes(48),
            struct.pack("<HIQ", 1, chance.choice([0, 8, 65536, 2**32 - 1]), at)])
        frame = wire.frame(kind, words, chance.randrange(3), chance.randrange(256))
        if chance.randrange(4) == 0:
            frame = bytes(b ^ (1 << chance.randrange(8) if chance.randrange(50) == 0 else 0)
                          for b in frame)
        line.write(frame)
        line.poll(0.01)
    line.write(bytes(4) + chance.randbytes(4000) + bytes(2))


def any_words(line, chance, count):
    """Store garbage in all words and texts that the host may write, while the machine records."""
    box, bell = line.word(BOX, "<Q"), line.word(BELLS, "<Q")
    control = line.word(line.word(RINGS, "<Q") + 16, "<Q")
    places = [(control + TAIL, 8), (control + AUX_TAIL, 8), (tr.READER, 4), (tr.READER + 4, 4),
              (tr.READY, 8), (bell + 8, 4), (box, 4), (box + 4, 4), (box + 8, 200)]
    refused = []
    for i in range(count):
        at, size = places[i % len(places)]
        refused.append(line.put(at, chance.randbytes(size)))
        line.clear(bell)
    return refused


def is_hostile(m, directory, chance):
    line = m.line
    line.hello()
    before, rings = line.word(FAULTS, "<Q"), line.word(RINGS, "<Q")
    wrong = (0, 48, FAULTS, rings, line.word(rings + 16, "<Q") + HEAD, 2**64 - 8)
    tap.equal([line.put(at, bytes(8)) for at in wrong], [EINVAL] * len(wrong),
              f"{m.name}: a store beside the HOST words is refused")
    tap.equal(line.word(FAULTS, "<Q") - before, len(wrong), "and counted in the header")
    any_frames(line, chance, 150)
    tap.ok(line.hello(), "behind frames of any kind, and none, it welcomes the next host")
    before, line.status = line.word(FAULTS, "<Q"), None
    line.put(tr.READER, bytes(4))
    post(line, b"record -m 4 -e cpu-clock -F 4000 -- noploop 3")
    line.until(lambda: line.status and line.status.state == RECORDING, 300, 0.2, line.live)
    states = any_words(line, chance, 54)
    any_frames(line, chance, 60)
    line.hello()
    line.status = None
    tap.ok(line.until(lambda: line.status and line.status.state == IDLE, 300, 0.5, line.live),
           "a recording comes to its end, whatever tails, lease and mailbox say",
           (line.status, line.text[-500:]))
    tap.ok(states == [0] * len(states) and line.word(FAULTS, "<Q") > before,
           "requests that make no sense are counted, and these make some", states)
    line.put(tr.READER, bytes(8))
    faults = line.word(line.word(tr.table("ring_ledger"), "<Q") + TAIL_FAULTS, "<Q")
    tap.ok(faults > 0, "tails beyond the heads are counted", faults)
    line.status = None
    run = line.word(tr.RUN, "<Q") + 1
    number = post(line, SHORT)
    line.until(lambda: line.status and line.status.reply == number, 300, 0.5, line.live)
    save(line, directory / "region")
    done = dump(line, directory / "region")
    generated = re.search(r"^cpu-clock +0 +\d+ +(\d+) ", done.stdout, re.MULTILINE)
    tap.ok(done.returncode == 0 and "conserved: yes" in done.stdout and
           f"run {run}, ended" in done.stdout and int(generated[1]) > 900,
           "and the next honest recording is exact", done.stdout[-3000:] + done.stderr)
    tap.ok("line:" in done.stdout, "dump reports the faults", done.stdout[:500])


class Reader:
    """An announced reader, which renews its lease while it looks."""

    def __init__(self, line):
        self.line = line
        line.status = None
        line.put(tr.READER, struct.pack("<I", 9))

    def live(self):
        self.line.put(tr.READER + 4, os.urandom(4))

    def until(self, condition):
        return self.line.until(lambda: self.line.status and condition(self.line.status), 300, 0.1,
                               self.live)

    def is_said(self, text, times):
        """Returns whether the machine prints it within that time."""
        return self.line.until(lambda: printed(self.line).count(text) == times, 300, 0.1, self.live)

    def records(self, command):
        """A recording that nobody reads until it has ended."""
        run = self.line.word(tr.RUN, "<Q") + 1
        number = post(self.line, command)
        if not self.until(lambda status: status.state == RECORDING and status.run == run):
            return False
        self.line.put(tr.READY, struct.pack("<Q", run))
        return self.until(lambda status: status.reply == number)

    def reads(self):
        """Acknowledge everything that was written."""
        rings, count = self.line.word(RINGS, "<Q"), self.line.word(RINGS + 8)
        for i in range(count):
            control = self.line.word(rings + 128 * i + 16, "<Q")
            self.line.put(control + TAIL, self.line.get(control + HEAD, 8))

    def withdraws(self):
        """A machine that switches off then need not answer."""
        self.line.number += 1
        self.line.send(host.PUT, struct.pack("<IHQI", self.line.number, 4, tr.READER, 0))


def ends(m):
    """The recording lies in RAM, which is lost when the machine switches off. The machine reports
    that at boot if nobody reads. Then one boot without a reader, and one with a reader."""
    line = m.line
    tap.ok(line.wait_text("waiting 10 s for a reader") and
           line.wait_text("no host reads the recording, which stays in RAM: waiting for commands"),
           f"{m.name}: before it powers off the machine waits 10 s for a reader, and stays on if none comes",
           line.text[-500:])
    line.hello()
    reader = Reader(line)
    tap.ok(reader.records(SHORT), "a machine that has stayed on records again", line.status)
    number = post(line, LAST.encode())
    run = line.word(tr.RUN, "<Q")
    said = "the last recording is still being read: "
    tap.ok(reader.is_said(said, 1) and line.word(tr.RUN, "<Q") == run,
           "a command waits for the reader of the last recording at a line, and says so",
           printed(line)[-500:])
    reader.reads()
    tap.ok(reader.until(lambda status: status.state == RECORDING and status.run == run + 1),
           "and continues when all of it is acknowledged", line.status)
    line.put(tr.READY, struct.pack("<Q", run + 1))
    reader.until(lambda status: status.reply == number)
    tap.ok(reader.is_said(said, 2) and m.process.poll() is None,
           "so does the machine that is to switch off", printed(line)[-500:])
    gone = "the reader has left or stopped reading; the recording stays in RAM: waiting"
    tap.ok(line.until(lambda: gone in printed(line), 300),
           "which stays on when the reader goes away without a word", printed(line)[-500:])
    reader = Reader(line)
    reader.live()
    post(line, b"version --then reboot")
    tap.ok(reader.is_said(said, 3) and m.process.poll() is None,
           "and waits again for the next, who is to read before it reboots", printed(line)[-500:])
    reader.reads()
    reader.live()
    tap.ok(m.process.poll() is None, "and to say that it has all")
    reader.withdraws()
    try:
        status = m.process.wait(60)
    except subprocess.TimeoutExpired:
        status = None
    tap.equal(status, 0, "which ends it")


def panics(m):
    """An NMI without a known cause."""
    line = m.line
    line.hello()
    m.monitor.ask("inject-nmi")
    tap.ok(line.until(lambda: line.status.state == PANIC, 300, 0.5, line.live),
           f"{m.name}: the state of a machine that panicked comes by its line", line.status)
    said = line.get(tr.MESSAGE, 128).split(b"\0")[0]
    tap.ok(said.startswith(b"CPU 0: "), "its message is read by it", said)
    line.text = ""
    line.bye()
    line.until(lambda: False, 2)
    line.hello()
    text = printed(line)
    tap.ok("panic: CPU 0" in text and "backtrace:" in text, "and so is its console", text[-500:])
    line.bye()


def whole_story(arch, card, directory):
    with Machine(directory, arch, card, STEADY) as m:
        is_text(m)
        is_framed(m, directory)
        is_hostile(m, directory, random.Random(SEED))
        if arch == "x86_64":
            panics(m)


def main():
    tap.note(f"SEED={SEED}")
    for arch, card in (("x86_64", True), ("aarch64", False)):
        if machine.missing(f"qemu-system-{arch}"):
            tap.skip(f"{arch}: a line", machine.missing(f"qemu-system-{arch}"))
            continue
        with tempfile.TemporaryDirectory(prefix="bareperf-line-") as directory:
            whole_story(arch, card, pathlib.Path(directory))
        if arch != "x86_64":
            continue  # the end of a run depends neither on the ISA nor on the line
        with tempfile.TemporaryDirectory(prefix="bareperf-line-") as directory, \
                Machine(directory, arch, card, command=EXCLUSIVE) as m:
            ends(m)
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
