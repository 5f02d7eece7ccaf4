#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sources that sample running firmware: Arm's timer at EL1, counters, SPE, IRQs if FIQ is not
free; and the reason if none can be used.

check-timeout: 900
check-spare: machines count instructions
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import spe
import stick
import tap
import uefi
from shell import Disk

# Counted instructions: spinning takes an exact time, whatever the host does.
STEADY = ["-icount", "shift=4,sleep=off"]
SPINS = r"\spinner.efi low=200 high=300"
FUNCTIONS = ("spin_at_application", "spin_at_high_level")
LATE = ("our interrupts come as IRQ, which TPL_HIGH_LEVEL masks: code at that level becomes one late sample behind it, "
        "with all of its time as PERIOD")


def disk_of(isa, directory):
    build = machine.TOP / f"build/{isa}"
    return Disk(isa, directory, ((build / "tests/spinner.efi", "spinner.efi"),
                                 (build / "bareperf-dxe.efi", "bareperf-dxe.efi")))


def record(sh, name, events, misses=""):
    """The recording's file name."""
    said = sh.type(f"bareperf.efi record {events} --region-size 8 -- {SPINS}")
    written = re.search(r"written: \S*(\d{4}\.data)", said)
    if misses:
        tap.ok(f"uefi: {misses}: {LATE}" in said, f"{name}: what that misses is said", said)
    tap.ok(written and "conserved" not in said, f"{name}: it is recorded", said)
    return written[1] if written else "none"


def in_order(taken, name):
    dump = taken.dump()
    tap.ok(dump.returncode == 0 and "conserved: yes" in dump.stdout, f"{name}: the ledger is in order",
           dump.stdout[-2000:] + dump.stderr)


def judge_samples(taken, isa, name, least=(180, 270), most=(220, 330)):
    """200 ms at TPL_APPLICATION and 300 ms at TPL_HIGH_LEVEL, a thousand samples a second."""
    in_order(taken, name)
    seen = [uefi.within(taken, isa, function) for function in FUNCTIONS]
    tap.ok(all(low <= count <= high for low, count, high in zip(least, seen, most)),
           f"{name}: 200 ms at TPL_APPLICATION and 300 at TPL_HIGH_LEVEL are as many samples", (seen, taken.images()))


def judge_operations(taken, name, level):
    """A record for each 16384 operations at the firmware's own level, in one piece of the buffer
    after the other."""
    in_order(taken, name)
    found, pieces = spe.records(taken), spe.aux_records(taken)
    base = next((at for at, _, image in taken.maps() if image.endswith("spinner.efi")), 0)
    places = [uefi.function("aarch64", function) for function in FUNCTIONS]
    low, high = ([i for i, r in enumerate(found) if r.pc - base in place] for place in places)
    tap.ok(found and {r.el for r in found} == {level}, f"{name}: each record is of the firmware's level",
           {r.el for r in found})
    if not tap.ok(len(low) > 500 and 1.4 < len(high) / len(low) < 1.6,
                  f"{name}: 200 ms at TPL_APPLICATION and 300 at TPL_HIGH_LEVEL have as many",
                  (len(low), len(high), len(found))):
        return
    ends = [(offset + size) // spe.RECORD_SIZE for offset, size, _ in pieces]
    tap.ok(not any(flags for _, _, flags in pieces) and sum(high[0] < end < high[-1] for end in ends) >= 3,
           f"{name}: its interrupt lends the next piece of the buffer at TPL_HIGH_LEVEL too, and nothing is cut off",
           (pieces, high[:1], high[-1:]))


def judge_late(taken, name):
    """TPL_HIGH_LEVEL masks IRQs: the 300 ms at that level are in one sample after it."""
    in_order(taken, name)
    low, high = (uefi.within(taken, "aarch64", function) for function in FUNCTIONS)
    tap.ok(180 <= low <= 220 and not high, f"{name}: 200 ms at TPL_APPLICATION are as many samples, those above are none",
           (low, high, taken.images()))
    periods = [int(period) for period in re.findall(r"^ *(\d+) +[0-9a-f]+ *$", taken.perf("script", "-F", "period,ip"),
                                                    re.MULTILINE)]
    late = [period for period in periods if period > 100e6]
    tap.ok(len(late) == 1 and 290e6 < late[0] < 330e6, f"{name}: 300 ms at TPL_HIGH_LEVEL are one late sample's PERIOD",
           (late, len(periods)))
    spurious = re.search(r"(\d+) spurious interrupts", taken.dump().stdout)
    tap.equal(spurious and spurious[1], "0", f"{name}: no interrupt was spurious")


def judge_caller(taken, name):
    """The late sample's callchain contains the caller that has lowered the level."""
    said = taken.perf("script", "-F", "period,ip,dso")
    chain = next((sample for sample in said.split("\n\n") if re.match(r"\s*\d{9,}\s", sample)), "")
    places = uefi.function("aarch64", "spin_at_high_level")
    tap.ok(any(int(ip, 16) in places for ip in re.findall(r"^\s+([0-9a-f]+) \(spinner\.efi\)", chain, re.MULTILINE)),
           f"{name}: its callers name the function that has lowered the level", chain)


def judge_cut_operations(taken, name):
    """The buffer has room for one piece until its interrupt comes."""
    in_order(taken, name)
    found = spe.records(taken)
    base = next((at for at, _, image in taken.maps() if image.endswith("spinner.efi")), 0)
    places = [uefi.function("aarch64", function) for function in FUNCTIONS]
    low, high = (sum(r.pc - base in place for r in found) for place in places)
    tap.ok(low > 500 and 0 < high <= 16384 // spe.RECORD_SIZE,
           f"{name}: 200 ms at TPL_APPLICATION are recorded; above it a buffer's piece", (low, high))


def masked(kind, name, disk):
    """If Group 0 of the interrupt controller is not free: recordings by the firmware's own IRQs,
    repeated, and then a boot until ExitBootServices()."""
    model, why = machine.model("aarch64")
    misses = "the interrupt controller is no GICv3"
    events = {"CNTx": "-e cpu-clock -F 1000", "cycles": "-e cycles -F 1000", "callers": "-e cpu-clock -F 1000 -g"}
    with shell.Shell("aarch64", disk.path, *STEADY, program=model,
                     base=["-machine", kind, "-cpu", spe.CPU if model else "max"]) as sh:
        sh.open()
        taken = {what: record(sh, f"{name}, {what}", options, misses) for what, options in events.items()}
        if model:
            cut = record(sh, f"{name}, SPE", "-e arm_spe/ts_enable=1/ -c 16384 -m ,512 --aux-watermark 16384", misses)
        tap.ok("ran: ok" in sh.type("echo ran: ok"), f"{name}: the shell continues", sh.said()[-2000:])
        start = len(sh.raw)
        sh.send("spinner.efi with=record+--boot+-e+cpu-clock+-F+1000+--region-size+8 run=\\bareperf-dxe.efi low=200 "
                "high=300 exit=1\r")
        said = sh.read_until(r"written: \S+\.data\s", start)
        sh.process.wait(timeout=300)
        booted = re.search(r"written: \S*(\d{4}\.data)", said)
        tap.ok(booted and f"uefi: {misses}" in said, f"{name}: a boot is recorded until its end", said)
    for what in ("CNTx", "cycles"):
        judge_late(uefi.Taken(disk, taken[what]), f"{name}, {what}")
    judge_caller(uefi.Taken(disk, taken["callers"]), f"{name}, callers")
    if booted:
        judge_late(uefi.Taken(disk, booted[1]), f"{name}, boot")
    text = disk.read(taken["CNTx"].replace(".data", ".txt")).decode()
    tap.ok(f"{misses}: {LATE}" in text, f"{name}: the text beside the file says it as well", text)
    if model:
        judge_cut_operations(uefi.Taken(disk, cut), f"{name}, SPE")
    else:
        tap.skip(f"{name}: SPE", why)


def arm(kind, level, disk):
    """On the hardware model, if it is built: with SPE."""
    model, why = machine.model("aarch64")
    name = f"aarch64, EL{level}"
    cpu = spe.CPU if model else "max"
    taken = {}
    with shell.Shell("aarch64", disk.path, *STEADY, program=model, base=["-machine", kind, "-cpu", cpu]) as sh:
        sh.open()
        if level == 1:
            taken["CNTP"] = record(sh, f"{name}, CNTP", "-e cpu-clock -F 1000")
            taken["cycles"] = record(sh, f"{name}, cycles", "-e cycles -F 1000")
        if model:
            taken["SPE"] = record(sh, f"{name}, SPE", "-e arm_spe/ts_enable=1/ -c 16384 -m ,512 --aux-watermark 16384")
    if not model:
        tap.skip(f"{name}: SPE", why)
    for what, file in taken.items():
        recording = uefi.Taken(disk, file)
        if what == "SPE":
            judge_operations(recording, f"{name}, SPE", level)
        else:
            judge_samples(recording, "aarch64", f"{name}, {what}")


def pmi(disk):
    """By NMI, on the hardware model: TCG has no counters."""
    model, why = machine.model("x86_64")
    name = "x86_64, cycles"
    if not model:
        tap.skip(f"{name}: an overflow comes as NMI, firmware or not", why)
        return
    with shell.Shell("x86_64", disk.path, *STEADY, program=model,
                     base=["-machine", "q35", "-cpu", "Skylake-Client,pmu=on,pmu-pebs=on"]) as sh:
        sh.open()
        files = [record(sh, f"{name}, {which}", f"-e {event} -F 1000") for which, event in (
            ("once", "cycles"), ("and again", "cycles"), ("precise", "cycles:p"))]
    for file in files:
        judge_samples(uefi.Taken(disk, file), "x86_64", name)


def no_hpet(disk):
    """With counters: their overflows take samples, and replace the timer."""
    model, why = machine.model("x86_64")
    name = "x86_64, without an HPET"
    if not model:
        tap.skip(f"{name}: counters sample all the same", why)
        return
    reason = "no timer that the firmware leaves to us: ACPI names no HPET"
    with shell.Shell("x86_64", disk.path, *STEADY, program=model,
                     base=["-machine", "q35,hpet=off", "-cpu", "Skylake-Client,pmu=on"]) as sh:
        sh.open()
        said = sh.type(f"bareperf.efi record -e cpu-clock -- {SPINS}")
        tap.ok("event cpu-clock: the firmware leaves us no timer: -e cycles samples by the CPU's counters" in said,
               f"{name}: cpu-clock is refused, with the sources that work there", said)
        said = sh.type("bareperf.efi register record --boot -e cpu-clock") + sh.type("bcfg driver dump")
        tap.ok("the firmware leaves us no timer" in said and "nothing is registered" in said and "Driver0000" not in said,
               f"{name}: register says so as well, and registers nothing", said)
        files = [record(sh, f"{name}, cycles {which}", "-e cycles -F 1000") for which in ("once", "and again")]
        tap.ok(f"uefi: {reason}: the CPU's counters sample instead (-e cycles), but not while it halts" in sh.said(),
               f"{name}: what that misses is said", sh.said()[-3000:])
        rare = record(sh, f"{name}, branch-misses", "-e branch-misses -c 1000000000")
        tap.ok("ran: ok" in sh.type("echo ran: ok"), f"{name}: the shell continues", sh.said()[-2000:])
    for file in files:
        judge_samples(uefi.Taken(disk, file), "x86_64", name)
    taken = uefi.Taken(disk, rare)
    in_order(taken, f"{name}, branch-misses")
    ticks = re.search(r"(\d+) ticks of .*; (\d+) spurious", taken.dump().stdout)
    tap.ok(ticks and int(ticks[1]) > 490 and ticks[2] == "0",
           f"{name}: the tick of each ms comes where no counter of the user's overflows", taken.dump().stdout[-2000:])


def refused(isa, disk, base, name, reason):
    """No source can sample there: that is reported, and the firmware continues unchanged."""
    why = f"the firmware cannot be recorded: {reason}"
    with shell.Shell(isa, disk.path, base=base) as sh:
        sh.open()
        said = sh.type("bareperf.efi stop")
        tap.ok("nothing is being recorded" in said and "refused" not in said,
               f"{name}: stop says that there is nothing to stop", said)
        for line in (f"bareperf.efi record -e cpu-clock -- {SPINS}", "load bareperf-dxe.efi"):
            said = sh.type(line)
            tap.ok(why in said, f"{name}: {line.split()[0]} says why nothing is recorded", said)
        said = sh.type("bareperf.efi stop")
        tap.ok("nothing is being recorded" in said and f"has refused: {why}" in said,
               f"{name}: stop reports what the driver has refused, and why", said)
        said = sh.type("bareperf.efi register") + sh.type("bcfg driver dump")
        tap.ok(why in said and "nothing is registered" in said and "Driver0000" not in said,
               f"{name}: register says it at once, and registers nothing", said)
        tap.ok("ran: ok" in sh.type("echo ran: ok"), f"{name}: the shell continues", sh.said()[-2000:])


def refused_unheard(disk, base, name, why):
    """Loaded by the boot manager, when no console could show a message."""
    with shell.Shell("x86_64", disk.path, "-action", "reboot=reset", base=base,
                     flash=shell.flash("x86_64", disk.directory)) as sh:
        sh.open()
        sh.type(r"bcfg driver add 0 fs0:\bareperf-dxe.efi ours")
        start = len(sh.raw)
        sh.send("reset\r")
        said = sh.open(start)
        tap.ok(why not in said, f"{name}: a driver that the boot manager loads has no console", said)
        said = sh.type("bareperf.efi stop")
        tap.ok("nothing is being recorded" in said and f"has refused: the firmware cannot be recorded: {why}" in said,
               f"{name}: stop says that, and why", said)


def refused_by_u_boot(directory):
    """Debian's U-Boot, whose EFI offers no interrupts; it continues with its next boot option."""
    name = "aarch64, U-Boot"
    if not pathlib.Path(stick.U_BOOT["aarch64"]).exists():
        tap.skip(f"{name}: why nothing is recorded", f"{stick.U_BOOT['aarch64']} is not installed")
        return
    place = pathlib.Path(directory) / "u-boot"
    place.mkdir()
    disk = Disk("aarch64", place, config=f"record -e cpu-clock -- {SPINS}\n")
    with shell.Shell("aarch64", disk.path, base=["-machine", "virt,gic-version=3", "-cpu", "max"],
                     flash=["-bios", stick.U_BOOT["aarch64"]]) as sh:
        said = sh.read_until(r"=> $")
    tap.ok("the firmware cannot be recorded: the firmware passes on neither FIQs nor IRQs "
           "(EFI_HARDWARE_INTERRUPT_PROTOCOL)" in said and said.endswith("=> "),
           f"{name}: the reason why nothing is recorded is reported, and the firmware continues", said[-3000:])


def run():
    with tempfile.TemporaryDirectory(prefix="bareperf-uefi-sources-") as directory:
        arms, x86 = disk_of("aarch64", directory), disk_of("x86_64", directory)
        arm(spe.EL1, 1, arms)
        arm(spe.EL2, 2, arms)
        masked("virt,gic-version=2", "aarch64, EL1, GICv2", arms)
        masked("virt,gic-version=2,virtualization=on", "aarch64, EL2, GICv2", arms)
        pmi(x86)
        no_hpet(x86)
        without = (["-machine", "q35,hpet=off", "-cpu", "max,-monitor"], "x86_64, without an HPET and counters",
                   "no timer that the firmware leaves to us: ACPI names no HPET")
        refused("x86_64", x86, *without)
        refused_unheard(x86, *without)
        refused_by_u_boot(directory)


if machine.missing():
    tap.skip("the sources that sample firmware", machine.missing())
else:
    run()
tap.finish()
