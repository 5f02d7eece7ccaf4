#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One, two and four CPUs on both ISAs; code that masks interrupts.

check-timeout: 900
"""

import bisect
import collections
import pathlib
import re
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import region as tr
import tap

WORK = tempfile.TemporaryDirectory(prefix="bareperf-cpus-")
QEMU = {"x86_64": "qemu-system-x86_64", "aarch64": "qemu-system-aarch64"}


# The CPUs pass a token on; each reports when it took the token and when it passed it on. The
# argument is the number of ns that CPU 1 adds to its clock.
TOKEN = r"""
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 40U
#define HELD   300000U /* ns */

static unsigned turn, cpus;
static long skew;
static struct { uint64_t take, release; } held[ROUNDS * 8];

static uint64_t now(unsigned cpu)
{
	return bareperf_clock() + (uint64_t)(cpu == 1 ? skew : 0);
}

static __attribute__((noinline)) void hold(void)
{
	for (uint64_t end = bareperf_clock() + HELD; bareperf_clock() < end;) {
		for (volatile unsigned i = 0; i < 2000; i++)
			;
	}
}

static int play(void *unused)
{
	unsigned cpu = bareperf_cpu();

	(void)unused;
	for (unsigned i = cpu; i < ROUNDS * cpus; i += cpus) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i)
			;
		held[i].take = now(cpu);
		hold();
		held[i].release = now(cpu);
		__atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

int main(int argc, char **argv)
{
	skew = argc > 1 ? atol(argv[1]) : 0;
	cpus = bareperf_cpus();
	for (unsigned i = 1; i < cpus; i++)
		bareperf_thread_start((int)i, play, NULL);
	play(NULL);
	for (unsigned i = 1; i < cpus; i++)
		bareperf_thread_join((int)i, NULL);
	for (unsigned i = 0; i < ROUNDS * cpus; i++)
		printf("held %u %lu %lu\n", i % cpus, held[i].take, held[i].release);
	return 0;
}
"""


def token(isa, cpus, skew=0):
    """The run, the times for which CPUs held the token, in order, and the clocks' error bound."""
    payload = machine.payload(isa, pathlib.Path(WORK.name) / f"{isa}-token.elf", TOKEN)
    run = machine.Recording(f"record -a -e cpu-clock -F 10000 -- payload {skew}", "--arch", isa,
                            "--payload", payload, qemu=("-smp", str(cpus)))
    held = [tuple(map(int, words)) for words in re.findall(r"held (\d+) (\d+) (\d+)", run.text)]
    clocks = run.summary()["cpus"]
    error = max(c["clock_error"] * 10**9 / c["frequency"] for c in clocks)
    return run, held, error


def backwards(held):
    """The greatest step back in time from one holder to the next, ns."""
    return max(then - now for (_, _, then), (_, now, _) in zip(held, held[1:]))


def one_time(isa, cpus):
    run, held, error = token(isa, cpus)
    tap.equal(len(held), 40 * cpus, f"{isa}: a token goes round {cpus} CPUs")
    # two CPUs, each with its own error
    tap.ok(held and backwards(held) <= 2 * error,
           f"{isa}, {cpus} CPUs: time passes from CPU to CPU within the stated bound",
           (backwards(held), error))
    tap.note(f"{isa}: bound {error:.0f} ns, backwards at most {backwards(held)} ns")
    text, _, _ = run.perf("script", "--ns", "-F", "cpu,time,ip,sym")
    samples = [(int(cpu), int(s) * 10**9 + int(ns)) for cpu, s, ns in
               re.findall(r"\[(\d+)\]\s+(\d+)\.(\d+):\s+\w+ hold\b", text)]
    takes = [take for _, take, _ in held]

    def fits(cpu, time):
        """Whether that CPU held the token at that time."""
        first = max(bisect.bisect(takes, time) - 2, 0)
        return any(holder == cpu and take - 2 * error <= time <= release + 2 * error
                   for holder, take, release in held[first:first + 4])

    strays = [sample for sample in samples if not fits(*sample)]
    tap.ok(len(samples) > 5 * cpus and not strays,
           f"{isa}, {cpus} CPUs: a CPU that is sampled while it holds the token held it then",
           (len(samples), strays[:5]))


def skewed(isa):
    """This test can fail: the skew is detected."""
    _, held, error = token(isa, 2, skew=-10**9)
    tap.ok(held and backwards(held) > 2 * error, f"{isa}: a CPU that is 1 s behind is seen",
           (backwards(held), error))


def times_by_cpu(run):
    """{cpu: [ns, …]} for the samples in the order of the file."""
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


def as_many_as_there_may_be(isa):
    """A busy host gives each of so many CPUs little time, so the recording ends when all have
    samples."""
    run = live.Live("record -a -m 8 -e cpu-clock -F 10 -- idle 3600", "--arch", isa, "--timeout", "300",
                    qemu=("-smp", "256", "-m", "4096"))

    def all_sampled():
        count, stride = (run.word(tr.table("event_ledger") + at, "<I") for at in (8, 12))
        return count == 256 and all(run.word(run.table("event_ledger") + stride * i)
                                    for i in range(count))

    run.until(lambda: run.is_recording() and all_sampled())
    run.finish(signal.SIGINT)
    summary = run.summary()
    tap.ok(summary["conserved"] and len(summary["events"]) == 256 and
           all(event["delivered"] for event in summary["events"]),
           f"{isa}: 256 CPUs are sampled, each into its own ring, and the ledger is exact",
           (run.text, summary["broken"]))


def some_cpus(isa):
    run = machine.Recording("record -C 1,3 -e cpu-clock -F 1000 -- noploop 1", "--arch", isa,
                            qemu=("-smp", "4", *machine.EXACT))
    tap.equal((run.status, sorted(times_by_cpu(run))), (0, [1, 3]),
              f"{isa}: -C 1,3 samples CPUs 1 and 3")


def masked(isa, seen):
    """Samples every ms in code that masks interrupts for 10 ms."""
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
    for CPUS in (2, 4):
        one_time(ISA, CPUS)
    skewed(ISA)
    some_cpus(ISA)
    masked(ISA, seen=ISA == "aarch64")
if not machine.missing(QEMU["aarch64"]):  # with OVMF, booting so many CPUs takes minutes
    as_many_as_there_may_be("aarch64")
tap.finish()
