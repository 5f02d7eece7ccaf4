#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Branch traces by single-step, on stock QEMU: every pair of addresses is an edge of the
disassembled image, the ledger is exact, and the branches are the same as Intel's branch trace store
finds on the hardware model.

check-spare: machines count instructions
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import machine
import tap
import wire

WORKLOAD = "qsort 600"
MODEL = ("-cpu", "Skylake-Client,pmu=on")


def accounts(run, name):
    if not tap.equal(run.status, 0, f"{name}: the recording ends well"):
        tap.note(run.text)
        return []
    summary = run.summary()
    found = [event["branches"] for event in summary["events"]]
    tap.ok(summary["conserved"] and
           all(a["recorded"] + a["lost"] == a["taken"] for a in found),
           f"{name}: recorded + lost = taken, exactly", summary)
    return found


def edges(run, name):
    trace, program = branches.Trace(run.file), branches.Program()
    check = branches.Check(trace, program)
    tap.ok(check.edges and not check.bad_edges, f"{name}: every pair is an edge of the image",
           check.bad_edges[:8])
    tap.ok(not check.bad_chains, f"{name}: each branch leaves the straight line that the last one "
           "came to", check.bad_chains[:8])
    return check


def a_loop():
    run = machine.Recording("record -e branch-step// -m ,64 -- branches 10000", qemu=machine.EXACT)
    found = accounts(run, "branches 10000")
    if found:
        tap.equal(found[0]["lost"], 0, "branches 10000: nothing is lost")
        check = edges(run, "branches 10000")
        tap.equal(max(check.edges.values()), 10000,
                  "branches 10000: the loop's edge is there ten thousand times")
        wire.shrinks(wire.parts(run.file)[1], "branch records", 4)


def too_small():
    name = "an AUX area of four pages"
    run = machine.Recording("record -e branch-step// -m ,4 -- branches 20000", qemu=machine.EXACT)
    found = accounts(run, name)
    if found:
        edges(run, name)
        tap.ok(20000 < found[0]["taken"] < 20200, f"{name}: branches without room are counted", found)


def many_cpus():
    name = "4 CPUs"
    run = machine.Recording("record -a -e branch-trace// -- branches 2000",
                            qemu=("-smp", "4", *machine.EXACT))
    tap.equal(len(accounts(run, name)), 4, f"{name}: each has its own trace")
    edges(run, name)


def against_the_trace_store():
    name = WORKLOAD
    step = machine.Recording(f"record -e branch-trace// -- {WORKLOAD}", qemu=machine.EXACT)
    found = accounts(step, name)
    edges(step, name)
    text, errors, status = step.perf("script", "--itrace=b", "-F", "event,ip,sym,addr")
    tap.ok(status == 0 and found and len(text.splitlines()) == found[0]["recorded"],
           f"{name}: perf script --itrace=b prints every branch", errors)
    text, errors, status = step.perf("report", "--stdio", "--itrace=b")
    tap.ok(status == 0 and found and f"Event count (approx.): {found[0]['recorded']}\n" in text and
           re.search(r"^ +\d+\.\d+% .*\[\.\] \w*sort\w*$", text, re.MULTILINE),
           f"{name}: perf report --itrace=b shows the sort, of every branch", text + errors)
    binary, reason = machine.model("x86_64")
    if reason:
        tap.skip(f"{name}: the same branches as by the branch trace store", reason)
        return
    store = machine.Recording(f"record -e branch-trace// -m ,8192 -- {WORKLOAD}", "--qemu", binary,
                              qemu=(*MODEL, *machine.EXACT))
    recorded = [event["branches"] for event in store.summary()["events"]]
    tap.ok(recorded and recorded[0]["interrupts"] > 0,
           "branch-trace// is the branch trace store where there is one", recorded)
    stepped, stored = branches.of_the_workload(step), branches.of_the_workload(store)
    tap.ok(len(stepped) > 1000 and stepped == stored,
           f"{name}: the same branches in the same order as by the branch trace store",
           (len(stepped), len(stored),
            next((pair for pair in zip(stepped, stored) if pair[0] != pair[1]), None)))


def refused():
    run = machine.Recording("record -e branch-step//k -- branches 10")
    tap.ok(run.status != 0 and "branch-step//k" in run.text,
           "rings cannot be distinguished, which is reported", run.text)


REASON = machine.missing()
if REASON:
    tap.skip("branch traces by single-step", REASON)
else:
    a_loop()
    too_small()
    many_cpus()
    against_the_trace_store()
    refused()
tap.finish()
