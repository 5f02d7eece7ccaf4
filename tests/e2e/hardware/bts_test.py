#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Intel's branch trace store, on the hardware model of tests/qemu: every branch is recorded or
known to be lost, exactly; every pair of addresses is an edge of the disassembled image; with a
reader that stalls, and with every fault that the model can inject.

check-timeout: 1200
check-spare: machines count instructions
"""

import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import live
import machine
import region as tr
import tap
import wire

N = 200000
SMALL = 4         # pages, the minimum: four segments of 170 records
NS = 16           # ns per instruction under machine.EXACT
STALL = 100000000  # branches while the reader stalls
HELD = 4096       # pages, which hold 699,050 records: the boot CPU traces 574,000
# turns of the loop on each CPU; the boot CPU's loop is LONGER times as long
TURNS, LONGER = 50000, 6
EACH = f"""
#include <bareperf/thread.h>

/* Its backward branch is taken so often, then falls through. */
static __attribute__((noinline, noclone)) void known(unsigned long taken)
{{
	taken++;
	do {{
		__asm__ volatile("" : "+r"(taken));
	}} while (--taken);
}}

static int work(void *argument)
{{
	known({TURNS} + bareperf_cpu());
	return 0;
}}

int main(void)
{{
	unsigned cpus = bareperf_cpus();

	for (unsigned i = 1; i < cpus; i++)
		bareperf_thread_start((int)i, work, 0);
	known({LONGER} * {TURNS});
	for (unsigned i = 1; i < cpus; i++)
		bareperf_thread_join((int)i, 0);
	return 0;
}}
"""


def options(binary, properties="", smp=1):
    return {"qemu": ("-cpu", f"Skylake-Client,pmu=on{properties}", "-smp", str(smp),
                     *machine.EXACT), "timeout": 300}, ("--qemu", binary)


def record(binary, command, properties="", smp=1, payload=()):
    keywords, arguments = options(binary, properties, smp)
    return machine.Recording(command, *arguments, *payload, **keywords)


def branch_accounts(run):
    """The summary's branch accounts, one for each CPU that traced."""
    return [event["branches"] for event in run.summary()["events"] if "branches" in event]


def own(account):
    """The program's branches: all taken ones, minus the returns from bareperf's handlers."""
    return account["taken"] - account["returns"]


def is_exact(account):
    return account["lost"] is not None and \
        account["recorded"] + account["lost"] == account["taken"] + account["interrupts"]


def conserved(run, name):
    """The run's accounts, or None."""
    if not tap.equal(run.status, 0, f"{name}: the recording ends well"):
        tap.note(run.text)
        return None
    summary = run.summary()
    accounts = branch_accounts(run)
    tap.ok(summary["conserved"] and accounts and all(map(is_exact, accounts)),
           f"{name}: recorded + lost = taken + interrupts, exactly", summary)
    return accounts


def edges(run, name, program=None):
    trace = branches.Trace(run.file)
    check = branches.Check(trace, program or branches.Program())
    tap.ok(check.edges and not check.bad_edges, f"{name}: every pair is an edge of the program",
           check.bad_edges[:8])
    tap.ok(not check.bad_chains, f"{name}: each branch leaves the straight line that the last one "
           "came to", check.bad_chains[:8])
    return trace, check


def first_example():
    """The command that docs/branch-trace.md begins with."""
    text = (machine.TOP / "docs/branch-trace.md").read_text()
    return re.search(r"^    (record .*)$", text, re.MULTILINE).group(1)


def a_million(binary):
    """The complete trace of a million branches. Returns the number of other branches of the
    program."""
    name = "branches 1000000"
    run = record(binary, first_example())
    accounts = conserved(run, name)
    if not accounts:
        return None
    tap.ok("LOST" not in run.text, "the first example of docs/branch-trace.md loses nothing", run.text)
    account = accounts[0]
    trace, check = edges(run, name)
    wire.shrinks(wire.parts(run.file)[1], "branch records of the store", 4)
    tap.equal(account["lost"], 0, f"{name}: nothing is lost where the AUX area holds the trace")
    tap.equal(trace.count(), account["recorded"], f"{name}: all that was recorded is in the file")
    tap.equal(max(check.edges.values()), 1000000, f"{name}: the loop's edge is there a million times")
    tap.equal(check.kinds[branches.DELIVERY], account["interrupts"],
              f"{name}: the interrupts of the ledger are those in the trace")
    tap.equal(check.kinds["iret"], account["returns"], f"{name}: and so are the returns")
    tap.ok(all(len(piece.branches) < 512 * 1024 // 24 * 8 - 64 for piece in trace.pieces),
           f"{name}: no segment waited for the tick", [len(p.branches) for p in trace.pieces])
    times = [piece.time for piece in trace.pieces]
    tap.ok(len(times) > 3 and times == sorted(set(times)), f"{name}: each segment has its time",
           times)
    return own(account) - 1000000


def a_megabyte(binary, beside):
    """A typical user's case: the reader has to keep up with an area of this size."""
    name = "-m,256"
    run = record(binary, "record -e bts// -m,256 -- branches 1000000")
    accounts = conserved(run, name)
    if accounts:
        tap.equal(own(accounts[0]), 1000000 + beside, f"{name}: the number of taken branches is as always")
        edges(run, name)


def stock_perf(binary):
    run = record(binary, "record -e bts// -- branches 20000")
    recorded = branch_accounts(run)[0]["recorded"]
    text, errors, status = run.perf("script", "--itrace=b", "-F", "event,ip,sym,addr")
    tap.ok(status == 0 and len(text.splitlines()) == recorded,
           "perf script --itrace=b prints every branch",
           (len(text.splitlines()), recorded, errors))
    for words in (("report", "--stdio", "--itrace=b"),
                  ("report", "--stdio", "--itrace=bl", "--branch-history")):
        text, errors, status = run.perf(*words)
        tap.ok(status == 0 and "[.] branches" in text, f"perf {' '.join(words)} shows the loop",
               text[:2000] + errors)
    lines = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                           check=False).stdout
    tap.equal(lines.count("\n. branch "), recorded, "bareperf dump prints every branch")


def too_small(binary, beside):
    """The reader may or may not come too late: the guest runs as fast as it can."""
    name = "an AUX area of four pages"
    run = record(binary, f"record -e bts// -m ,{SMALL} -- branches {N}")
    accounts = conserved(run, name)
    if not accounts:
        return
    said_lost(run, name, accounts[0])
    tap.equal(own(accounts[0]), N + beside, f"{name}: the number of taken branches is as without loss")
    edges(run, name)


def said_lost(run, name, account):
    """The loss of the AUX area is the loss of the branch trace store."""
    aux = run.summary()["aux"][0]
    tap.ok(aux["lost"] == 24 * account["lost"] and
           (aux["truncated"] > 0) == (account["lost"] > 0),
           f"{name}: branches without room are lost, and reported", (account, aux))


class Stalled(live.Live):
    """A recording whose reader is stopped for a while."""

    def __init__(self, binary, command):
        keywords, arguments = options(binary)
        super().__init__(command, *arguments, qemu=keywords["qemu"])
        reader = self.until(lambda: self.is_recording() and self.signal_reader(signal.SIGSTOP))
        self.was_complete = self.until(lambda: self.state() == tr.COMPLETE)
        if reader:
            # except if its parent ended it at the end of the run
            self.signal_reader(signal.SIGCONT)
        self.finish()


def stalled_reader(binary, beside):
    name = "a reader that stalls"
    run = Stalled(binary, f"record -e bts// -m ,{SMALL} -- branches {STALL}")
    tap.ok(run.was_complete, f"{name}: the workload completes without it", run.text)
    accounts = conserved(run, name)
    if not accounts:
        return
    event = run.summary()["events"][0]
    instructions, untraced = event["time_enabled"] // NS, 2 * STALL
    tap.note(f"{instructions} instructions for {STALL} branches: "
             f"{instructions / untraced:.3f} of the loop's own {untraced}")
    tap.ok(instructions < 1.05 * untraced, f"{name}: within 5 % of the loop's own instructions",
           instructions)
    tap.ok(accounts[0]["lost"] > 0.9 * STALL and own(accounts[0]) == STALL + beside,
           f"{name}: the loss is exact to the branch", accounts)
    said_lost(run, name, accounts[0])
    whole = accounts[0]["recorded"] + accounts[0]["lost"]
    tap.ok(f"LOST bts//: {accounts[0]['lost']} of {whole} branches" in run.text,
           f"{name}: the closing line reports them", run.text)


def faults(binary, beside):
    for fault, what in (("bts-overshoot=30", "a threshold overshot by 30 records"),
                        ("bts-overshoot=1000", "no interrupt before the segment is full"),
                        ("pmi-skid=37", "a PMI 37 instructions late"),
                        ("pmi-skid=300", "a PMI later than the margin is long"),
                        ("pmi-delay=50000", "a PMI 50 us late"),
                        ("pmi-spurious=3", "every third PMI comes twice"),
                        ("pmu-leftovers=on", "firmware's leftovers"),
                        ("pmu-version=4", "version 4"), ("pmu-version=5", "version 5")):
        run = record(binary, f"record -e bts// -m ,16 -- branches {N}", "," + fault)
        accounts = conserved(run, what)
        if accounts:
            tap.equal(own(accounts[0]), N + beside, f"{what}: the number of taken branches is as always")
            edges(run, what)


def turns(trace, program, cpu):
    """How many turns of the loop EACH a CPU recorded."""
    start, found = program.symbols["known"], 0
    for piece in trace.of_cpu(cpu):
        for branch in piece.branches:
            source, target = (program.link(trace, address) for address in branch)
            found += program.function(source) == program.function(target) == start
    return found


def many_cpus(binary):
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        payload = machine.payload("x86_64", pathlib.Path(directory) / "each.elf", EACH)
        program = branches.Program(payload)
        for smp in (2, 4):
            every_cpu(binary, payload, program, smp)


def every_cpu(binary, payload, program, smp):
    """Each CPU branches in a loop of its own, and the area holds everything."""
    name = f"{smp} CPUs"
    run = record(binary, f"record -a -e bts// -m ,{HELD} -- payload", smp=smp,
                 payload=("--payload", payload, f"--region-size={2 * smp * HELD * 4096 >> 20}"))
    accounts = conserved(run, name)
    if not accounts:
        return
    tap.equal([account["lost"] for account in accounts], [0] * smp,
              f"{name}: each has its own trace, and none of them loses a branch")
    trace, _ = edges(run, name, program)
    tap.equal([sum(len(piece.branches) for piece in trace.of_cpu(cpu)) for cpu in range(smp)],
              [account["recorded"] for account in accounts],
              f"{name}: all that was recorded is in the file")
    tap.equal([turns(trace, program, cpu) for cpu in range(smp)],
              [LONGER * TURNS] + [TURNS + cpu for cpu in range(1, smp)],
              f"{name}: each CPU's loop goes round as often as it should")


def beside_others(binary, beside):
    name = "with a sampling event beside it"
    run = record(binary, f"record -e bts//,cycles -c 20000 -m ,64 -- branches {N}")
    accounts = conserved(run, name)
    if accounts:
        tap.ok(run.summary()["events"][1]["samples"] > 10, f"{name}: both record", run.summary())
        tap.ok(0 <= own(accounts[0]) - N - beside < 100, f"{name}: its handler stays outside",
               accounts)
        edges(run, name)
        both(run, name, accounts[0]["recorded"])


def both(run, name, recorded):
    """Stock perf reads a file with samples and branches."""
    samples = run.summary()["events"][1]["samples"]
    text, errors, status = run.perf("script", "--itrace=b", "-F", "event,ip,sym")
    found = [line.split()[0] for line in text.splitlines() if line.strip()]
    count = [sum(event.startswith(kind) for event in found) for kind in ("branches", "cycles")]
    tap.ok(status == 0 and count == [recorded, samples],
           f"{name}: perf script --itrace=b prints every branch and every sample",
           (count, recorded, samples, errors))
    text, errors, status = run.perf("report", "--stdio", "--itrace=b")
    of = {head.split("'")[1].split(":")[0]: head for head in text.split("# Samples: ")[1:]}
    tap.ok(status == 0 and all(re.search(r"9\d\.\d+%.* branches$|100.00%.* branches$",
                                         of.get(kind, ""), re.MULTILINE)
                               for kind in ("branches", "cycles")),
           f"{name}: perf report --itrace=b shows the loop in both", text[:2000] + errors)


def rings(binary, beside):
    run = record(binary, f"record -e bts//u -- branches {N}")
    tap.ok(run.status and "nothing runs at user level here" in run.text,
           "bts//u: refused, as no code runs outside ring 0", run.text)
    run = record(binary, f"record -e bts//k -m ,2048 -- branches {N}")
    accounts = conserved(run, "bts//k")
    if accounts:
        tap.equal((own(accounts[0]), accounts[0]["lost"]), (N + beside, 0),
                  "bts//k: all of it in ring 0")


def refused(binary):
    run = record(binary, "record -e bts// -m ,2 -- branches 10")
    tap.ok(run.status != 0 and "AUX area of 8 KiB" in run.text,
           "an AUX area of less than four pages is refused with its size", run.text)


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("Intel's branch trace store", REASON)
else:
    BESIDE = a_million(BINARY)
    if BESIDE is not None:
        a_megabyte(BINARY, BESIDE)
        too_small(BINARY, BESIDE)
        stalled_reader(BINARY, BESIDE)
        faults(BINARY, BESIDE)
        beside_others(BINARY, BESIDE)
        rings(BINARY, BESIDE)
    stock_perf(BINARY)
    many_cpus(BINARY)
    refused(BINARY)
tap.finish()
