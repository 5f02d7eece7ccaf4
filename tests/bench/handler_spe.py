#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of the handler of SPE's buffer interrupt, from its vector to the return: bareperf's
and Linux's. bareperf's are measured as in handler.py: the same program is sampled twice with
different watermarks, and the difference is the cost of the interrupts. Linux's is the slope of the
kernel's instructions on the program's CPU over the number of interrupts there; it includes waking
perf on the other CPU, but not perf itself."""

import handler  # this module sets the path of the others

import guests
import machine

CPU = "cortex-a76,spe=on,pmu-instructions=on"
QEMU = ["-machine", "virt,gic-version=3,virtualization=on", "-cpu", CPU]
WATERMARKS = (65536, 4096)
INTERVAL = 256
GOAL = 1 / 6  # of Linux's
TURNS = 2000000  # turns of the program's loop


def ours(binary, watermark):
    """(interrupts, instructions) of one run."""
    run = machine.Recording(
        f"record -e arm_spe// -c {INTERVAL} -m 512,1024 --aux-watermark {watermark} "
        f"-- branches {TURNS}", "--arch", "aarch64", "--qemu", binary, "--timeout", "300",
        qemu=(*QEMU, "-icount", f"shift={handler.SHIFT},sleep=off"), timeout=600)
    if run.status:
        raise SystemExit(f"handler_spe.py: {run.text}")
    summary = run.summary()
    event, cpu, aux = (summary[name][0] for name in ("events", "cpus", "aux"))
    assert summary["conserved"] and not aux["truncated"], summary
    ticks = cpu["tick_cycles"] * 1e9 / cpu["frequency"]
    return aux["records"] - 1, (event["time_enabled"] - ticks) / 2 ** handler.SHIFT


def interrupts(line):
    """The first CPU's count, from a line of /proc/interrupts."""
    return int(line.split()[1])


def linux(binary):
    """[(interrupts, kernel instructions), …]"""
    guest = guests.Guest(binary, "aarch64", guests.guest_directory("aarch64"), CPU,
                         "handler-spe.test", (*guests.ICOUNT, "-smp", "2"))
    if not guest.run():
        raise SystemExit(f"handler_spe.py: Linux did not come to its end:\n{guest.console[-1000:]}")
    found = []
    for section, lines in guest.sections().items():
        if section.startswith("interrupt-"):
            before, after, count = lines
            found.append((interrupts(after) - interrupts(before), int(count.split(",")[0])))
    return found


def main():
    binary, reason = machine.model("aarch64")
    if reason:
        print(f"bench handler-aarch64-spe-against-linux skip {reason}")
        return
    points = [ours(binary, watermark) for watermark in WATERMARKS]
    mine = handler.slope(points)
    print(f"# aarch64 SPE: (interrupts, instructions) {points}: {mine:.0f} an interrupt")
    try:
        points = linux(binary)
    except guests.Unavailable as reason:
        print(f"bench handler-aarch64-spe-against-linux skip {reason}")
        return
    print(f"# aarch64 SPE, Linux: (interrupts, kernel instructions) {points}: "
          f"{handler.slope(points):.0f} an interrupt")
    handler.figure("handler-aarch64-spe-against-linux", mine / handler.slope(points),
                   "times-theirs", GOAL)


if __name__ == "__main__":
    main()
