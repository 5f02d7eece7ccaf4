#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine behind a line of 115,200 bit/s that makes more samples than the line carries. Measured:
samples per second, compared with the same samples sent as they lie in the ring, and the share of
the line's time that is used. Without an exact recording there is no figure."""

import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import mailbox      # noqa: E402
import serial_line  # noqa: E402
import wire         # noqa: E402

RATE = 11520  # bytes per second
COMMAND = "-e cpu-clock -F 5000 -g -m 512 -- calltree 2"
GOAL_USED, GOAL_TIMES = 95, 4


class Log:
    """The number of bytes that the line had carried at each moment."""

    def __init__(self, line):
        self.line, self.points, self.stop = line, [], False
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.stop:
            self.points.append((time.monotonic(), self.line.to_host.bytes))
            time.sleep(0.05)

    def end(self):
        self.stop = True
        self.thread.join()

    def middle(self):
        """Seconds and bytes between 10 % and 90 % of all bytes."""
        last = self.points[-1][1]
        points = [p for p in self.points if last * 0.1 <= p[1] <= last * 0.9]
        (begin, low), (end, high) = points[0], points[-1]
        return end - begin, high - low, (high - low) / last


def record(directory):
    """The line's log, the number of samples, and their bytes."""
    path, out = f"{directory}/machine", pathlib.Path(directory) / "perf.data"
    machine = subprocess.Popen(
        ["qemu-system-x86_64", *mailbox.MACHINES["x86_64"], "-m", "512", "-nodefaults", "-display",
         "none", "-no-reboot", "-chardev", f"socket,id=line,path={path},server=on,wait=off",
         "-serial", "chardev:line", "-kernel", TOP / "build/x86_64/bareperf.efi", "-append", ""],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not pathlib.Path(path).exists():
            time.sleep(0.05)
        with serial_line.Line(path, f"{directory}/line") as line:
            line.to_host.rate = line.to_machine.rate = RATE
            log = Log(line)
            try:
                subprocess.run([TOP / "build/host/bareperf", "record", "--channel",
                                f"unix:{line.path}", "--timeout", "60", "-o", out,
                                *COMMAND.split()], check=True, capture_output=True,
                               stdin=subprocess.DEVNULL)
            finally:
                log.end()
    finally:
        machine.kill()
        machine.wait()
    summary = json.loads(subprocess.run([TOP / "build/host/bareperf", "dump", "--json", out],
                                        check=True, capture_output=True).stdout)
    assert summary["conserved"]
    return log, sum(event["delivered"] for event in summary["events"]), len(wire.parts(out)[0])


def figure(name, value, unit, goal):
    print(f"bench {name} {value:.1f} {unit} goal {goal} {'ok' if value >= goal else 'short'}")


with tempfile.TemporaryDirectory(prefix="bareperf-line-") as where:
    LOG, COUNT, SIZE = record(where)
SECONDS, BYTES, SHARE = LOG.middle()
CAME, RAW = COUNT * SHARE / SECONDS, RATE / (SIZE / COUNT)
print(f"# {COUNT} samples of {SIZE / COUNT:.0f} bytes, all but a fifth in {SECONDS:.1f} s of a line of "
      f"{RATE} bytes a second: {CAME:.0f} a second, where {RAW:.0f} would come as they are")
figure("slow-line-samples", CAME / RAW, "times-as-they-are", GOAL_TIMES)
figure("slow-line-used", 100 * BYTES / SECONDS / RATE, "%-of-its-time", GOAL_USED)
