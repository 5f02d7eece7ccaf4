#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A sample costs at most the promised number of instructions, without and with a callchain:
instructions from the vector to the return, on the hardware model, by the method of
tests/bench/handler.py, in one boot.

check-spare: machines count instructions
"""

import collections
import pathlib
import struct
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/bench"), str(TOP / "tests/e2e/lib")]
import handler  # noqa: E402
import machine  # noqa: E402
import mailbox  # noqa: E402
import tap  # noqa: E402

IDLE = 1
NS = 16  # ns per instruction under machine.EXACT
FREQUENCY, CPUS, LEDGER, RINGS = 64, 128, 128 + 2 * 16, 128 + 4 * 16  # offsets in the header
PERF_RECORD_SAMPLE = 9
CONTEXT = 1 << 63  # values from here on are PERF_CONTEXT_*


def chains(agent):
    """{length: number of callchains} of all samples in the first ring, which no reader has
    emptied."""
    control, data = struct.unpack_from("<2Q", agent.bytes, agent.word(RINGS, "<Q") + 16)
    at, lengths = 0, collections.Counter()
    while at < agent.word(control + 1024, "<Q"):
        kind, _, size = struct.unpack_from("<IHH", agent.bytes, data + at)
        if kind == PERF_RECORD_SAMPLE:
            # header, IDENTIFIER, IP, TID, TIME, CPU, PERIOD
            count = agent.word(data + at + 56, "<Q")
            chain = struct.unpack_from(f"<{count}Q", agent.bytes, data + at + 64)
            lengths[sum(address < CONTEXT for address in chain)] += 1
        at += size
    return lengths


def run(agent, period, flags):
    """(samples, instructions) of a program that always executes the same instructions, or None."""
    status = agent.command(f"record -e {handler.EVENT['x86_64']} -c {period} {flags} -m 1024 "
                           f"-- payload {handler.CHAIN} {handler.TURNS}".encode(), seconds=300)
    ledger = agent.word(LEDGER, "<Q")
    generated, written = struct.unpack_from("<2Q", agent.bytes, ledger)
    if not tap.ok(status == 0 and generated == written > 100,
                  f"every {period} cycles {flags or 'alone'}: all samples are written",
                  (status, generated, written)):
        return None
    if flags:
        lengths = chains(agent)
        # one sample in a hundred falls into the tick's handler
        tap.ok(lengths.total() == generated and lengths[handler.CHAIN] >= 0.98 * generated,
               f"every {period} cycles {flags}: their callchains have {handler.CHAIN} addresses",
               (generated, lengths))
    ticks = agent.word(agent.word(CPUS, "<Q") + 40, "<Q") * 10**9 / agent.word(FREQUENCY, "<Q")
    return generated, (agent.word(ledger + 64, "<Q") - ticks) / NS


def check(binary):
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        agent = mailbox.Agent(
            directory, "x86_64", *handler.QEMU["x86_64"], *machine.EXACT, "-kernel",
            str(TOP / "build/x86_64/bareperf.efi"), "-initrd",
            str(handler.build_payload("x86_64", directory)), program=binary)
        try:
            tap.ok(agent.until(lambda: agent.state() == IDLE, 150), "the machine waits")
            costs = {}
            for what, flags in (("sample", ""), ("callchain", "-g")):
                points = [run(agent, period, flags) for period in handler.PERIODS]
                cost = handler.slope(points) if all(points) else None
                costs[what] = cost
                tap.note(f"{what}: {cost} instructions, of {points}")
                tap.ok(cost and 50 < cost <= handler.GOALS[what],
                       f"a {what} takes at most {handler.GOALS[what]} instructions", cost)
            tap.equal(agent.command(b"record -e bts// -- branches 1000"), 0,
                      "the same machine traces branches")
            points = [run(agent, period, "") for period in handler.PERIODS]
            cost = handler.slope(points) if all(points) else None
            tap.ok(cost and abs(cost - costs["sample"]) < 1,
                   "after that a sample costs as much as before", (costs, cost, points))
        finally:
            agent.process.kill()
            agent.process.wait()


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("the cost of a sample", REASON)
else:
    check(BINARY)
tap.finish()
