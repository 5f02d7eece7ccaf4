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
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import machine
import tap
from precise import Samples, conserved, instructions, of_function

CPU = "Skylake-Client,pmu=on,pmu-version=4,pmu-pebs=on"
OLD = "Skylake-Client,pmu=on,pmu-version=2,pmu-pebs=on"
WORKLOAD = "qsort 600"
PERIOD = 1009
EXACT_IP = 1 << 14
MOST_OF_ENTRY = 64  # instructions of an interrupt's entry and exit that are counted


def record(binary, command, cpu=CPU, *options):
    return machine.Recording(command, "--qemu", binary, *options, qemu=("-cpu", cpu, *machine.EXACT))


def steps(ips, ran, period, program):
    """How many samples follow the trace, each a period behind the one before, and how often the
    distance is shorter: by an interrupt's entry and exit, which are counted and not in the trace. A
    sample may lie there too."""
    entry = range(program.symbols["x86_vectors"], program.symbols["arch_trace_hold"])
    best = (0, 0)
    for start in range(4):  # the first samples may lie before the program
        states, n, far = {at: 0 for at in range(2 * period) if ran[at] == ips[start]}, 1, period
        for ip in ips[start + 1:]:
            if ip in entry:
                far += period
                continue
            following = {}
            for at, cost in states.items():
                for to in range(at + far - MOST_OF_ENTRY, at + far + 1):
                    if to < len(ran) and ran[to] == ip:
                        following[to] = min(following.get(to, cost + 1), cost + (to < at + far))
            if not following:
                break
            n, far, states = n + far // period, period, following
        if states:
            best = max(best, (n, -min(states.values())))
    return best[0], -best[1]


def follows(found, ran, run):
    """Whether all of the program's samples follow the trace, except at ticks."""
    ticks = run.summary()["cpus"][0]["ticks"]
    return found[0] >= len(ran) // PERIOD - 1 and found[1] <= ticks + 1


def against_the_trace(binary, program, ran):
    for level in ("p", "pp", "ppp"):
        run = record(binary, f"record -e instructions:{level} -c {PERIOD} -- {WORKLOAD}")
        samples = Samples(run, program) if run.status == 0 else None
        found = steps(samples.ips(), ran, PERIOD, program) if samples else run.text
        tap.ok(samples and follows(found, ran, run),
               f":{level}: the samples are each {PERIOD}th instruction of the trace", (found, len(ran)))
        tap.ok(samples and all(misc & EXACT_IP for _, _, misc, _ in samples.all),
               f":{level}: each says that its address is exact")


def skid(binary, program, ran):
    """An interrupt that comes 40 instructions late moves the samples of interrupts only."""
    late = f"{CPU},pmi-skid=40"
    plain = record(binary, f"record -e instructions -c {PERIOD} -- {WORKLOAD}", late)
    found = steps(Samples(plain, program).ips(), ran, PERIOD, program)
    tap.ok(not follows(found, ran, plain),
           "a late interrupt: samples of interrupts are not on their instructions", found)
    run = record(binary, f"record -e instructions:p -c {PERIOD} -- {WORKLOAD}", late)
    found = steps(Samples(run, program).ips(), ran, PERIOD, program)
    tap.ok(follows(found, ran, run), "precise samples are", (found, len(ran)))


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


def memory(binary, program):
    """ptrchase has one load in its loop, at the start of a line of 64 bytes in its buffer."""
    command = "record -d -W --phys-data -c 20011 -e {} -- ptrchase 256K"
    run = record(binary, command.format("cpu/mem-loads,ldlat=30/"))
    found = of_function(Samples(run, program).all if run.status == 0 else (), program, "chase")
    ips, addresses = {ip for ip, _ in found}, [words[4] for _, words in found]
    tap.ok(len(found) > 1000 and len(ips) == 1, "mem-loads: samples lie on the loop's one load",
           (len(found), ips, run.text[-300:]))
    tap.ok(found and max(addresses) - min(addresses) < 256 << 10 and
           len({address % 64 for address in addresses}) == 1 and len(set(addresses)) > 10,
           "the loads' addresses lie in the buffer, at lines", (addresses[:4], len(set(addresses))))
    tap.ok(found and all(words[7] == 200 and words[8] & 0x1f == 2 and words[9] == words[4]
                         for _, words in found),
           "each has a latency above ldlat, is a load, and has its physical address", found[:2])
    good, summary = conserved(run)
    tap.ok(good and summary["events"][0]["precise"] == summary["events"][0]["samples"],
           "and is the hardware's record", summary.get("events"))
    for what in (("mem", "report"), ("c2c", "report"), ("script", "-F", "ip,addr,weight,data_src"),
                 ("annotate",)):
        text, errors, status = run.perf(*what, *(("--stdio",) if what[0] != "script" else ()))
        tap.ok(status == 0 and ("RAM" in text or what[0] in ("annotate", "c2c")) and not errors,
               f"perf {' '.join(what[:2])} reads them", (status, errors, text[-300:]))
    dump = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    tap.ok(dump.count("... weight: 200\n . data_src: 0x") > 1000, "dump prints them", dump[-300:])
    run = record(binary, command.format("cpu/mem-loads,ldlat=10/"))
    weights = {words[7] for *_, words in Samples(run, program).all}
    tap.equal(weights, {14, 200}, "ldlat=10: the second level's loads too, the first level's not")
    run = record(binary, command.format("instructions:p"))
    found = of_function(Samples(run, program).all, program, "chase")
    with_address = {ip for ip, words in found if words[4]}
    tap.ok(with_address == ips and len({ip for ip, _ in found}) > 1 and
           all(words[8] & 0x1f == 1 for _, words in found),
           "instructions:p -d: only the load has an address, and no data source",
           (with_address, ips))


def refusals(binary):
    for cpu, events, message in (
            ("Skylake-Client,pmu=on", "cycles:p", "no precise samples (PEBS)"),
            (CPU, "cpu-clock:p", "its source has no precise samples"),
            (CPU, "cycles:pppp", "more than three p"),
            (CPU, "ref-cycles:p", "only cycles, instructions, branches"),
            (CPU, "cpu/mem-loads,ldlat=30/,cpu/mem-loads,ldlat=40/", "another ldlat"),
            (CPU, "cpu/event=0xc0,ldlat=30/", "ldlat is a term of mem-loads"),
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
    memory(binary, program)
    refusals(binary)


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("precise samples", REASON)
else:
    check(BINARY)
tap.finish()
