#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""The machine layer on several kinds of machines: the claims of machine.c, and how it ends."""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e/lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import qemu  # noqa: E402
import tap  # noqa: E402

ARCHITECTURAL, CPUID_16H, PM_TIMER, HPET = 1, 2, 3, 4  # enum tr_clock_source
# unit/local_apic_test tests it with fake registers; five levels of page tables: e2e/less_test
NO_X2APIC = "not to be had: this QEMU's TCG has no x2APIC (it came with 9.0)"

# name, words for the image, QEMU's options, clock source, CPU model
MACHINES = [
    ("one CPU", "give-back", ["-smp", "1"], PM_TIMER, "max"),
    ("4 CPUs", "give-back", ["-smp", "4"], PM_TIMER, "max"),
    ("HPET alone", "no-pm-timer", ["-smp", "1"], HPET, "max"),
    ("a PM timer that has stopped", "dead-pm-timer", ["-smp", "1"], HPET, "max"),
    ("no screen", "", ["-smp", "1", "-vga", "none"], PM_TIMER, "max"),
    ("no clock", "no-pm-timer no-hpet no-clock-expected", ["-smp", "1"], 0, "max"),
    ("an old CPU", "reboot give-back", ["-smp", "2"], PM_TIMER, "qemu64"),
    ("16 CPUs", "", ["-smp", "16"], PM_TIMER, "max,-monitor"),
    ("6 GiB", "", ["-smp", "2", "-m", "6G"], PM_TIMER, "max"),
]


def relay(name, text):
    """The image's claims become claims of this test."""
    for passed, claim in re.findall(r"^(not ok|ok) \d+ - (.*)$", text, re.MULTILINE):
        tap.ok(passed == "ok", f"{name}: {claim}", "\n".join(re.findall("# seen.*", text)))
    plan = re.search(r"^1\.\.(\d+)$", text, re.MULTILINE)
    results = len(re.findall(r"^(?:not ok|ok) ", text, re.MULTILINE))
    tap.ok(plan and int(plan.group(1)) == results, f"{name}: the image comes to its end", text)


def try_machine(name, words, options, source, cpu):
    # one CPU on the OVMF that users have
    with qemu.Machine("machine", words, *options, cpu=cpu, quick=name != "one CPU") as machine:
        text = machine.read_until(r"\n1\.\.\d+\n")
        relay(name, text)
        seen = re.search(r"source (\d+)", text)
        tap.equal(seen and int(seen.group(1)), source, f"{name}: the clock's source is as expected")
        tap.equal(machine.exit_status(), 0, f"{name}: the firmware's ResetSystem() works after us")


def try_wall_clock():
    with qemu.Machine("machine", "", "-rtc", "base=2031-05-06T07:08:09") as machine:
        text = machine.read_until(r"# epoch .*\n")
        seen = re.search(r"# epoch (\d+)\n", text)
        # 2031-05-06 07:08:09 UTC, plus the time since power-on
        late = int(seen.group(1)) - 1935817689 if seen else -1
        tap.ok(0 <= late < qemu.PATIENCE, "the wall clock is the firmware's", f"late {late}: {text}")


def spcr():
    """An SPCR that names COM2 (16550, I/O port 2F8H), without the header, which QEMU adds."""
    table = bytearray(80 - 36)
    table[4:16] = bytes([1, 8, 0, 1]) + (0x2F8).to_bytes(8, "little")
    return bytes(table)


def try_spcr():
    with tempfile.TemporaryDirectory() as directory:
        table, com2 = pathlib.Path(directory) / "spcr", pathlib.Path(directory) / "com2"
        table.write_bytes(spcr())
        options = ["-acpitable", f"sig=SPCR,rev=2,data={table}", "-serial", f"file:{com2}"]
        with qemu.Machine("machine", "no-pm-timer no-hpet no-clock-expected", *options) as machine:
            text = machine.read_until("never")
        tap.ok("1..2\r\n" in com2.read_bytes().decode("ascii", "replace"),
               "the console is the UART that SPCR names", text)  # fmt: skip
        tap.ok("1..2" not in text, "and not the customary one", text)


def try_x2apic():
    claim = "x2APIC: timer, signals and CPUs work"
    with qemu.Machine("machine", "", "-smp", "2", cpu="max,+x2apic") as machine:
        text = machine.read_until(r"\n1\.\.\d+\n|warning: TCG doesn't support")
        if "TCG doesn't support" in text:
            tap.skip(claim, NO_X2APIC)
        else:
            tap.ok("not ok" not in text and re.search(r"\n1\.\.\d+\n", text), claim, text)


def try_storm():
    """CPUs that only handle interrupts."""
    with qemu.Machine("storm", "", "-smp", "4") as machine:
        relay("storm", machine.read_until(r"\n1\.\.\d+\n"))


if qemu.missing():
    tap.skip("the machine layer works", qemu.missing())
    tap.finish()
for case in MACHINES:
    try_machine(*case)
try_wall_clock()
try_spcr()
try_x2apic()
try_storm()
tap.finish()
