#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The machine is borrowed and given back: from a disk, on the firmware's shell, which goes on as if
nothing had been.

RESIDENT_TIMES: how often a recording is repeated to see whether memory leaks (10).
"""

import os
import pathlib
import re
import subprocess
import tempfile

import machine
import shell
import tap

TIMES = int(os.environ.get("RESIDENT_TIMES", "10"))
CLOCK = "bareperf.efi record --resident -e cpu-clock -F 1000 -- noploop 1"
QUICK = "bareperf.efi record --resident -e cpu-clock -c 100000 -m 16 --region-size 4 -- calltree 1"
BOOKS = re.compile(r"(\d+) generated = (\d+) written \+ (\d+) lost\n")


def in_use(sh):
    """Pages by their type, as the firmware's memory map has them, and how many handles there are."""
    pages = {kind: int(count.replace(",", "")) for kind, count in
             re.findall(r"^ *(\w+) *: *([\d,]+) Pages", sh.type("memmap"), re.MULTILINE)}
    return pages | {"handles": len(re.findall(r"^[0-9A-F]+: ", sh.type("dh"), re.MULTILINE))}


def leak(sh, *commands):
    """What they leave in use. BS_Data less a page each: what a shell remembers of each line that it
    is given, and of each that it shows, comes to one in some five of them."""
    in_use(sh)  # the first time, dh's names and memmap's stay in memory: some 50 pages
    before = in_use(sh)
    said = "".join(sh.type(command) for command in commands)
    after = in_use(sh)
    more = {kind: after[kind] - before.get(kind, 0) for kind in after}
    more["BS_Data"] = max(more["BS_Data"] - len(commands), 0)
    del more["Available"]
    return said, {kind: count for kind, count in more.items() if count}


def generated(said):
    """How much was recorded, if all is in the books."""
    books = BOOKS.search(said)
    return int(books[1]) if books and int(books[1]) == int(books[2]) + int(books[3]) else 0


def goes_on(sh, isa, name):
    """Timer, keyboard and disk, by using them: keys are polled by a timer's events."""
    said = sh.type("cp -q bareperf.efi copy.efi")
    said += sh.type("comp bareperf.efi copy.efi") + sh.type("rm -q copy.efi")
    tap.ok("no differences" in said, f"{name}: the firmware reads and writes its disk", said)
    said = sh.type("stall 100000") + sh.type("time")
    tap.ok(re.search(r"\d\d:\d\d:\d\d", said), f"{name}: its clock goes on", said)
    if isa == "x86_64":
        said = sh.type("", keys=lambda: sh.press("ver\n"))
        tap.ok("EDK II" in said, f"{name}: so does its keyboard", said)


def records(sh, name, *commands):
    """Each is carried out, and the shell is back."""
    for command in commands:
        said = sh.type(f"bareperf.efi record --resident {command}")
        tap.ok(generated(said) > 0, f"{name}: record {command}, back in the shell", said)


def one_cpu(isa, directory):
    name = f"{isa}, 1 CPU"
    payload = machine.payload(isa, pathlib.Path(directory) / "spin.elf", SPIN)
    disk = shell.make_disk(directory, isa, files=[(payload, "spin.elf")])
    with shell.Shell(isa, disk) as sh:
        said = sh.open()
        tap.ok("payload: there is none" in said and "Shell>" in said,
               f"{name}: a command that fails lets the next boot entry be booted", said)
        said = sh.type(CLOCK)
        tap.ok(generated(said) > 0, f"{name}: a recording, and the shell is back", said)
        tap.ok("nobody took it" in said, f"{name}: what becomes of it is said", said)
        tap.equal(sh.type("echo %lasterror%").split()[0], "0x0", f"{name}: with success")
        said = sh.type("bareperf.efi stat --resident -e cpu-clock -- noploop 1")
        tap.ok(re.search(r"cpu-clock: \d{9,} in", said), f"{name}: a second command counts", said)
        if isa == "x86_64":
            said = sh.type("bareperf.efi record --resident -e branch-step// -m ,4096 -- noploop 1")
            tap.ok(re.search(r"\n  [1-9]\d+ bytes of trace", said), f"{name}: a third one traces", said)
        said = sh.type("bareperf.efi list --resident")
        tap.ok("(help shows more)" in said, f"{name}: a fourth one lists", said)
        sh.type("bareperf.efi record --resident -e cyles -- noploop")
        tap.equal(sh.type("echo %lasterror%").split()[0], "0x2", f"{name}: a wrong one is an error")
        goes_on(sh, isa, name)
        said, left = leak(sh, *[QUICK] * TIMES)
        tap.ok(len(BOOKS.findall(said)) == TIMES and not left,
               f"{name}: {TIMES} recordings in a row leak nothing", (left, said))
        kept(sh, name, directory, "calltree 2")
        sh.type("cp -q spin.elf payload.elf")
        kept(sh, name, directory, "payload")
    done = subprocess.run(["fsck.fat", "-n", "-v", volume_of(disk)], capture_output=True, text=True)
    tap.ok(done.returncode == 0, f"{name}: the volume is sound", done.stdout)


def volume_of(disk):
    """The partition as a file: from 1 MiB, up to the backup of the GPT."""
    volume = disk.with_suffix(".fat")
    volume.write_bytes(disk.read_bytes()[1 << 20:-(1 << 20)])
    return volume


HOTTEST = re.compile(r"hottest functions by cpu-clock, callees aside:\n((?: +[\d.]+%  \w+\n)+)")
SHARE = re.compile(r"^ +([\d.]+)%  .*?(\w+) *$", re.MULTILINE)
SPIN = """
#include <time.h>
__attribute__((noinline)) static unsigned long spin_in_payload(unsigned long x)
{
	for (int i = 0; i < 10000; i++)
		x = x * 6364136223846793005 + 1;
	return x;
}
int main(void)
{
	unsigned long x = 1;
	for (time_t end = time(NULL) + 2; time(NULL) < end;)
		x = spin_in_payload(x);
	return x == 0;
}
"""


def kept(sh, name, directory, workload):
    """--keep: what a debug probe, here QEMU's monitor, would take; and what the screen says of it,
    held against what perf finds in it at home."""
    said = sh.type(f"bareperf.efi record --keep -e cpu-clock -F 1000 -m 64 -- {workload}")
    place = re.search(r"pmemsave (0x[0-9a-f]+) (\d+)", said)
    if not tap.ok(place, f"{name}: --keep says where the recording is", said):
        return
    path, data = (pathlib.Path(directory) / file for file in ("region.bin", "perf.data"))
    sh.monitor.ask("pmemsave", val=int(place[1], 16), size=int(place[2]), filename=str(path))
    done = subprocess.run(
        [machine.TOOL, "import", f"--base={place[1]}", "--no-buildid-cache", f"--payload={directory}/spin.elf",
         "-o", data, path], capture_output=True, text=True)
    dump = subprocess.run([machine.TOOL, "dump", data], capture_output=True, text=True)
    tap.ok(dump.returncode == 0 and "conserved: yes" in dump.stdout,
           f"{name}: and there it is, whole", done.stderr + dump.stdout + dump.stderr)
    report = subprocess.run(["perf", "report", "--stdio", "--no-children", "-F", "overhead,sym", "-i", data],
                            capture_output=True, text=True).stdout.replace("[.]", "")
    shown = HOTTEST.search(said)
    mine, perfs = SHARE.findall(shown[1] if shown else ""), SHARE.findall(report)
    tap.ok(len(mine) > 1 and sorted(mine) == sorted(perfs[:len(mine)]) and mine[0] == perfs[0],
           f"{name}: the hottest functions of {workload} are those that perf report finds",
           said + report)


def many_cpus(isa, directory):
    cpus, name = 8, f"{isa}, 8 CPUs"
    disk = shell.make_disk(directory, isa)
    with shell.Shell(isa, disk, "-smp", str(cpus)) as sh:
        sh.open()
        records(sh, name, "-a -e cpu-clock -F 1000 -- noploop 1",
                "-C 3,5 -e cpu-clock -F 1000 -- noploop 1", "-a -e cpu-clock -F 100 -- calltree 1")
        goes_on(sh, isa, name)


if machine.missing():
    tap.skip("the machine is given back to its firmware", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-resident-") as DIRECTORY:
        for ISA in shell.MACHINES:
            one_cpu(ISA, DIRECTORY)
            many_cpus(ISA, DIRECTORY)
tap.finish()
