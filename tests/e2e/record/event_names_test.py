#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Event names of other CPUs from the command line to perf: the host resolves them for the machine's
CPU, which differs from its own.

check-spare: machines count instructions
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

X86 = ("-cpu", "Skylake-Client,pmu=on", *machine.EXACT)
ARM = ("-machine", "virt,gic-version=3,virtualization=on", "-cpu", "neoverse-n1", *machine.EXACT)


def tool(*arguments):
    done = subprocess.run([machine.TOOL, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def counts(run, claim):
    """The counts of the events by name, after a run that ended well."""
    if not tap.equal(run.status, 0, claim):
        tap.note(run.text)
        return {}
    summary = run.summary()
    tap.ok(summary["conserved"], f"{claim}: the ledger is exact", summary)
    return {event["name"]: event["count"] for event in summary["events"]}


def skylake(binary):
    run = machine.Recording(
        "record -e BR_INST_RETIRED.NEAR_TAKEN,nhm::INST_RETIRED:ANY_P,"
        "br_inst_retired:near_taken:k,r20c4 -c 1000000 -- branches 5000000",
        "--qemu", binary, qemu=X86)
    found = counts(run, "Intel's names record")
    taken = found.get("BR_INST_RETIRED.NEAR_TAKEN", 0)
    tap.ok(5_000_000 <= taken < 5_050_000, "5 million taken branches are counted by their name",
           found)
    tap.ok(abs(taken - found.get("r20c4", 0)) < 1000, "the name and the raw event are the same",
           found)
    tap.ok(found.get("nhm::INST_RETIRED:ANY_P", 0) > taken,
           "a name with a PMU before it is that PMU's", found)
    tap.ok(abs(taken - found.get("br_inst_retired:near_taken:k", 0)) < 1000,
           ":k is the workload's level", found)
    user = machine.Recording("record -e br_inst_retired:near_taken:u -- branches 1", "--qemu",
                             binary, qemu=X86)
    tap.ok(user.status and "nothing runs at user level here" in user.text,
           ":u, where nothing runs, is refused with the reason", user.text)
    names, _, _ = run.perf("evlist")
    tap.ok("BR_INST_RETIRED.NEAR_TAKEN" in names, "perf shows the name as it was written", names)


def neoverse():
    run = machine.Recording("record -e INST_RETIRED,CPU_CYCLES -c 1000000 -- calltree 1",
                            "--arch", "aarch64", qemu=ARM)
    found = counts(run, "Arm's names record")
    tap.ok(found.get("INST_RETIRED", 0) > 1_000_000 and found.get("CPU_CYCLES", 0) > 1_000_000,
           "a Neoverse N1 counts what its names say", found)


def refusals(binary):
    run = machine.Recording("record -e RETIRED_INSTRUCTIONS -- noploop 1", "--qemu", binary,
                            qemu=X86)
    tap.ok(run.status == 126 and "bareperf list --pmu skl" in run.text,
           "a name that the CPU does not have is refused, with where to look", run.text)
    run = machine.Recording("record -e INST_RETIRED.ANY_P -C 9 -- noploop 1", "--qemu", binary,
                            qemu=X86)
    tap.ok(run.status == 126 and "no CPU 9: this machine has" in run.text,
           "a refusal by the machine itself is reported as well", run.text)
    run = machine.Recording("record -e INST_RETIRED.ANY_P -- nowork 1", "--qemu", binary, qemu=X86)
    tap.ok(run.status == 126 and "unknown workload" in run.text,
           "a wrong command line does not hang", run.text)


def without_the_tool(binary):
    """The output of `list --encode` is for a command line that no tool changes."""
    status, text, _ = tool("list", "--pmu", "skl", "--encode", "BR_INST_RETIRED:NEAR_TAKEN")
    tap.equal(status, 0, "list --encode resolves names for a machine that starts by itself")
    run = machine.Recording(f"record -e {text.strip()} -c 1000000 -- branches 5000000", "--qemu",
                            binary, qemu=X86)
    found = counts(run, "the printed events record")
    tap.ok(found.get("BR_INST_RETIRED:NEAR_TAKEN", 0) >= 5_000_000, "and counts", found)


def lists():
    status, text, _ = tool("list")
    tap.ok(status == 0 and "skl " in text and "arm_n1 " in text,
           "list shows the PMUs with known names, x86 and Arm", text)
    status, text, _ = tool("list", "--pmu", "skl", "near_taken")
    tap.ok(status == 0 and "BR_INST_RETIRED:NEAR_TAKEN\n" in text and "INST_RETIRED:ANY_P" not in
           text, "list --pmu shows the names with a text in them", text)
    status, _, errors = tool("list", "--pmu", "nonesuch")
    tap.ok(status == 1 and "nonesuch" in errors, "an unknown PMU is refused", errors)
    tap.equal(tool("list", "--encode", "x")[0], 2, "--encode without --pmu is wrong usage")


lists()
BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("names of an Intel CPU", REASON)
else:
    skylake(BINARY)
    refusals(BINARY)
    without_the_tool(BINARY)
if machine.missing("qemu-system-aarch64"):
    tap.skip("names of an Arm CPU", machine.missing("qemu-system-aarch64"))
else:
    neoverse()
tap.finish()
