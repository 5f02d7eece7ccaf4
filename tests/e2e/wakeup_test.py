#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""The reader sleeps on its doorbell alone, with no time-out, and misses nothing; images with a
fault built in make it sleep for ever, so these tests are able to fail."""

import contextlib
import mmap
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import tempfile
import time

import machine
import tap

PERIOD = 2000000
ICOUNT = ("-icount", "shift=2,sleep=off")
SMALL = ("--region-size", "2")
GIVE_UP = 300  # s until a hang or a reader that should come counts as missing


class Run:
    """A `bareperf run` that goes on while we look at its region and its processes."""

    def __init__(self, command, *options, qemu=()):
        self.directory = tempfile.TemporaryDirectory(prefix="bareperf-test-")
        here = pathlib.Path(self.directory.name)
        self.file, self.region_file = here / "perf.data", here / "region"
        self.process = subprocess.Popen(
            [machine.TOOL, "run", "-o", self.file, "--region", self.region_file, "--timeout",
             str(GIVE_UP), *options, *qemu, "--", *command.split()], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.memory = None

    def word(self, offset):
        return struct.unpack_from("<Q", self.memory, offset)[0]

    def table(self, number):
        """Offset of the first entry of one of the header's tables."""
        return self.word(128 + 16 * number)

    def is_recording(self):
        if self.memory is None:
            with contextlib.suppress(FileNotFoundError, ValueError):
                with open(self.region_file, "rb") as file:
                    self.memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        return self.memory is not None and self.word(0) == 0x4652455045524142 and \
            struct.unpack_from("<I", self.memory, 48)[0] == 2

    def ring(self):
        """The first CPU's ticks of 1 ms, its ring's head, tail and size."""
        ring = self.table(4)
        control = self.word(ring + 16)
        return (self.word(self.table(0) + 32), self.word(control + 1024),
                self.word(control + 1032), self.word(ring + 32))

    def reader(self):
        """The process id of the reader, or None."""
        pid = self.process.pid
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "bareperf-reader":
                    return int(child)
        return None

    def end(self, number=None):
        if number:
            self.process.send_signal(number)
        text = self.process.communicate(timeout=GIVE_UP)[1]
        return self.process.returncode, text

    summary = machine.Recording.summary
    perf = machine.Recording.perf


def three_events(arch, event, claim):
    """T1: three events, one small ring, the owner's doorbell. The machine catches up with a busy
    host, so the reader is woken for a sixteenth: what is left lasts for 1.4 s of the machine's, and
    it comes later than that only if it is not woken."""
    run = machine.Recording(f"record -e {event},{event},{event} -c {PERIOD} -m 32 "
                            "--watermark 8192 -- noploop 16",
                            "--arch", arch, *SMALL, qemu=machine.PACED, timeout=GIVE_UP)
    tap.equal(run.status, 0, f"{claim}: the recording ends well")
    summary = run.summary()
    events = summary["events"]
    wakeups = summary["wakeups"]
    delivered = [e["delivered"] for e in events]
    tap.ok(len(events) == 3 and max(delivered) - min(delivered) <= 1,
           f"{claim}: all three events deliver equally many samples", delivered)
    tap.ok(all(abs(e["delivered"] - e["count"] // PERIOD) <= 1 for e in events),
           f"{claim}: as many as their counts demand", events)
    tap.ok(all(0.96 < e["count"] / e["time_enabled"] < 1.001 for e in events),
           f"{claim}: the counts are the ns that passed, but for 4 % in handlers", events)
    tap.ok(all(e["period_delivered"] + e["residue"] == e["count"] for e in events),
           f"{claim}: PERIODs + residue = the counter, exactly", events)
    tap.equal([e["lost"] for e in events], [0, 0, 0], f"{claim}: nothing is lost")
    tap.ok(sum(delivered) * 56 > 9 * 32 * 4096, f"{claim}: the ring was filled nine times",
           delivered)
    causes = sum(wakeups["causes"].values())
    tap.ok(wakeups["sent"] == causes - wakeups["coalesced"] > 20,
           f"{claim}: wakeups sent = causes - coalesced", wakeups)
    tap.equal(wakeups["rung"], wakeups["sent"] + wakeups["repeated"],
              f"{claim}: the host hears each doorbell that was rung")
    tap.ok(summary["conserved"], f"{claim}: the ledger is conserved", summary)


def hang(run):
    """Wait until the reader sleeps on while its ring is full, for 200 of the machine's ticks.
    Returns the reader's state in /proc then, or None."""
    limit = time.monotonic() + GIVE_UP
    since = None
    while time.monotonic() < limit and run.process.poll() is None:
        time.sleep(0.005)
        if not run.is_recording():
            continue
        ticks, head, tail, size = run.ring()
        if head - tail < size - 128 or since is None or tail != since[1]:
            since = (ticks, tail)
        elif ticks - since[0] >= 200:
            with contextlib.suppress(FileNotFoundError):
                status = pathlib.Path(f"/proc/{run.reader()}/status").read_text()
                return re.search(r"^State:\s+(\S)", status, re.MULTILINE).group(1)
    return None


def fault(arch, name, command, qemu, claim):
    image = machine.TOP / f"build/{arch}/faults/{name}/bareperf.efi"
    run = Run(command, "--arch", arch, "--image", image, *SMALL, qemu=qemu)
    state = hang(run)
    text = run.end(signal.SIGINT)[1]
    tap.ok(state == "S", f"{claim}: the reader sleeps while its ring is full", f"{state}\n{text}")
    events = run.summary()["events"] if run.file.exists() else []
    tap.ok(events and all(e["lost"] > 0 for e in events), f"{claim}: samples of every event are lost", events)


def faults(arch, event):
    fault(arch, "NOTIFY_FIRING",
          f"record -e {event},{event},{event} -c {PERIOD} -m 16 -- noploop 10000", ICOUNT,
          f"{arch}: built to notify the firing event")
    fault(arch, "STORE_BUFFER",
          "record -e cpu-clock,cpu-clock,cpu-clock -c 1000000 -m 4 --wakeup-events 1 "
          "-- noploop 10000", (), f"{arch}: built without the fence")


def next_reader(run, last):
    """Wait for a reader that is not the last one; None if there is none any more."""
    limit = time.monotonic() + GIVE_UP
    while time.monotonic() < limit and run.process.poll() is None:
        pid = run.reader()
        if pid and pid != last:
            return pid
        time.sleep(0.001)
    return None


def killed_readers():
    kills, pid = 0, None
    run = Run("record -e cpu-clock -c 100000 -m 1024 --watermark 1024 -- noploop 20")
    pause = random.Random(50)
    while kills < 50:
        pid = next_reader(run, pid)
        if not pid:
            break
        time.sleep(pause.uniform(0, 0.03))
        with contextlib.suppress(ProcessLookupError):  # the run has come to its end
            os.kill(pid, signal.SIGKILL)
            kills += 1
    status, text = run.end()
    tap.equal((kills, status), (50, 0), "50 readers are killed during one recording, which ends "
              "well")
    tap.ok("50 readers died and were replaced" in text, "each of them is replaced", text)
    summary = run.summary()
    event = summary["events"][0]
    tap.equal((event["lost"], event["delivered"]), (0, event["generated"]),
              "no count is lost with them: delivered = generated, lost 0")
    tap.ok(summary["conserved"], "and none is there twice: the ledger is conserved", summary)
    times = run.perf("script", "-F", "time", "--ns")[0].split()
    tap.ok(len(times) == len(set(times)) == event["generated"],
           "stock perf sees every sample once", f"{len(times)} {len(set(times))} {event}")


def two_cpus():
    run = machine.Recording("record -e cpu-clock -c 100000 -m 2 -a -- noploop 1",
                            qemu=("-smp", "2"))
    summary = run.summary()
    wakeups = summary["wakeups"]
    tap.ok(summary["conserved"] and len(summary["events"]) == 2 and
           wakeups["rung"] == wakeups["sent"] + wakeups["repeated"] > 2,
           "the owners of two CPUs' rings are woken each by its own doorbell", summary)


def no_doorbell():
    run = machine.Recording("record -e cpu-clock -c 1000000 -- noploop 1", "--no-doorbell")
    summary = run.summary()
    tap.ok(run.status == 0 and summary["conserved"] and summary["wakeups"]["rung"] == 0 and
           summary["events"][0]["delivered"] > 100,
           "without a doorbell the flag words are polled", f"{run.text}\n{summary}")


def main():
    reason = machine.missing()
    if reason:
        tap.skip("wakeups on stock QEMU", reason)
    else:
        three_events("x86_64", "cpu-clock", "x86_64, three times cpu-clock")
        faults("x86_64", "cpu-clock")
        killed_readers()
        two_cpus()
        no_doorbell()
    reason = machine.missing("qemu-system-aarch64")
    if reason:
        tap.skip("wakeups on stock QEMU, aarch64", reason)
    else:
        three_events("aarch64", "cycles", "aarch64, three times cycles")
        faults("aarch64", "cycles")
    tap.finish()


main()
