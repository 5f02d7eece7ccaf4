#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch traces are stopped while every CPU overflows: by the end of the workload, and by the host
while it goes on. On the hardware model.

check-timeout: 600
"""

import pathlib
import struct
import subprocess
import tempfile

import machine
import mailbox
import tap

CPUS = 4
CPU = ("-cpu", "Skylake-Client,pmu=on", "-smp", str(CPUS))
EFI = machine.TOP / "build/x86_64/bareperf.efi"
IDLE, RECORDING, COMPLETE = 1, 2, 3
SPIN = r"""
#include <bareperf/thread.h>
#include <bareperf/clock.h>

static volatile unsigned long turns;

/* Nothing but branches, for ever. */
static int spin(void *argument)
{
	for (;;)
		turns++;
	return 0;
}

int main(void)
{
	unsigned long left = 300000;
	int threads = 0;

	while (bareperf_thread_start(BAREPERF_ANY_CPU, spin, 0) >= 0)
		threads++;
	do {
		__asm__ volatile("" : "+r"(left));
	} while (--left);
	return threads;
}
"""


def build(directory):
    """The payload, or None."""
    source, payload = pathlib.Path(directory) / "spin.c", pathlib.Path(directory) / "spin.elf"
    source.write_text(SPIN)
    compiler = machine.TOP / "build/x86_64/sdk/bin/bareperf-cc"
    done = subprocess.run([compiler, "-O2", "-o", payload, source], capture_output=True, text=True,
                          check=False)
    if not tap.equal(done.returncode, 0, "the payload is built with the SDK"):
        tap.note(done.stderr)
        return None
    return payload


def end_of_the_workload(binary, payload):
    name = "threads that branch for ever on every other CPU"
    run = machine.Recording("record -a -e bts// -m ,4 -- payload", "--qemu", binary, "--payload",
                            payload, qemu=(*CPU, *machine.EXACT), timeout=300)
    if not tap.ok(run.status == 0, f"{name}: the recording comes to its end", run.text):
        return
    summary = run.summary()
    accounts = [event["branches"] for event in summary["events"]]
    tap.ok(summary["conserved"] and len(accounts) == CPUS,
           f"{name}: recorded + lost = taken + interrupts on each", summary)
    tap.ok(all(account["taken"] > 10000 for account in accounts) and
           all(account["lost"] > 0 for account in accounts),
           f"{name}: every CPU traced, and had more than there was room for", accounts)


def by_the_host(binary):
    """The workload goes on; the traces do not."""
    with tempfile.TemporaryDirectory() as directory:
        agent = mailbox.Agent(directory, "x86_64", *CPU, *machine.EXACT, "-kernel", str(EFI),
                              program=binary)
        try:
            tap.ok(agent.until(lambda: agent.state() == IDLE, 120), "the machine waits", None)
            agent.post(b"record -a -e bts// -m ,16 -- noploop 40")
            tap.ok(agent.until(lambda: agent.state() == RECORDING, 60), "it records", agent.state())
            ring = agent.word(128 + 4 * 16, "<Q")
            ledger = agent.word(128 + 2 * 16, "<Q")
            ring_ledger = agent.word(128 + 5 * 16, "<Q")

            def words(table, stride, offset):
                return [agent.word(table + stride * cpu + offset, "<Q") for cpu in range(CPUS)]

            tap.ok(agent.until(lambda: min(words(ledger, 128, 4 * 8)) > 0, 60),
                   "every CPU traces", words(ledger, 128, 4 * 8))
            agent.post(b"stop")

            def times():
                """When each CPU last traced, by its ledger: it stands still once it has stopped."""
                return words(ledger, 128, 9 * 8)

            def stopped():
                ticks = words(agent.word(128, "<Q"), 256, 32)
                before = times()
                agent.until(lambda: all(now > then + 2 for now, then in zip(
                    words(agent.word(128, "<Q"), 256, 32), ticks)), 20)
                return before == times()

            tap.ok(agent.until(stopped, 60) and agent.state() == RECORDING,
                   "stop reaches every CPU while the workload goes on", (agent.state(), times()))
            for cpu in range(CPUS):
                taken = agent.word(ledger + 128 * cpu + 4 * 8, "<Q")
                recorded, interrupts, _, lost = struct.unpack_from("<4Q", agent.bytes,
                                                                   ledger + 128 * cpu + 80)
                written, _, skipped = struct.unpack_from("<3Q", agent.bytes,
                                                         ring_ledger + 256 * cpu + 96)
                tap.ok(recorded + lost == taken + interrupts and
                       recorded * 24 == written - skipped and ring,
                       f"CPU {cpu}: what was traced until then is complete and exact",
                       (recorded, lost, taken, interrupts, written, skipped))
        finally:
            agent.process.kill()
            agent.process.wait()


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("stopping branch traces", REASON)
else:
    with tempfile.TemporaryDirectory() as DIRECTORY:
        PAYLOAD = build(DIRECTORY)
        if PAYLOAD:
            end_of_the_workload(BINARY, PAYLOAD)
    by_the_host(BINARY)
tap.finish()
