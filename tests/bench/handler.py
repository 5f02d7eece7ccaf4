#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of an overflow handler, from its vector to the return: bareperf's and Linux's. The
machine counts instructions as time (-icount). The same program runs twice with different periods.
The additional time of the second run, divided by its additional samples, is the cost of one
sample's handler. The time of the housekeeping ticks, which the ledger reports, is subtracted. Linux
has no such clock, so its figure is the slope of perf stat's instructions:k over `perf record` of a
similar program. That includes perf's writing of the file, but not the part of the handler during
which the counters are stopped. The handler of a branch trace, which switches segments, is measured
by an image of its own, tests/firmware/x86_64/bts_cost.c. Linux has no comparable figure: perf reads
the trace on the CPU that it traces, so the handler's cost cannot be separated from perf's. A trace
by single-step has no goal. Its cost is measured by loops of two lengths; every other instruction of
the loop is a branch."""

import collections
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/qemu"), str(TOP / "tests/e2e/lib"), str(TOP / "tests/firmware")]

import bts_cost  # noqa: E402
import guests  # noqa: E402
import machine  # noqa: E402

SHIFT = 2  # 2 ** SHIFT ns per instruction
PERIODS = (100003, 20011)
TURNS = 20000000  # turns of the program's loop
CHAIN = 8
QEMU = {
    "x86_64": ["-cpu", "Skylake-Client,pmu=on"],
    "aarch64": ["-machine", "virt,gic-version=3,virtualization=on",
                "-cpu", "cortex-a76,pmu-instructions=on"],
}
LINUX = {
    "x86_64": "Skylake-Client,pmu=on,-rdrand,-rdseed",
    "aarch64": "cortex-a76,pmu-instructions=on",
}
EVENT = {"x86_64": "cycles", "aarch64": "instructions"}
STEPPED = (10000, 50000)
GOALS = {"sample": 250, "callchain": 350}
THEIRS = {"sample": 1 / 5, "callchain": 1 / 4}  # the goal, as a share of Linux's instructions


def figure(name, value, unit, goal):
    print(f"bench {name} {value:.3g} {unit} goal {goal:.3g} {'ok' if value <= goal else 'short'}",
          flush=True)


def slope(points):
    """Instructions per sample, from the first and the last of [(samples, instructions), …]."""
    (few, least), (many, most) = points[0], points[-1]
    return (most - least) / (many - few)


def ours(isa, binary, payload, period, flags):
    """(samples, instructions) of one run."""
    run = machine.Recording(
        f"record -e {EVENT[isa]} -c {period} {flags} -m 1024 -- payload {CHAIN} {TURNS}",
        "--arch", isa, "--qemu", binary, "--payload", payload, "--timeout", "300",
        qemu=(*QEMU[isa], "-icount", f"shift={SHIFT},sleep=off"), timeout=600)
    if run.status:
        raise SystemExit(f"handler.py: {run.text}")
    summary = run.summary()
    event, cpu = summary["events"][0], summary["cpus"][0]
    assert summary["conserved"] and not event["lost"], summary
    if "-g" in flags:
        lengths = collections.Counter(len(chain) for _, _, chain in run.chains())
        assert lengths[CHAIN] >= 0.98 * len(run.chains()), lengths
    ticks = cpu["tick_cycles"] * 1e9 / cpu["frequency"]
    return event["generated"], (event["time_enabled"] - ticks) / 2 ** SHIFT


def linux(binary, isa):
    """{"plain" or "callchain": [(samples, kernel instructions), …]}"""
    directory = guests.guest_directory(isa)
    guest = guests.Guest(binary, isa, directory, LINUX[isa], "handler.test", guests.ICOUNT)
    if not guest.run():
        raise SystemExit(f"handler.py: Linux did not come to its end:\n{guest.console[-1000:]}")
    found = {}
    for section, lines in guest.sections().items():
        kind, _, period = section.partition("-")
        if period.isdigit():
            count = int(lines[0].split(",")[0])
            samples = int(lines[-1].split()[2])
            found.setdefault(kind, []).append((samples, count))
    return found


def measure(isa, binary, payload):
    theirs = linux(binary, isa)
    for kind, flags in (("sample", ""), ("callchain", "-g")):
        points = [ours(isa, binary, payload, period, flags) for period in PERIODS]
        mine = slope(points)
        print(f"# {isa} {kind}: (samples, instructions) {points}")
        name = f"handler-{isa}-{kind}" + (f"-{CHAIN}" if flags else "")
        figure(name, mine, "instructions", GOALS[kind])
        points = theirs["callchain" if flags else "plain"]
        print(f"# {isa} {kind}, Linux: (samples, kernel instructions) {points}: "
              f"{slope(points):.0f} a sample")
        figure(f"{name}-against-linux", mine / slope(points), "times-theirs", THEIRS[kind])


def segment_switch(binary):
    """The usual and the longest handler of a trace that continues, for several sizes of the area
    and several kinds of readers; and the cost of other handlers."""
    cost, text = bts_cost.run(binary)
    if cost.keys() != {*bts_cost.RUNNING, *bts_cost.RARE} or "not ok" in text:
        raise SystemExit(f"handler.py: no figures of a segment switch:\n{text[-1000:]}")
    for way in bts_cost.RUNNING:
        print(f"# {way}: {cost[way].count} switches, {cost[way].mean} instructions on average")
        name = f"handler-x86_64-switch-{way}"
        figure(name, cost[way].median, "instructions", bts_cost.GOAL)
        figure(f"{name}-most", cost[way].most, "instructions", bts_cost.GOAL)
    for way in bts_cost.RARE:
        print(f"# {way}: {cost[way].most} instructions at the most")
    longest = [cost[way].most for way in ("64KiB", "16MiB")]
    figure("handler-x86_64-switch-by-size", max(longest) - min(longest), "instructions-apart", 0)


def stepped(isa, binary, qemu, loops):
    """Instructions of a single-stepped loop with so many taken branches, and the number of lost
    branches."""
    run = machine.Recording(
        f"record -e branch-step// -m 1024,2048 -- branches {loops}", "--arch", isa, "--qemu", binary,
        "--timeout", "300", qemu=(*qemu, "-icount", f"shift={SHIFT},sleep=off"), timeout=600)
    if run.status:
        raise SystemExit(f"handler.py: {run.text}")
    summary = run.summary()
    event, cpu = summary["events"][0], summary["cpus"][0]
    ticks = cpu["tick_cycles"] * 1e9 / cpu["frequency"]
    return (event["time_enabled"] - ticks) / 2 ** SHIFT, event["branches"]["lost"]


def single_step(isa, binary, qemu, where=""):
    (short, _), (long, lost) = (stepped(isa, binary, qemu, loops) for loops in STEPPED)
    cost = (long - short) / (2 * (STEPPED[1] - STEPPED[0]))
    print(f"# {isa}{where} branch-step: {cost:.0f} instructions for each that is traced, its own included"
          f" ({lost} branches lost)", flush=True)


def build_payload(isa, directory):
    path = pathlib.Path(directory) / f"deep-{isa}.elf"
    subprocess.run([TOP / f"build/{isa}/sdk/bin/bareperf-cc", "-O2", "-o", path,
                    TOP / "tests/bench/payload/deep.c",
                    TOP / f"tests/bench/payload/deep-{isa}.S"], check=True)
    return path


def main():
    for isa in QEMU:
        binary, reason = machine.model(isa)
        if reason:
            print(f"bench handler-{isa}-sample skip {reason}")
            continue
        if isa == "x86_64":
            segment_switch(binary)
            single_step(isa, binary, QEMU[isa])
        else:
            for level, option in (("EL2", "on"), ("EL1", "off")):
                single_step(isa, binary, ("-machine", f"virt,gic-version=3,virtualization={option}"),
                            f" entered at {level}")
        with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
            try:
                measure(isa, binary, build_payload(isa, directory))
            except guests.Unavailable as reason:
                print(f"bench handler-{isa}-sample skip {reason}")


if __name__ == "__main__":
    main()
