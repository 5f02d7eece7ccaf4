#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From power-on to perf: the whole path on stock QEMU."""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import region
import tap
import wire

WORKLOAD = {"lex": 30, "hash": 20, "pivot": 25, "swap": 15, "emit": 10}
INNER = {"parse": 50, "solve": 40}


def instructions_to_first_sample(run, memory):
    """Samples since our entry, which is time 0, without the time for which the machine waited for
    its reader."""
    text, _, _ = run.perf("script", "-F", "time", "--ns")
    waited, = struct.unpack_from("<Q", memory.read_bytes(), region.WAIT)
    return (float(text.split(":", 1)[0]) * 1e9 - waited) / machine.EXACT_NS


def call_tree():
    with tempfile.TemporaryDirectory() as directory:
        memory = pathlib.Path(directory) / "region"
        run = machine.Recording("record -e cpu-clock -F 1000 -g -- calltree 3", "--region", memory,
                                qemu=machine.EXACT, quick=False)
        first = instructions_to_first_sample(run, memory)
    tap.ok(0 < first <= 7_000_000,
           "the first sample comes at most 7 million instructions after our entry", first)
    tap.equal(run.status, 0, "a recording of the call tree ends well")
    summary = run.summary()
    event = summary["events"][0]
    tap.equal((event["lost"], summary["conserved"], summary["status"]), (0, True, 0),
              "nothing is lost and the ledger is conserved")
    tap.equal(event["delivered"], event["generated"], "every sample generated is delivered")

    samples = run.chains()
    tap.equal(len(samples), event["delivered"], "stock perf sees every sample")
    leaves = machine.shares(samples)
    inside = sum(leaves.get(name, 0) for name in [*WORKLOAD, *INNER, "calltree"])
    tap.ok(inside >= 99.5, "99.5 % of the samples lie within the workload", leaves)
    for name, weight in WORKLOAD.items():
        tap.ok(abs(leaves.get(name, 0) - weight) <= 0.5,
               f"{name} has its {weight} %, give or take 0.5", leaves)
    anywhere = machine.shares(samples, depth=None)
    for name, weight in INNER.items():
        tap.ok(abs(anywhere.get(name, 0) - weight) <= 0.5,
               f"{name} and its callees have their {weight} %, within 0.5", anywhere)
    perf_reads(run)
    page = run.file.with_name("page.html")
    subprocess.run([machine.TOOL, "report", "--html", "-o", page, run.file], check=True)
    facts = json.loads(re.search(r'id="facts">(.*)</script>', page.read_text()).group(1))
    # removes suffixes such as .constprop.0
    names = {name.partition(".")[0] for name, *_ in facts["functions"]}
    tap.ok({"payload_run_call", "record_workload"} <= names,
           "the page names a workload's callers: they are the machine's own",
           facts["functions"])
    wire.shrinks(wire.parts(run.file)[0], "the call tree's samples", 4)


def perf_reads(run):
    for command in (["report", "--stdio"], ["script"], ["report", "--header-only"],
                    ["annotate", "--stdio", "-s", "lex"]):
        text, complaints, status = run.perf(*command)
        tap.ok(status == 0 and text.strip() and not complaints.strip(),
               f"perf {command[0]} {command[1] if len(command) > 1 else ''} reads it without a "
               "warning", complaints or f"status {status}")
    text = run.perf("report", "--header-only")[0]
    cpus = run.summary()["cpus"]
    tap.ok("cpudesc : QEMU TCG CPU" in text and "(virtual: TCG)\n" in text and
           cpus[0]["hypervisor"] == "TCG",
           "perf's header and dump name the hypervisor, here QEMU's emulator", (text, cpus))


def losses():
    run = machine.Recording("record -e cpu-clock -c 5000 -m 1 -g -- noploop 1", qemu=machine.EXACT)
    summary = run.summary()
    event = summary["events"][0]
    tap.ok(run.status == 0 and event["generated"] > 200,
           "cpu-clock with a period below its handler samples as often as it can, and the program ends", run.text)
    tap.ok(summary["conserved"], "a ring of one page loses no sample unaccounted", summary)
    tap.equal(event["generated"], event["written"] + event["lost"],
              "generated = written + lost at the end")


def wild_frames():
    run = machine.Recording("record -e cpu-clock -F 1000 -g -- wildframe 1",
                            qemu=machine.EXACT)
    tap.equal(run.status, 0, "a workload whose frame pointer is 0x4141414141414141 is survived")
    chains = [chain for _, _, chain in run.chains() if chain[0] == "arch_spin_with_frame_pointer"]
    tap.ok(len(chains) > 100 and all(len(chain) == 1 for chain in chains),
           "its samples have no caller, and no invented one", chains[:3])


def workloads():
    for command, function in (("qsort 100000", "qsort"), ("matmul 150", "multiply"),
                              ("ptrchase 4M", "chase"), ("branches 30000000", "branches")):
        run = machine.Recording(f"record -e cpu-clock -F 2000 -- {command}",
                                qemu=machine.EXACT)
        leaves = machine.shares(run.chains())
        tap.ok(run.status == 0 and leaves.get(function, 0) > 20,
               f"{command}: the samples show {function}()", f"{run.text}\n{leaves}")


def bad_command_lines():
    # without tables against which the host could check it: the machine's own answer
    with tempfile.NamedTemporaryFile(suffix=".efi") as image:
        image.write((machine.TOP / "build/x86_64/bareperf.efi").read_bytes()
                    .replace(b"BPTABLES", b"BPNOTHIN"))
        image.flush()
        run = machine.Recording("record -e cpu-clock,cpu-clok/ -- noploop", "--image", image.name)
    tap.ok(run.status == 126 and run.text.endswith("unknown event source; did you mean cpu-clock?\n") and
           "usage" not in run.text,
           "a wrong command line is refused with the reason, and without the usage", run.text)
    lines = run.text.splitlines()
    mark = next((i for i, line in enumerate(lines) if line.strip() == "^"), 1)
    tap.ok(lines[mark - 1][lines[mark].find("^"):].startswith("cpu-clok"),
           "the mark is under the place of the mistake", run.text)
    run = machine.Recording("record -C 7 -- noploop")
    tap.ok(run.status != 0 and "no CPU 7: this machine has" in run.text,
           "a CPU that is not there is refused by name", run.text)
    run = machine.Recording("record -m 524288 -- noploop")
    tap.ok(run.status != 0 and "smaller -m" in run.text,
           "a ring that does not fit is refused with advice", run.text)


def answers():
    run = machine.Recording("list")
    tap.ok(run.status == 0 and "cpu-clock" in run.text, "list names the event sources", run.text)
    tap.ok(re.search(r"^bareperf \d.* on 1 CPU: \S+, .*signature 0x", run.text, re.M) and
           "arm_" not in run.text and "cpu_core" not in run.text and
           "generic events:\n  none" in run.text,
           "with the machine: its own features, and no other machine's", run.text)
    run = machine.Recording("version")
    tap.ok(run.status == 0 and "bareperf " in run.text, "version names itself", run.text)


REASON = machine.missing()
if REASON:
    tap.skip("the whole path on stock QEMU", REASON)
else:
    call_tree()
    losses()
    wild_frames()
    workloads()
    bad_command_lines()
    answers()
tap.finish()
