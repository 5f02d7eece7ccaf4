#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`record --lossless`: rings and AUX areas are far too small, the reader sleeps for 10 of every 20
ms and for longer once a second, and still nothing is lost. With BRANCHES in the environment, so
many branches by the branch trace store.

check-timeout: 900
"""

import collections
import contextlib
import itertools
import os
import pathlib
import re
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import live
import machine
import region as tr
import spe
import tap

BRANCHES = int(os.environ.get("BRANCHES", "300000"))
STEPS = int(os.environ.get("STEPS", "200000"))
MODEL = ("-cpu", "Skylake-Client,pmu=on")
FROZEN = "-e cpu-clock -c 100000 -m 1 --lossless=freeze -- payload"
STALLS, GIVEN_UP = 192, 200  # of struct tr_cpu
WORK = tempfile.TemporaryDirectory(prefix="bareperf-lossless-")

# 4 CPUs and one lock; main() prints the elapsed time by the samples' clock.
LOCK = r"""
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <stdint.h>
#include <stdio.h>

#ifndef TURNS
#define TURNS 1500U
#endif

static unsigned lock, sum;

static int work(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < TURNS; i++) {
		while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
			;
		for (volatile unsigned j = 0; j < 100; j++)
			;
		sum++;
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	}
	return 0;
}

int main(void)
{
	uint64_t began = bareperf_clock();

	for (int i = 1; i < (int)bareperf_cpus(); i++)
		bareperf_thread_start(i, work, NULL);
	work(NULL);
	for (int i = 1; i < (int)bareperf_cpus(); i++)
		bareperf_thread_join(i, NULL);
	printf("sum %u of %u in %lu ns\n", sum, TURNS * bareperf_cpus(),
	       (unsigned long)(bareperf_clock() - began));
	return 0;
}
"""


# One of 2 CPUs switches the recording off and on while either CPU may stall.
SWITCHES = r"""
#include <bareperf/record.h>
#include <bareperf/thread.h>
#include <stdio.h>

static unsigned done;

static void spin(unsigned turns)
{
	for (volatile unsigned i = 0; i < turns; i++)
		;
}

static int work(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		spin(1000);
	return 0;
}

int main(void)
{
	unsigned failed = 0;

	bareperf_thread_start(1, work, NULL);
	for (int i = 0; i < 80; i++) {
		spin(4000);
		failed += bareperf_record_stop() != 0;
		spin(1000);
		failed += bareperf_record_start() != 0;
	}
	done = 1;
	bareperf_thread_join(1, NULL);
	printf("160 switches, %u failed\n", failed);
	return 0;
}
"""


# One of 2 CPUs prints lines, each of which takes longer than the reserve of its ring lasts.
PRINTS = r"""
#include <bareperf/thread.h>
#include <string.h>
#include <unistd.h>

static unsigned done;

static int work(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		;
	return 0;
}

int main(void)
{
	char line[500];

	memset(line, '.', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	bareperf_thread_start(1, work, NULL);
	for (int i = 0; i < 40; i++) {
		write(1, line, sizeof(line));
		for (volatile unsigned j = 0; j < 3000; j++)
			;
	}
	done = 1;
	bareperf_thread_join(1, NULL);
	return 0;
}
"""


class Napping(live.Live):
    """A reader that sleeps until a CPU has stalled for it, and a little longer; then for 10 of
    every 20 ms."""

    @staticmethod
    def naps():
        return itertools.repeat(0.01)

    def __init__(self, command, *options, qemu=machine.EXACT):
        super().__init__(f"record {command}", *options, qemu=qemu)
        thread = threading.Thread(target=self.nap)
        thread.start()
        self.finish()
        thread.join()

    def is_stalled(self):
        count, stride = (self.word(tr.table("cpus") + at, "<I") for at in (8, 12))
        return any(self.word(self.table("cpus") + stride * i + STALLS) for i in range(count))

    def nap(self):
        self.until(self.is_recording)
        self.until(self.reader)
        self.sleep(lambda: self.until(self.is_stalled) and time.sleep(0.3))
        for nap in self.naps():
            if self.process.poll() is not None:
                break
            self.sleep(lambda: time.sleep(nap))
            time.sleep(0.01)

    def sleep(self, wait):
        pid = self.signal_reader(signal.SIGSTOP)
        wait()
        with contextlib.suppress(ProcessLookupError):
            if pid:
                os.kill(pid, signal.SIGCONT)


class Dozing(Napping):
    """Every fourth time it sleeps for longer than a program waits for CPUs that do not react."""

    @staticmethod
    def naps():
        return (0.5 if i % 4 == 3 else 0.01 for i in itertools.count())


def kept_all(run, claim):
    """The summary; it shows no loss, and that the machine had to stall."""
    if not tap.equal(run.status, 0, f"{claim}: it ends well"):
        tap.note(run.text)
    summary = run.summary()
    cpus = [cpu for cpu in summary["cpus"] if cpu["traced"]]
    tap.ok(summary["conserved"] and not summary["missing"] and
           all(event["lost"] == 0 and event["throttled"] == 0 for event in summary["events"]),
           f"{claim}: nothing is lost", (summary["missing"], summary["events"]))
    tap.ok(any(cpu["stands"] for cpu in cpus) and not any(cpu["given_up"] for cpu in cpus),
           f"{claim}: the machine stalled for room", cpus)
    return summary


def single_step():
    claim = f"{STEPS} branches by single-step through 64 KiB"
    run = Napping(f"-e branch-step// -m ,16 --lossless -- branches {STEPS}")
    summary = kept_all(run, claim)
    account = summary["events"][0]["branches"]
    tap.ok(account["recorded"] == account["taken"] >= STEPS, f"{claim}: all are there", account)
    check = branches.Check(branches.Trace(run.file), branches.image())
    tap.ok(check.edges and not check.bad_edges and not check.bad_chains,
           f"{claim}: each pair is an edge, and leaves the line that the last one came to",
           (check.bad_edges[:8], check.bad_chains[:8]))
    same_as_with_a_huge_area(run, claim, f"-e branch-step// -m ,4096 -- branches {STEPS}")


def same_as_with_a_huge_area(run, claim, command, *options, qemu=machine.EXACT):
    huge = machine.Recording(f"record {command}", *options, qemu=qemu)
    some, whole = branches.of_the_workload(run), branches.of_the_workload(huge)
    account, stood = huge.summary()["events"][0]["branches"], huge.summary()["cpus"][0]["stands"]
    tap.ok(account["lost"] == stood == 0 and some == whole,
           f"{claim}: the program's are those of a run with a huge area, in their order",
           (len(some), len(whole), account))


def trace_store(binary):
    claim = f"{BRANCHES} branches by the trace store through 64 KiB"
    run = Napping(f"-e bts// -m ,16 --lossless -- branches {BRANCHES}", "--qemu", binary,
                  qemu=(*MODEL, *machine.EXACT))
    summary = kept_all(run, claim)
    account, cpu = summary["events"][0]["branches"], summary["cpus"][0]
    tap.ok(account["recorded"] == account["taken"] + account["interrupts"] > BRANCHES and
           account["lost"] == 0, f"{claim}: all are there", account)
    tap.note(f"{claim}: {account['recorded']} recorded, {account['lost']} lost, {cpu['stands']} "
             f"stalls, {cpu['stood'] / 1e9:.1f} s of the machine's time stalled")
    pieces = spe.aux_records(run)
    tap.ok(len(pieces) > 4 and not any(flags for _, _, flags in pieces),
           f"{claim}: no piece is cut")
    bad, distinct, count = branches.bad_edges(run.file, branches.image())
    tap.ok(not bad and distinct > 50 and count == account["recorded"], f"{claim}: each pair is an edge",
           (bad[:8], distinct, count))
    if BRANCHES <= 1000000:  # as many as fit in the huge area
        same_as_with_a_huge_area(run, claim, f"-e bts// -m ,8192 -- branches {BRANCHES}", "--qemu",
                                 binary, qemu=(*MODEL, *machine.EXACT))


def statistical(binary):
    claim = "SPE through 16 KiB"
    run = Napping("-e arm_spe// -c 1024 -m ,4 --lossless -- branches 3000000", "--arch", "aarch64",
                  "--qemu", binary, qemu=("-machine", spe.EL2, "-cpu", spe.CPU, *machine.EXACT))
    kept_all(run, claim)
    pieces = spe.aux_records(run)
    tap.ok(len(pieces) > 4 and not any(flags for _, _, flags in pieces),
           f"{claim}: no piece is cut", pieces)
    # Two instructions per turn. Operations between two pieces are not sampled (docs/arm-spe.md,
    # "Limits").
    least, records = 3000000 * 2 // 1024 - len(pieces), run.summary()["spe"]["records"]
    tap.ok(records >= least > records - min(size for _, size, _ in pieces[:-1]) // spe.RECORD_SIZE,
           f"{claim}: all operations that were sampled are there", (least, run.summary()["spe"], pieces))


def counters(binary):
    """Their overflows are NMIs, which sometimes interrupt the tick's handler."""
    claim = "a counter's and the timer's samples in one ring of 8 KiB"
    run = Napping("-e cycles,cpu-clock -c 20000 -m 2 --lossless -- branches 5000000", "--qemu", binary,
                  qemu=(*MODEL, *machine.EXACT))
    summary = kept_all(run, claim)
    tap.ok(all(event["period"] >= 100 * 20000 for event in summary["events"]),
           f"{claim}: both were sampled", summary["events"])


def one_lock(isa, option):
    claim = f"{isa}: 4 CPUs with one lock, {option}"
    elf = machine.payload(isa, pathlib.Path(WORK.name) / f"lock-{isa}.elf", LOCK)
    run = Napping(f"-a -e cpu-clock -c 100000 -m 1 {option} -- payload", "--arch", isa, "--payload",
                  elf, qemu=("-smp", "4", *machine.EXACT))
    summary = kept_all(run, claim)
    said = re.search(r"sum (\d+) of (\d+) in (\d+) ns", run.text)
    tap.ok(said and said[1] == said[2] == "6000", f"{claim}: it comes to its end", run.text[-500:])


def switches(isa, option):
    """One CPU stalls; the other one does not before its own ring is full."""
    claim = f"{isa}: a program that switches its recording, {option}"
    elf = machine.payload(isa, pathlib.Path(WORK.name) / f"switches-{isa}.elf", SWITCHES)
    run = Dozing(f"-a -e cpu-clock -c 20000 -m 1 {option} -- payload", "--arch", isa, "--payload", elf,
                 qemu=("-smp", "2", *machine.EXACT))
    kept_all(run, claim)
    tap.ok("160 switches, 0 failed" in run.text, f"{claim}: each is heard", run.text[-500:])


def prints(isa):
    claim = f"{isa}: a program that prints, --lossless=cpu"
    elf = machine.payload(isa, pathlib.Path(WORK.name) / f"prints-{isa}.elf", PRINTS)
    run = Napping("-a -e cpu-clock -c 20000 -m 1 --lossless=cpu -- payload", "--arch", isa, "--payload",
                  elf, qemu=("-smp", "2", *machine.EXACT))
    kept_all(run, claim)
    tap.equal(run.text.count("." * 499), 40, f"{claim}: all of its lines arrive")


def time_that_passed():
    claim = "a program that asks the clock"
    elf = machine.payload("x86_64", pathlib.Path(WORK.name) / "clock.elf", LOCK, "-DTURNS=100000U")
    # The ring is not full before main() reads the clock, so stalls before that are not in its time.
    run = Napping("-e cpu-clock -c 20000 -m 4 --lossless -- payload", "--payload", elf)
    event, cpu = kept_all(run, claim)["events"][0], run.summary()["cpus"][0]
    said = re.search(r"in (\d+) ns", run.text)
    passed = event["time_enabled"] + cpu["stood"]
    tap.ok(said and int(said[1]) <= passed < 1.05 * int(said[1]) < 2 * cpu["stood"],
           f"{claim}: the event's enabled time and its CPU's stalls add up to the time that passed",
           (said and said[1], passed, cpu["stood"]))
    tap.ok(abs(event["time_running"] - event["count"]) < 50000,
           f"{claim}: and cpu-clock has counted its enabled time", event)
    periods = {sample.period for sample in run.raw_samples()}
    tap.ok(max(periods) < 10**6,
           f"{claim}: no PERIOD includes a stall", max(periods))


def frozen_clock():
    """A program that measures its own time gets the same result with any reader."""
    claim = "a program that asks the clock, which is frozen too"
    elf = machine.payload("x86_64", pathlib.Path(WORK.name) / "clock.elf", LOCK, "-DTURNS=100000U")
    run = Napping(FROZEN, "--payload", elf)
    free = machine.Recording(f"record {FROZEN}", "--payload", elf, qemu=machine.EXACT)
    cpu = kept_all(run, claim)["cpus"][0]
    said, alone = (re.search(r"in (\d+) ns", text) for text in (run.text, free.text))
    tap.ok(said and alone and abs(int(said[1]) - int(alone[1])) < int(alone[1]) // 100 and
           cpu["stood"] > 10**8, f"{claim}: measures the same within 1 %",
           (said and said[1], alone and alone[1], cpu["stood"]))
    event = run.summary()["events"][0]
    passed = event["time_enabled"] + cpu["stood"] - cpu["frozen"]
    tap.ok(said and int(said[1]) <= passed < int(said[1]) + 10**7 and
           cpu["stood"] - cpu["frozen"] < cpu["stands"] * 10**5,
           f"{claim}: that, and its CPU's stalls without the clock's, are the time that passed",
           (said and said[1], event["time_enabled"], cpu))
    no_gaps(run, claim, 10**6)


def no_gaps(run, claim, most):
    """In the file's order, a CPU's samples never step back in time, and no two are further apart
    than `most` ns."""
    times = collections.defaultdict(list)
    for sample in run.raw_samples():
        times[sample.cpu].append(sample.time)
    steps = [b - a for mine in times.values() for a, b in zip(mine, mine[1:])]
    tap.ok(steps and min(steps) >= 0 and max(steps) < most,
           f"{claim}: TIME shows no gap, and never goes back", (min(steps), max(steps)))


def one_frozen_lock():
    """The clock stops only when the last CPU stalls: TIME includes the other CPUs' wait for it."""
    claim = "aarch64: 4 CPUs with one lock, and their clock"
    elf = machine.payload("aarch64", pathlib.Path(WORK.name) / "frozen.elf", LOCK,
                          "-DTURNS=6000U")
    run = Napping(f"-a {FROZEN}", "--arch", "aarch64", "--payload", elf,
                  qemu=("-smp", "4", *machine.EXACT))
    summary = kept_all(run, claim)
    tap.ok(all(cpu["frozen"] == summary["cpus"][0]["frozen"] > 10**8 for cpu in summary["cpus"]),
           f"{claim}: all CPUs are stalled equally long", summary["cpus"])
    no_gaps(run, claim, 10**8)


def nobody_reads():
    """The reader stops, and so does its lease, until the machine no longer waits for it."""
    claim = "a reader that stalls"
    run = live.Live("record -e cpu-clock -c 20000 -m 1 --lossless -- noploop 20", qemu=machine.EXACT)
    run.until(run.is_recording)
    pid = live.until(run.reader)
    os.kill(pid, signal.SIGSTOP)
    gave_up = run.until(lambda: run.word(run.table("cpus") + GIVEN_UP))
    lost = run.until(lambda: run.word(run.table("event_ledger") + 16) > 100)
    os.kill(pid, signal.SIGCONT)
    run.finish(signal.SIGINT)
    tap.ok(gave_up == 1 and lost, f"{claim}: it is given up, and then records without room are lost",
           (gave_up, lost))
    summary = run.summary()
    event, cpu = summary["events"][0], summary["cpus"][0]
    tap.ok(summary["conserved"] and event["lost"] > 100 and cpu["given_up"] == 1,
           f"{claim}: the ledger has all of these losses", (event, cpu))


REASON = machine.missing() or machine.missing("qemu-system-aarch64")
if REASON:
    tap.skip("--lossless", REASON)
else:
    single_step()
    time_that_passed()
    frozen_clock()
    one_frozen_lock()
    one_lock("x86_64", "--lossless")
    one_lock("aarch64", "--lossless=cpu")
    switches("x86_64", "--lossless=cpu")
    switches("aarch64", "--lossless=cpu")
    prints("x86_64")
    prints("aarch64")
    nobody_reads()
for isa, tests in (("x86_64", (trace_store, counters)), ("aarch64", (statistical,))):
    model, REASON = machine.model(isa)
    for test in tests:
        if REASON:
            tap.skip(f"--lossless: {test.__name__}", REASON)
        else:
            test(model)
tap.finish()
