#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""Arm machines whose firmware has no ACPI tables, but a device tree: each boots once from a disk,
and gets commands by the serial line that /chosen/stdout-path of the tree names."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import stick
import tap

REFUSED = 126
CPUS = 4
U_BOOT, AAVMF = stick.U_BOOT["aarch64"], stick.EDK2["aarch64"]

# name, firmware, QEMU's machine, its CPU
MACHINES = [
    ("U-Boot, EL1, GICv2", U_BOOT, "virt,gic-version=2", "cortex-a72"),
    ("U-Boot, EL1, GICv3", U_BOOT, "virt,gic-version=3", "cortex-a76"),
    ("U-Boot, EL2, GICv2", U_BOOT, "virt,gic-version=2,virtualization=on", "cortex-a72"),
    ("U-Boot, EL2, GICv3", U_BOOT, "virt,gic-version=3,virtualization=on", "max"),
    ("AAVMF without ACPI, EL2, GICv3", AAVMF, "virt,gic-version=3,virtualization=on,acpi=off",
     "cortex-a76"),
]

# Memory that the last machine's tree reserves although the firmware lets applications use it: much
# of RAM, including the trace region's usual place
RESERVED = 0x44000000, 0x10000000
# the timer's rate in the tree; CNTFRQ_EL0 gives 62.5 MHz
RATE = 50000000

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>

#include <bareperf/thread.h>

static int add(void *to)
{
	volatile unsigned long *sum = to;

	for (unsigned long i = 0; i < 30000000; i++)
		*sum += i;
	return 0;
}

int main(int argc, char **argv)
{
	static unsigned long sums[4][8];
	unsigned long sum = 0;

	for (int cpu = 1; cpu < 4; cpu++)
		if (bareperf_thread_start(cpu, add, sums[cpu]) < 0)
			return 1;
	add(sums[0]);
	for (int cpu = 1; cpu < 4; cpu++)
		bareperf_thread_join(cpu, NULL);
	for (int cpu = 0; cpu < 4; cpu++)
		sum += sums[cpu][0];
	printf("%s: %lu, heap at %p\n", argv[argc - 1], sum, malloc(100000));
	return 0;
}
"""


def machine_words(kind, cpu):
    return ["qemu-system-aarch64", "-machine", kind, "-cpu", cpu, "-smp", str(CPUS), "-m", "512"]


def reserving_tree(directory, kind, cpu):
    """The machine's own tree, with /reserved-memory and a rate for the timer added."""
    tree = directory / "tree.dtb"
    subprocess.run([*machine_words(f"{kind},dumpdtb={tree}", cpu), "-nographic", "-nodefaults"],
                   check=True, capture_output=True)
    node, (address, size) = "/reserved-memory", RESERVED
    for words in (["-c", tree, node], ["-t", "i", tree, node, "#address-cells", "2"],
                  ["-t", "i", tree, node, "#size-cells", "2"], [tree, node, "ranges"],
                  ["-c", tree, f"{node}/test@{address:x}"],
                  ["-t", "x", tree, f"{node}/test@{address:x}", "reg", "0", f"{address:x}", "0",
                   f"{size:x}"], ["-t", "i", tree, "/timer", "clock-frequency", str(RATE)]):
        subprocess.run(["fdtput", *words], check=True)
    return ["-dtb", tree]


class Board:
    """A machine that has booted from a volume, and waits for commands on its line."""

    def __init__(self, directory, volume, firmware, kind, cpu, *options):
        self.directory = directory
        self.path, self.log = directory / "line", directory / "log"
        self.process = subprocess.Popen(
            [*machine_words(kind, cpu), *options, "-nodefaults", "-display", "none", "-no-reboot",
             *machine.boots.NO_MENU, "-bios", firmware, "-chardev",
             f"socket,id=line,path={self.path},server=on,wait=off,logfile={self.log}",
             "-serial", "chardev:line", "-drive", f"if=none,id=stick,format=raw,file={volume.path}",
             "-device", "virtio-blk-pci,drive=stick"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.waits = live.until(lambda: "waiting for commands" in self.said() or "(help shows" in self.said(),
                                process=self.process)

    def said(self):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return text.replace("\r", "")

    def tool(self, command, *options):
        verb, *rest = command.split()
        done = subprocess.run(
            [machine.TOOL, verb, "--channel", f"unix:{self.path}", *options, *rest],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", cwd=self.directory, timeout=live.PATIENCE, check=False)
        return done.returncode, done.stdout

    def dump(self, name):
        done = subprocess.run([machine.TOOL, "dump", "--json", self.directory / name],
                              capture_output=True, text=True, check=False)
        return {**machine.json.loads(done.stdout or "{}"), "status": done.returncode}

    def close(self):
        self.process.kill()
        self.process.wait()


def records(board, name, command, claim, cpus=1):
    status, text = board.tool(command, "-o", "data")
    summary = board.dump("data") if status == 0 else {"status": status}
    counts = [event["generated"] for event in summary.get("events", [])]
    tap.ok(summary["status"] == 0 and summary["conserved"] and len(counts) == cpus and
           all(counts), f"{name}: {claim}", (counts, text))
    return text


def story(board, name):
    said = board.said()
    tap.ok(board.waits, f"{name}: it boots", said[-3000:])
    tap.ok("device tree: " not in said and "ACPI: " not in said,
           f"{name}: nothing in its tree is refused", said[-3000:])
    tap.ok(re.search(rf"bareperf \S+: {CPUS} CPUs", said), f"{name}: all CPUs are found", said[-3000:])
    records(board, name, "record -a -e cpu-clock -F 1000 -- noploop 1",
            "all CPUs are started, and sampled by their timers", CPUS)
    text = records(board, name, "record -a -e cycles -c 1000000 -g -- payload done",
                   "a payload of theirs is, by their counters' interrupts", CPUS)
    tap.ok("done: 1799999940000000, heap at 0x" in text + board.said(), f"{name}: and runs to its end", text)
    status, text = board.tool("stat -a -A -e cycles,cpu-clock -- payload done")
    tap.ok(status == 0 and len(re.findall(r"\b\d[\d,]{6,}\s+cycles", text)) == CPUS,
           f"{name}: stat counts on each CPU", text)
    status, text = board.tool("record --acpi -e cpu-clock -- noploop 0.3")
    tap.ok(status == REFUSED and "read already: give this option at boot" in text,
           f"{name}: after the tables were read, a command cannot choose others", text)


def keeps_off(board, name):
    first, size = RESERVED
    places = [int(at, 16) for at in re.findall(r"(?:trace region: \d+ KiB|heap) at 0x([0-9a-f]+)",
                                                   board.said())]
    tap.ok(len(places) > 1 and not any(first <= at < first + size for at in places),
           f"{name}: memory that its tree reserves is not used, although the firmware's map calls it free",
           [hex(at) for at in places])
    rates = {cpu["frequency"] for cpu in board.dump("data").get("cpus", [])}
    tap.ok(rates == {RATE}, f"{name}: the rate that its tree gives the timer is believed", rates)


def boots(place, name, firmware, kind, cpu):
    directory = pathlib.Path(place) / re.sub(r"\W+", "-", name)
    directory.mkdir()
    program = machine.payload("aarch64", directory / "payload.elf", PROGRAM)
    volume = stick.Volume(directory / "volume.img", 60, "aarch64",
                          machine.TOP / "build/aarch64/bareperf.efi",
                          {"bareperf.cfg": b"list --exclusive --then wait\n",
                           "payload.elf": program.read_bytes()})
    reserves = firmware == AAVMF
    board = Board(directory, volume, firmware, kind, cpu,
                  *(reserving_tree(directory, kind, cpu) if reserves else ()))
    try:
        story(board, name)
        if reserves:
            keeps_off(board, name)
    finally:
        board.close()


def refused_at_boot():
    """AAVMF's machine has only ACPI tables."""
    run = machine.Recording("list --dtb", "--arch", "aarch64")
    tap.ok(run.status == REFUSED and "the firmware gives no readable device tree" in run.text and
           "column 6" in run.text, "tables that the firmware does not give are refused", run.text)


if machine.missing("qemu-system-aarch64") or not shutil.which("mformat"):
    tap.skip("machines with a device tree", "QEMU or mtools is not installed")
    tap.finish()
with tempfile.TemporaryDirectory() as PLACE:
    for NAME, FIRMWARE, *REST in MACHINES:
        if pathlib.Path(FIRMWARE).exists():
            boots(PLACE, NAME, FIRMWARE, *REST)
        else:
            tap.skip(NAME, f"{FIRMWARE} is not installed")
refused_at_boot()
tap.finish()
