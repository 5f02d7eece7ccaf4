#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch stacks from Arm's branch records (BRBE), on the hardware model: each stack is a gapless
piece of the trace that single-step makes of the same program; filters; levels; CPUs; groups; UEFI applications; stock
perf's reports.

check-timeout: 900
check-spare: machines count instructions
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import machine
import tap
from branch_stacks import Stacks, is_piece

WORKLOAD = "qsort 600"
PERIOD = 1009  # instructions
VIRT = "virt,gic-version={},virtualization={}"
EL2, EL1 = VIRT.format(3, "on"), VIRT.format(3, "off")
EL2_GICV2, EL1_GICV2 = VIRT.format(2, "on"), VIRT.format(2, "off")
CPU = "cortex-a76,pmu-instructions=on,brbe={}"
MISPREDICTED, PREDICTED = 1, 2
THREADS = """
#include <bareperf/thread.h>
static int spin(void *turns)
{
	for (volatile unsigned i = 0; i < *(unsigned *)turns; i++)
		;
	return 0;
}
int main(void)
{
	unsigned turns = 100000;
	for (int i = 1; i < (int)bareperf_cpus(); i++)
		bareperf_thread_start(i, spin, &turns);
	spin(&turns);
	for (int i = 1; i < (int)bareperf_cpus(); i++)
		bareperf_thread_join(i, 0);
	return 0;
}
"""
# perf's types, for each kind of branch in the disassembly
TYPES = {"jcc": {1}, "jmp": {2, 3}, "call": {4, 5}, "ret": {6}}


def record(binary, where, command, brbe="32", cpus=1, options=()):
    return machine.Recording(command, "--arch", "aarch64", "--qemu", binary, *options, qemu=(
        "-machine", where, "-smp", str(cpus), "-cpu", CPU.format(brbe), *machine.EXACT))


def pieces(claim, run, program, trace, depth):
    """The stacks' entries, of those that lie in the trace."""
    stacks, places = Stacks(run, program), collections.defaultdict(list)
    start = program.symbols["record_workload"]
    for at, pair in enumerate(trace):
        places[pair].append(at)
    inside, wrong, elsewhere, found = 0, [], 0, []
    for ip, _, stack in stacks.samples:
        pairs = [entry[:2] for entry in reversed(stack)]
        before = [at for at, pair in enumerate(pairs) if pair[1] == start]
        pairs = pairs[before[-1]:] if before else pairs
        if not pairs or pairs[-1] not in places:
            elsewhere += 1
            continue
        inside += 1
        found += stack
        if not is_piece(pairs, trace, places) or not program.reaches(pairs[-1][1], ip):
            wrong.append((hex(ip), [tuple(map(hex, pair)) for pair in pairs]))
    tap.ok(inside > 100 and not wrong,
           f"{claim}: each stack is a piece of the branch trace without a gap, up to the sample",
           (inside, len(wrong), wrong[:1]))
    tap.ok(elsewhere <= 0.02 * inside + 3,
           f"{claim}: the others are before the program and after it", (elsewhere, inside))
    sizes = collections.Counter(len(stack) for _, _, stack in stacks.samples)
    tap.ok(sizes.most_common(1)[0][0] == max(sizes) == depth, f"{claim}: most stacks have {depth} branches",
           sizes)
    return found


def against_single_step(binary, trace, where, claim, brbe="32", depth=32, options=""):
    run = record(binary, where, f"record -e instructions -c {PERIOD} -b {options} -- {WORKLOAD}", brbe)
    if not tap.equal(run.status, 0, f"{claim}: instructions with -b are recorded"):
        tap.note(run.text)
        return run
    program = branches.image("aarch64")
    entries = pieces(claim, run, program, trace, depth)
    wrong = [entry for entry in entries
             if entry[2] >> 20 & 15 not in TYPES.get(program.edge(*entry[:2]), ())]
    tap.ok(not wrong, f"{claim}: each branch has its type", wrong[:3])
    missed = sum(entry[2] & 3 == MISPREDICTED for entry in entries)
    rest = sum(entry[2] & 3 == PREDICTED for entry in entries)
    tap.ok(missed + rest == len(entries) and 10 * missed < rest < 22 * missed,
           f"{claim}: about every 16th branch is mispredicted", (missed, rest, len(entries)))
    levels = {entry[2] >> 30 & 7 for entry in entries}
    tap.equal(levels, {2}, f"{claim}: all of them are the kernel's level")
    return run


def cycles(run, claim):
    """The model's cycles are instructions: those from the last branch's target to this branch."""
    program, wrong, seen = branches.image("aarch64"), [], 0
    for _, _, stack in Stacks(run, program).samples:
        for entry, older in zip(stack, stack[1:]):
            counted, straight = entry[2] >> 4 & 0xffff, (entry[0] - older[1]) // 4 + 1
            if counted:
                seen += 1
                if counted != straight:
                    wrong.append((hex(entry[0]), counted, straight))
    tap.ok(seen > 1000 and not wrong, f"{claim}: each branch has its cycles since the last one",
           (seen, wrong[:4]))


def perf_reads(run, claim, depth):
    text, errors, status = run.perf("script", "-F", "ip,brstack")
    counts = collections.Counter(line.count("0x") // 2 for line in text.splitlines())
    tap.ok(status == 0 and not errors and counts.most_common(1)[0][0] == depth,
           f"{claim}: perf script -F brstack prints them", (status, errors, counts))
    tap.ok({"COND", "CALL", "RET"} <= set(re.findall(r"/(\w+) ", text)),
           f"{claim}: with their types", text[:300])
    for what in (("--branch-history",), ("-b",)):
        text, errors, status = run.perf("report", "--stdio", *what)
        tap.ok(status == 0 and "compare" in text and "%" in text and not errors,
               f"{claim}: so does perf report {' '.join(what)}", (status, errors, text[-500:]))
    dump = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    found = collections.Counter(re.findall(r"branch stack: nr:(\d+)$", dump, re.MULTILINE))
    tap.ok(found and found.most_common(1)[0][0] == str(depth), f"{claim}: dump prints them", found)


def other_perfs(run):
    """Of other releases, where they can be had."""
    fetcher = machine.TOP / "deps/linux-perf"
    words = subprocess.run([fetcher, "--versions"], capture_output=True, text=True, check=True).stdout
    for version in words.split():
        path = subprocess.run([fetcher, "--path", version], capture_output=True, text=True,
                              check=True).stdout.strip()
        if not os.access(path, os.X_OK):
            tap.skip(f"perf {version}", "it is not here")
            continue
        done = subprocess.run([path, "script", "-i", run.file, "-F", "brstack"], capture_output=True,
                              text=True, check=False)
        sizes = collections.Counter(line.count("0x") // 2 for line in done.stdout.splitlines())
        tap.ok(done.returncode == 0 and sizes.most_common(1)[:1] and sizes.most_common(1)[0][0] == 32,
               f"perf {version} reads them", (done.returncode, done.stderr[-300:], sizes))


def filters(binary):
    program = branches.image("aarch64")
    for name, kinds in (("any_call", {"call"}), ("any_ret", {"ret"}), ("cond", {"jcc"}),
                        ("any_ret,cond", {"ret", "jcc"})):
        run = record(binary, EL2, f"record -e instructions -c 5003 -j {name} -- {WORKLOAD}")
        found = collections.Counter(
            program.edge(*entry[:2]) for _, _, stack in (Stacks(run, program).samples if run.status == 0 else ())
            for entry in stack)
        tap.ok(set(found) == kinds and found.total() > 500,
               f"-j {name}: nothing else is in a stack", (run.status, found))


def group(binary):
    claim = "a group"
    run = record(binary, EL2, "record -e {instructions,branches}:S -c 1009 -b -- " + WORKLOAD)
    text, _, status = run.perf("script", "-F", "ip,brstack")
    stacks = [line for line in text.splitlines() if line.count("0x") == 64]
    tap.ok(run.status == 0 and status == 0 and len(stacks) > 100,
           f"{claim}: its leader's samples have stacks and counts", (run.text[-300:], len(stacks)))


def cpus(binary):
    claim = "4 CPUs"
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        elf = machine.payload("aarch64", pathlib.Path(directory) / "threads.elf", THREADS)
        run = record(binary, EL1, "record -a -e instructions -c 20011 -b -- payload", cpus=4,
                     options=("--payload", elf))
    text, errors, status = run.perf("script", "-F", "cpu,brstack")
    deep = collections.Counter(line.split()[0] for line in text.splitlines() if line.count("0x") > 16)
    tap.ok(run.status == 0 and status == 0 and len(deep) == 4,
           f"{claim}: each has stacks of its own", (run.text[-400:], errors, deep))


def application(binary, where, claim):
    """Hosted: the firmware's interrupts are its own, and handled at the level that is recorded."""
    run = record(binary, where, "record -b -e instructions -c 50021 -- payload low=20",
                 options=("--payload", machine.TOP / "build/aarch64/tests/spinner.efi"))
    text, errors, status = run.perf("script", "-F", "brstack")
    sizes = collections.Counter(line.count("0x") // 2 for line in text.splitlines())
    tap.ok(run.status == 0 and status == 0 and sizes[32] > 40 and sizes[32] >= 0.9 * sizes.total(),
           f"{claim}: most stacks of a UEFI application have 32 branches", (run.text[-400:], errors, sizes))
    tap.ok(sizes and not re.search("/(IRQ|ERET)", text), f"{claim}: none of them has an interrupt", text[-300:])


def refusals(binary):
    for brbe, command, message in (
            ("0", "record -b -- noploop 1", "no branch records (FEAT_BRBE"),
            ("32", "record --call-graph lbr -- noploop 1", "cannot be a call stack"),
            ("32", "record -e cpu-clock -b -- noploop 1", "its source has no branch stacks")):
        run = record(binary, EL2, command, brbe)
        tap.ok(run.status != 0 and message in run.text, f"{command}, {brbe} records: {message}",
               (run.status, run.text[-400:]))


def check(binary):
    trace = branches.of_the_workload(
        record(binary, EL2, f"record -e branch-step// -m ,2048 -- {WORKLOAD}", "0"), "aarch64")
    run = against_single_step(binary, trace, EL2, "EL2, GICv3")
    cycles(run, "EL2, GICv3")
    perf_reads(run, "EL2, GICv3", 32)
    other_perfs(run)
    against_single_step(binary, trace, EL1, "EL1, GICv3, v1p1", "32,brbe-version=2")
    against_single_step(binary, trace, EL1_GICV2, "EL1, GICv2, 8 records, after firmware's leftovers",
                        "8,brbe-leftovers=on", 8)
    claim = "EL2, GICv2, 64 records, --lossless"
    run = against_single_step(binary, trace, EL2_GICV2, claim, "64", 64, "--lossless")
    perf_reads(run, claim, 64)
    filters(binary)
    group(binary)
    cpus(binary)
    application(binary, EL1, "EL1, hosted")
    application(binary, EL2, "EL2, hosted")
    refusals(binary)


BINARY, REASON = machine.model("aarch64")
if REASON:
    tap.skip("branch stacks", REASON)
else:
    check(BINARY)
tap.finish()
