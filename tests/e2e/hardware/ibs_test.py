#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""AMD's instruction-based sampling on the hardware model: each sample lies in the same program's
branch trace at the distance that its PERIOD says; loads have their addresses, registers are perf's;
filters, several events, CPUs, faults; stock perf's reports.

check-timeout: 900
check-spare: machines count instructions
"""

import bisect
import collections
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import machine
import tap
from precise import Samples, conserved, instructions, of_function

CPU = "EPYC-Rome,pmu=on,pmu-ibs=5"
TRACED = "Skylake-Client,pmu=on,pmu-version=4"
WORKLOAD = "qsort 600"
EXACT_IP = 1 << 14


def record(binary, command, cpu=CPU, *options):
    return machine.Recording(f"record {command}", "--qemu", binary, *options,
                             qemu=("-cpu", cpu, *machine.EXACT))


def places_of(ran):
    found = collections.defaultdict(list)
    for at, ip in enumerate(ran):
        found[ip].append(at)
    return found


def follow(samples, ran, places, cost):
    """How many samples lie in the trace, each its PERIOD behind the one before but for the exit of
    the sampler's interrupt, which is counted and takes cost instructions; and how often the distance
    is shorter: a tick's handler is counted, too."""
    best = (0, 0)
    for start in range(4):  # the first samples may lie before the program
        now, n, short = {at for at in places[samples[start][1]] if at < 8000}, 1, 0
        for _, ip, _, words in samples[start + 1:]:
            far = words[5] - cost
            following = {at + far for at in now if at + far < len(ran) and ran[at + far] == ip}
            if not following:
                short += 1
                following = {to for at in now for to in
                             places[ip][bisect.bisect(places[ip], at):bisect.bisect(places[ip], at + far)]}
            if not following or short > 40:
                break
            now, n = following, n + 1
        best = max(best, (n, -short))
    return best[0], -best[1]


MOST_OF_EXIT = 128


def against_the_trace(binary, program, ran):
    places = places_of(ran)
    for event, cpu in (("ibs_op/cnt_ctl=1/ -c 1009", CPU), ("ibs_op// -c 1009", CPU),
                       ("cycles:pp -c 1009", CPU),
                       ("ibs_fetch// -c 1008", "EPYC-Rome,pmu=on,pmu-ibs=2")):
        run = record(binary, f"-e {event} -- {WORKLOAD}", cpu)
        samples = Samples(run, program).all if run.status == 0 else []
        found = max((follow(samples, ran, places, cost) for cost in range(MOST_OF_EXIT)),
                    key=lambda result: (result[0], -result[1])) if len(samples) > 100 else run.text
        ticks = run.summary()["cpus"][0]["ticks"] if samples else 0
        tap.ok(samples and found[0] >= len(samples) - 8 and found[1] <= 2 * ticks + 2,
               f"{event}{cpu[len(CPU):]}: each sample is the instruction at its PERIOD in the trace",
               (found, len(samples), ticks))
        tap.ok(samples and all(misc & EXACT_IP for _, _, misc, _ in samples),
               f"{event}{cpu[len(CPU):]}: each says that its address is exact")


def ledgers(binary):
    """The samples of the hardware are delivered, lost or filtered, in every case."""
    for name, command, cpu, options in (
            ("events that take turns", "-e ibs_op/cnt_ctl=1/,cycles:p,r0c1:pp,ibs_fetch// -c 1008 -- "
                                       "calltree 0.02", CPU, ()),
            ("beside counters", "-e ibs_op//,cycles,instructions -c 2000 -- calltree 0.02", CPU, ()),
            ("throttling", "-e cycles:p -c 256 -- calltree 0.02", CPU, ()),
            ("a period of 16", "-e cycles:p -c 16 -- qsort 200", CPU, ()),
            ("interrupts that come late", "-e cycles:p,ibs_fetch// -c 512 -- calltree 0.02",
             f"{CPU},pmi-delay=20000", ()),
            ("leftovers of firmware", "-e ibs_op//,ibs_fetch/rand_en=1/ -c 1008 -- qsort 600",
             f"{CPU},pmu-leftovers=on", ()),
            ("ops without an address", "-e ibs_op// -c 1008 -- qsort 600",
             f"{CPU},ibs-rip-invalid=3", ()),
            ("-F", "-e cycles:p -F 20000 -g -- calltree 0.05", CPU, ()),
            ("four CPUs", "-a -e cycles:p,ibs_fetch// -c 2000 -- calltree 0.02", CPU, ("-smp", "4")),
            ("a ring that is too small", "-e cycles:p -R -c 300 -m 1 -- calltree 0.03", CPU, ())):
        run = record(binary, command, cpu, *options)
        good, summary = conserved(run)
        events = summary.get("events", ())
        tap.ok(good and events and sum(event.get("precise", 0) for event in events) > 50 and all(
            event.get("precise", 0) == event["samples"] + event["lost"] for event in events
            if event.get("precise", 0) and not event["throttled"]) and
               all(cpu["spurious"] == 0 for cpu in summary["cpus"] if cpu["traced"]),
               f"{name}: all samples of the hardware are delivered, lost or filtered",
               (run.status, run.text[-300:], events, summary.get("rings")))


def lossless(binary):
    run = record(binary, "--lossless -m 32 -e cycles:p -c 300 -- calltree 0.02")
    good, summary = conserved(run)
    tap.ok(good and summary["events"][0]["lost"] == 0 and summary["events"][0]["samples"] > 1000,
           "--lossless loses none", (run.text[-300:], summary.get("events")))


def handlers(binary, program):
    """Our own interrupts' entries and exits are in no sample; the privilege filter has its account."""
    entry = range(program.symbols["x86_vectors"], program.symbols["arch_trace_hold"])
    run = record(binary, "-e cycles:p -c 256 --max-sample-rate 0 -- calltree 0.05")
    samples = Samples(run, program).all if run.status == 0 else []
    ours = {"amd_ibs_interrupt", "x86_interrupt", "sample_output", "ring_reserve_sample"}
    starts = {program.symbols[name] for name in ours if name in program.symbols}
    tap.ok(len(samples) > 1000 and
           not any(ip in entry or program.function(ip) in starts for _, ip, _, _ in samples),
           "no sample lies in the sampler's own interrupts", (len(samples), run.text[-300:]))
    run = record(binary, "-e cycles:pk -c 1008 -- qsort 600")
    good, summary = conserved(run)
    tap.ok(good and summary["events"][0]["samples"] > 100, ":k: what runs in ring 0 is sampled",
           (run.text[-300:], summary.get("events")))


def memory(binary, program):
    """ptrchase has one load in its loop, at the start of a line of 64 bytes in its buffer."""
    command = "-d -W --phys-data -R -c 5008 -e {} -- ptrchase 256K"
    run = record(binary, command.format("ibs_op/cnt_ctl=1/"))
    found = of_function(Samples(run, program).all if run.status == 0 else (), program, "chase")
    loads = [(ip, words) for ip, words in found if words[4]]
    addresses = [words[4] for _, words in loads]
    tap.ok(len(loads) > 300 and len({ip for ip, _ in loads}) == 1 and len({ip for ip, _ in found}) > 1,
           "of the loop only its one load has an address", (len(found), len(loads), run.text[-300:]))
    tap.ok(loads and max(addresses) - min(addresses) < 256 << 10 and len(set(addresses)) > 10 and
           len({address % 64 for address in addresses}) == 1, "which lies in the buffer, at a line",
           addresses[:4])
    # id, ip, tid, time, addr, cpu, period, raw: size and features, 8 registers; weight, source, physical
    tap.ok(loads and all(words[7] == 4 + 8 * 8 | 0x1bff << 32 and words[9] == words[1] and
                         words[13] == words[4] and words[18] == words[4] for _, words in loads),
           "-R: the features and registers, as perf has them; the physical address",
           [list(map(hex, words)) for _, words in loads[:2]])
    levels = {(words[16] & 0xffffffff, words[17] >> 5 & 0x3fff) for _, words in loads}
    tap.ok(levels == {(0, 0xa), (14, 0x22), (45, 0x42), (200, 0x82)},
           "the latency fits the cache that the data source names", levels)
    for what in (("mem", "report", "--stdio"), ("c2c", "report", "--stdio"), ("annotate", "--stdio"),
                 ("script", "-F", "ip,addr,weight,data_src")):
        text, errors, status = run.perf(*what)
        tap.ok(status == 0 and ("RAM" in text or what[0] in ("annotate", "c2c")) and not errors,
               f"perf {' '.join(what[:2])} reads them", (status, errors, text[-300:]))
    text, _, _ = run.perf("script", "-D")
    tap.ok(text.count("ibs_op_data3:") > 300 and "DcMissLat   200" in text,
           "perf script -D decodes the registers", text[-300:])
    dump = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    tap.ok(" + of no event " in dump and dump.count("... weight: ") > 300, "dump prints and balances them",
           dump[-300:])
    for term, weights in (("l3missonly=1", {200}), ("ldlat=128", {200})):
        run = record(binary, f"-d -W -c 512 -e ibs_op/cnt_ctl=1,{term}/ -- ptrchase 256K")
        found = of_function(Samples(run, program).all if run.status == 0 else (), program, "chase")
        tap.equal({words[7] & 0xffffffff for _, words in found}, weights, f"{term}: only loads from memory")


def refusals(binary):
    for cpu, events, message in (
            ("EPYC-Rome,pmu=on", "ibs_op//", "no instruction-based sampling (IBS)"),
            ("Skylake-Client,pmu=on", "ibs_fetch//", "not from AMD"),
            ("EPYC-Rome,pmu=on,pmu-ibs=2", "ibs_op/l3missonly=1/", "cannot choose accesses that miss L3"),
            ("EPYC-Rome,pmu=on,pmu-ibs=4", "ibs_op/ldlat=200/", "has no ldlat"),
            (CPU, "ibs_op/ldlat=100/", "ldlat must be 128 to 2048"),
            (CPU, "instructions:p", "only cycles, r076 and r0c1"),
            (CPU, "cycles:ppp", "leave out one p"),
            (CPU, "ibs_fetch/period=1000/", "choose a period that is a multiple")):
        run = record(binary, f"-e {events} -- noploop 1", cpu)
        tap.ok(run.status != 0 and message in run.text, f"-e {events}: {message}",
               (run.status, run.text[-400:]))


def check(binary):
    program = branches.image()
    run = machine.Recording(f"record -e bts// -m ,2048 -- {WORKLOAD}", "--qemu", binary,
                            qemu=("-cpu", TRACED, *machine.EXACT))
    ran = instructions(branches.of_the_workload(run), program)
    against_the_trace(binary, program, ran)
    ledgers(binary)
    lossless(binary)
    handlers(binary, program)
    memory(binary, program)
    refusals(binary)


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("instruction-based sampling", REASON)
else:
    check(BINARY)
tap.finish()
