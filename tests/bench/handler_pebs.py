#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of a PEBS record: bareperf's and Linux's. bareperf's are measured as in handler.py:
the same program is sampled twice with different periods. bareperf makes the samples in its tick, so
only the cost of ticks without samples is subtracted. Linux's counters are stopped while it reads
the records, so its figure is the slope of the program's time, which counts instructions (-icount). It
includes perf's writing of the file."""

import tempfile

import handler  # this module sets the path of the others

import guests
import machine

CPU = "Skylake-Client,pmu=on,pmu-version=4,pmu-pebs=on"
IDLE = 10 ** 9  # a period without a sample
GOAL = 1 / 2    # of Linux's
LINUX_SHIFT = 3  # of guests.ICOUNT


def ours(binary, payload, period, flags):
    """(samples, instructions without ticks, ticks, instructions of ticks) of one run."""
    run = machine.Recording(
        f"record -e instructions:pp -c {period} {flags} -m 1024 -- payload {handler.CHAIN} "
        f"{handler.TURNS}", "--qemu", binary, "--payload", payload, "--timeout", "300",
        qemu=("-cpu", CPU, "-icount", f"shift={handler.SHIFT},sleep=off"), timeout=600)
    if run.status:
        raise SystemExit(f"handler_pebs.py: {run.text}")
    summary = run.summary()
    event, cpu = summary["events"][0], summary["cpus"][0]
    assert summary["conserved"] and not event["lost"], summary
    ticks = cpu["tick_cycles"] * 1e9 / cpu["frequency"] / 2 ** handler.SHIFT
    return (event["samples"], event["time_enabled"] / 2 ** handler.SHIFT - ticks, cpu["ticks"], ticks)


def linux(binary):
    """{"record" or "callchain": [(samples, instructions), …]}"""
    guest = guests.Guest(binary, "x86_64", guests.guest_directory("x86_64"),
                         f"{CPU},-rdrand,-rdseed", "handler-pebs.test", guests.ICOUNT)
    if not guest.run():
        raise SystemExit(f"handler_pebs.py: Linux did not come to its end:\n{guest.console[-1000:]}")
    found = {}
    for section, lines in guest.sections().items():
        kind, _, period = section.partition("-")
        if period.isdigit():
            instructions = int(lines[0].split(",")[0]) >> LINUX_SHIFT
            found.setdefault(kind, []).append((int(lines[-1].split()[2]), instructions))
    return found


def measure(binary, payload):
    theirs = linux(binary)
    for kind, flags in (("record", ""), ("callchain", "-g")):
        _, _, ticks, cost = ours(binary, payload, IDLE, flags)
        each = cost / ticks  # a tick without samples
        points = []
        for period in handler.PERIODS:
            samples, outside, ticks, inside = ours(binary, payload, period, flags)
            points.append((samples, outside + inside - ticks * each))
        mine, peer = handler.slope(points), handler.slope(theirs[kind])
        print(f"# PEBS {kind}: (samples, instructions) {points}: {mine:.0f} a sample")
        print(f"# PEBS {kind}, Linux: (samples, instructions) {theirs[kind]}: {peer:.0f}")
        handler.figure(f"handler-x86_64-pebs-{kind}-against-linux", mine / peer, "times-theirs", GOAL)


def main():
    binary, reason = machine.model("x86_64")
    if reason:
        print(f"bench handler-x86_64-pebs-record-against-linux skip {reason}")
        return
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        try:
            measure(binary, handler.build_payload("x86_64", directory))
        except guests.Unavailable as reason:
            print(f"bench handler-x86_64-pebs-record-against-linux skip {reason}")


if __name__ == "__main__":
    main()
