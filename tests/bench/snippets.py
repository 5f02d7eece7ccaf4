#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Snippets a second that one `bareperf bench --serve` measures on QEMU, three events each, and the
counts that an empty snippet has: what the code around a snippet adds to its figures. The time is the
host's, so the first figure depends on its load."""

import pathlib
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import bench  # noqa: E402
import machine  # noqa: E402

GOAL = 10  # snippets a second: hundreds a minute
SNIPPETS = 200
OPTIONS = ("-unroll_count", "10", "-n_measurements", "3", "-warm_up_count", "1")


def measure(isa, session, config):
    """One turn of all snippets, and the empty snippet in each mode."""
    session.counts("nop", config, *OPTIONS)  # the first one waits for the boot
    began = time.monotonic()
    for i in range(SNIPPETS):
        session.counts("nop; " * (1 + i % 7), config, *OPTIONS)
    rate = SNIPPETS / (time.monotonic() - began)
    print(f"bench snippets-per-second-{isa} {rate:.1f} 1/s goal {GOAL} {'ok' if rate >= GOAL else 'short'}")
    modes = ((), ("-no_mem",), ("-df",))
    counts = [float(value) for mode in modes for value in
              session.counts(" ", config, *OPTIONS, *mode).values()]
    print(f"# {isa}, an empty snippet, plain, -no_mem and -df: {counts}")
    most = max(map(abs, counts))
    print(f"bench empty-snippet-{isa} {most:.2f} counts goal 0 {'ok' if most == 0 else 'short'}")
    session.end()


binary, why = machine.model("x86_64")
if why:
    print(f"bench snippets-per-second-x86_64 skip {why}")
else:
    measure("x86_64", bench.Session("x86_64", "--qemu", binary, qemu=("-cpu", "Skylake-Client,pmu=on")),
            bench.configuration(("C0.00", "INSTRUCTIONS"), ("C4.00", "BRANCHES"), ("C4.20", "TAKEN")))
if machine.missing("qemu-system-aarch64"):
    print(f"bench snippets-per-second-aarch64 skip {machine.missing('qemu-system-aarch64')}")
else:
    measure("aarch64", bench.Session("aarch64", qemu=("-cpu", "max")),
            bench.configuration(("08", "INSTRUCTIONS"), ("11", "CYCLES")))
