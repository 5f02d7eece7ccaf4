#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch traces stop while every CPU overflows: at the end of the workload, and by the host's
`stop` while the workload continues. On the hardware model."""

import ctypes
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import region as tr
import tap

CPUS = 4
MODEL = ("-cpu", "Skylake-Client,pmu=on")
CPU = (*MODEL, "-smp", str(CPUS))
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
	return threads == 0;
}
"""


MASKED = r"""
#include <bareperf/thread.h>
#include <string.h>

static volatile unsigned long turns;

/* Nothing but branches, for ever, and no interrupt gets through. */
static int spin(void *argument)
{
	__asm__ volatile("cli");
	for (;;)
		turns++;
	return 0;
}

int main(int argc, char **argv)
{
	while (bareperf_thread_start(BAREPERF_ANY_CPU, spin, 0) >= 0)
		;
	if (!strcmp(argv[1], "all"))
		spin(0);
	for (;;)
		turns++;
}
"""
# the ledger's words of a CPU: when it last traced, and its branches
TIME, TAKEN = 9 * 8, 4 * 8


def build(directory, name, text):
    """The payload, or None."""
    source, payload = (pathlib.Path(directory) / f"{name}{end}" for end in (".c", ".elf"))
    source.write_text(text)
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
    """The workload continues, but the traces end."""
    with tempfile.TemporaryDirectory() as directory:
        agent = mailbox.Agent(directory, "x86_64", *CPU, *machine.EXACT, "-kernel", str(EFI),
                              program=binary)
        try:
            tap.ok(agent.until(lambda: agent.state() == IDLE, 120), "the machine waits", None)
            agent.post(b"record -a -e bts// -m ,16 -- noploop 40")
            tap.ok(agent.until(lambda: agent.state() == RECORDING), "it records", agent.state())
            ring = agent.word(tr.table("rings"), "<Q")
            ledger = agent.word(tr.table("event_ledger"), "<Q")
            ring_ledger = agent.word(tr.table("ring_ledger"), "<Q")

            def words(table, stride, offset):
                return [agent.word(table + stride * cpu + offset, "<Q") for cpu in range(CPUS)]

            tap.ok(agent.until(lambda: min(words(ledger, 128, 4 * 8)) > 0, 60),
                   "every CPU traces", words(ledger, 128, 4 * 8))
            agent.post(b"stop")

            def times():
                """The time of each CPU's last trace, by its ledger: it no longer changes after the
                CPU has stopped."""
                return words(ledger, 128, 9 * 8)

            def stopped():
                ticks = words(agent.word(128, "<Q"), 256, 32)
                before = times()
                agent.until(lambda: all(now > then + 2 for now, then in zip(
                    words(agent.word(128, "<Q"), 256, 32), ticks)), 20)
                return before == times()

            tap.ok(agent.until(stopped, 60) and agent.state() == RECORDING,
                   "stop reaches every CPU while the workload continues", (agent.state(), times()))
            for cpu in range(CPUS):
                taken = agent.word(ledger + 128 * cpu + 4 * 8, "<Q")
                recorded, interrupts, _, lost = struct.unpack_from("<4Q", agent.bytes,
                                                                   ledger + 128 * cpu + 80)
                written, _, skipped = struct.unpack_from("<3Q", agent.bytes,
                                                         ring_ledger + 256 * cpu + 96)
                tap.ok(recorded + lost == taken + interrupts and
                       recorded * 24 == written - skipped and ring,
                       f"CPU {cpu}: the trace until then is complete and exact",
                       (recorded, lost, taken, interrupts, written, skipped))
        finally:
            agent.process.kill()
            agent.process.wait()


class MaskedRecording:
    """Traces of CPUs that mask interrupts; the host reads, and sends stop."""

    def __init__(self, binary, directory, payload, cpus, pages, who):
        self.cpus, self.traced = range(cpus), [0] * cpus
        self.agent = mailbox.Agent(
            directory, "x86_64", *MODEL, "-smp", str(cpus), *machine.EXACT, "-kernel", str(EFI),
            "-initrd", str(payload), program=binary, mib=256)
        self.started = self.agent.until(lambda: self.agent.state() == IDLE)
        self.agent.post(f"record -a -e bts// -m ,{pages} -- payload {who}".encode())
        self.started = self.agent.until(lambda: self.agent.state() == RECORDING)
        self.ledger = self.agent.word(tr.table("event_ledger"), "<Q") if self.started else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.agent.process.kill()
        self.agent.process.wait()

    def words(self, offset):
        return [self.agent.word(self.ledger + 128 * cpu + offset, "<Q") for cpu in self.cpus]

    def read(self):
        """Free everything that has been written."""
        rings = self.agent.word(tr.table("rings"), "<Q")
        for cpu in self.cpus:
            control = self.agent.word(rings + 128 * cpu + 16, "<Q")
            for head, tail in ((1024, 1032), (1056, 1064)):
                at = self.agent.word(control + head, "<Q")
                self.agent.store(control + tail, ctypes.c_uint64, at)
            self.traced[cpu] = at

    def wait(self, condition, seconds=300):
        def look():
            self.read()
            return condition()

        return self.agent.until(look, seconds)

    def stand_still(self, cpus):
        """Their ticks have stopped, so the published data no longer change."""
        seen = []

        def same():
            seen.append([self.words(TIME)[cpu] for cpu in cpus])
            return len(seen) > 50 and seen[-1] == seen[-50] and min(self.traced) > 0

        return self.wait(same)

    def exact(self, cpu):
        recorded, interrupts, _, lost = struct.unpack_from("<4Q", self.agent.bytes,
                                                           self.ledger + 128 * cpu + 80)
        return recorded + lost == self.words(TAKEN)[cpu] + interrupts


def masked(binary, payload, cpus, pages, who, name):
    """All CPUs except CPU 0 mask interrupts for ever, or all of them do."""
    with tempfile.TemporaryDirectory() as directory, \
            MaskedRecording(binary, directory, payload, cpus, pages, who) as run:
        without = [cpu for cpu in run.cpus if cpu or who == "all"]
        if not tap.ok(run.started and run.stand_still(without),
                      f"{name}: they are traced, and their ticks do not come", run.started):
            return
        before = run.words(TIME)
        run.agent.post(b"stop")
        tap.ok(run.wait(lambda: all(run.words(TIME)[cpu] > before[cpu] for cpu in without)),
               f"{name}: stop reaches them", (before, run.words(TIME)))
        tap.ok(all(run.exact(cpu) for cpu in without),
               f"{name}: the trace until then is complete and exact", run.words(TAKEN))
        after = run.words(TIME)
        tap.ok(run.stand_still(run.cpus) and
               [run.words(TIME)[cpu] for cpu in without] == [after[cpu] for cpu in without],
               f"{name}: and they trace no more", (after, run.words(TIME)))


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("stopping branch traces", REASON)
else:
    with tempfile.TemporaryDirectory() as DIRECTORY:
        PAYLOAD = build(DIRECTORY, "spin", SPIN)
        if PAYLOAD:
            end_of_the_workload(BINARY, PAYLOAD)
        by_the_host(BINARY)
        PAYLOAD = build(DIRECTORY, "masked", MASKED)
        if PAYLOAD:
            masked(BINARY, PAYLOAD, 1, 32768, "all", "one CPU that masks interrupts")
            masked(BINARY, PAYLOAD, CPUS, 8192, "all", "four CPUs that mask interrupts")
            masked(BINARY, PAYLOAD, CPUS, 16, "others",
                   "three CPUs that mask interrupts, their traces waiting for room")
tap.finish()
