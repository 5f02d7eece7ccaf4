#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arm's PMUv3 from overflow to perf: three events in one ring, exact counts, masked code; on the
hardware model thresholds, chained counters and the instruction counter.

check-timeout: 900
"""

import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

EXAMPLE = machine.TOP / "build/aarch64/sdk/example.elf"

# name, QEMU's machine, and whether cycles are sampled in code that masks interrupts
LEVELS = [
    ("EL2", "virt,gic-version=3,virtualization=on", True),
    ("EL1, GICv3", "virt,gic-version=3", True),
    ("EL1, GICv2", "virt,gic-version=2", False),
]

PERIOD = 1_000_000  # of the model's groups

programs = []  # instructions of the same program at each level


def record(command, kind, *qemu, clock=machine.EXACT):
    run = machine.Recording(f"record {command}", "--arch", "aarch64",
                            qemu=("-machine", kind, *qemu, *clock))
    return run, run.summary()


def three_in_one_ring(name, kind):
    """The samples fill the ring twice, so an owner that is not woken loses most of them. A woken
    owner has the time of 15/16 of the ring."""
    period = 1_000_000
    run, summary = record(f"-e cycles,cycles,cycles -c {period} -m 32 --watermark 8192 "
                          "-- noploop 2", kind, clock=machine.PACED)
    events = summary["events"]
    tap.equal(run.status, 0, f"{name}: three cycles events in one ring end well")
    tap.ok(summary["conserved"] and not any(e["lost"] for e in events),
           f"{name}: nothing is lost, the ledger is exact", summary)
    counts = [e["delivered"] for e in events]
    tap.ok(max(counts) - min(counts) <= 1, f"{name}: all three have as many samples", counts)
    for event in events:
        tap.ok(event["count"] // period - event["delivered"] in (0, 1),
               f"{name}: as many as the counter's count demands", event)
        tap.equal(event["period_delivered"] + event["residue"], event["count"],
                  f"{name}: the PERIODs and the residue are the count")
    tap.ok(all(0.96 < event["count"] / event["time_enabled"] < 1.001 for event in events),
           f"{name}: the counts have a cycle for each ns that passed, but for 4 % in handlers",
           events)
    wakeups = summary["wakeups"]
    tap.ok(wakeups["causes"]["threshold"] >= sum(counts) * 56 // 8192 > 32 and
           wakeups["rung"] == wakeups["sent"] + wakeups["repeated"],
           f"{name}: the owner was woken for each sixteenth of the ring, and heard it", wakeups)


def masked(name, kind, seen):
    run, summary = record("-e cycles -c 1000000 -- masked 1", kind)
    samples = run.chains()
    tap.ok(summary["conserved"], f"{name}: masked code leaves the ledger exact", summary)
    if seen:
        tap.ok(len(samples) > 900, f"{name}: code that masks interrupts is sampled", len(samples))
    else:
        tap.ok(len(samples) < 200 and max(p for _, p, _ in samples) > 9_000_000,
               f"{name}: code that masks interrupts is sampled at its end, with the true period",
               len(samples))


def frequency(name, kind):
    _, summary = record("-e cycles -F 2000 -- noploop 1", kind)
    tap.ok(1900 <= summary["events"][0]["delivered"] <= 2100, f"{name}: -F 2000 comes close",
           summary["events"][0])


def table(report):
    return [line for line in report.splitlines() if "%" in line and not line.startswith("#")]


def raw_and_generic(name, kind):
    """QEMU counts instructions only if they drive its clock."""
    run, summary = record("-e instructions,r8,r11,cycles:k -c 100000 -- calltree 1", kind)
    if not tap.equal(run.status, 0, f"{name}: generic and raw events together end well"):
        tap.note(run.text)
        return
    events = {e["name"]: e for e in summary["events"]}
    generic, raw = events["instructions"]["count"], events["r8"]["count"]
    tap.ok(generic > 1_000_000 and abs(generic - raw) <= generic // 1000,
           f"{name}: instructions and r8 are one event", (generic, raw))
    tap.ok(events["r11"]["count"] > generic, f"{name}: r11 is cycles", events["r11"])
    tap.ok(abs(events["cycles:k"]["count"] - events["r11"]["count"]) <=
           events["r11"]["count"] // 1000, f"{name}: all of it is at EL1", events)
    leaves = machine.shares([s for s in run.chains() if s[0].startswith("instructions")])
    tap.ok(leaves.get("lex", 0) > 20, f"{name}: the samples lie in the workload", leaves)
    theirs, _, _ = run.perf("report", "--stdio", "--no-children", "-g", "none", "-n")
    ours = subprocess.run([machine.TOOL, "report", "--stdio", "-n", run.file], capture_output=True,
                          text=True, check=False).stdout
    tap.ok(table(ours) == table(theirs) and len(table(ours)) > 10,
           f"{name}: bareperf report prints perf report's lines, in its order", ours + theirs)


def three_on_every_cpu(name, kind):
    """Time passes while QEMU runs the other CPUs, so interrupts come late. Samples are then fewer
    than the count demands, with longer PERIODs, but three counters agree."""
    if not EXAMPLE.exists():
        tap.skip(f"{name}: three cycles events on each CPU", "the SDK's example is not built")
        return
    for cpus in (2, 4):
        run = machine.Recording(
            "record -a -e cycles,cycles,cycles -c 200000 -m 128 --watermark 32768 "
            "-- payload 5000000",
            "--arch", "aarch64", "--payload", EXAMPLE,
            qemu=("-machine", kind, "-smp", str(cpus), *machine.PACED))
        summary = run.summary()
        delivered = collections.defaultdict(list)
        for event in summary["events"]:
            delivered[event["cpu"]].append(event["delivered"])
        claim = f"{name}, {cpus} CPUs"
        tap.ok(run.status == 0 and sorted(delivered) == list(range(cpus)) and
               all(len(counts) == 3 and max(counts) - min(counts) <= 1 and min(counts) > 2000
                   for counts in delivered.values()),
               f"{claim}: each CPU's three cycles events have equally many samples", delivered)
        tap.ok(summary["conserved"] and not any(event["lost"] for event in summary["events"]),
               f"{claim}: nothing is lost, PERIODs + residue = count", summary)
        strange = machine.strangers(run, summary)
        tap.ok(not strange, f"{claim}: each sample has its own event's CPU and thread",
               strange[:5])
        tap.ok(summary["wakeups"]["causes"]["threshold"] >= 16 * cpus,
               f"{claim}: each ring was filled more than once", summary["wakeups"])


def refusals():
    run = machine.Recording("record -e branch-misses -- noploop 1", "--arch", "aarch64")
    tap.ok(run.status != 0 and "this CPU does not implement the event" in run.text,
           "a generic event that this PMU lacks is refused, with the reason", run.text)
    run = machine.Recording("record -e armv8_pmuv3/event=8,long/ -- noploop 1", "--arch", "aarch64",
                            qemu=("-cpu", "cortex-a57", *machine.EXACT))
    tap.ok(run.status != 0 and "cannot chain two" in run.text,
           "64 bits that this PMU does not have are refused", run.text)


def leftovers(binary):
    """The counters that the model's firmware uses: event counters 0 and 1, and the cycle counter."""
    for name, kind, _ in LEVELS:
        run = machine.Recording(
            "record -e cycles,instructions -c 1000000 -- noploop 1", "--arch", "aarch64", "--qemu",
            binary, qemu=("-machine", kind, "-cpu",
                          "cortex-a57,pmu-instructions=on,pmu-leftovers=on", *machine.EXACT))
        summary = run.summary()
        cpu = summary["cpus"][0]
        tap.equal((cpu["counters"], cpu["leftovers"], cpu["foreign"]),
                  (0x8000003f, 0x80000003, 0),
                  f"{name}: counters that firmware left counting are reported to the host")
        tap.ok(run.status == 0 and summary["conserved"] and
               summary["events"][0]["generated"] > 900 and
               summary["events"][1]["generated"] > 50,
               f"{name}: and do not disturb ours", summary["events"])


def counted(binary, name, kind, cpu, events, workload):
    """The counts of a group on the model, whose counters begin and end together. The first event
    samples."""
    run = machine.Recording(
        f"record -e {{{','.join(events)}}}:S -c {PERIOD} -- {workload}", "--arch", "aarch64",
        "--qemu", binary,
        qemu=("-machine", kind, "-cpu", f"cortex-a76,pmu-instructions=on{cpu}", *machine.EXACT))
    summary = run.summary()
    good = run.status == 0 and summary["conserved"] and all(
        event["time_running"] == event["time_enabled"] for event in summary["events"])
    if not tap.ok(good, f"{name}: all counters count all the time, and the ledger is exact",
                  summary.get("events")):
        tap.note(run.text)
    return ([event["count"] for event in summary["events"]], summary["events"][0],
            summary["cpus"][0]["counters"])


def thresholds_and_instruction_counter(binary, name, kind):
    """Eight events on six event counters, the cycle counter and the instruction counter, so all of
    them are needed. A cycle of the model is an instruction: it has one branch, or none."""
    def branches(threshold, compare, cycles):
        return (f"armv8_pmuv3/event=0x21,threshold={threshold},threshold_compare={compare},"
                f"threshold_count={cycles}/")

    (fixed, every, taken, one, none, two, less, cycles), leader, counters = counted(
        binary, name, kind, ",pmu-version=9,pmu-icntr=on,pmu-threshold=4",
        ["instructions", "instructions", "r21", branches(1, 2, 0), branches(1, 3, 1),
         branches(2, 2, 0), branches(15, 3, 1), "cycles"], "calltree 1")
    tap.equal(counters, 1 << 32 | 1 << 31 | 0x3f, f"{name}: the CPU has eight counters")
    tap.ok(fixed == every > 40_000_000,
           f"{name}: the instruction counter counts as an event counter does", (fixed, every))
    tap.ok(leader["generated"] == fixed // PERIOD > 40 and
           leader["period_delivered"] + leader["residue"] == fixed,
           f"{name}: its overflows sample each period", leader)
    tap.ok(taken == one > 20_000_000, f"{name}: the threshold 1 leaves all branches", (taken, one))
    tap.ok(one + none == every, f"{name}: the cycles with a branch and those without are all",
           (one, none, every))
    tap.equal((two, less), (0, every), f"{name}: no cycle has two branches, each less than 15")
    tap.ok(cycles > 900_000_000, f"{name}: the cycle counter counts beside them", cycles)


def chained(binary, name, kind):
    """This CPU's counters have 32 bits, its cycle counter 64. A pair that samples begins just below
    2^64, so both halves wrap at each sample."""
    (pair, single, cycles, long_cycles), leader, _ = counted(
        binary, name, kind, "", ["armv8_pmuv3/event=8,long/", "r8", "cycles",
                                 "armv8_pmuv3/event=0x11,long/"], "noploop 5")
    tap.ok(pair == single > 100_000_000 and leader["generated"] == pair // PERIOD,
           f"{name}: a chained pair counts as one counter does, and samples each period",
           (pair, single, leader))
    tap.ok(cycles == long_cycles > 1 << 32, f"{name}: a pair counts beyond 2^32, exactly",
           (cycles, long_cycles))


def many_events(name, kind):
    """Twelve events on the six counters of this machine. A single counter counts only the program,
    at each entry level: the counts agree except for the few instructions between the counters'
    start and the program's."""
    workload = "-- branches 20000000"
    _, alone = record(f"-e r8 -c 100000 {workload}", kind)
    _, summary = record(f"-e {','.join(['r8'] * 12)} -c 100000 {workload}", kind)
    true = alone["events"][0]["count"]
    programs.append(true)
    tap.ok(max(programs) / min(programs) < 1.001 and alone["cpus"][0]["ticks"] > 500,
           f"{name}: of instructions less than one in a thousand is our handlers'", programs)
    off = [abs(machine.scaled(event) / true - 1) for event in summary["events"]]
    shares = [event["time_running"] / event["time_enabled"] for event in summary["events"]]
    tap.ok(len(off) == 12 and max(off) < 0.001,
           f"{name}: twelve events on six counters, their counts within one in a thousand", off)
    tap.ok(0.45 < min(shares) and max(shares) < 0.55, f"{name}: they take turns alike", shares)
    tap.ok(summary["conserved"] and not any(event["lost"] for event in summary["events"]),
           f"{name}: nothing is lost in the turns, and PERIODs + residue = count", summary)


def group(name, kind):
    run, summary = record("-e {cycles,r11,instructions}:S -c 1000000 -- calltree 1", kind)
    counts = [event["count"] for event in summary["events"]]
    times = {(event["time_enabled"], event["time_running"]) for event in summary["events"]}
    tap.ok(run.status == 0 and summary["conserved"] and len(times) == 1 and
           counts[0] == counts[1] > 100_000_000,
           f"{name}: a group's counters begin and end together: cycles and r11 are equal",
           summary["events"])
    tap.equal([event["samples"] > 100 for event in summary["events"]], [True, False, False],
              f"{name}: its leader samples, its members do not")
    text, _, status = run.perf("report", "--group", "--stdio", "--no-children")
    lex = re.search(r"([\d.]+)% +([\d.]+)% +([\d.]+)%.* lex$", text, re.MULTILINE)
    tap.ok(status == 0 and "anon group { cycles, r11, instructions }" in text and lex and
           all(27 < float(share) < 33 for share in lex.groups()),
           f"{name}: stock perf finds the members' counts where they were counted", text)


def absurd_period(name, kind):
    """A second's 20,000 samples of 56 bytes and 2,000 THROTTLE and UNTHROTTLE records fit into the
    ring, so no record is lost however late the reader is."""
    run, summary = record("-e cycles -c 16000 -m 512 --max-sample-rate 20000 -- noploop 1", kind)
    event = summary["events"][0]
    tap.ok(summary["conserved"] and event["throttled"] > 900 and not event["lost"] and
           event["time_running"] < event["time_enabled"],
           f"{name}: more than 20 samples a millisecond are throttled, the ledger exact", event)
    text, _, _ = run.perf("script", "-D")
    told = text.count("PERF_RECORD_THROTTLE")
    tap.ok(told == event["throttled"] and
           0 <= told - text.count("PERF_RECORD_UNTHROTTLE") <= 1,
           f"{name}: stock perf finds each THROTTLE and its UNTHROTTLE", told)


def shortest_period(name, kind):
    run, summary = record("-e cycles -c 1 --max-sample-rate 0 -m 1024 -- branches 300000", kind)
    event = summary["events"][0]
    tap.ok(run.status == 0 and summary["conserved"] and event["generated"] > 100,
           f"{name}: -c 1 leaves the program time to end, the ledger exact", event)


if machine.missing("qemu-system-aarch64"):
    tap.skip("PMUv3 records", machine.missing("qemu-system-aarch64"))
    tap.finish()
for NAME, KIND, SEEN in LEVELS:
    three_in_one_ring(NAME, KIND)
    masked(NAME, KIND, SEEN)
    frequency(NAME, KIND)
    raw_and_generic(NAME, KIND)
    three_on_every_cpu(NAME, KIND)
    many_events(NAME, KIND)
    group(NAME, KIND)
    absurd_period(NAME, KIND)
    shortest_period(NAME, KIND)
refusals()
MODEL, REASON = machine.model("aarch64")
if REASON:
    tap.skip("firmware's leftovers, thresholds, chained and instruction counters", REASON)
else:
    leftovers(MODEL)
    for NAME, KIND, _ in LEVELS[:2]:
        thresholds_and_instruction_counter(MODEL, NAME, KIND)
        chained(MODEL, NAME, KIND)
tap.finish()
