#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine as KVM shows it to its guest, on the hardware model of tests/qemu (kvm-view=on), and
AMD's counters there: counts and samples, the hypervisor's name and clock, stolen time, x2APIC, the
TSC-deadline timer, counters that count nothing, and counters that are taken away for a while.

check-timeout: 900
check-spare: machines count instructions
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

PERIOD = 100000
NS = 16  # a cycle of the model, which is an instruction, under machine.EXACT
KVM = ",pmu=on,kvm-view=on,tsc-frequency=1000000000"
INTEL = "Skylake-Client" + KVM
AMD = "EPYC-Rome" + KVM
THREE = f"record -e cycles,cycles,cycles -c {PERIOD} -m 64 -- noploop 1"
STEAL = 1000000  # ns of each 10 ms


def record(binary, cpu, command, *more):
    return machine.Recording(command, "--qemu", binary, qemu=("-cpu", cpu, *more, *machine.EXACT))


def three_counts(run, name, apart=1):
    """AMD's older counters have no common switch, so they start and stop a few instructions apart,
    and they count during ticks."""
    if not tap.equal(run.status, 0, f"{name}: three times cycles into one ring ends well"):
        tap.note(run.text)
        return
    summary = run.summary()
    events = summary["events"]
    counts = [event["generated"] for event in events]
    tap.ok(len(counts) == 3 and max(counts) - min(counts) <= apart,
           f"{name}: their three counts are equal", counts)
    tap.ok(all(0.97 < event["count"] * NS / event["time_enabled"] <= 1 for event in events),
           f"{name}: the counters have all events, except 3 % in handlers", events)
    tap.ok(all(event["count"] // PERIOD == event["generated"] for event in events),
           f"{name}: the samples are those that the counter demands", events)
    tap.ok(summary["conserved"] and not any(event["lost"] for event in events),
           f"{name}: nothing is lost, and PERIODs + residue = count", summary)
    leaves = machine.shares(run.chains())
    tap.ok(leaves.get("noploop", 0) > (99 if apart == 1 else 95), f"{name}: the samples are the program's", leaves)


def counted(binary, cpu, name, loops=10):
    """stat's counts of a loop of two instructions with one taken branch, in millions; of two
    lengths the difference is the loop's."""
    found = []
    for millions in (1, 1 + loops):
        run = record(binary, cpu, "record -e instructions,branches,branch-misses -c 1000003 "
                                  f"-- branches {millions}000000")
        found.append({event["name"]: event["count"] for event in run.summary()["events"]})
    less, more = found
    turns = loops * 1000000
    seen = [more[event] - less[event] for event in ("instructions", "branches", "branch-misses")]
    tap.ok(2 * turns <= seen[0] < 2.01 * turns and turns <= seen[1] < 1.01 * turns and
           turns / 16 <= seen[2] < 1.01 * turns / 16,
           f"{name}: instructions, branches and every 16th misprediction are the loop's", seen)


def amd(binary):
    three_counts(record(binary, AMD, THREE), "AMD, version 2")
    counted(binary, AMD, "AMD, version 2")
    three_counts(record(binary, AMD + ",pmu-version=1", THREE), "AMD, PerfCtrExtCore", apart=2)
    three_counts(record(binary, "Opteron_G3,-hypervisor,pmu=on,pmu-version=1,pmu-counters=4", THREE),
                 "AMD, four counters of the K7", apart=2)
    for fault, what in (("pmi-spurious=3", "every third interrupt comes twice"),
                        ("pmu-leftovers=on", "firmware's leftovers")):
        three_counts(record(binary, f"{AMD},{fault}", THREE), f"AMD, {what}")
    run = record(binary, AMD, "record -a -e cycles,cycles -c 100000 -- noploop 1", "-smp", "2")
    summary = run.summary()
    cpus = {event["cpu"] for event in summary["events"] if event["generated"] > 0}
    tap.ok(run.status == 0 and summary["conserved"] and 0 in cpus and
           not machine.strangers(run, summary), "AMD, two CPUs: each sample has its own event's CPU",
           summary["events"])
    events = ",".join(["instructions", "r0000c4"] * 6)
    summary = record(binary, AMD, f"record -e {events} -c 100000 -- branches 20000000").summary()
    shares = [event["time_running"] / event["time_enabled"] for event in summary["events"]]
    tap.ok(len(shares) == 12 and all(0.45 < share < 0.55 for share in shares) and
           summary["conserved"], "AMD: twelve events take turns on six counters", shares)


def intel(binary):
    three_counts(record(binary, INTEL, THREE), "Intel as KVM shows it")
    counted(binary, INTEL, "Intel as KVM shows it")
    three_counts(record(binary, INTEL + ",pmu-leftovers=on", THREE),
                 "Intel as KVM shows it, firmware's leftovers")
    run = record(binary, INTEL + ",pmu-lbr=32", "record -b -e cycles -c 10007 -- qsort 600")
    text, _, _ = run.perf("script", "-F", "brstack")
    tap.ok(run.status == 0 and text.count("/P/") > 500,
           "with pmu-lbr=32 branch stacks are recorded", run.text + text[:300])
    run = record(binary, INTEL, "list")
    tap.ok(run.status == 0 and "bts//" not in run.text and "-e branch-step//" in run.text,
           "list offers no branch trace store, but single-step", run.text)
    run = record(binary, INTEL, "record -e bts// -- branches 1000")
    tap.ok(run.status != 0 and "no debug store, or a hypervisor hides it" in run.text,
           "bts// is refused with that reason", run.text)


def named(binary, cpu, vendor):
    """The header, the summary and `dump` say which parts of the recording's machine were
    virtual."""
    run = record(binary, f"{cpu},kvm-steal={STEAL}", "record -e cycles -c 100000 -g -- calltree 1")
    summary = run.summary()
    entry, event = summary["cpus"][0], summary["events"][0]
    tap.equal((run.status, entry["hypervisor"]), (0, "KVM"),
              f"{vendor}: the hypervisor of the recording is KVM")
    times = round(event["time_enabled"] / 10**7)
    tap.ok(times - 2 <= entry["stolen"] / STEAL <= times + 2 and times > 80,
           f"{vendor}: the stolen time is what the model took: 1 of 10 ms", (entry, event))
    tap.ok(0.88 < event["count"] * NS / event["time_enabled"] < 0.91,
           f"{vendor}: the counter stopped meanwhile, the time did not", event)
    header, _, _ = run.perf("report", "--header-only")
    tap.ok(re.search(rf"^# cpudesc : .*\(virtual: KVM, {entry['stolen'] / 1e6:.3f} ms stolen\)$",
                     header, re.MULTILINE), f"{vendor}: perf report --header says both", header)
    page = pathlib.Path(run.directory.name) / "page.html"
    subprocess.run([machine.TOOL, "report", "--html", "-o", page, run.file], check=True,
                   capture_output=True)
    tap.ok(f"virtual: KVM, {entry['stolen'] / 1e6:.3f} ms stolen" in page.read_text(),
           f"{vendor}: so does the HTML page")
    text = subprocess.run([machine.TOOL, "dump", "--summary", run.file], capture_output=True,
                          text=True, check=False).stdout
    tap.ok("hypervisor: KVM\n" in text and
           f"CPU 0: the hypervisor took {entry['stolen'] / 1e6:.3f} ms" in text,
           f"{vendor}: so does dump", text)
    quiet = record(binary, cpu, "record -e cycles -c 100000 -- noploop 0.1")
    tap.equal(quiet.summary()["cpus"][0]["stolen"], 0,
              f"{vendor}: of a CPU that nobody takes away nothing is stolen")


def selftest(binary):
    run = machine.Recording("selftest", "--qemu", binary, "--json",
                            qemu=("-cpu", INTEL + ",kvm-x2apic=on", "-smp", "2", *machine.EXACT))
    text = run.text
    tap.ok(run.status == 0 and re.search(r'"hypervisor": ?"KVM"', text) and
           "KVM: this machine is virtual" in text, "the self-test names KVM, and nothing fails",
           text)
    tap.ok("the hypervisor" in text and re.search(r'"hz": ?1000000000\b', text),
           "its clock's rate is the hypervisor's", text)
    run = machine.Recording("selftest", "--qemu", binary,
                            qemu=("-cpu", f"{INTEL},kvm-steal={STEAL}", *machine.EXACT))
    gaps = re.search(r"the machine was away (\d+) times, the longest (\d+) ns", run.text)
    tap.ok(gaps and abs(int(gaps[2]) - STEAL) < 5000 and int(gaps[1]) > 20,
           "it finds the gaps that the model makes, and their length", run.text)
    noise = re.search(r"^ +0 #(\d+) +(\d+) +(\d+) +([\d.]+) +(\d+) +(\d+) +(\d+)", run.text,
                      re.MULTILINE)
    tap.ok(noise and 89.5 < float(noise[4]) < 92 and abs(int(noise[6]) - STEAL // 1000) <= 5,
           "and their share in the table of noise", run.text)


def x2apic(binary):
    for cpu, vendor in ((INTEL, "Intel"), (AMD, "AMD")):
        run = record(binary, cpu + ",kvm-x2apic=on",
                     "record -a -e cycles -c 100000 -- noploop 0.5", "-smp", "4")
        summary = run.summary()
        clocks = {event["cpu"]: event for event in summary["events"]}
        tap.ok(run.status == 0 and summary["conserved"] and set(clocks) == {0, 1, 2, 3} and
               all(cpu["ticks"] > 250 for cpu in summary["cpus"]),
               f"{vendor}: four CPUs whose APICs are x2APICs from the start are recorded",
               summary["cpus"])
        tap.ok(clocks[0]["generated"] > 150 and
               clocks[0]["generated"] == clocks[0]["count"] // PERIOD,
               f"{vendor}: their counters' interrupts come as NMIs", summary["events"])


def without(binary):
    """A virtual PMU that is off, and counters that the host gives to others."""
    for cpu, words in (("Skylake-Client,kvm-view=on", "CPUID 0AH says version 0"),
                       ("EPYC-Rome,kvm-view=on", "CPUID 80000001H has no PerfCtrExtCore")):
        run = record(binary, cpu, "list")
        tap.ok(run.status == 0 and "the hypervisor gives no" in run.text and words in run.text,
               f"list says why there are no counters ({cpu})", run.text)
    run = record(binary, "EPYC-Rome,kvm-view=on", "record -- noploop 1")
    tap.ok(run.status == 0 and run.summary()["events"][0]["name"] == "cpu-clock",
           "without counters the default is cpu-clock", run.text)
    for cpu, every, vendor in ((INTEL, 0xf, "Intel"), (AMD, 0x3f, "AMD")):
        run = record(binary, f"{cpu},pmu-dead={every}", "record -e instructions -- noploop 0.1")
        tap.ok(run.status != 0 and "keep values but count nothing" in run.text,
               f"{vendor}: where no counter counts, the event is refused with that reason", run.text)
        run = record(binary, f"{cpu},pmu-dead=5", THREE)
        three_counts(run, f"{vendor}, two dead counters")
        tap.equal(run.summary()["cpus"][0]["foreign"], 5,
                  f"{vendor}: those that count nothing are not used, and reported")


def shared(binary):
    """The host lets others have the counters for two of three slices of time."""
    for cpu, vendor in ((INTEL, "Intel"), (AMD, "AMD")):
        run = record(binary, f"{cpu},pmu-share=3", "record -e cycles -c 100000 -- noploop 1")
        event, entry = run.summary()["events"][0], run.summary()["cpus"][0]
        gone = entry["uncounted"] / event["time_running"]
        counted_share = event["count"] * NS / event["time_running"]
        tap.ok(0.6 < gone < 0.72 and abs(gone + counted_share - 1) < 0.03,
               f"{vendor}: the time in which a counter stopped is noticed, and is the missing part",
               (gone, counted_share))
        tap.ok(re.search(r"LOST for [\d.]+ ms a counter counted nothing", run.said),
               f"{vendor}: the closing line says so", run.said)
        header, _, _ = run.perf("report", "--header-only")
        tap.ok(f", {entry['uncounted'] / 1e6:.3f} ms not counted)" in header,
               f"{vendor}: so does perf report --header", header)
    quiet = record(binary, f"{INTEL},kvm-steal={STEAL}",
                   "record -a -e cycles,instructions -c 100000 -- noploop 0.3", "-smp", "2")
    tap.equal(([cpu["uncounted"] for cpu in quiet.summary()["cpus"]],
               "counted nothing" in quiet.said), ([0, 0], False),
              "CPUs that only halt, or are taken away, are not mistaken for that")


def apple():
    """Apple's hypervisor answers no call: SMBIOS names its machines."""
    run = machine.Recording(
        "record -e cpu-clock -- noploop 0.1", "-a", "aarch64",
        qemu=("-smbios", "type=1,manufacturer=Apple Inc.,"
                         "product=Apple Virtualization Generic Platform", *machine.EXACT))
    tap.ok(run.status == 0 and run.summary()["cpus"][0]["hypervisor"] == "Apple",
           "a machine whose SMBIOS is that of Apple's Virtualization.framework is named", run.text)


if machine.missing("qemu-system-aarch64"):
    tap.skip("a virtual machine of Apple's", machine.missing("qemu-system-aarch64"))
else:
    apple()
BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("a guest of KVM", REASON)
else:
    amd(BINARY)
    intel(BINARY)
    named(BINARY, INTEL, "Intel")
    named(BINARY, AMD, "AMD")
    x2apic(BINARY)
    selftest(BINARY)
    without(BINARY)
    shared(BINARY)
tap.finish()
