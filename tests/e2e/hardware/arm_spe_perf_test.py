#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arm's SPE on the hardware model, used as on Linux: perf's command line, modifiers and terms; and
stock perf's output for a trace with a fault.

check-timeout: 1200
check-spare: machines count instructions
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import spe
import tap

MEGABYTE = 1 << 20
TABLES = """
static volatile int written_table[4096] = { 1 }, zeroed_table[4096];
static const volatile int constant_table[4096] = { 2 };

int main(void)
{
	int sum = 0;

	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 4096; i++)
			sum += written_table[i] + zeroed_table[i] * constant_table[i];
	}
	return sum == 7;
}
"""
SORT = "record -e arm_spe/period=1024,ts_enable=1%s/%s,r8 -c 1000000 -m,1024 -- qsort 20000"
LEVELS = (("EL2", spe.EL2), ("EL1", spe.EL1))


def slow_loads_of_a_chase(binary):
    size, interval, latency = 64 * MEGABYTE, 4096, 30
    run = spe.record(binary, f"record -e arm_spe//load_filter=1,min_latency={latency}/ "
                             f"-c {interval} -m,64 -- ptrchase 64M")
    spe.good(run, "slow loads")
    tap.ok("LOST" not in run.text, "slow loads: the first example of docs/arm-spe.md loses nothing",
           run.text)
    found = spe.records(run)
    tap.ok(len(found) > 80 and all(r.operation == "load" and r.latency >= latency for r in found),
           "slow loads: nothing else is recorded", found[:3])
    addresses = [r.va for r in found]
    tap.ok(size // 2 < max(addresses) - min(addresses) < size,
           "slow loads: all lie in one buffer of 64 MiB",
           (hex(min(addresses)), hex(max(addresses))))
    spe.stock_perf_decodes_the_same(run, found, "slow loads")
    text, _, _ = run.perf("script", "--itrace=i1i", "-F", "time")
    times = [float(word.rstrip(":")) for word in text.split()]
    tap.ok(times == sorted(times) and 0 < times[0] < times[-1] < 1000,
           "slow loads: they have times without being asked to", (times[:1], times[-1:]))
    text, errors, status = run.perf("mem", "report", "--stdio")
    tap.ok(status == 0 and f"Samples: {len(found)} " in text and
           f"Total weight : {sum(r.latency for r in found)}\n" in text,
           "slow loads: stock perf mem report counts as many, and adds up the same latencies",
           (text[:400], errors))
    text, errors, status = run.perf("c2c", "report", "--stdio")
    tap.ok(status == 0 and re.search(rf"Load Operations +: +{len(found)}\n", text) and
           "No memory nodes" not in errors,
           "slow loads: stock perf c2c report counts as many", (text[:1200], errors))
    injected = f"{run.file}.injected"
    _, errors, status = run.perf("inject", "-b", "-o", injected)
    again = subprocess.run(["perf", "script", "--itrace=i1i", "-F", "time,ip,sym", "-i", injected],
                           capture_output=True, text=True, check=False).stdout
    tap.ok(status == 0 and again and
           again == run.perf("script", "--itrace=i1i", "-F", "time,ip,sym")[0],
           "slow loads: stock perf inject -b keeps them", errors)


def data_have_names(binary):
    """A payload's variables: constants and zero-initialised data."""
    with tempfile.TemporaryDirectory(prefix="bareperf-data-") as directory:
        payload = machine.payload("aarch64", pathlib.Path(directory) / "data.elf", TABLES)
        run = machine.Recording(
            "record -e arm_spe/load_filter=1/ -c 256 -m,64 -- payload", "--arch", "aarch64",
            "--qemu", binary, "--payload", payload,
            qemu=("-machine", spe.EL2, "-cpu", spe.CPU, *machine.EXACT))
        text, errors, status = run.perf("mem", "report", "--stdio", "--sort", "symbol_daddr,dso_daddr")
        tap.ok(status == 0 and all(name in text for name in ("written_table", "zeroed_table",
                                                             "constant_table")),
               "stock perf mem report names the data of a payload", text[:3000] + errors)
        tap.ok("data.elf" in text, "and the file that it is in", text[:3000])


def modifiers_choose_the_level(binary):
    """Nothing runs at EL0; entered at EL2 the workload is at EL1 and bareperf at EL2."""
    for name, kind in LEVELS:
        for modifier, levels in (("u", None), ("k", {1}), ("h", {2} if name == "EL2" else None)):
            run = spe.record(binary, SORT % ("", modifier), kind=kind)
            if levels is None:
                tap.ok(run.status and "level here; the workload is the kernel's: :k" in run.text,
                       f"{name}, :{modifier}: refused, with the reason", run.text)
                continue
            spe.good(run, f"{name}, :{modifier}")
            found = spe.records(run)
            tap.equal({r.el for r in found}, levels, f"{name}, :{modifier}: records of that level")
            if modifier == "h":
                tap.ok(len(found) < 2000, f"{name}, :h: they are bareperf's, which are few",
                       len(found))


def times_can_be_left_out(binary):
    run = spe.record(binary, SORT.replace("ts_enable=1", "ts_enable=0") % ("", ""))
    spe.good(run, "ts_enable=0")
    found = spe.records(run)
    tap.ok(len(found) > 1000 and not any(r.time for r in found), "ts_enable=0: no record has one",
           found[:1])


def physical_time_is_the_virtual(binary):
    """The virtual and the physical counter have no offset here; only the time of the boot
    differs."""
    virtual = spe.records(spe.record(binary, SORT % ("", "")))
    run = spe.record(binary, SORT % (",pct_enable=1", ""))
    spe.good(run, "pct_enable")
    physical = spe.records(run)
    later = {p.time - v.time for p, v in zip(physical, virtual)}
    tap.ok(len(virtual) > 1000 and [r[:-1] for r in physical] == [r[:-1] for r in virtual] and
           len(later) == 1, "pct_enable: the same records at the same distances",
           (len(physical), len(virtual), later))


def a_fault_in_a_file(binary, name, kind, undisturbed):
    for fault, syndrome, partial in spe.FAULTS:
        run = spe.record(binary, SORT % ("", ""), kind=kind,
                         cpu=f",spe-fault-after=300,spe-fault-syndrome={syndrome},"
                             f"spe-fault-partial={partial}")
        claim = f"{name}, {fault}"
        summary = spe.good(run, claim)
        found, pieces = spe.records(run), spe.aux_records(run)
        tap.equal(sum(bool(flags & spe.PARTIAL) for _, _, flags in pieces), 1,
                  f"{claim}: PARTIAL once")
        tap.equal(sum(size for _, size, _ in pieces), summary["aux"][0]["delivered"],
                  f"{claim}: the file holds every byte that is reported")
        # After a fault that leaves records the interrupt continues at once, and another interval
        # may end shortly before the workload does.
        tap.ok(-2 < undisturbed - len(found) < 300 + 100, f"{claim}: then the trace continues",
               (len(found), undisturbed))
        spe.stock_perf_decodes_the_same(run, found, claim)
        text, _, _ = run.perf("report", "-D")
        tap.equal(text.count("[P]"), 1, f"{claim}: stock perf shows the flag")


def collisions_in_a_file(binary, name, kind, undisturbed):
    run = spe.record(binary, SORT % ("", ""), kind=kind, cpu=",spe-collide=10")
    spe.good(run, f"{name}, collisions")
    found, pieces = spe.records(run), spe.aux_records(run)
    tap.ok(all(flags == spe.COLLISION for _, _, flags in pieces),
           f"{name}, collisions: each piece has COLLISION", pieces)
    said = f"{len(pieces)} of {len(pieces)} pieces (100.0 %) had collisions"
    tap.ok(said in run.text, f"{name}, collisions: the closing line reports them", run.text)
    tap.ok(abs(len(found) - undisturbed * 9 // 10) <= undisturbed // 100,
           f"{name}, collisions: one record in ten is missing", (len(found), undisturbed))
    spe.stock_perf_decodes_the_same(run, found, f"{name}, collisions")


BINARY, REASON = machine.model("aarch64")
if REASON:
    tap.skip("SPE as perf has it", REASON)
    tap.finish()
slow_loads_of_a_chase(BINARY)
data_have_names(BINARY)
modifiers_choose_the_level(BINARY)
times_can_be_left_out(BINARY)
physical_time_is_the_virtual(BINARY)
for NAME, KIND in LEVELS:
    UNDISTURBED = len(spe.records(spe.record(BINARY, SORT % ("", ""), kind=KIND)))
    a_fault_in_a_file(BINARY, NAME, KIND, UNDISTURBED)
    collisions_in_a_file(BINARY, NAME, KIND, UNDISTURBED)
tap.finish()
