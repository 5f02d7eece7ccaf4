#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""The reader sleeps on its doorbell alone, without a time-out, and misses nothing. Images with a
fault built in make it sleep for ever, which shows that these tests can fail."""

import contextlib
import pathlib
import random
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import tap

PERIOD, TRIES = 2000000, 3
ICOUNT = ("-icount", "shift=2,sleep=off")
SMALL = ("--region-size", "2")


class Run(live.Live):
    """A `bareperf run` whose first ring the test reads while it continues."""

    def __init__(self, command, *options, qemu=()):
        super().__init__(command, "--timeout", str(live.PATIENCE), *options, qemu=qemu)

    def ring(self):
        """The first CPU's ticks of 1 ms; the head, tail and size of its ring."""
        ring = self.table("rings")
        control = self.word(ring + 16)
        return (self.word(self.table("cpus") + 32), self.word(control + 1024),
                self.word(control + 1032), self.word(ring + 32))


def three_events(arch, event, claim):
    """T1: three events, one small ring, the owner's doorbell. The machine does not run ahead of a
    busy host, and the reader is woken when a sixteenth of the ring is used. The rest lasts for 0.7
    s of the machine's time. A woken reader is late only if the host had no CPU for it; a reader
    that is not woken is late each time."""
    for _ in range(TRIES):
        run = machine.Recording(f"record -e {event},{event},{event} -c {PERIOD} -m 16 "
                                "--watermark 4096 -- noploop 8",
                                "--arch", arch, *SMALL, qemu=machine.PACED, timeout=live.PATIENCE)
        summary = run.summary()
        events = summary["events"]
        if run.status == 0 and not any(e["lost"] for e in events):
            break
    tap.equal(run.status, 0, f"{claim}: the recording ends well")
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
    tap.ok(sum(delivered) * 56 > 9 * 16 * 4096, f"{claim}: the ring was filled nine times",
           delivered)
    causes = sum(wakeups["causes"].values())
    tap.ok(wakeups["sent"] == causes - wakeups["coalesced"] > 20,
           f"{claim}: wakeups sent = causes - coalesced", wakeups)
    tap.equal(wakeups["rung"], wakeups["sent"] + wakeups["repeated"],
              f"{claim}: the host hears each doorbell that was rung")
    tap.ok(summary["conserved"], f"{claim}: the ledger is conserved", summary)


def hang(run):
    """Wait until the reader sleeps although its ring has been full for 200 of the machine's ticks.
    Returns the reader's state in /proc then, or None."""
    since = None

    def is_full():
        nonlocal since
        if not run.is_recording():
            return False
        ticks, head, tail, size = run.ring()
        if head - tail < size - 128 or since is None or tail != since[1]:
            since = (ticks, tail)
        return ticks - since[0] >= 200

    with contextlib.suppress(FileNotFoundError):
        if run.until(is_full):
            status = pathlib.Path(f"/proc/{run.reader()}/status").read_text()
            return re.search(r"^State:\s+(\S)", status, re.MULTILINE).group(1)
    return None


def fault(arch, name, command, qemu, claim):
    image = machine.TOP / f"build/{arch}/faults/{name}/bareperf.efi"
    run = Run(command, "--arch", arch, "--image", image, *SMALL, qemu=qemu)
    state = hang(run)
    text = run.finish(signal.SIGINT).text
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


def killed_readers():
    kills, pid = 0, None
    run = Run("record -e cpu-clock -c 100000 -m 1024 --watermark 1024 -- noploop 12", qemu=machine.PACED)
    pause = random.Random(50)
    while kills < 50:
        if not run.until(lambda: run.reader(last=pid)):
            break
        time.sleep(pause.uniform(0, 0.02))
        pid = run.signal_reader(signal.SIGKILL, last=pid)
        kills += pid is not None
    text = run.finish().text
    tap.equal((kills, run.status), (50, 0), "50 readers are killed during one recording, which ends "
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
    run = machine.Recording("record -e cpu-clock -c 1000000 -- noploop 1", "--no-doorbell",
                            qemu=machine.EXACT)
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
