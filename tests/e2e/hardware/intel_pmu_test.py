#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's PMU, on the hardware model of tests/qemu: exact counts, samples with interrupts masked,
and every fault that the model can inject, with an exact ledger.

check-timeout: 900
check-spare: machines count instructions
"""

import collections
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

PERIOD = 100000
CYCLES = f"record -e cycles,cycles,cycles -c {PERIOD} -m %d -- noploop %d"
EXAMPLE = machine.TOP / "build/x86_64/sdk/example.elf"
NS = 16  # ns per cycle of the model, which is an instruction, under machine.EXACT


def record(binary, command, properties=""):
    return machine.Recording(
        command, "--qemu", binary,
        qemu=("-cpu", f"Skylake-Client,pmu=on{properties}", *machine.EXACT))


def three_equal_counts(run, name, pending=0):
    """So many PMIs may be pending at the stop."""
    if not tap.equal(run.status, 0, f"{name}: three times cycles into one ring ends well"):
        tap.note(run.text)
        return
    summary = run.summary()
    counts = [event["generated"] for event in summary["events"]]
    tap.ok(len(counts) == 3 and max(counts) - min(counts) <= 1,
           f"{name}: their three counts are equal", counts)
    tap.ok(all(0.975 < event["count"] * NS / event["time_enabled"] <= 1
               for event in summary["events"]),
           f"{name}: the counters have all events, except 2.5 % in handlers", summary["events"])
    tap.ok(all(0 <= event["count"] // PERIOD - event["generated"] <= pending
               for event in summary["events"]),
           f"{name}: the samples are those that the counter demands", summary["events"])
    tap.ok(summary["conserved"] and not any(event["lost"] for event in summary["events"]),
           f"{name}: nothing is lost, and PERIODs + residue = count", summary)


def on_two_cpus(binary):
    """QEMU runs two CPUs in turns. The one whose interrupts come late has fewer samples than its
    counter demands, but both of its counters agree."""
    if not EXAMPLE.exists():
        tap.skip("cycles on two CPUs", "the SDK's example is not built")
        return
    run = machine.Recording(
        "record -a -e cycles,cycles -c 100000 -m 512 -- payload 1000000", "--qemu", binary,
        "--payload", EXAMPLE,
        qemu=("-cpu", "Skylake-Client,pmu=on", "-smp", "2", *machine.EXACT))
    summary = run.summary()
    counts = {cpu: [event["delivered"] for event in summary["events"] if event["cpu"] == cpu]
              for cpu in range(2)}
    tap.ok(run.status == 0 and summary["conserved"] and
           all(len(c) == 2 and max(c) - min(c) <= 1 and min(c) > 100 for c in counts.values()),
           "on two CPUs, cycles twice: each CPU's two events have equally many samples", counts)
    samples = run.raw_samples()
    strange = machine.strangers(run, summary)
    tap.ok(len(samples) == sum(map(sum, counts.values())) and not strange,
           "each sample has its own event's CPU and thread", (len(samples), strange[:5]))


def frequency(binary):
    """The period is adapted at each sample, starting from one that is far off."""
    run = record(binary, "record -e cycles -F 2000 -- noploop 1")
    event = run.summary()["events"][0]
    periods = [period for _, period, _ in run.chains()]
    seconds = event["time_enabled"] / 10**9
    tap.ok(run.status == 0 and abs(event["generated"] / seconds / 2000 - 1) < 0.01,
           "-F 2000 takes 2000 samples a second, within 1 %", event)
    wanted = event["count"] / seconds / 2000
    tap.ok(len(periods) == event["generated"] and
           # ticks are not counted
           all(abs(period / wanted - 1) < 0.015 for period in periods[100:]),
           "from the hundredth on each period is within 1.5 % of what that needs",
           (wanted, [p for p in periods[100:] if abs(p / wanted - 1) >= 0.015]))


def masked_code(binary):
    run = record(binary, "record -e cycles -c 100000 -- masked 1")
    leaves = machine.shares(run.chains())
    inside = sum(leaves.get(name, 0) for name in ("masked_loop", "clock_now", "clock_stamp",
                                                  "arch_cpu", "arch_cycles"))
    tap.ok(inside > 90, "code that masks interrupts is sampled, since the PMI is an NMI", leaves)


def other_events(binary):
    """The difference of two loops is the loop's count if nothing else is counted. The longer loop
    has more ticks, of which a few instructions are counted."""
    counts = []
    for millions in (20, 50):
        run = record(binary, "record -e instructions,branches,r20c4,cpu/event=0xc4/,r02c4 "
                             f"-c 1000000 -- branches {millions}000000")
        summary = run.summary()
        tap.ok(run.status == 0 and summary["conserved"],
               f"{millions}: generic and raw events count side by side", summary)
        counts.append({event["name"]: event["count"] for event in summary["events"]})
        tap.equal(counts[-1].get("r20c4", 0) // 1000000, millions,
                  f"{millions} million taken branches are so many periods of a million")
    less, more = counts
    for name, difference in (("r20c4", 30000000), ("r02c4", 0)):
        tap.equal(more[name] - less[name], difference,
                  f"{name}: instructions of ticks and samples are not counted")
    counted = more["instructions"] - less["instructions"]
    tap.ok(60000000 <= counted < 60000000 * 1.0005,
           "of instructions less than one in 2000 is theirs", counted)


CALLS = r"""
#include <stdio.h>

static __attribute__((noinline)) unsigned called(unsigned n)
{
	for (unsigned i = 0; i < 10; i++)
		__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned turns = 0; turns < 3000000; turns++)
		sum = called(sum);
	printf("%u calls%70s\n", sum, "are made");
	return 0;
}
"""


def handlers(binary):
    """Three events on fixed counters, seven in turns on four counters; one of them is interrupted
    in one of 6250 cycles. Of 160,000 samples some 50 hit the loading of the payload and the
    formatting of its text."""
    events = "cycles,instructions,ref-cycles,branches,r20c4,r02c4,r08c4,r01c4,r10c4,r04c4"
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        payload = machine.payload("x86_64", pathlib.Path(directory) / "calls.elf", CALLS)
        run = machine.Recording(
            f"record -e {events} -c 10007 --max-sample-rate 0 -m 1024 -- payload", "--qemu", binary,
            "--payload", payload, qemu=("-cpu", "Skylake-Client,pmu=on", *machine.EXACT))
        samples = collections.defaultdict(collections.Counter)
        for event, _, chain in run.chains():
            samples[event][chain[0] if chain else None] += 1
    tap.ok(run.status == 0 and "3000000 calls" in run.text and run.summary()["conserved"],
           "ten events are recorded", run.text)
    tap.equal(len(samples), 9, "nine of them happen")
    tap.ok(not any(str(name).startswith(("framebuffer_", "uart_")) for functions in samples.values() for name in functions),
           "the program's output is not drawn while it is recorded", samples)
    # Ticks and an event's overflows may stay in phase for a while, so that one event gets more than
    # its share of samples in a handler's first instructions; the sum over all events does not.
    # the program itself, and its loading
    program = ("called", "main", "elf_relocate", "memcpy", "mem_copy_up")
    outside = {event: functions.total() - sum(functions[name] for name in program)
               for event, functions in samples.items()}
    tap.ok(1000 * sum(outside.values()) <= sum(f.total() for f in samples.values()),
           "of all samples less than one in a thousand is of anything but the program", samples)
    for event, functions in samples.items():
        tap.ok(functions.total() > 100 and outside[event] <= 2 + functions.total() / 500,
               f"{event}: nor more than two in a thousand of its own",
               functions)


def terms(binary):
    """Counter masks: a cycle of the model has at most one event. Edge detection counts the first of
    several adjacent branches; the loop has no adjacent branches."""
    taken = "cpu/event=0xc4,umask=0x20"
    run = record(binary, f"record -e r20c4,{taken},cmask=1,edge/,{taken},cmask=2,inv/,"
                         f"{taken},cmask=2/ -c 100000 -- branches 1000000")
    counts = [event["count"] for event in run.summary()["events"]] if not run.status else []
    tap.ok(len(counts) == 4 and 1000000 <= counts[1] < counts[0] < 1010000 and counts[3] == 0 and
           2 * counts[0] <= counts[2] < 2.2 * counts[0],
           "event, umask, cmask, inv and edge reach the counter", counts or run.text)
    any_thread = "record -e cpu/event=0xc0,any/ -c 100000 -- branches 100000"
    run = record(binary, any_thread, ",pmu-version=3")
    tap.ok(run.status == 0 and run.summary()["events"][0]["generated"] >= 2,
           "any counts on version 3", run.text)
    run = record(binary, any_thread)
    tap.ok(run.status != 0 and "cpu/event=0xc0,any/" in run.text, "and is refused on version 2",
           run.text)


def many_events(binary):
    """Eight events that no fixed counter counts, on four counters."""
    workload = "-- branches 30000000"
    alone = record(binary, f"record -e branches,r20c4 -c 100000 {workload}").summary()
    true = [event["count"] for event in alone["events"]]
    events = ",".join(["branches", "r20c4"] * 4)
    summary = record(binary, f"record -e {events} -c 100000 {workload}").summary()
    if not tap.equal(len(summary["events"]), 8, "eight events on four counters are recorded"):
        return
    for index, event in enumerate(summary["events"]):
        share = event["time_running"] / event["time_enabled"]
        count, expected = machine.scaled(event), true[index % 2]
        tap.ok(0.48 < share < 0.52, f"event {index} has a counter half of the time", share)
        tap.ok(abs(count - expected) < expected / 50, f"event {index}: its count is within 2 %",
               (count, expected))
    tap.ok(summary["conserved"] and not any(event["lost"] for event in summary["events"]),
           "nothing is lost in the turns, and PERIODs + residue = count", summary)


def leftovers(binary):
    """The counters that the model's firmware uses: general counters 0 and 1, fixed counter 0, and bits of
    IA32_DEBUGCTL."""
    run = record(binary, "record -e cycles -c 100000 -- noploop 0.1", ",pmu-leftovers=on")
    cpu = run.summary()["cpus"][0]
    tap.equal((cpu["counters"], cpu["leftovers"], cpu["foreign"]), (0x70000000f, 1 << 62 | 0x100000003, 0),
              "counters that firmware left counting are reported to the host")
    clean = record(binary, "record -e cycles -c 100000 -- noploop 0.1").summary()["cpus"][0]
    tap.equal((clean["leftovers"], clean["spurious"]), (0, 0),
              "where there were none, none are reported")
    spurious = record(binary, "record -e cycles -c 100000 -- noploop 0.1", ",pmi-spurious=3")
    tap.ok(spurious.summary()["cpus"][0]["spurious"] > 0, "spurious PMIs are counted",
           spurious.summary()["cpus"])


def fixed_only(binary):
    """With three fixed counters, reference cycles can use only one, so the events take turns on
    it."""
    run = record(binary, "record -e ref-cycles,ref-cycles,r300,bus-cycles -c 1000000 -- noploop 1")
    summary = run.summary()
    shares = [e["time_running"] / e["time_enabled"] for e in summary["events"]]
    tap.ok(run.status == 0 and summary["conserved"] and shares[3] > 0.99 and
           all(0.2 < share < 0.5 for share in shares[:3]),
           "events that one fixed counter alone counts take turns on it", shares)


def absurd_period(binary):
    """As on Arm, all records fit into the ring, so none is lost however late the reader is."""
    run = record(binary, "record -e instructions -c 1000 -m 512 --max-sample-rate 20000 "
                         "-- noploop 1")
    summary = run.summary()
    event = summary["events"][0]
    tap.ok(run.status == 0 and summary["conserved"] and event["throttled"] > 100,
           "more than 20 samples a millisecond are throttled, and the ledger is exact", summary)
    tap.ok(event["time_running"] < event["time_enabled"],
           "time_running stops meanwhile", event)
    text, _, status = run.perf("script", "--show-lost-events", "-D")
    tap.ok(status == 0 and text.count("PERF_RECORD_THROTTLE") == event["throttled"] and
           0 <= event["throttled"] - text.count("PERF_RECORD_UNTHROTTLE") <= 1,
           "stock perf finds each THROTTLE and its UNTHROTTLE",
           (text.count("PERF_RECORD_THROTTLE"), event["throttled"]))


def periods_below_the_handlers_own(binary):
    """Some 20 instructions of the overflow handler's entry and exit are counted."""
    for event, options, throttles, least in (
            ("instructions", "-c 100 --max-sample-rate 50000", True, 500),
            ("cycles", "-c 1 --max-sample-rate 0", False, 1000)):
        name = f"{event} {options}"
        run = record(binary, f"record -e {event} {options} -m 1024 -- branches 300000")
        if not tap.equal(run.status, 0, f"{name}: the workload comes to its end"):
            tap.note(run.text)
            continue
        summary = run.summary()
        got = summary["events"][0]
        tap.ok(summary["conserved"] and not got["lost"] and got["generated"] > least and
               got["count"] - got["period"] == got["residue"],
               f"{name}: the ledger is exact", summary)
        tap.ok((got["throttled"] > 0) == throttles,
               f"{name}: {'is' if throttles else 'is not'} throttled", got)


def without_counters():
    """Stock QEMU has no counters, and reports that in CPUID."""
    for cpu, words in (("Skylake-Client", "CPUID 0AH says version 0"),
                       ("EPYC", "CPUID 80000001H has no PerfCtrExtCore")):
        run = machine.Recording("list", qemu=("-cpu", cpu))
        tap.ok(run.status == 0 and "the hypervisor gives no" in run.text and words in run.text,
               f"list says why there are no counters ({cpu})", run.text)
    run = machine.Recording("record -- noploop 1", qemu=("-cpu", "EPYC", *machine.EXACT))
    tap.ok(run.status == 0 and run.summary()["events"][0]["name"] == "cpu-clock",
           "without counters the default is cpu-clock", run.text)


if machine.missing():
    tap.skip("a machine without counters", machine.missing())
else:
    without_counters()
BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("Intel's PMU", REASON)
else:
    # the ring holds half of all records, so the reader has seconds
    three_equal_counts(record(BINARY, CYCLES % (512, 10)), "version 2, 10 s")
    for VERSION in (3, 4, 5):
        three_equal_counts(record(BINARY, CYCLES % (64, 1), f",pmu-version={VERSION}"),
                           f"version {VERSION}")
    for FAULT, WHAT, PENDING in (("pmi-skid=200", "a PMI 200 instructions late", 1),
                                 ("pmi-delay=50000", "a PMI 50 us late", 1),
                                 ("pmi-spurious=3", "every third PMI comes twice", 0),
                                 ("pmu-leftovers=on", "firmware's leftovers", 0)):
        three_equal_counts(record(BINARY, CYCLES % (64, 1), "," + FAULT), WHAT, PENDING)
    on_two_cpus(BINARY)
    frequency(BINARY)
    masked_code(BINARY)
    other_events(BINARY)
    handlers(BINARY)
    terms(BINARY)
    many_events(BINARY)
    absurd_period(BINARY)
    periods_below_the_handlers_own(BINARY)
    leftovers(BINARY)
    fixed_only(BINARY)
tap.finish()
