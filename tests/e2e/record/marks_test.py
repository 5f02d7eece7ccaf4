#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program's marks on both architectures: stock perf prints them, they are counted, and they are
cheap; counts between marks; a program that starts and stops its own recording, and waits for room.

check-spare: machines count instructions
"""

import collections
import json
import mmap
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import live
import machine
import mark_cost
import nested_marks
import region as tr
import tap

EL2 = ("-machine", "virt,gic-version=3,virtualization=on")
WORK = tempfile.TemporaryDirectory(prefix="bareperf-marks-")
TURNS = 700
MARKS_COST = 200_000  # instructions per CPU for all its marks; a calibration takes millions
CALLS = 20
READ_AGAIN = 60  # instructions for reading the counters again
KILLED_AT = 1 << 16  # size in bytes at which the file counts as one of a killed tool
NESTED_TURNS = 1500  # so many turns, of which 300 hit each instruction of a mark
RING_ENTRY, TAIL = 128, 1032  # struct tr_ring's size; data_tail in a control page
MANY_MARKS = (*mark_cost.WORDS, "cpu ")

MARKS = mark_cost.SOURCE + r"""
#include <bareperf/record.h>
#include <bareperf/thread.h>

static volatile unsigned sink;

static __attribute__((noinline)) void wanted(uint64_t ms)
{
	uint64_t end = bareperf_clock() + ms * 1000000;

	while (bareperf_clock() < end)
		sink++;
}

static __attribute__((noinline)) void unwanted(uint64_t ms)
{
	uint64_t end = bareperf_clock() + ms * 1000000;

	while (bareperf_clock() < end)
		sink += 2; /* or it would be the same function */
}

static int mark_often(void *argument)
{
	unsigned cpu = bareperf_cpu();

	bareperf_mark_begin("thread %u", cpu);
	for (unsigned i = 0; i < TURNS; i++) {
		bareperf_mark("cpu %u turn %u of %p", cpu, i, argument);
		sink++;
	}
	bareperf_mark_end("thread %u", cpu);
	return 0;
}

/* Until it is ended, which must not be in the middle of a mark. */
static int mark_for_ever(void *argument)
{
	(void)argument;
	for (;;)
		bareperf_mark("endless");
	return 0;
}

int main(void)
{
	bareperf_mark("never seen");
	unwanted(20);
	printf("start %d\n", bareperf_record_start());
	wanted(20);
	bareperf_mark_begin("outer");
	bareperf_mark_begin("inner");
	bareperf_mark("signs %d %hhd %ld, %.3f", -1, -2, -3L, 2.5);
	bareperf_mark("%#x of %c, 100%%", 48879, 'A');
	bareperf_mark_end("inner");
	bareperf_mark_end("outer");
	printf("stop %d\n", bareperf_record_stop());
	bareperf_mark("never seen");
	unwanted(20);
	printf("start %d\n", bareperf_record_start());
	print_cost();
	for (int cpu = 1; cpu < 4; cpu++)
		bareperf_thread_start(cpu, mark_often, (void *)0x1234);
	mark_often((void *)0x1234);
	for (int cpu = 1; cpu < 4; cpu++)
		bareperf_thread_join(cpu, NULL);
	printf("endless %d\n", bareperf_thread_start(3, mark_for_ever, NULL));
	wanted(3);
	return 0;
}
"""

REGIONS = r"""
#include <bareperf/mark.h>
#include <bareperf/thread.h>
#include <stdio.h>

#ifdef __x86_64__
#define LOOP(turns) __asm__ volatile("mov %0, %%ecx\n1: dec %%ecx\n jnz 1b" : : "i"(turns) : "ecx", "cc")
#else
#define LOOP(turns) __asm__ volatile("mov w9, %0\n1: subs w9, w9, #1\n b.ne 1b" : : "i"(turns) : "w9", "cc")
#endif

/* As the C library calibrates them: apart, so that the compiler keeps nothing of one for another. */
static __attribute__((noinline)) void go_short(void)
{
	bareperf_mark_begin("short");
	LOOP(100);
	bareperf_mark_end("short");
}

static __attribute__((noinline)) void go_long(void)
{
	bareperf_mark_begin("a longer name that takes longer to find");
	LOOP(20000);
	bareperf_mark_end("a longer name that takes longer to find");
}

static __attribute__((noinline)) void go_numbered(int number)
{
	bareperf_mark_begin("number %d", number);
	bareperf_mark_end("number %d", number);
}

static int count(void *argument)
{
	(void)argument;
	for (int i = 0; i < 20; i++) {
		go_short();
		go_long();
		go_numbered(i);
	}
	return 0;
}

int main(void)
{
	bareperf_thread_start(1, count, NULL);
	count(NULL);
	bareperf_thread_join(1, NULL);
	bareperf_mark_end("nothing");
	return 0;
}
"""

# More marks than the ring has room for, as fast as possible.
MANY = r"""
#include <bareperf/mark.h>
#include <bareperf/thread.h>
#include <stdio.h>

static int many(void *argument)
{
	(void)argument;
	for (unsigned i = 0; i < 4000; i++)
		bareperf_mark("number %u", i);
	return 0;
}

int main(void)
{
	printf("started %d\\n", bareperf_thread_start(1, many, NULL));
	many(NULL);
	bareperf_thread_join(1, NULL);
	return 0;
}
"""


def equal(got, wanted, claim, *details):
    tap.ok(got == wanted, claim, (got, wanted, *details))


def texts(file, names=("marks",)):
    """The texts of marks as stock perf prints them, by CPU; names: the possible names of their
    event."""
    found = collections.defaultdict(list)
    script = subprocess.run(["perf", "script", "-F", "comm,tid,cpu,time,event,bpf-output", "-i", file],
                            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    equal(script.returncode, 0, "stock perf reads it", script.stderr)
    cpu = None
    for line in script.stdout.splitlines():
        head = re.search(r"\[(\d+)\]\s+[\d.]+:\s+(?:\d+\s+)?(\S+):", line)
        text = re.search(r'BPF string: "(.*)"', line)
        if head:
            cpu = int(head.group(1)) if head.group(2) in names else None
        if text and cpu is not None:
            found[cpu].append(text.group(1))
    return found


def check_marks(isa, run):
    """All marks of four CPUs that mark at the same time, with samples in between; and of a program
    that was ended."""
    equal(run.status, 0, f"{isa}: a program with marks runs", run.text)
    summary = run.summary()
    tap.ok(summary["conserved"] and summary["status"] == 0, f"{isa}: its ledger balances", run.text)
    marks = [event for event in summary["events"] if event["name"] == "marks"]
    found = texts(run.file)
    equal([len(found[cpu]) for cpu in range(4)], [event["written"] for event in marks],
              f"{isa}: perf prints every mark that was written")
    alone = [t for t in found[0] if not t.startswith(MANY_MARKS)]
    equal(alone, ["begin outer", "begin inner", "signs -1 -2 -3, 2.500", "0xbeef of A, 100%",
                      "end inner", "end outer", "begin thread 0", "end thread 0"],
              f"{isa}: as printf() would print them, and none while it was paused")
    for cpu in range(4):
        wanted = [f"begin thread {cpu}",
                  *(f"cpu {cpu} turn {i} of 0x1234" for i in range(TURNS)), f"end thread {cpu}"]
        mine = [t for t in found[cpu] if re.match(r"(begin|end) thread|cpu ", t)]
        tap.ok(mine == wanted, f"{isa}: CPU {cpu}'s say their values, in order", (marks[cpu], mine[:3], mine[-3:]))
    tap.ok("endless" in found[3], f"{isa}: a thread that marks for ever is ended", found[3][-3:])
    dump = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    equal(dump.count("... mark: "), sum(event["written"] for event in marks),
              f"{isa}: and so does dump")


def check_views(isa, run):
    """Regions and moments are in the page, and in the formats of other viewers."""
    chrome = subprocess.run([machine.TOOL, "export", "--format", "chrome", run.file],
                            capture_output=True, text=True, check=False)
    events = json.loads(chrome.stdout)["traceEvents"]
    pid = {e["pid"] for e in events
           if e["ph"] == "M" and e["name"] == "process_name" and e["args"]["name"] == "marks"}
    mine = [(e["ph"], e["name"]) for e in events if e["pid"] in pid and e["tid"] == 0 and
            e["ph"] != "M" and not e["name"].startswith(MANY_MARKS)]
    equal(mine, [("i", "signs -1 -2 -3, 2.500"), ("i", "0xbeef of A, 100%"), ("X", "inner"),
                 ("X", "outer"), ("X", "thread 0")], f"{isa}: slices and instants for Chrome")
    page = pathlib.Path(WORK.name) / "page.html"
    done = subprocess.run([machine.TOOL, "report", "--html", "-o", page, run.file],
                          capture_output=True, text=True, check=False)
    facts = re.search(r'id="facts">(.*?)</script>', page.read_text(), re.DOTALL)
    names = json.loads(facts.group(1))["marks"] if facts else []
    tap.ok({"outer", "inner", "thread 3", "endless"} <= set(names) and not done.returncode,
           f"{isa}: and their names in the page", (names[:9], done.stderr))


def check_window(isa, run):
    """No sample and no time before the start, nor between stop and start."""
    functions = {leaf[0] for _, _, leaf in run.chains() if leaf}
    codes = re.findall(r"^(?:start|stop|endless) (-?\d+)", run.text, re.MULTILINE)
    equal(codes, ["0", "0", "0", "3"], f"{isa}: it starts and stops its recording", run.text)
    tap.ok("wanted" in functions and "unwanted" not in functions,
           f"{isa}: no sample is from the time in between", functions)
    first = [event for event in run.summary()["events"] if event["name"] == "cpu-clock"][0]
    tap.ok(23_000_000 < first["time_enabled"] < 60_000_000, f"{isa}: nor in any event's time", first)


def check_regions(isa, run):
    """With -icount, counts of instructions are exact."""
    equal(run.status, 0, f"{isa}: events between marks are counted", run.text)
    counts = json.loads(run.text[run.text.index("{"):run.text.rindex("}") + 1])
    regions = {(r["region"], r["cpu"]): (r["calls"], r["counts"]["instructions"])
               for r in counts["regions"]}
    for name, turns in (("short", 100), ("a longer name that takes longer to find", 20000)):
        for cpu in (0, 1):
            calls, instructions = regions.get((name, cpu), (0, 0))
            # one instruction sets the loop's counter, and each turn has two. Some dozen ticks come
            # in between; a tick during a reading of the counters causes another reading.
            more = instructions - CALLS * (1 + 2 * turns)
            tap.ok(calls == CALLS and 0 <= more <= READ_AGAIN,
                   f"{isa}: CPU {cpu}'s {turns} turns, {CALLS} times, to the instruction, but for a tick "
                   "in the very reading", (calls, more))
            tap.note(f"{isa}: CPU {cpu}, {turns} turns: {more} instructions more")
    equal([regions.get(("number %d", cpu), (0,))[0] for cpu in (0, 1)], [CALLS, CALLS],
          f"{isa}: marks of one format are one region, for any values", regions)
    equal(len(regions), 6, f"{isa}: no other region is reported", regions)
    made = {0: 6 * CALLS + 1, 1: 6 * CALLS}
    equal({e["cpu"]: e["count"] for e in counts["events"] if e["event"] == "marks"}, made,
          f"{isa}: the program's marks are counted, and no others")
    equal(counts["unmatched_marks"], 1, f"{isa}: an end without a beginning is reported")
    equal(counts["conserved"], True, f"{isa}: and the ledger balance", counts)


def totals(run):
    """Each CPU's instructions."""
    counts = json.loads(run.text[run.text.index("{"):run.text.rindex("}") + 1])
    return {e["cpu"]: e["count"] for e in counts["events"] if e["event"] == "instructions"}


def check_totals(isa, run, alone):
    """The same program with and without marks."""
    with_marks, without = totals(run), totals(alone)
    more = {cpu: with_marks[cpu] - without[cpu] for cpu in without}
    tap.note(f"{isa}: instructions more with marks, by CPU: {more}")
    tap.ok(set(more) == {0, 1} and all(abs(n) < MARKS_COST for n in more.values()),
           f"{isa}: the totals have what the program does, and no calibration", (with_marks, without))


def check_lossless(isa, *options):
    program = machine.payload(isa, pathlib.Path(WORK.name) / f"many-{isa}.elf", MANY)
    run = machine.Recording("record --lossless -a -m 16 -e cpu-clock,marks -- payload", "--arch", isa,
                            "--payload", program, qemu=(*options, "-smp", "2"), timeout=300)
    marks = [(event["written"], event["lost"]) for event in run.summary()["events"]
             if event["name"] == "marks"]
    equal(marks, [(4000, 0), (4000, 0)], f"{isa}: a program waits for room for its marks", run.text)
    program = machine.payload(isa, pathlib.Path(WORK.name) / f"frozen-{isa}.elf",
                              mark_cost.SOURCE + "int main(void)\n{\n\tprint_cost();\n\treturn 0;\n}\n")
    run = machine.Recording("record --lossless=freeze -m 64 -e cpu-clock,marks -- payload", "--arch", isa,
                            "--payload", program, qemu=(*options, *machine.EXACT))
    mark_cost.check(f"{isa}, frozen", run.text, frozen=True)


class Faulty(live.Live):
    """A recording whose rings' tails are overwritten with impossible values, and whose reader
    sometimes stops."""

    def __init__(self, command, *options, qemu):
        super().__init__(f"record {command}", *options, qemu=qemu)
        # a copy of the file at the time when the reader is killed
        self.killed = self.file.with_name("killed.data")
        self.until(self.is_recording)
        with open(self.region, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            while self.is_recording() and self.process.poll() is None:
                self.spoil(memory)
                if self.signal_reader(signal.SIGSTOP) and not self.killed.exists() and \
                        live.is_as_long(self.file, KILLED_AT):
                    shutil.copyfile(self.file, self.killed)
                time.sleep(0.003)
                self.signal_reader(signal.SIGCONT)
                time.sleep(0.003)
        self.finish()

    def spoil(self, memory):
        """Only while a reader reads: a reader refuses to start at such a tail."""
        for cpu in range(4):
            tail = self.word(self.table("rings") + RING_ENTRY * cpu + 16) + TAIL
            if self.word(tail):
                struct.pack_into("<Q", memory, tail, 0xBAD0BAD0BAD0BAD1)


def check_nested(isa, *options):
    """On each of four CPUs a handler marks after any instruction of its thread's marks."""
    source = nested_marks.SOURCE.replace("TURNS", str(NESTED_TURNS))
    # because the handler has no stack of its own
    flags = ("-mno-red-zone",) if isa == "x86_64" else ()
    program = machine.payload(isa, pathlib.Path(WORK.name) / f"nested-{isa}.elf", source, *flags)
    run = Faulty("-a -m 16 -e cpu-clock,marks -F 1000 -- payload", "--arch", isa, "--payload", program,
                 qemu=(*options, "-smp", "4"))
    equal(run.status, 0, f"{isa}: a program whose marks nest in marks runs", run.text)
    summary, found = run.summary(), texts(run.file)
    steps = re.search(r"^steps (\d+) (\d+) (\d+) (\d+)$", run.text, re.MULTILINE)
    tap.ok(summary["conserved"] and summary["status"] == 0, f"{isa}: their ledgers balance", run.text)
    tap.ok(all(any(ring[word] for ring in summary["rings"]) for word in ("tail_faults", "lost")),
           f"{isa}: rings were full, tails were wrong", summary["rings"])
    check_killed(isa, run, found)
    for event in summary["events"]:
        if event["name"] != "marks":
            continue
        cpu, mine = event["cpu"], found[event["cpu"]]
        made = NESTED_TURNS + int(steps[1 + cpu]) if steps else 0
        equal((event["generated"], event["written"] + event["lost"]), (made, made),
              f"{isa}: CPU {cpu}: each mark that was made is written or counted as lost")
        tap.ok(len(mine) == event["written"] > 0 and made > 2 * NESTED_TURNS,
               f"{isa}: CPU {cpu}: perf prints the written marks", (len(mine), event, made))
        check_order(f"{isa}: CPU {cpu}", mine)


def is_begun(marks, whole):
    """Whether these are the first marks of all. One may be missing: a mark that had taken its time
    before inner marks were written comes after them in the ring, and may not be in the file."""
    at = next((i for i, (mark, as_found) in enumerate(zip(marks, whole)) if mark != as_found), len(marks))
    return marks[at:] == whole[at + 1:len(marks) + 1]


def check_killed(isa, run, found):
    """The file that a killed tool leaves: without features, so without names of events."""
    features = int.from_bytes(run.killed.read_bytes()[72:104], "little")
    for claim, cut in (("of a killed tool", 0), ("that is cut in its last record", 12)):
        ends = [0, *(at + size for _, at, size in branches.records(run.killed.read_bytes()))]
        os.truncate(run.killed, max(ends[-1] - cut, 0))
        there = texts(run.killed, ("bpf-output", "unknown-software"))
        tap.ok(not features and sum(map(len, there.values())) > 100 and
               all(is_begun(mine, found[cpu]) for cpu, mine in there.items()),
               f"{isa}: of a file {claim} perf prints the marks up to there",
               (features, {cpu: len(mine) for cpu, mine in there.items()}))


def check_order(whose, marks):
    """Turns ascend, steps ascend, and no mark belongs to an earlier turn than the last one's."""
    turns = [int(text.split()[1]) for text in marks if text.startswith("turn ")]
    steps = [tuple(map(int, re.findall(r"\d+", text))) for text in marks if text.startswith("step ")]
    of_turns = [int(text.split()[-1]) for text in marks]
    tap.ok(len(turns) + len(steps) == len(marks) and steps and
           all(a < b for a, b in zip(turns, turns[1:])) and
           all(a[0] < b[0] for a, b in zip(steps, steps[1:])) and of_turns == sorted(of_turns),
           f"{whose}: in the order in which they were made", marks[:20])


def check(isa, *options):
    source = MARKS.replace("TURNS", str(TURNS))
    program = machine.payload(isa, pathlib.Path(WORK.name) / f"marks-{isa}.elf", source)
    run = machine.Recording("record -D -1 -a -e cpu-clock -F 4000 -e marks -- payload", "--arch", isa,
                            "--payload", program, qemu=(*options, "-smp", "4", *machine.EXACT),
                            timeout=300)
    check_marks(isa, run)
    check_views(isa, run)
    check_window(isa, run)
    mark_cost.check(isa, run.text)


def check_counts(isa, *options):
    binary, reason = machine.model(isa)
    if reason:
        tap.skip(f"{isa}: counting between marks", reason)
        return
    program = machine.payload(isa, pathlib.Path(WORK.name) / f"regions-{isa}.elf", REGIONS)
    run = machine.Recording("stat -a -e instructions,cpu-clock,marks -- payload", "--arch", isa,
                            "--qemu", binary, "--json", "--payload", program,
                            qemu=(*options, "-smp", "2", *machine.EXACT), timeout=300)
    check_regions(isa, run)
    alone = machine.Recording("stat -a -e instructions -- payload", "--arch", isa, "--qemu", binary, "--json",
                              "--payload", program, qemu=(*options, "-smp", "2", *machine.EXACT), timeout=300)
    check_totals(isa, run, alone)


for isa, machine_options, model_options in (
        ("x86_64", (), ("-cpu", "Skylake-Client,pmu=on")),
        ("aarch64", EL2, (*EL2, "-cpu", "cortex-a76,pmu-instructions=on"))):
    reason = machine.missing(f"qemu-system-{isa}")
    if reason:
        tap.skip(f"{isa}: marks", reason)
        continue
    check(isa, *machine_options)
    check_lossless(isa, *machine_options)
    check_nested(isa, *machine_options)
    check_counts(isa, *model_options)
tap.finish()
