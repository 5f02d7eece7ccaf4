#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf report --phases`: the samples between a recording's marks "phase NAME", by modules and
functions.

check-spare: no claim is about time
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import perf_file
import tap

TOOL = pathlib.Path(__file__).resolve().parents[3] / "build/host/bareperf"
IMAGES = {"worker.efi": 0x10000, "Metronome": 0x20000, "waiter.efi": 0x30000}
ROW = re.compile(r"^ *([\d.]*) +([\d.]+) +([\d.]+) +([\d.]+)% +(\d+)  (.*)$")


def report(path, *options):
    return subprocess.run([TOOL, "report", "--phases", *options, path], capture_output=True, text=True)


def rows(text):
    """[(depth, name, begins, work, waiting, samples)]"""
    found = [ROW.match(line) for line in text.splitlines()]
    return [(len(row[6]) - len(row[6].lstrip()), row[6].strip(), row[1], row[2], row[3], int(row[5]))
            for row in found if row]


def recording(path, clock=True):
    """Samples each 1 ms; times in ns."""
    event = ("cpu-clock", perf_file.SOFTWARE, 0) if clock else ("cycles", perf_file.HARDWARE, 0)
    file = perf_file.PerfFile((event, ("marks", perf_file.SOFTWARE, perf_file.BPF_OUTPUT)))
    file.command("boot")
    for name, address in IMAGES.items():
        file.image(name, address, 0x1000, 0)

    def work(time):
        file.sample(IMAGES["worker.efi"] + 16, time, period=1000000)

    def wait(time):
        file.sample(IMAGES["Metronome"] + 16, time, period=1000000, chain=(IMAGES["waiter.efi"] + 32,))

    work(999)
    file.mark("phase one", 1000, event=1)
    work(1000)  # a sample at a phase's begin belongs to the phase
    work(1001)
    file.mark("error (major) PCI: SERR", 1002, event=1)
    wait(1003)
    file.mark("begin inner", 1004, event=1)
    work(1999)
    file.mark("phase two\x1b[2J", 2000, event=1)
    wait(2001)
    # as if from another CPU: records are not sorted by time
    file.mark("phase three", 4000, event=1)
    file.mark("phase none", 2500, event=1)
    file.mark("phase one", 3000, event=1)
    work(3001)
    work(4001)
    file.write(path)


def judge(path):
    recording(path)
    done = report(path)
    told = rows(done.stdout)
    phases = [row[1:] for row in told if row[0] == 0]
    tap.equal(phases, [
        ("[before the first]", "", "0.001000", "0.000000", 1),
        ("one, 2 times", "0.000001", "0.004000", "0.001000", 5),
        ("two.[2J", "0.000002", "0.000000", "0.001000", 1),
        ("none", "0.000002", "0.000000", "0.000000", 0),
        ("three", "0.000004", "0.001000", "0.000000", 1),
        ("[all]", "", "0.006000", "0.002000", 8)],
        "each phase has the samples between its mark and the next, in the order of their beginnings")
    one = told[[row[1] for row in told].index("one, 2 times"):]
    tap.equal([(row[0], row[1], row[3], row[4]) for row in one[1:5]],
              [(2, "worker.efi", "0.004000", "0.000000"), (4, "[no name]", "0.004000", "0.000000"),
               (2, "waiter.efi", "0.000000", "0.001000"), (4, "[no name] in Stall()", "0.000000", "0.001000")],
              "and in it modules and their functions, waiting ones apart")
    tap.ok("marks" not in done.stdout and done.stdout.count("# Event:") == 1,
           "marks themselves are no weight in it", done.stdout)
    some = [row[1:2] + row[3:] for row in rows(report(path, "--percent-limit", "20").stdout) if row[0] == 0]
    tap.equal(some, [("one, 2 times", "0.004000", "0.001000", 5), ("[4 more]", "0.002000", "0.001000", 3),
                     ("[all]", "0.006000", "0.002000", 8)],
              "images below the limit share one row: the rows' sum is the whole")


def counts(path):
    recording(path, clock=False)
    told = {row[1]: row[3:] for row in rows(report(path).stdout) if row[0] == 0}
    tap.equal(told.get("one, 2 times"), ("4000000", "1000000", 5), "of a counter the weights are counts")


def without(path):
    file = perf_file.PerfFile((("cpu-clock", perf_file.SOFTWARE, 0),
                               ("marks", perf_file.SOFTWARE, perf_file.BPF_OUTPUT)))
    file.mark("phased out", 5, event=1)
    file.sample(0x10, 10)
    file.write(path)
    done = report(path)
    tap.ok(done.returncode == 1 and "has no phases" in done.stderr and not done.stdout,
           "a recording without phases is reported as such", done)


def firmwares(path, *notes, starts=1_600_400_000):
    """The lines of the firmware's own times, reported at 9 s; an image is started at that time."""
    file = perf_file.PerfFile((("cpu-clock", perf_file.SOFTWARE, 0),
                               ("marks", perf_file.SOFTWARE, perf_file.BPF_OUTPUT)))
    file.mark("phase loader.efi starts", starts, event=1)
    file.sample(0x10, 2_000_000_000)
    for note in notes:
        file.mark(f"FPDT {note}", 9_000_000_000, event=1)
    file.write(path)
    done = report(path)
    assert not done.stderr, done
    return done.stdout[done.stdout.index("# FPDT"):].splitlines()[1:-1]


def firmwares_times(path):
    reset, load, start, late = ("0.012345678 s: reset ends", "1.500000000 s: OS loader: LoadImage() starts",
                                "4.800000001 s: OS loader: StartImage() starts", "12.200000000 s: BDS begins")
    counter = "counter 3.200000000 s: the recording's 0"
    tap.equal(firmwares(path, reset, load), [f"    {reset}", f"    {load}"],
              "without the counter's value the firmware's own times are not shifted")
    at = "#      Begins, if that is the CPU's counter, which was at 3.200000000 s at the recording's 0"
    tap.equal(firmwares(path, reset, load, start, counter),
              [at, '# and, which speaks for that, within 400 us of the mark "phase loader.efi starts" the loader is '
               "started by it", f"    -3.187654    {reset}", f"    -1.700000    {load}", f"     1.600000    {start}"],
              "else beside them when in the recording that would be, and which mark agrees")
    tap.equal(firmwares(path, counter, start, "damaged 5", starts=1_700_000_000),
              [at, f"     1.600000    {start}", "    damaged 5"], "or that none does")
    tap.equal(firmwares(path, reset, late, counter),
              [at, f"    -3.187654    {reset}", f"     9.000000    {late}"],
              "also when it is the moment of the report")
    tap.equal(firmwares(path, reset, "12.200001001 s: BDS begins", counter),
              ["# which is not the CPU's counter, by which this would be later than it was reported: 12.200001001 s: "
               "BDS begins",
               f"    {reset}", "    12.200001001 s: BDS begins"], "but no later: then it is another clock")
    for wrong in ("counter 3.2 s: x", "counter 99999999999.000000000 s: x", "counter", "counter -1.000000000 s: x"):
        tap.equal(firmwares(path, load, wrong)[0], f"    {load}", f"a counter that makes no sense is none: {wrong}")


with tempfile.TemporaryDirectory(prefix="bareperf-phases-") as directory:
    data = pathlib.Path(directory) / "perf.data"
    judge(data)
    counts(data)
    without(data)
    firmwares_times(data)
tap.finish()
