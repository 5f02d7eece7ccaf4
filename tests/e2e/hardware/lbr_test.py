#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch stacks from Intel's and AMD's last branch records, on the hardware model: each stack is a
gapless piece of the trace that the branch trace store makes of the same program; filters; callers of
code without frame pointers; stock perf's reports.

check-timeout: 900
check-spare: machines count instructions
"""

import collections
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
PERIOD = 1009  # cycles, which are instructions in this model
MODELS = {"32 records, version 4": ("Skylake-Client,pmu=on,pmu-version=4,pmu-lbr=32", 32),
          "16 records, version 3": ("Skylake-Client,pmu=on,pmu-version=3,pmu-lbr=16", 16)}
PREDICTED, SPECULATIVE = 2, 3 << 24
AMD = "EPYC-Milan,pmu=on,pmu-lbr=16"
AMDS_FLAGS = {PREDICTED | SPECULATIVE}
# Where the records do not freeze, the interrupt's delivery takes a place.
AMDS = {"AMD": (AMD, 16), "AMD without freezing": (AMD + ",pmu-lbr-freeze=off", 15)}
# Only main() keeps a frame pointer.
NO_FRAMES = """
#define PLAIN static __attribute__((noinline, optimize("omit-frame-pointer"))) unsigned
PLAIN leaf(unsigned x) { for (unsigned i = 0; i < 200; i++) x = x * 69069 + 1; return x; }
PLAIN inner(unsigned x) { return leaf(x) * 3 + leaf(x + 1); }
PLAIN middle(unsigned x) { return inner(x) * 5 + inner(x + 1); }
PLAIN outer(unsigned x) { return middle(x) * 7 + middle(x + 1); }
int main(void) { unsigned x = 1; for (int i = 0; i < 500; i++) x = outer(x); return x == 1; }
"""


def record(binary, cpu, command):
    return machine.Recording(command, "--qemu", binary, qemu=("-cpu", cpu, *machine.EXACT))


def against_the_trace_store(binary, name, cpu, depth, trace, expected=frozenset([PREDICTED])):
    run = record(binary, cpu, f"record -e cycles -c {PERIOD} -b -- {WORKLOAD}")
    if not tap.equal(run.status, 0, f"{name}: cycles with -b are recorded"):
        tap.note(run.text)
        return None
    program = branches.image()
    stacks = Stacks(run, program)
    places, start = collections.defaultdict(list), program.symbols["record_workload"]
    for at, pair in enumerate(trace):
        places[pair].append(at)
    inside, wrong, elsewhere, ours = 0, [], 0, []
    low, high = program.symbols["x86_vectors"], program.symbols["arch_trace_hold"]
    for ip, _, stack in stacks.samples:
        pairs = [entry[:2] for entry in reversed(stack)]
        ours += [pair for pair in pairs if any(low <= address < high for address in pair)]
        pairs = [pair for pair in pairs if program.edge(*pair) != "iret"]
        before = [at for at, pair in enumerate(pairs) if pair[1] == start]
        pairs = pairs[before[-1]:] if before else pairs
        if not pairs or pairs[-1] not in places:
            elsewhere += 1
            continue
        inside += 1
        # a sample may lie in the last instructions of the tick's entry, which are counted
        reaches = low <= ip < high or program.reaches(pairs[-1][1], ip)
        if not is_piece(pairs, trace, places) or not reaches:
            wrong.append((hex(ip), [tuple(map(hex, pair)) for pair in pairs]))
    tap.ok(inside > 100 and not wrong,
           f"{name}: each stack is a piece of the branch trace without a gap, up to the sample",
           (inside, len(wrong), wrong[:1]))
    tap.ok(elsewhere <= 0.02 * inside + 3, f"{name}: the others are before the program and after it",
           (elsewhere, inside))
    tap.ok(not ours, f"{name}: no stack has a branch of an interrupt's entry or return", ours[:4])
    sizes = collections.Counter(len(stack) for _, _, stack in stacks.samples)
    tap.ok(not depth or sizes.most_common(1)[0][0] == max(sizes) == depth,
           f"{name}: most stacks are as deep as the hardware", sizes)
    flags = {entry[2] for _, _, stack in stacks.samples for entry in stack}
    tap.equal(flags, expected, f"{name}: the flags are the model's, and no cycles")
    if depth:
        perf_reads(run, name, depth)
    return run


def perf_reads(run, name, depth):
    text, errors, status = run.perf("script", "-F", "ip,brstack")
    counts = collections.Counter(line.count("0x") // 2 for line in text.splitlines())
    tap.ok(status == 0 and not errors and counts.most_common(1)[0][0] == depth,
           f"{name}: perf script -F brstack prints them", (status, errors, counts))
    for what in (("--branch-history",), ("-b", "--sort", "symbol_from,symbol_to")):
        text, errors, status = run.perf("report", "--stdio", *what)
        tap.ok(status == 0 and "compare" in text and "%" in text and not errors,
               f"{name}: so does perf report {' '.join(what)}", (status, errors, text[-500:]))
    dump = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    found = collections.Counter(re.findall(r"branch stack: nr:(\d+)$", dump, re.MULTILINE))
    tap.ok(found.most_common(1)[0][0] == str(depth), f"{name}: dump prints them", found)


def filters(binary, cpu):
    program = branches.image()
    for name, kinds in (("any_call", {"call"}), ("any_ret", {"ret"}), ("cond", {"jcc"}),
                        ("any_call,cond", {"call", "jcc"})):
        run = record(binary, cpu, f"record -e cycles -c 5003 -j {name} -- {WORKLOAD}")
        stacks = Stacks(run, program) if run.status == 0 else None
        found = collections.Counter(
            program.edge(*entry[:2]) for _, _, stack in (stacks.samples if stacks else ())
            for entry in stack)
        tap.ok(set(found) == kinds and found.total() > 500,
               f"{cpu}: -j {name}: nothing else is in a stack", (run.status, found))


def call_stack(binary):
    """calltree keeps frame pointers, so both kinds of callchain must agree."""
    run = record(binary, MODELS["32 records, version 4"][0],
                 "record -e cycles -c 50021 --call-graph lbr -- calltree 0.1")
    program, same, other = branches.image(), 0, []
    samples = Stacks(run, program).samples if run.status == 0 else []
    for ip, chain, stack in samples:
        callers = [program.instructions[entry[0]].next for entry in stack]
        if callers and callers == chain[1:1 + len(callers)]:
            same += 1
        else:
            other.append((hex(ip), list(map(hex, chain)), list(map(hex, callers))))
    # by frame pointers, a sample in a function's first or last instruction lacks the caller
    tap.ok(same > 20 and len(other) <= 0.1 * same,
           "--call-graph lbr: the callers are those by frame pointers", (same, len(other), other[:2]))
    text, errors, status = run.perf("report", "--stdio", "--no-children", "-g", "caller")
    tap.ok(status == 0 and not errors and "calltree" in text and "record_workload" in text,
           "perf report takes them as the callchain", (status, errors, text[-400:]))


def joined(binary):
    """The views have the callers without frame pointers by the call stack, and those before the
    recording began, which no record has, by frame pointers."""
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        elf = machine.payload("x86_64", pathlib.Path(directory) / "frames.elf", NO_FRAMES)
        run = machine.Recording(
            "record -e cycles -c 10007 --call-graph lbr -- payload", "--qemu", binary,
            "--payload", elf, qemu=("-cpu", MODELS["32 records, version 4"][0], *machine.EXACT))
        text = subprocess.run([machine.TOOL, "export", "--format", "folded", run.file],
                              capture_output=True, text=True, check=False).stdout
    stacks = collections.Counter()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(count)
    whole = sum(count for stack, count in stacks.items()
                if stack[-5:] == ("main", "outer", "middle", "inner", "leaf"))
    tap.ok(run.status == 0 and whole > 0.9 * stacks.total() > 0,
           "views join the call stack with the callers by frame pointers", (run.status, stacks.most_common(4)))


def erroneous(binary, trace):
    """Records that no branch made (erratum 1452 of AMD's): one after each 50 others."""
    name = "AMD, erroneous records"
    run = against_the_trace_store(binary, name, AMD + ",lbr-erroneous=50", None, trace, AMDS_FLAGS)
    dropped = run.summary()["cpus"][0]["erroneous"] if run else 0
    samples = len(Stacks(run, branches.image()).samples) if run else 0
    # 16 records of a sample have one in 51 of the kind
    tap.ok(0.2 * samples < dropped < 0.4 * samples > 50, f"{name}: are counted in the summary",
           (dropped, samples))
    text = subprocess.run([machine.TOOL, "dump", "--summary", run.file], capture_output=True, text=True,
                          check=False).stdout
    tap.ok(f"CPU 0: {dropped} branch records were erroneous" in text, f"{name}: and by dump", text[-900:])


def refusals(binary):
    for cpu, command, message in (
            ("Skylake-Client,pmu=on", "record -b -- noploop 1", "has no branch records"),
            ("EPYC-Milan,pmu=on", "record -b -- noploop 1", "no branch records (LbrExtV2"),
            (AMD, "record --call-graph lbr -- noploop 1", "cannot be a call stack"),
            ("Skylake-Client,pmu=on,pmu-lbr=32", "record -e cpu-clock -b -- noploop 1",
             "its source has no branch stacks"),
            ("Skylake-Client,pmu=on,pmu-lbr=16", "record --call-graph lbr -- noploop 1",
             "cannot be a call stack"),
            ("Skylake-Client,pmu=on,pmu-lbr=32", "record -j any,u -- noploop 1",
             "nothing runs at user level here")):
        run = record(binary, cpu, command)
        tap.ok(run.status != 0 and message in run.text, f"{command}: {message}",
               (run.status, run.text[-400:]))


def check(binary):
    trace = branches.of_the_workload(record(
        binary, MODELS["32 records, version 4"][0], f"record -e bts// -m ,2048 -- {WORKLOAD}"))
    for name, (cpu, depth) in MODELS.items():
        against_the_trace_store(binary, name, cpu, depth, trace)
    for name, (cpu, depth) in AMDS.items():
        against_the_trace_store(binary, name, cpu, depth, trace, AMDS_FLAGS)
    erroneous(binary, trace)
    for cpu in (MODELS["32 records, version 4"][0], AMD):
        filters(binary, cpu)
    call_stack(binary)
    joined(binary)
    refusals(binary)


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("branch stacks", REASON)
else:
    check(BINARY)
tap.finish()
