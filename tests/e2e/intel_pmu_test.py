#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's PMU, on the hardware model of tests/qemu: counts that arithmetic demands, samples with
interrupts off, and every fault that the model can inject, with the ledger exact.

check-timeout: 900
"""

import machine
import tap

CYCLES = "record -e cycles,cycles,cycles -c 100000 -m 64 -- noploop 1"


def record(binary, command, properties=""):
    return machine.Recording(
        command, "--qemu", binary,
        qemu=("-cpu", f"Skylake-Client,pmu=on{properties}", *machine.EXACT))


def three_equal_counts(run, name):
    if not tap.equal(run.status, 0, f"{name}: three times cycles into one ring ends well"):
        tap.note(run.text)
        return
    summary = run.summary()
    counts = [event["generated"] for event in summary["events"]]
    tap.ok(len(counts) == 3 and max(counts) - min(counts) <= 1 and min(counts) > 100,
           f"{name}: their three counts are equal", counts)
    tap.ok(summary["conserved"] and not any(event["lost"] for event in summary["events"]),
           f"{name}: nothing is lost, and PERIODs + residue = count", summary)


def masked_code(binary):
    run = record(binary, "record -e cycles -c 100000 -- masked 1")
    leaves = machine.shares(run.chains())
    inside = sum(leaves.get(name, 0) for name in ("masked_loop", "clock_now", "clock_stamp",
                                                  "arch_cpu", "arch_cycles"))
    tap.ok(inside > 90, "code that masks interrupts is sampled, since the PMI is an NMI", leaves)


def other_events(binary):
    run = record(binary, "record -e instructions,branches,r20c4,cpu/event=0xc4/ -c 1000000 "
                         "-- branches 50000000")
    summary = run.summary()
    counts = {event["name"]: event["generated"] for event in summary["events"]}
    tap.ok(run.status == 0 and summary["conserved"], "generic and raw events count side by side",
           summary)
    tap.equal(counts.get("r20c4"), 50, "50 million taken branches are 50 periods of a million")


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("Intel's PMU", REASON)
else:
    three_equal_counts(record(BINARY, CYCLES), "version 2")
    for VERSION in (3, 4, 5):
        three_equal_counts(record(BINARY, CYCLES, f",pmu-version={VERSION}"),
                           f"version {VERSION}")
    for FAULT, WHAT in (("pmi-skid=200", "a PMI 200 instructions late"),
                        ("pmi-delay=50000", "a PMI 50 us late"),
                        ("pmi-spurious=3", "every third PMI comes twice"),
                        ("pmu-leftovers=on", "firmware's leftovers")):
        three_equal_counts(record(BINARY, CYCLES, "," + FAULT), WHAT)
    masked_code(BINARY)
    other_events(BINARY)
tap.finish()
