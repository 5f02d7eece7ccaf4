#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Precise samples (Intel's PEBS) on the hardware model: each lies on the instruction that the same
program's branch trace has at its distance, whatever the interrupt does; groups, turns, throttling,
faults, several CPUs, --lossless; stock perf's reports.

check-timeout: 900
check-spare: machines count instructions
"""

import collections
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import machine
import tap

CPU = "Skylake-Client,pmu=on,pmu-version=4,pmu-pebs=on"
OLD = "Skylake-Client,pmu=on,pmu-version=2,pmu-pebs=on"
WORKLOAD = "qsort 600"
PERIOD = 1009
SAMPLE, EXACT_IP = 9, 1 << 14
MOST_OF_ENTRY = 64  # instructions of an interrupt's entry and exit that are counted


def record(binary, command, cpu=CPU, *options):
    return machine.Recording(command, "--qemu", binary, *options, qemu=("-cpu", cpu, *machine.EXACT))


class Samples:
    """The samples of a file: (id, ip by link address, misc, words), and its mappings."""

    def __init__(self, run, program):
        data, self.mappings, self.all = run.file.read_bytes(), [], []
        for kind, at, length in branches.records(data):
            if kind == branches.MMAP2:
                self.mappings.append(branches.Mapping(*struct.unpack_from("<QQQ", data, at + 16)))
            elif kind == SAMPLE:
                misc = struct.unpack_from("<H", data, at + 4)[0]
                words = struct.unpack_from(f"<{length // 8 - 1}Q", data, at + 8)
                self.all.append((words[0], program.link(self, words[1]), misc, words))

    def ips(self, event=None):
        return [ip for number, ip, _, _ in self.all if event in (None, number)]


def instructions(trace, program):
    """All instructions of the program, from its trace of branches: [(address)]."""
    done = []
    for (_, target), (source, _) in zip(trace, trace[1:]):
        while True:
            done.append(target)
            if target == source:
                break
            target = program.instructions[target].next
    return done


def steps(ips, ran, period):
    """How many samples follow the trace, each a period behind the one before, and how often the
    distance is shorter: by an interrupt's entry and exit, which are counted and not in the trace."""
    best = (0, 0)
    for start in range(4):  # the first samples may be before the program
        states = {at: 0 for at in range(2 * period) if ips[start:] and ran[at] == ips[start]}
        for n, ip in enumerate(ips[start:], 1):
            if n > 1:
                following = {}
                for at, cost in states.items():
                    for short in range(MOST_OF_ENTRY):
                        to = at + period - short
                        if to < len(ran) and ran[to] == ip:
                            following[to] = min(following.get(to, cost + (short > 0)),
                                                cost + (short > 0))
                states = following
            if not states:
                break
            best = max(best, (n, -min(states.values())))
    return best[0], -best[1]


def follows(found, ran, run):
    """Do the samples of all of the program follow the trace, but at ticks?"""
    ticks = run.summary()["cpus"][0]["ticks"]
    return found[0] >= len(ran) // PERIOD - 1 and found[1] <= ticks + 1


def against_the_trace(binary, program, ran):
    for level in ("p", "pp", "ppp"):
        run = record(binary, f"record -e instructions:{level} -c {PERIOD} -- {WORKLOAD}")
        samples = Samples(run, program) if run.status == 0 else None
        found = steps(samples.ips(), ran, PERIOD) if samples else run.text
        tap.ok(samples and follows(found, ran, run),
               f":{level}: the samples are each {PERIOD}th instruction of the trace", (found, len(ran)))
        tap.ok(samples and all(misc & EXACT_IP for _, _, misc, _ in samples.all),
               f":{level}: each says that its address is exact")


def skid(binary, program, ran):
    """An interrupt that comes 40 instructions late moves the samples of interrupts only."""
    late = f"{CPU},pmi-skid=40"
    plain = record(binary, f"record -e instructions -c {PERIOD} -- {WORKLOAD}", late)
    found = steps(Samples(plain, program).ips(), ran, PERIOD)
    tap.ok(not follows(found, ran, plain),
           "a late interrupt: samples of interrupts are not on their instructions", found)
    run = record(binary, f"record -e instructions:p -c {PERIOD} -- {WORKLOAD}", late)
    found = steps(Samples(run, program).ips(), ran, PERIOD)
    tap.ok(follows(found, ran, run), "precise samples are", (found, len(ran)))


def conserved(run):
    summary = run.summary() if run.status == 0 else {}
    return run.status == 0 and summary["status"] == 0 and summary["conserved"], summary


def one_record_for_several(binary):
    run = record(binary, f"record -e instructions:p,cycles:p -c {PERIOD} -- {WORKLOAD}")
    good, summary = conserved(run)
    precise = summary["rings"][0]["precise"] if good else run.text
    counts = [event["precise"] for event in summary["events"]] if good else ()
    tap.ok(good and counts[0] == counts[1] == precise["records"] == precise["common"],
           "two events at one instruction share its record, and each has its sample", precise)


def ledgers(binary):
    """The hardware's records are delivered or lost, in every case."""
    many = "cycles:p,instructions:p,branches:p,branch-misses:p,r20c4:p,r01c4:p"
    for name, command, cpu, options in (
            ("events that take turns", f"-e {many} -c {PERIOD} -- calltree 0.03", CPU, ()),
            ("throttling", "-e cycles:p -c 64 -- calltree 0.02", CPU, ()),
            ("a period of 2", "-e cycles:p -c 2 -- qsort 100", CPU, ()),
            ("interrupts that come late", "-e cycles:p -c 64 -- calltree 0.02",
             f"{CPU},pmi-delay=20000", ()),
            ("interrupts without a cause", "-e cycles:p -g -c 5003 -- calltree 0.02",
             f"{CPU},pmi-spurious=2", ()),
            ("leftovers of firmware", "-e cycles:p -c 1009 -- qsort 600",
             f"{CPU},pmu-leftovers=on", ()),
            ("version 2", "-e cycles:p -c 1009 -- qsort 600", OLD, ()),
            ("-F", "-e cycles:p -F 20000 -- calltree 0.05", CPU, ()),
            ("a group's counts", "-e {instructions:p,branches}:S -c 5003 -- calltree 0.02", CPU, ()),
            ("four CPUs", f"-a -e cycles:p -c {PERIOD} -- calltree 0.02", CPU, ("-smp", "4")),
            ("a ring that is too small", "-e cycles:p -c 300 -m 1 -- calltree 0.03", CPU, ())):
        run = record(binary, f"record {command}", cpu, *options)
        good, summary = conserved(run)
        events = summary.get("events", ())
        tap.ok(good and events and all(
            event["precise"] == event["samples"] + event["lost"] if not event["throttled"] else
            event["precise"] >= event["samples"] for event in events if event.get("precise")) and
               sum(event.get("precise", 0) for event in events) > 0,
               f"{name}: all records of the hardware are delivered or lost",
               (run.status, run.text[-300:], events))


def lossless(binary):
    run = record(binary, "record --lossless -m 32 -e cycles:p -c 150 -- calltree 0.02")
    good, summary = conserved(run)
    tap.ok(good and summary["events"][0]["lost"] == 0 and summary["events"][0]["samples"] > 1000,
           "--lossless loses none", (run.text[-300:], summary.get("events")))


def callchains(binary, program):
    run = record(binary, "record -e cycles:p -g -c 5003 -- calltree 0.05")
    samples = Samples(run, program).all if run.status == 0 else []
    wrong = [tuple(map(hex, words)) for _, ip, _, words in samples if words[8] != words[1]]
    depth = collections.Counter(words[6] for *_, words in samples)
    tap.ok(len(samples) > 100 and not wrong and max(depth) > 4,
           "-g: each callchain begins at the precise instruction", (len(samples), wrong[:2], depth))
    for what in (("script",), ("report", "--stdio", "--no-children", "-g", "caller"),
                 ("annotate", "--stdio")):
        text, errors, status = run.perf(*what)
        tap.ok(status == 0 and text and not errors, f"perf {what[0]} takes them",
               (status, errors, text[-300:]))


def refusals(binary):
    for cpu, events, message in (
            ("Skylake-Client,pmu=on", "cycles:p", "no precise samples (PEBS)"),
            (CPU, "cpu-clock:p", "its source has no precise samples"),
            (CPU, "cycles:pppp", "more than three p"),
            (CPU, "ref-cycles:p", "only cycles, instructions, branches"),
            (CPU, "bts//,cycles:p", "a branch trace (bts//) uses the debug store")):
        run = record(binary, f"record -e {events} -- noploop 1", cpu)
        tap.ok(run.status != 0 and message in run.text, f"-e {events}: {message}",
               (run.status, run.text[-400:]))


def check(binary):
    program = branches.image()
    trace = branches.of_the_workload(record(binary, f"record -e bts// -m ,2048 -- {WORKLOAD}"))
    ran = instructions(trace, program)
    against_the_trace(binary, program, ran)
    skid(binary, program, ran)
    one_record_for_several(binary)
    ledgers(binary)
    lossless(binary)
    callchains(binary, program)
    refusals(binary)


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("precise samples", REASON)
else:
    check(BINARY)
tap.finish()
