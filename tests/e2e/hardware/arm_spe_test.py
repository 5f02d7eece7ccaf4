#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arm's SPE on the hardware model: as many records as the operations demand, all in the workload;
exact filters; stock perf's decoder agrees with ours; snapshots.

check-timeout: 1200
check-spare: machines count instructions
"""

import collections
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import spe
import tap
import wire

INTERVAL = 1024
SORT = f"record -e arm_spe/period={INTERVAL},ts_enable=1%s/,r8 -c 1000000 -m,1024 -- " \
       "qsort 20000"
MEGABYTE = 1 << 20
AUXTRACE = 71


def operations(summary):
    return next(e["count"] for e in summary["events"] if e["name"] == "r8")


def count_is_operations_by_interval(binary, name, kind):
    run = spe.record(binary, SORT % "", kind=kind)
    summary, found = spe.good(run, name), spe.records(run)
    count = operations(summary)
    if kind == spe.EL2:
        # The sampled operation may or may not be part of the interval.
        low, high, seen = count // (INTERVAL + 1) - 1, count // INTERVAL + 1, len(found)
    else:
        # At this level SPE samples our handlers, during which the counter is stopped. So the
        # workload has as many samples as its operations demand, except where an interval ends in a
        # handler.
        ours = sum(not is_the_sort_s(symbol) for symbol in symbols(run))
        low, high, seen = count // INTERVAL - 20, count // INTERVAL + 20, len(found) - ours
    tap.ok(low <= seen <= high, f"{name}: as many records as operations by interval",
           (low, seen, high))
    tap.equal(summary["spe"]["records"], len(found), f"{name}: the summary counts them")
    wire.shrinks(wire.parts(run.file)[1], f"{name}: SPE's records", 2)
    times = [r.time for r in found]
    tap.ok(times == sorted(times) and times[-1] > times[0], f"{name}: their times ascend")
    return run, found


def chosen_from(summary):
    """The account of each CPU's operations; None: this QEMU's PMU does not count them."""
    accounts = [ring.get("operations") for ring in summary["rings"]]
    return None if all(a and a["population"] is None for a in accounts) else accounts


def every_operation_is_accounted_for(binary, run, found):
    """How many operations SPE chose from, sampled, dropped and filtered, to the last one."""
    summary = run.summary()
    if not chosen_from(summary):
        tap.skip("SPE's operations", "this QEMU's PMU does not count SPE's events")
        return False
    account = chosen_from(summary)[0]
    tap.equal((account["population"], account["sampled"], account["collided"], account["filtered"]),
              (operations(summary), len(found), 0, 0),
              "EL2: SPE chose from every operation of the workload, and sampled what is recorded")
    tap.equal(account["population"], account["sampled"] * INTERVAL + account["rest"],
              "EL2: the intervals and the rest are all operations")
    tap.ok(f"SPE sampled {len(found)} of {operations(summary)} operations" in
           subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout, "EL2: dump prints it")
    run = spe.record(binary, f"record -e arm_spe/period={INTERVAL},load_filter=1/ -m,1024 -- "
                             "qsort 20000", kind=spe.EL1, cpu=",spe-collide=10")
    account, found = chosen_from(spe.good(run, "collisions"))[0], spe.records(run)
    chosen = account["sampled"] + account["collided"]
    tap.ok(chosen > 8000 and account["collided"] == chosen // 10,
           "EL1: each tenth choice collided, and is counted", account)
    tap.equal(account["population"], chosen * INTERVAL + account["rest"],
              "EL1: the intervals and the rest are all operations, those of handlers too")
    tap.equal((account["kept"], account["filtered"]),
              (len(found), account["sampled"] - len(found)), "EL1: what filters removed is counted")
    tap.ok({r.operation for r in found} == {"load"}, "EL1: only loads are left")
    return True


def jitter_spreads_the_interval(binary):
    run = spe.record(binary, SORT % ",jitter=1")
    count, found = operations(spe.good(run, "jitter")), spe.records(run)
    mean = count / len(found)
    tap.ok(count // (INTERVAL + 256) <= len(found) <= count // INTERVAL,
           "jitter: the interval is at most 255 longer", mean)
    tap.ok(abs(mean - INTERVAL - 127.5) < 10, "jitter: on average by half of that", mean)


def every_record_is_of_the_workload(run, found, name, levels):
    text, _, _ = run.perf("script", "--show-mmap-events")
    image = re.search(r"PERF_RECORD_MMAP2 .*?\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\)", text)
    start, size = (int(word, 16) for word in image.groups())
    outside = [hex(r.pc) for r in found if not start <= r.pc < start + size]
    tap.equal(outside, [], f"{name}: every PC lies in the image")
    tap.equal({r.el for r in found}, levels, f"{name}: every record is of the traced code's level")


def symbols(run):
    """The function of each record."""
    text, _, _ = run.perf("script", "--itrace=i1i", "-F", "event,ip,sym")
    return [line.split()[2] for line in text.splitlines() if "instructions:" in line]


def is_the_sort_s(symbol):
    return symbol.startswith("_") or symbol.split(".")[0] in (
        "qsort", "compare", "sort", "record_workload", "record_payload", "payload_run", "calloc", "free",
        "memset", "swapfunc", "med3", "payload_start")


def symbols_of_the_sort(shares, name, handlers):
    rest = {s: v for s, v in shares.items() if not is_the_sort_s(s)}
    tap.ok(sum(rest.values()) <= handlers, f"{name}: the functions are the workload's", rest)
    tap.ok(shares.get("qsort", 0) + shares.get("compare", 0) > 70,
           f"{name}: most of all qsort() and its callees", shares)


FILTERS = [
    ("load_filter=1", lambda r: r.operation == "load"),
    ("store_filter=1", lambda r: r.operation == "store"),
    ("branch_filter=1", lambda r: r.operation.startswith("branch")),
    ("load_filter=1,store_filter=1", lambda r: r.operation in ("load", "store")),
    ("min_latency=30", lambda r: r.latency >= 30),
    ("load_filter=1,min_latency=30", lambda r: r.operation == "load" and r.latency >= 30),
    ("event_filter=0x8", lambda r: "L1D-REFILL" in r.events),
    ("event_filter=0x28", lambda r: {"L1D-REFILL", "TLB-REFILL"} <= r.events),
    ("inv_event_filter=0x8", lambda r: "L1D-REFILL" not in r.events),
    ("event_filter=0x2,inv_event_filter=0xa0",
     lambda r: "RETIRED" in r.events and not r.events & {"TLB-REFILL", "MISPRED"}),
]


def filters_are_exact(binary, everything):
    """Time is counted, so the operations and the choice of sampled ones are the same in each
    run."""
    for terms, predicate in FILTERS:
        run = spe.record(binary, SORT % ("," + terms))
        spe.good(run, terms)
        expected = [r[1:-1] for r in everything if predicate(r)]
        seen = [r[1:-1] for r in spe.records(run)]
        tap.ok(seen == expected and expected, f"{terms}: exactly those records that fit",
               (len(seen), len(expected)))


def addresses_are_the_buffer_s(binary):
    size = 64 * MEGABYTE
    run = spe.record(binary, "record -e arm_spe/load_filter=1,pa_enable=1,ts_enable=1/ -c 4096 "
                             "-m,64 -- ptrchase 64M")
    spe.good(run, "ptrchase")
    found = spe.records(run)
    text, _, _ = run.perf("script", "--itrace=i1i", "-F", "ip,sym")
    symbols = [line.split()[1] for line in text.splitlines() if line.strip()]
    chased = [r for r, symbol in zip(found, symbols) if symbol == "chase"]
    low, high = min(r.va for r in chased), max(r.va for r in chased)
    tap.ok(len(chased) > 3000, "ptrchase: its loads are sampled", len(chased))
    tap.ok(size // 2 < high - low < size and all((r.va - low) % 64 == 0 for r in chased),
           "ptrchase: their addresses are lines of one buffer of 64 MiB", (hex(low), hex(high)))
    tap.ok(all(r.pa == r.va for r in found), "ptrchase: physical addresses, identity mapped")
    report, errors, status = run.perf("mem", "report", "--stdio")
    tap.ok(status == 0 and "chase" in report and "L1 miss" in report,
           "stock perf mem report reads it", (report[:300], errors))


def stock_perf_makes_events_of_records(run, found):
    """The samples of `perf script` and `perf mem`."""
    text, _, _ = run.perf("script", "-F", "event")
    names = collections.Counter(text.replace(":", "").split())
    accesses = [r for r in found if r.operation in ("load", "store")]
    for name, expected in (("memory", accesses),
                           ("l1d-access", [r for r in found if "L1D-ACCESS" in r.events]),
                           ("l1d-miss", [r for r in found if "L1D-REFILL" in r.events]),
                           ("tlb-access", [r for r in found if "TLB-ACCESS" in r.events]),
                           ("tlb-miss", [r for r in found if "TLB-REFILL" in r.events])):
        tap.ok(names[name] == len(expected) > 0, f"stock perf makes as many {name} of the records",
               (names[name], len(expected)))


def beside_pmu_samples(run):
    text, _, _ = run.perf("script", "--itrace=i1i", "-F", "event,ip,sym")
    kinds = collections.Counter(line.split()[0].rstrip(":") for line in text.splitlines() if line)
    tap.ok(kinds["r8"] >= 9 and kinds["instructions"] > 8000,
           "samples of a counter lie beside the trace in one file", kinds)
    text, _, _ = run.perf("script", "--itrace=i1i", "-F", "event,time", "--ns")
    times = collections.defaultdict(list)
    for line in text.splitlines():
        stamp, event = line.split()[:2]
        times[event.rstrip(":")].append(float(stamp.rstrip(":")))
    low, high = min(times["instructions"]), max(times["instructions"])
    tap.ok(times["r8"] and all(low - 0.002 < stamp < high + 0.002 for stamp in times["r8"]),
           "... on one clock", (low, high, times["r8"]))


def several_cpus(binary):
    payload = machine.TOP / "build/aarch64/sdk/example.elf"
    if not payload.exists():
        tap.skip("SPE on several CPUs", "the SDK's example is not built")
        return
    for cpus in (1, 2, 4):
        run = machine.Recording(
            "record -a -e arm_spe/ts_enable=1/ -c 2048 -m 64,512 -- payload 200000", "--arch",
            "aarch64", "--qemu", binary, "--payload", payload,
            qemu=("-machine", spe.EL2, "-cpu", spe.CPU, "-smp", str(cpus), *machine.EXACT))
        summary = spe.good(run, f"{cpus} CPUs")
        each = [area["written"] for area in summary["aux"]]
        accounts = chosen_from(summary)
        tap.ok(not accounts or
               all(a["population"] == a["sampled"] * 2048 + a["rest"] for a in accounts),
               f"{cpus} CPUs: each one's operations are accounted for", accounts)
        tap.ok(len(each) == cpus and min(each) > 10 * spe.RECORD_SIZE,
               f"{cpus} CPUs: each has records of its own", each)
        text, _, _ = run.perf("script", "--itrace=i1i", "-F", "tid,cpu,ip")
        pairs = {tuple(line.split()[:2]) for line in text.splitlines() if line.strip()}
        tap.equal(pairs, {(str(cpu + 1), f"[{cpu:03}]") for cpu in range(cpus)},
                  f"{cpus} CPUs: stock perf gives each CPU's to its thread")


class Live(live.Live):
    """A recording that continues at the pace of the host's clock, while the test reads its
    region."""

    def __init__(self, binary, command):
        super().__init__(command, "--arch", "aarch64", "--qemu", binary,
                         qemu=("-machine", spe.EL2, "-cpu", spe.CPU, *machine.PACED))
        self.until(self.is_recording)

    def woken_by_aux(self):
        """The first ring's ledger."""
        return self.word(self.table("ring_ledger") + 48)

    def aux(self):
        """The first ring's aux_head and aux_tail."""
        control = self.word(self.table("rings") + 16)
        return self.word(control + 1056), self.word(control + 1064)


def snapshots(binary):
    """Snapshots: the host asks for two, and one is reported at the end."""
    run = Live(binary, "record --snapshot -e arm_spe/ts_enable=1/ -c 1024 -m,16 -- noploop 3")
    for asked in (1, 2):
        start = run.aux()[0]
        run.until(lambda: run.aux()[0] >= start + 16 * 4096)
        run.process.send_signal(signal.SIGUSR2)
        run.until(lambda: not run.is_recording() or run.woken_by_aux() >= asked)
    summary, pieces = spe.good(run.finish(), "snapshot"), spe.aux_records(run)
    tap.equal([flags for _, _, flags in pieces], [spe.OVERWRITE] * 3,
              "snapshot: two were asked for, and one is reported at the end")
    tap.ok(all(8 * 4096 <= size <= 16 * 4096 for _, size, _ in pieces),
           "snapshot: each holds half of the area at least", pieces)
    tap.equal(summary["wakeups"]["causes"]["aux"], 2, "snapshot: only the process that asked is woken")
    tap.ok(summary["aux"][0]["overwritten"] > 0, "snapshot: older records are overwritten",
           summary["aux"])


def readers_die(binary):
    """A later reader resumes the area at the place where the last reader stopped."""
    run = Live(binary, "record -e arm_spe/ts_enable=1/ -c 1024 -m,64 --aux-watermark 16384 "
                       "-- noploop 4")
    killed, pid = 0, None
    while killed < 8 and run.is_recording():
        start = run.aux()[1]
        run.until(lambda: not run.is_recording() or run.aux()[1] > start)
        fresh = run.until(lambda: not run.is_recording() or
                          run.signal_reader(signal.SIGKILL, pid))
        if run.is_recording():
            killed, pid = killed + 1, fresh
    spe.good(run.finish(), "readers die")
    pieces = spe.aux_records(run)
    died = re.search(r"(\d+) readers died", run.text)
    tap.ok(killed >= 4 and died and int(died.group(1)) >= killed - 1 and
           all(a[0] + a[1] == b[0] for a, b in zip(pieces, pieces[1:])),
           "readers die: every piece is in the file once", (killed, run.text, pieces))


def versions_and_leftovers(binary):
    """Older versions of the unit, and register values that firmware may leave behind."""
    for version in (1, 2):
        run = spe.record(binary, SORT % "", cpu=f",spe-version={version}")
        spe.good(run, f"SPEv1p{version - 1}")
        for term, register in (("discard=1", "PMSVer"), ("inv_event_filter=0x8", "FnE")):
            run = spe.record(binary, f"record -e arm_spe/{term}/ -c 4096 -m,16 -- noploop 1",
                             cpu=f",spe-version={version}")
            tap.ok(run.status != 0 and register in run.text,
                   f"SPEv1p{version - 1}: {term} is refused with the reason", run.text)
    run = spe.record(binary, SORT % "", cpu=",spe-leftovers=on")
    count = operations(spe.good(run, "leftovers"))
    tap.ok(abs(len(spe.records(run)) - count // INTERVAL) <= 10,
           "leftovers: as many records as without", len(spe.records(run)))


def a_missing_piece_is_found(run):
    """The content of the file decides the result, not the message of its writer."""
    data = bytearray(run.file.read_bytes())
    start, size = struct.unpack_from("<2Q", data, 40)
    at = start
    while at < start + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == AUXTRACE:
            data[at + 16] ^= 8  # its offset in the area
            break
        at += length
    run.file.write_bytes(data)
    summary = run.summary()
    tap.ok(summary["status"] == 3 and "AUX written" in str(summary["broken"]),
           "dump misses a piece that is not where its AUX record says", summary["broken"])


def discard(binary):
    run = spe.record(binary, "record -e arm_spe/discard=1/ -c 1024 -m,16 -- branches 1000000")
    summary = run.summary()
    tap.ok(run.status == 0 and summary["conserved"] and summary["aux"][0]["written"] == 0,
           "discard mode writes nothing", (run.text, summary["aux"]))


def refusals(binary):
    for command, said in (
            ("-e arm_spe// -c 255 -m,16", "one operation in 256 at most"),
            ("-e arm_spe// -F 1000 -m,16", "nothing is sampled"),
            ("-e arm_spe/event_filter=0x1/ -c 4096 -m,16", "PMSVer"),
            ("-e arm_spe// -c 4096 -m,1", "AUX area of 4 KiB"),
            ("-S -e cycles -c 100000", "there is no AUX area")):
        run = spe.record(binary, f"record {command} -- noploop 1")
        tap.ok(run.status != 0 and said in run.text, f"refused with the reason: {command}",
               run.text)


def without_the_unit():
    """Stock QEMU has no SPE: that is reported, and nothing else happens."""
    run = machine.Recording("record -e arm_spe// -c 4096 -m,16 -- noploop 1", "--arch", "aarch64")
    tap.ok(run.status != 0 and "PMSVer is 0" in run.text,
           "without SPE the reason names the register", run.text)


if machine.missing("qemu-system-aarch64"):
    tap.skip("SPE records", machine.missing("qemu-system-aarch64"))
    tap.finish()
without_the_unit()
BINARY, REASON = machine.model("aarch64")
if REASON:
    tap.skip("SPE records", REASON)
    tap.finish()
RUN, FOUND = count_is_operations_by_interval(BINARY, "EL2", spe.EL2)
every_record_is_of_the_workload(RUN, FOUND, "EL2", {1})
symbols_of_the_sort(spe.stock_perf_decodes_the_same(RUN, FOUND, "EL2"), "EL2", 0)
stock_perf_makes_events_of_records(RUN, FOUND)
beside_pmu_samples(RUN)
a_missing_piece_is_found(RUN)
filters_are_exact(BINARY, FOUND)
jitter_spreads_the_interval(BINARY)
COUNTED = every_operation_is_accounted_for(BINARY, RUN, FOUND)
RUN, FOUND = count_is_operations_by_interval(BINARY, "EL1", spe.EL1)
tap.ok(not COUNTED or not chosen_from(RUN.summary()),
       "EL1: beside an event of the PMU, whose counters stop in handlers, nothing is counted")
every_record_is_of_the_workload(RUN, FOUND, "EL1", {1})
symbols_of_the_sort(spe.stock_perf_decodes_the_same(RUN, FOUND, "EL1"), "EL1", 3)
addresses_are_the_buffer_s(BINARY)
several_cpus(BINARY)
snapshots(BINARY)
readers_die(BINARY)
versions_and_leftovers(BINARY)
discard(BINARY)
refusals(BINARY)
tap.finish()
