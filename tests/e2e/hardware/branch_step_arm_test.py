#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch traces by single-step on stock QEMU's aarch64, entered at EL2 and at EL1: every pair of
addresses is an edge of the disassembled program, each kind of branch occurs as often as the program
takes it, with exclusive sequences, exceptions and interrupts in between, and the ledger is exact.

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

TURNS = 150
VIRT = "virt,gic-version={},virtualization={}"
EL2, EL1 = VIRT.format(3, "on"), VIRT.format(3, "off")
EL2_GICV2, EL1_GICV2 = VIRT.format(2, "on"), VIRT.format(2, "off")
# Labels from_X and to_X mark an edge that each turn takes.
PROGRAM = r"""
#include <bareperf/thread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* x0: turns. Each kind of branch, taken; each conditional one, not taken as well. */
void kinds(uint64_t turns), masked(uint64_t turns), swaps(uint64_t turns, uint64_t *two);
void adds(uint64_t turns, uint64_t *sum), doubtful(uint64_t turns, uint64_t *two);
void own(uint64_t turns, uint64_t fault);
__asm__(".arch armv8.3-a\n.text\n.balign 4\n.macro edge name, instruction:vararg\n"
        ".globl from_\\name, to_\\name\nfrom_\\name: \\instruction\n.endm\n"
        "kinds: stp x29, x30, [sp, #-16]!\nmov x29, sp\nmov x9, x0\n"
        "1: edge b, b to_b\nnop\nto_b:\n"
        "edge bl, bl to_bl\n"
        "adr x1, to_blr\nedge blr, blr x1\n"
        "adr x1, to_blraaz\nedge blraaz, blraaz x1\n"
        "adr x1, to_br\nedge br, br x1\nnop\nto_br:\n"
        "adr x1, to_braaz\nedge braaz, braaz x1\nnop\nto_braaz:\n"
        "cmp x9, x9\nb.ne 2f\nedge bcond, b.eq to_bcond\nnop\nto_bcond:\n"
        "cbz x9, 2f\nedge cbz, cbz xzr, to_cbz\nnop\nto_cbz:\n"
        "cbnz xzr, 2f\nedge cbnz, cbnz x9, to_cbnz\nnop\nto_cbnz:\n"
        "mov x1, #4\ntbz x1, #2, 2f\nedge tbz, tbz x1, #33, to_tbz\nnop\nto_tbz:\n"
        "tbnz x1, #3, 2f\nedge tbnz, tbnz x1, #2, to_tbnz\nnop\nto_tbnz:\n"
        "wfi\nsub x9, x9, #1\ncbnz x9, 1b\n"
        "2: ldp x29, x30, [sp], #16\nret\n"
        "to_bl: ret\nto_blr: retab\nto_blraaz: retaa\n"
        /* Interrupts, and at EL1 the debug exceptions' own mask */
        "masked: mrs x1, daif\nmsr daifset, #15\n"
        "to_masked: sub x0, x0, #1\nedge masked, cbnz x0, to_masked\nmsr daif, x1\nret\n"
        /* A comparison that succeeds, one that fails, and one of a pair as clang has it */
        "swaps: mov x9, x0\n1: mov x2, xzr\n"
        "2: ldaxr x3, [x1]\ncmp x3, x2\nb.ne 3f\nstlxr w4, x9, [x1]\ncbnz w4, 2b\n"
        "3: mov x2, xzr\n"
        "4: ldxr x3, [x1]\ncmp x3, x2\nedge swap, b.ne to_swap\nstxr w4, x2, [x1]\ncbnz w4, 4b\nto_swap:\n"
        "5: ldaxp x3, x5, [x1]\ncmp x3, x2\nedge pair, b.ne to_pair\nstlxp w4, x2, x2, [x1]\n"
        "cbnz w4, 5b\nb 6f\nto_pair: stlxp w4, x3, x5, [x1]\ncbnz w4, 5b\n"
        "6: str xzr, [x1]\nsub x9, x9, #1\nedge swaps, cbnz x9, 1b\n.set to_swaps, 1b\nret\n"
        "adds: ldaxr x2, [x1]\nadd x2, x2, #1\nstxr w3, x2, [x1]\ncbnz w3, adds\n"
        "sub x0, x0, #1\nedge adds, cbnz x0, to_adds\n.set to_adds, adds\nret\n"
        /* Which of two branches came here? */
        "doubtful: ldxp x2, x3, [x1]\ncbnz x2, 1f\ncbnz x3, 1f\nstxp w4, xzr, xzr, [x1]\ncbnz w4, doubtful\n"
        "1: sub x0, x0, #1\nedge doubtful, cbnz x0, doubtful\n.set to_doubtful, doubtful\nret\n"
        /* With vectors of its own */
        "own: mov x9, x0\nmrs x10, vbar_el1\nadr x2, vectors\nmsr vbar_el1, x2\nisb\n"
        "1: edge svc, svc #7\nedge brk, brk #7\nedge fault, ldr x3, [x1]\n"
        "ldxr x3, [sp]\nsub x9, x9, #1\ncbnz x9, 1b\nmsr vbar_el1, x10\nisb\nret\n"
        ".balign 2048\nvectors: .fill 128, 4, 0\n"
        ".globl to_vector\nto_vector:\n.set to_svc, to_vector\n.set to_brk, to_vector\n.set to_fault, to_vector\n"
        "mrs x3, esr_el1\nlsr x3, x3, #26\ncmp x3, #0x15\nb.eq 2f\n"
        "mrs x3, elr_el1\nadd x3, x3, #4\nmsr elr_el1, x3\n2: .globl from_eret\nfrom_eret: eret\n");

static uint64_t two[2] __attribute__((aligned(16))), sum;

static int add(void *turns)
{
	adds(*(uint64_t *)turns, &sum);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t turns = TURNS;

	for (int i = 1; i < (int)bareperf_cpus(); i++)
		bareperf_thread_start(i, add, &turns);
	add(&turns);
	for (int i = 1; i < (int)bareperf_cpus(); i++)
		bareperf_thread_join(i, NULL);
	kinds(turns);
	masked(turns);
	swaps(turns, two);
	for (int i = 1; i < argc; i++) {
		two[1] = 1;
		if (!strcmp(argv[i], "doubtful"))
			doubtful(turns, two);
		if (!strcmp(argv[i], "own"))
			own(turns, 1ULL << 47);
		if (!strcmp(argv[i], "crash"))
			__asm__ volatile("brk #9");
	}
	printf("sum %lu of %lu\n", (unsigned long)sum, (unsigned long)(turns * bareperf_cpus()));
	return 0;
}
"""
WORK = tempfile.TemporaryDirectory(prefix="bareperf-step-")


def record(command, where, *options, cpus=1):
    return machine.Recording(command, "--arch", "aarch64", *options,
                             qemu=("-machine", where, "-smp", str(cpus), *machine.EXACT))


def accounts(run, claim):
    if not tap.equal(run.status, 0, f"{claim}: the recording ends well"):
        tap.note(run.text)
        return []
    summary = run.summary()
    found = [event["branches"] for event in summary["events"]]
    tap.ok(summary["conserved"] and all(a["lost"] is None or a["recorded"] + a["lost"] == a["taken"]
                                        for a in found),
           f"{claim}: recorded + lost = taken, exactly", summary)
    return found


def edges(run, claim, program):
    check = branches.Check(branches.Trace(run.file), program)
    tap.ok(check.edges and not check.bad_edges, f"{claim}: every pair is an edge of the program",
           check.bad_edges[:8])
    tap.ok(not check.bad_chains, f"{claim}: each branch leaves the straight line that the last one "
           "came to", check.bad_chains[:8])
    return check


def labels(elf):
    """{link address: names of the labels} of the program."""
    names = collections.defaultdict(list)
    text = subprocess.run(["nm", elf], capture_output=True, text=True, check=True).stdout
    for address, name in re.findall(r"^(\w+) \w (\w+)$", text, re.MULTILINE):
        names[int(address, 16) + branches.Program.APART].append(name)
    return names


def taken(run, program, elf):
    """How often each CPU went from one label to another."""
    trace, found, names = branches.Trace(run.file), collections.Counter(), labels(elf)
    for piece in trace.pieces:
        for branch in piece.branches:
            source, target = (program.link(trace, address) for address in branch)
            for start in names[source]:
                for end in names[target]:
                    found[piece.cpu, start, end] += 1
    return found


def as_often(claim, found, kinds, cpu=0):
    tap.equal({kind: found[cpu, f"from_{kind}", f"to_{kind}"] for kind in kinds}, kinds,
              f"{claim}: each kind of branch is there as often as it was taken")


KINDS = dict.fromkeys(("b", "bl", "blr", "blraaz", "br", "braaz", "bcond", "cbz", "cbnz", "tbz", "tbnz",
                       "swap", "pair"), TURNS) | dict.fromkeys(("masked", "swaps", "adds"), TURNS - 1)


def all_kinds(elf, program, where, claim, *words, cpus=1, also=None):
    run = record(f"record {'-a ' if cpus > 1 else ''}-e branch-trace// -m ,256 -- payload {' '.join(words)}",
                 where, "--payload", elf, cpus=cpus)
    accounted = accounts(run, claim)
    tap.equal(len(accounted), cpus, f"{claim}: each CPU has its own trace")
    tap.ok(f"sum {cpus * TURNS} of {cpus * TURNS}" in run.text,
           f"{claim}: exclusive sequences do their work", run.text[-300:])
    found = taken(run, program, elf)
    as_often(claim, found, KINDS | (also or {}))
    for cpu in range(1, cpus):
        as_often(f"{claim}, CPU {cpu}", found, {"adds": TURNS - 1}, cpu)
    return run, [account["lost"] for account in accounted]


def loop(where, claim):
    """The image's own loop, in an area that holds 682 branches: a slow reader means loss, a quick
    reader means none."""
    run = record("record -e branch-step// -m ,4 -- branches 20000", where)
    found = accounts(run, claim)
    edges(run, claim, branches.image("aarch64"))
    tap.ok(found and 20000 < found[0]["taken"] < 20200,
           f"{claim}: the recorded and the lost are the program's branches", found)


def perf_shows(run, claim):
    recorded = sum(event["branches"]["recorded"] for event in run.summary()["events"])
    text, _, status = run.perf("script", "--itrace=b", "-F", "event,ip,sym,addr")
    tap.ok(status == 0 and len(text.splitlines()) == recorded > 1000,
           f"{claim}: perf script --itrace=b prints every branch", (status, recorded, text[-300:]))
    text, _, status = run.perf("report", "--stdio", "--itrace=b")
    tap.ok(status == 0 and f"Event count (approx.): {recorded}\n" in text and
           re.search(r"^ +\d+\.\d+% .*kinds\.elf +\[\.\] from_bl$", text, re.MULTILINE),
           f"{claim}: perf report --itrace=b shows each function's branches", text)


def crash(elf):
    claim = "a program that crashes"
    run = record("record -e branch-step// -- payload crash", EL2, "--payload", elf)
    tap.ok(run.status != 0 and "BRK instruction, in the payload" in run.text,
           f"{claim}: its BRK is reported as without single-step", run.text[-1000:])


def refused():
    run = record("record -e branch-step//k -- branches 10", EL2)
    tap.ok(run.status != 0 and "branch-step//k" in run.text,
           "exception levels cannot be distinguished, which is reported", run.text)


def main():
    elf = machine.payload("aarch64", pathlib.Path(WORK.name) / "kinds.elf", PROGRAM, f"-DTURNS={TURNS}")
    program = branches.ArmProgram(elf)

    claim = "EL2, GICv3, 4 CPUs"
    run, lost = all_kinds(elf, program, EL2, claim, "own", cpus=4,
                          also=dict.fromkeys(("svc", "brk", "fault"), TURNS))
    tap.equal(lost, [0] * 4, f"{claim}: nothing is lost")
    returns = branches.Check(branches.Trace(run.file), program).kinds["iret"]
    tap.equal(returns, 3 * TURNS, f"{claim}: each exception of the program has its return")
    claim = "EL1, GICv3, 4 CPUs"
    run, lost = all_kinds(elf, program, EL1, claim, cpus=4)
    tap.equal(lost, [0] * 4, f"{claim}: nothing is lost")
    edges(run, claim, program)
    perf_shows(run, claim)
    claim = "EL1, GICv2"
    run, lost = all_kinds(elf, program, EL1_GICV2, claim, "doubtful", also={"doubtful": TURNS - 1})
    tap.equal(lost, [TURNS], f"{claim}: a branch that cannot be told from another is counted as lost")
    loop(EL2_GICV2, "EL2, GICv2")
    crash(elf)
    refused()


REASON = machine.missing("qemu-system-aarch64")
if REASON:
    tap.skip("branch traces by single-step on aarch64", REASON)
else:
    main()
tap.finish()
