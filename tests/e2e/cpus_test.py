#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One, two and four CPUs on both ISAs; code that masks interrupts.

check-timeout: 900
"""

import collections

import machine
import tap

QEMU = {"x86_64": "qemu-system-x86_64", "aarch64": "qemu-system-aarch64"}


def times_by_cpu(run):
    """{cpu: [ns, …]} of the samples in the order of the file."""
    text, _, _ = run.perf("script", "--ns", "-F", "cpu,time")
    times = collections.defaultdict(list)
    for line in text.splitlines():
        cpu, time = line.replace(":", "").split()
        seconds, fraction = time.split(".")
        times[int(cpu.strip("[]"))].append(int(seconds) * 10**9 + int(fraction))
    return times


def several_cpus(isa, count):
    run = machine.Recording("record -a -e cpu-clock -F 1000 -- noploop 1", "--arch", isa,
                            qemu=("-smp", str(count), *machine.EXACT))
    if not tap.equal(run.status, 0, f"{isa}: a recording on {count} CPUs ends well"):
        tap.note(run.text)
        return
    summary = run.summary()
    tap.ok(summary["conserved"] and not any(e["lost"] for e in summary["events"]),
           f"{isa}, {count} CPUs: nothing is lost, the ledger is exact", summary)
    times = times_by_cpu(run)
    tap.equal(sorted(times), list(range(count)), f"{isa}, {count} CPUs: each of them is sampled")
    tap.ok(all(t == sorted(set(t)) for t in times.values()),
           f"{isa}, {count} CPUs: each one's samples are in the order of time")
    starts = {cpu: t[0] for cpu, t in times.items()}
    ends = {cpu: t[-1] for cpu, t in times.items()}
    tap.ok(max(starts.values()) < min(ends.values()),
           f"{isa}, {count} CPUs: they are sampled at the same time", (starts, ends))


def some_cpus(isa):
    run = machine.Recording("record -C 1,3 -e cpu-clock -F 1000 -- noploop 1", "--arch", isa,
                            qemu=("-smp", "4", *machine.EXACT))
    tap.equal(sorted(times_by_cpu(run)), [1, 3], f"{isa}: -C 1,3 samples CPUs 1 and 3")


def masked(isa, seen):
    """Samples every ms of code that masks interrupts for 10 ms."""
    run = machine.Recording("record -e cpu-clock -F 1000 -- masked 1", "--arch", isa,
                            qemu=machine.EXACT)
    periods = [period for _, period, _ in run.chains()]
    tap.ok(run.summary()["conserved"] and sum(periods) > 900_000_000,
           f"{isa}: masked time is in the PERIODs all the same", sum(periods))
    tap.note(f"{isa}: longest gap between samples {max(periods) / 1e6:.1f} ms of {len(periods)}")
    if seen:
        tap.ok(len(periods) > 900 and max(periods) < 2_000_000,
               f"{isa}, entered at EL2: code that masks interrupts is sampled", len(periods))
    else:
        tap.ok(9_000_000 < max(periods) < 12_000_000,
               f"{isa}: cpu-clock comes when interrupts are unmasked, and says how late",
               max(periods))


for ISA, program in QEMU.items():
    if machine.missing(program):
        tap.skip(f"several CPUs on {ISA}", machine.missing(program))
        continue
    for CPUS in (1, 2, 4):
        several_cpus(ISA, CPUS)
    some_cpus(ISA)
    masked(ISA, seen=ISA == "aarch64")
tap.finish()
