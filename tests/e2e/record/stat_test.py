#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`stat` and groups: counts without samples, scaled if events take turns; a group's counts in its
leader's samples, as stock perf reads them.

check-timeout: 900
check-spare: machines count instructions
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

GROUP = "{instructions,branches,r20c4}:S"


class Arm:
    """QEMU's PMUv3, entered at EL2, so that no count includes our handlers."""
    options = ("--arch", "aarch64")
    qemu = ("-machine", "virt,gic-version=3,virtualization=on", *machine.EXACT)


class Intel:
    """The model of Intel's PMU: three fixed counters and four others."""
    options = ("--qemu", machine.model("x86_64")[0])
    qemu = ("-cpu", "Skylake-Client,pmu=on", *machine.EXACT)


def run(cpu, command, *options, qemu=()):
    return machine.Recording(command, *cpu.options, *options, qemu=(*cpu.qemu, *qemu))


def counts(recording):
    """stat's JSON, which the standard output has before the machine's messages."""
    return json.loads(recording.text[recording.text.index("{"):recording.text.rindex("}") + 1])


def without_pmu():
    if machine.missing():
        tap.skip("stat without a PMU", machine.missing())
        return
    recording = machine.Recording("stat -- noploop 1", qemu=machine.EXACT)
    tap.ok(recording.status == 0 and
           re.search(r"1,0\d\d\.\d\d msec cpu-clock +# +1\.000 CPUs utilized", recording.text),
           "without a PMU, stat counts cpu-clock", recording.text)
    tap.ok("cycles" not in recording.text and " seconds time elapsed" in recording.text,
           "and nothing that the machine cannot", recording.text)
    refused = machine.Recording("stat -e cycles -- noploop 1", qemu=machine.EXACT)
    tap.ok(refused.status == 126 and "no event source" in refused.text,
           "an event that was asked for by name is refused", refused.text)


def defaults():
    recording = run(Intel, "stat -- branches 20000000")
    shown = re.findall(r"^ +[\d,.]+ (?:msec)? +(\S+) .*#", recording.text, re.MULTILINE)
    tap.equal(shown, ["cpu-clock", "cycles", "instructions", "branches", "branch-misses"],
              "stat's default events are those of perf's that are there")
    tap.ok("insn per cycle" in recording.text and "% of all branches" in recording.text,
           "they are set in relation as perf does", recording.text)
    tap.ok(not re.search(r"\(\d+\.\d\d%\)", recording.text),
           "events that all fit were counted all the time", recording.text)


def exact():
    """A loop of double length has twice the branches, with the same overhead of starting and
    stopping."""
    taken = []
    for turns in (10000000, 20000000):
        recording = run(Intel, f"stat -e r20c4 -- branches {turns}", "--json")
        taken.append(counts(recording)["events"][0]["count"])
    tap.equal(taken[1] - taken[0], 10000000,
              "a loop's ten million branches are counted, and none of the ticks'")


def turns():
    true = counts(run(Intel, "stat -e r20c4 -- branches 30000000", "--json"))["events"][0]["count"]
    events = ",".join(["r20c4"] * 8)
    recording = run(Intel, f"stat -e {events} -- branches 30000000")
    shown = re.findall(r"^ +([\d,]+) +r20c4 .*\((\d+\.\d\d)%\)", recording.text, re.MULTILINE)
    off = [abs(int(count.replace(",", "")) / true - 1) for count, _ in shown]
    tap.ok(len(off) == 8 and max(off) < 0.02,
           "eight events on four counters are scaled to within 2 %", (true, recording.text))
    tap.ok(all(48 < float(share) < 52 for _, share in shown), "and the share of time is shown",
           shown)


def every_cpu():
    command = "stat -a {}-e cpu-clock,cycles -- noploop 1"
    apart = run(Arm, command.format("-A "), qemu=("-smp", "4"))
    lines = re.findall(r"^CPU(\d) +([\d,.]+) (?:msec)? +(\S+)", apart.text, re.MULTILINE)
    tap.equal([(int(cpu), name) for cpu, _, name in lines],
              [(cpu, name) for name in ("cpu-clock", "cycles") for cpu in range(4)],
              "-A shows each CPU's counts")
    total = run(Arm, command.format(""), qemu=("-smp", "4"))
    tap.ok(re.search(r"# +[34]\.\d+ CPUs utilized", total.text) and "CPU0" not in total.text,
           "without it they are added up", total.text)
    summary = counts(run(Arm, command.format(""), "--json", qemu=("-smp", "4")))
    tap.ok(len(summary["events"]) == 8 and summary["conserved"],
           "JSON has each CPU's, and the ledger is exact", summary)


def kept():
    recording = run(Intel, "stat -e instructions -- noploop 1")
    tap.ok(recording.file.exists() and recording.file.read_bytes()[:8] == b"PERFILE2",
           "a file is written if one is named", recording.text)
    summary = recording.summary()
    tap.ok(summary["conserved"] and recording.perf("script")[::2] == ("", 0) and
           summary["events"][0]["residue"] == summary["events"][0]["count"] > 10000000,
           "and dump finds the count in it, with no sample", summary)


def refusals():
    recording = run(Intel, "stat -e {r00c4,r01c4,r02c4,r03c4,r04c4} -- noploop 1")
    tap.ok(recording.status == 125 and
           "event r04c4, in the group of r00c4: it needs more counters" in recording.text,
           "a group that can never be counted at once is refused", recording.text)
    recording = run(Intel, "stat -e bts// -- noploop 1")
    tap.ok(recording.status == 126 and "counts nothing" in recording.text,
           "a trace cannot be counted", recording.text)


def read_in_samples():
    recording = run(Intel, f"record -e {GROUP} -c 765433 -g -- calltree 1")
    summary = recording.summary()
    tap.ok(recording.status == 0 and summary["conserved"], "a group's leader samples", summary)
    tap.equal([event["samples"] > 50 for event in summary["events"]], [True, False, False],
              "and its members do not")
    text, _, status = recording.perf("report", "--group", "--stdio", "--no-children", "-g", "none")
    tap.ok(status == 0 and "anon group { instructions, branches, r20c4 }" in text,
           "stock perf knows the group again", text)
    # perf computes a member's period in each sample from the difference of its counts.
    text, _, _ = recording.perf("script", "-F", "event,period")
    found = {}
    for period, name in re.findall(r"(\d+) +(\S+?):", text):
        found[name] = found.get(name, 0) + int(period)
    for event in summary["events"]:
        name = event["name"]
        tap.ok(event["count"] - 1100000 < found.get(name, 0) <= event["count"],
               f"perf adds {name}'s values up to its count, but for what came after the last "
               "sample", (found, event))
    leaves = machine.shares([s for s in recording.chains() if s[0].startswith("r20c4")])
    tap.ok(leaves.get("lex", 0) > 20, "and the members' values lie where they were counted", leaves)


def groups_take_turns():
    recording = run(Intel, "record -e {r00c4,r20c4},{r01c4,r00c4},{r20c4,r00c4,r01c4}:S "
                           "-c 100000 -- branches 20000000")
    summary = recording.summary()
    events = summary["events"]
    times = [(event["time_enabled"], event["time_running"]) for event in events]
    tap.ok(summary["conserved"] and times[0] == times[1] and times[2] == times[3] and
           times[4] == times[5] == times[6] and 0 < times[4][1] < times[4][0],
           "groups that do not fit together take turns as wholes, the ledger exact", events)
    _, complaints, status = recording.perf("script")
    tap.ok(status == 0 and not complaints.strip(), "and stock perf reads them", complaints)


without_pmu()
if machine.model("x86_64")[1]:
    tap.skip("stat and groups on counters", machine.model("x86_64")[1])
else:
    defaults()
    exact()
    turns()
    kept()
    refusals()
    read_in_samples()
    groups_take_turns()
if machine.missing("qemu-system-aarch64"):
    tap.skip("stat on every CPU", machine.missing("qemu-system-aarch64"))
else:
    every_cpu()
tap.finish()
