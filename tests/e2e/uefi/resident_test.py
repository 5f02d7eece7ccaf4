#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The machine is taken over and given back, and the recording becomes a file: from a disk, on the
firmware's shell, which continues unchanged. RESIDENT_TIMES: how often a recording is repeated to
find leaks of memory (10). RESIDENT_MACHINE: "x86_64 8", "aarch64", "x86_64 model": only some of the
machines.

check-timeout: 1500
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import stick
import tap
from shell import LEDGER, Disk, leak

sys.path.append(str(machine.TOP / "tests/qemu"))
import guests  # noqa: E402

TIMES = int(os.environ.get("RESIDENT_TIMES", "4"))
MACHINES = [("x86_64", 1, "virtio"), ("x86_64", 2, "USB"), ("x86_64", 8, "NVMe"),
            ("aarch64", 1, "USB"), ("aarch64", 2, "virtio"), ("aarch64", 4, "NVMe")]
RECORD = "record -e cpu-clock -F 1000 -g"
QUICK = "bareperf.efi record -e cpu-clock -c 100000 -m 16 --region-size 4 -- calltree 0.1"
LINUX = {"x86_64": "ttyS0", "aarch64": "ttyAMA0"}


def generated(said):
    """The number of samples, if the ledger accounts for all."""
    ledger = LEDGER.search(said)
    return int(ledger[1]) if ledger and int(ledger[1]) == int(ledger[2]) + int(ledger[3]) else 0


def goes_on(sh, isa, name):
    """Use the timer, the keyboard and the disk: a timer event polls the keys."""
    said = sh.type("cp -q bareperf.efi copy.efi")
    said += sh.type("comp bareperf.efi copy.efi") + sh.type("rm -q copy.efi")
    tap.ok("no differences" in said, f"{name}: the firmware reads and writes its disk", said)
    said = sh.type("stall 100000") + sh.type("time")
    tap.ok(re.search(r"\d\d:\d\d:\d\d", said), f"{name}: its clock continues", said)
    if isa == "x86_64":
        said = sh.type("", keys=lambda: sh.press("ver\n"))
        tap.ok("EDK II" in said, f"{name}: so does its keyboard", said)


HOTTEST = re.compile(r"hottest functions by cpu-clock, callees aside:\n((?: +[\d.]+%  \S+\n)+)")
SHARE = re.compile(r"^ +([\d.]+)%  .*?(\S+) *$", re.MULTILINE)
BIG = 300007  # bytes
SPIN = """
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
__attribute__((noinline)) static unsigned long spin_in_payload(unsigned long x)
{
	for (int i = 0; i < 10000; i++)
		x = x * 6364136223846793005 + 1;
	return x;
}
static int write_files(int count)
{
	FILE *log = fopen("log", "w"), *big = mkdir("text", 0777) ? NULL : fopen("text/big", "w");

	for (int i = 0; i < count; i++) {
		fputc(i % 251, big);
		if (i % 10000 == 0)
			fprintf(log, "%d\\n", i);
	}
	return fclose(big) || fclose(log) ? 1 : 3;
}

int main(int argc, char **argv)
{
	unsigned long x = 1;
	int count;
	if (argc > 1 && sscanf(argv[1], "write=%d", &count) == 1)
		return write_files(count);
	for (time_t end = time(NULL) + 2; argc > 1 || time(NULL) < end;)
		x = spin_in_payload(x);
	return x == 0;
}
"""


def names(sh, name, directory, workload):
    """--keep: a debug probe, here QEMU's monitor, saves the memory; and the summary on the screen
    agrees with perf's result on the host."""
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
    shares = [[share for share, _ in rows] for rows in (mine, perfs[:len(mine)])]
    tap.ok(len(mine) > 1 and mine[0] == perfs[0] and set(mine) <= set(perfs) and shares[0] == shares[1],
           f"{name}: the hottest functions of {workload} are those that perf report finds",
           said + report)


def brings_home(sh, disk, name):
    """--fetch: the program's files are beside the recording, and no other files."""
    said = sh.type("bareperf.efi record -e cpu-clock -F 1000 -o fetched.data --fetch ./log --fetch text//big "
                   f"--fetch none --fetch text/../log -- payload write={BIG}")
    disk.fetched = said
    tap.ok(r"written: \bareperf\fetched\log" in said and r"written: \bareperf\fetched\text\big" in said and
           "--fetch: none: the program has written no file of this name" in said and
           "--fetch: text/../log: .. leads to other files" in said and "exit status 3" in said,
           f"{name}: --fetch says of each of the program's files where it is, or why not", said)
    said = sh.type("bareperf.efi stat -e cpu-clock --fetch log -- payload write=1")
    tap.ok("stat writes no file" in said,
           f"{name}: where there is nothing that they could lie beside, it is refused", said)


def came_home(disk, name):
    big, log = disk.read("fetched/text/big"), disk.read("fetched/log")
    tap.ok(big == bytes(i % 251 for i in range(BIG)) and
           log.decode() == "".join(f"{i}\n" for i in range(0, BIG, 10000)),
           f"{name}: and there they are, whole", (len(big), log, disk.fetched))


def opens(disk, name, *options, fields="tid,time,ip", region=None):
    """Checks that it is complete, and that stock perf shows the same for the host's import of the
    region."""
    data, perf = disk.directory / "taken.data", ["perf", "script", "-F", fields, *options, "-i"]
    data.write_bytes(disk.read(name))
    dump = subprocess.run([machine.TOOL, "dump", data], capture_output=True, check=False)
    taken = subprocess.run([*perf, data], capture_output=True, text=True)
    lines = taken.stdout.count("\n")
    if not region:
        return dump.returncode == 0 and taken.returncode == 0 and lines > 10
    imported = disk.directory / "imported.data"
    subprocess.run([machine.TOOL, "import", "--no-buildid-cache", "-o", imported, region],
                   capture_output=True, check=False)
    host = subprocess.run([*perf, imported], capture_output=True, text=True)
    return dump.returncode == 0 and lines > 20 and taken.stdout == host.stdout


def records(sh, disk, name, cpus):
    """Two recordings, the first of which also stays in RAM; and their places."""
    where = "-a" if cpus > 1 else ""
    said = sh.type(f"bareperf.efi {RECORD} {where} --keep -- calltree 0.3")
    tap.ok(generated(said) > 0 and r"written: \bareperf\0001.data" in said,
           f"{name}: a recording is a file, and the shell is back", said)
    region = disk.take(sh, said, "kept")
    disk.reported = said
    said = sh.type(f"bareperf.efi record -C {cpus - 1} -e cpu-clock -F 1000 -- noploop 0.3")
    tap.ok(generated(said) > 0 and r"written: \bareperf\0002.data" in said,
           f"{name}: so is a second one", said)
    return region


def are_whole(disk, name, region):
    """After the machine has switched off."""
    tap.ok(region and disk.read("0001.data") == disk.of_host(region),
           f"{name}: it equals, byte for byte, the host's file of the same region")
    tap.ok(region and opens(disk, "0001.data", region=region) and opens(disk, "0002.data"),
           f"{name}: stock perf opens both, and shows the same as of the host's import")
    text = disk.read("0001.txt").decode()
    tap.ok(HOTTEST.search(text) and text in disk.reported,
           f"{name}: the screen's report of it is beside it", text + disk.reported)
    status, said = disk.is_sound()
    tap.equal(status, 0, f"{name}: the volume is sound" + (said if status else ""))


def commands(sh, isa, name):
    tap.equal(sh.type("echo %lasterror%").split()[0], "0x0", f"{name}: with success")
    said = sh.type("bareperf.efi stat -e cpu-clock -- noploop 0.3")
    tap.ok(re.search(r"cpu-clock: \d{9,} in", said), f"{name}: stat counts", said)
    said = sh.type("bareperf.efi list")
    tap.ok("(help shows more)" in said, f"{name}: list lists", said)
    sh.type("bareperf.efi record -e cyles -- noploop")
    tap.equal(sh.type("echo %lasterror%").split()[0], "0x2", f"{name}: a wrong one is an error")
    said = sh.type("bareperf.efi record -o 0001.data -e cpu-clock -- noploop 0.3")
    tap.ok("column 11: \\bareperf\\0001.data already exists" in said and not generated(said),
           f"{name}: no file is written over, which is said before anything runs", said)
    if isa == "x86_64":
        said = sh.type("bareperf.efi record -o trace.data -e branch-step// -m ,4096 -- branches 1000")
        tap.ok(re.search(r"\n  [1-9]\d+ bytes of trace", said) and "trace.data" in said,
               f"{name}: a trace is a file, too", said)
    said, left = leak(sh, *[QUICK] * TIMES)
    tap.ok(len(LEDGER.findall(said)) == said.count("written: ") == TIMES and not left,
           f"{name}: {TIMES} recordings in a row leak nothing", (left, said))


ENDLESS = "branches 4611686018427387904"


def by_key(sh, name, options, press, what, workload=ENDLESS, before=""):
    """A recording that ends only by a key."""
    start = len(sh.raw)
    sh.send(f"bareperf.efi record -e cpu-clock -F 1000 {options} -- {workload}\r")
    sh.read_until(r"recording: [1-9]", start)
    if before:
        sh.send(before)
        sh.read_until(r"recording: [1-9].*recording: ", len(sh.raw))
    press()
    said = sh.read_until(shell.PROMPT, start)
    tap.ok(generated(said) > 0 and said.count("stopped by a key\n") == 2 and "written: " in said and
           "payload_run_land" not in said, f"{name}: {what} ends a recording, and it is a file", said)


def saved(sh, name):
    """A later image writes a recording that the first one could not write, and then frees its
    memory."""
    said, left = leak(sh, "bareperf.efi save")
    tap.ok("written: " in said and "is freed" in said and left.get("Reserved", 0) < 0,
           f"{name}: save writes the recording that stayed in RAM, and frees it", (said, left))
    tap.ok(said.count("hottest functions by cpu-clock") == said.count("written: ") > 1,
           f"{name}: and the report of each is beside it", said)
    said = sh.type("bareperf.efi save")
    tap.ok("no recording is kept" in said, f"{name}: once", said)


def fill(volume):
    """Fill a volume."""
    listing = stick.mtool("mdir", volume.path, "::/").stdout.decode()
    free = int(re.search(r"([\d ]+) bytes free", listing)[1].replace(" ", ""))
    subprocess.run(["mcopy", "-i", volume.path, "-", "::/big"], input=bytes(free),
                   check=True)


def full(sh, disk, name):
    """fs1: has no room. Returns the region that could not be written."""
    said = sh.type(rf"bareperf.efi {RECORD} -o fs1:\x.data -- calltree 0.3")
    tap.ok("may stay in RAM: it takes up to" in said and "no file was written: it takes" in said and
           generated(said) > 0, f"{name}: a volume that is full is reported before and afterwards", said)
    region = disk.take(sh, said, "full")
    said = sh.type("bareperf.efi save -o fs1:x.data")
    tap.ok("stays in RAM: it takes up to" in said, f"{name}: it can be tried again", said)
    sh.type(r"rm -q fs1:\big")
    said = sh.type(r"bareperf.efi save -o fs1:\x.data")
    tap.ok(r"written: \x.data; its memory is freed" in said,
           f"{name}: once there is room it is written, to another volume than ours", said)
    said = sh.type("bareperf.efi record -o fs9:x -e cpu-clock -- noploop 0.3")
    tap.ok("fs9: no such volume" in said and not generated(said),
           f"{name}: a volume that is not there is refused before anything runs", said)
    return region


def tests_itself(sh, name):
    """The self-test's output, and the name of the files with the same content."""
    said = sh.type("bareperf.efi selftest").replace("\r", "")
    written = re.search(r"written: \\bareperf\\(\d{4}-selftest)\.txt and \.json", said)
    again = sh.type("bareperf.efi selftest")
    tap.ok(written and "no reset since the last self-test" in again,
           f"{name}: a self-test is written, and the next one knows of it", said + again)
    return said, written[1] if written else ""


def has_self_test(disk, name, said, stem):
    text, json_text = (disk.read(f"{stem}.{ending}").decode() for ending in ("txt", "json"))
    table, _, survey = text.partition("\n\n")
    report = json.loads(json_text or "{}")
    tap.ok(table.count("\n") > 5 and text in said and survey.count("\n") <= 40 and
           len(report.get("checks", ())) == table.count("\n") and
           f"CPU        {report['survey']['cpus']} of" in survey,
           f"{name}: its files have the screen's report, as text and as JSON",
           said + text + json_text)


def other_volume(isa, directory):
    """A second disk, and QEMU's options for it."""
    other = stick.Volume(f"{directory}/other.img", 40, isa, machine.TOP / f"build/{isa}/bareperf.efi", {})
    stick.mtool("mdeltree", other.path, "::/EFI")
    return other, ["-drive", f"if=none,id=other,format=raw,file={other.path}", "-device", "virtio-blk-pci,drive=other"]


def pulled_out(sh, disk, name):
    """The stick with our image is pulled while it records; another one then saves the recording."""
    sh.type(r"cp -q bareperf.efi fs1:\saver.efi")
    start = len(sh.raw)
    sh.send("bareperf.efi record -e cpu-clock -F 1000 -- noploop 1000\r")
    sh.read_until(r"recording: [1-9]", start)
    sh.monitor.ask("device_del", id="stick")
    sh.send("q")
    said = sh.read_until(shell.PROMPT, start)
    tap.ok("no file was written: " in said and re.search("gone|pulled out|medium was changed", said) and
           generated(said) > 0, f"{name}: a stick that is pulled out is reported, and costs no recording", said)
    region = disk.take(sh, said, "pulled")
    said = sh.type(r"fs1:\saver.efi save -o y.data")
    tap.ok(r"written: \bareperf\y.data; its memory is freed" in said,
           f"{name}: another one takes it", said)
    return region


# The other machines: entered at EL2, at EL1, with the older interrupt controller; with firmware
# whose other CPUs wait by HLT or by MWAIT.
OTHER = {
    "aarch64": ["-machine", "virt,gic-version=2", "-cpu", "max"],
    "x86_64": ["-machine", "q35", "-cpu", "max"],
}


def pulled(isa, directory):
    """The firmware's driver waits for 28 s; with counted instructions that is less real time."""
    name = f"{isa}, USB"
    disk, (other, options) = Disk(isa, directory), other_volume(isa, directory)
    with shell.Shell(isa, disk.path, "-icount", "shift=6,sleep=off", *options, device="USB") as sh:
        sh.open()
        region = pulled_out(sh, disk, name)
    tap.ok(region and other.read("bareperf/y.data") == disk.of_host(region),
           f"{name}: with the bytes that the host writes of it")


def two_cpus(isa, directory, device):
    name = f"{isa}, 2 CPUs, {device}" + (", EL1, GICv2" if isa == "aarch64" else "")
    disk, (other, options) = Disk(isa, directory), other_volume(isa, directory)
    fill(other)
    with shell.Shell(isa, disk.path, "-smp", "2", *options, device=device, base=OTHER[isa]) as sh:
        sh.open()
        region = records(sh, disk, name, 2)
        lacking = full(sh, disk, name)
        said, stem = tests_itself(sh, name)
        press = (lambda: sh.press("\x1b")) if isa == "x86_64" else lambda: sh.send("\x03")
        by_key(sh, name, "-C 1", press, "Escape" if isa == "x86_64" else "Ctrl-C")
        goes_on(sh, isa, name)
    are_whole(disk, name, region)
    has_self_test(disk, name, said, stem)
    tap.ok(lacking and other.read("x.data") == disk.of_host(lacking),
           f"{name}: with the bytes that the host writes of the region that stayed")


def from_nowhere(sh, disk, said, name):
    """The first command came from -kernel, which has no writable volume."""
    tap.ok("no file was written: " in said and "the machine stays on" in said and
           generated(said) > 0, f"{name}: where there is no volume, that is reported", said)
    region = disk.take(sh, said, "nowhere")
    said = sh.type("bareperf.efi save -o first.data")
    tap.ok(r"written: \bareperf\first.data" in said,
           f"{name}: the recording stayed in RAM, for another image to write", said)
    return region


def one_cpu(isa, directory, device):
    name = f"{isa}, 1 CPU, {device}"
    payload = machine.payload(isa, pathlib.Path(directory) / "spin.elf", SPIN)
    disk = Disk(isa, directory, [(payload, "spin.elf")])
    kernel = ["-kernel", machine.TOP / f"build/{isa}/bareperf.efi", "-append",
              "record -e cpu-clock -F 1000 --then poweroff -- noploop 0.3"]
    has_kernel = isa == "x86_64"  # AAVMF's own shell crashes if there was a kernel
    with shell.Shell(isa, disk.path, *(kernel if has_kernel else ()), device=device) as sh:
        said = sh.open()
        tap.ok("there is no payload" in said and "Shell>" in said,
               f"{name}: a command that fails lets the next boot entry be booted", said)
        stayed = from_nowhere(sh, disk, said, name) if has_kernel else None
        region = records(sh, disk, name, 1)
        commands(sh, isa, name)
        names(sh, name, directory, "calltree 2")
        sh.type("cp -q spin.elf payload.elf")
        names(sh, name, directory, "payload")
        brings_home(sh, disk, name)
        by_key(sh, name, "", lambda: sh.send("q"), "q, and no arrow key,", before="\x1b[A")
        by_key(sh, name, "", lambda: sh.send("q"), "q of a payload", workload="payload for ever")
        saved(sh, name)
        goes_on(sh, isa, name)
    are_whole(disk, name, region)
    came_home(disk, name)
    if has_kernel:
        tap.ok(stayed and disk.read("first.data") == disk.of_host(stayed),
               f"{name}: the recording that stayed was written with the host's bytes")
        text = disk.read("first.txt").decode()
        tap.ok(HOTTEST.search(text) and "noploop" in text, f"{name}: and with its text beside it", text)
        tap.ok(opens(disk, "trace.data", "--itrace=b", fields="ip,addr"), f"{name}: stock perf opens the trace")


def linux_of(isa):
    """A stock kernel, or None."""
    try:
        return guests.guest_directory(isa) / "vmlinuz"
    except (guests.Unavailable, RuntimeError):
        return None


def boots_linux(sh, isa, name, cpus):
    start = len(sh.raw)
    sh.send(f"linux.efi console={LINUX[isa]} no_timer_check panic=-1\r")
    said = sh.read_until(r"Kernel panic - not syncing: VFS: Unable to mount root", start)
    tap.ok(f"Brought up 1 node, {cpus} CPUs" in said and "Unable to mount root" in said,
           f"{name}: then Linux boots on all of them, as far as to look for its disk", said[-3000:])


def many_cpus(isa, directory, device):
    cpus = {"x86_64": 8, "aarch64": 4}[isa]  # with 8 CPUs, Linux on Arm takes long to answer
    name = f"{isa}, {cpus} CPUs, {device}"
    kernel = linux_of(isa)
    disk = Disk(isa, directory, [(kernel, "linux.efi")] if kernel else [])
    # this screen has no framebuffer, only calls
    screen = ["-device", "virtio-gpu-pci"] if isa == "aarch64" else []
    with shell.Shell(isa, disk.path, "-smp", str(cpus), *screen, device=device) as sh:
        if screen:  # with a screen, the result of \bareperf.cfg's command waits for a key
            sh.read_until("or at a key")
            sh.send(" ")
        sh.open()
        region = records(sh, disk, name, cpus)
        tap.ok(("no text of ours on it" if screen else "no screen\n") in disk.reported,
               f"{name}: the screen, or its absence, is reported", disk.reported)
        said = sh.type("bareperf.efi record -C 1,3 -e cpu-clock -F 1000 -- noploop 0.3")
        tap.ok(generated(said) > 0 and "0003.data" in said, f"{name}: some of them", said)
        goes_on(sh, isa, name)
        if kernel:
            boots_linux(sh, isa, name, cpus)
        else:
            tap.skip(f"{name}: Linux boots afterwards", "Debian's kernel cannot be had")
    are_whole(disk, name, region)


MODELS = {
    "x86_64": (["-machine", "q35", "-cpu", "Skylake-Client,pmu=on,pmu-pebs=on"],
               "bts// -m ,1024 -- branches 1000", "cycles:p,instructions"),
    "aarch64": (["-machine", "virt,gic-version=3,virtualization=on", "-cpu",
                 "cortex-a76,spe=on,pmu-instructions=on"],
                "arm_spe// -c 1024 -m ,1024 -- branches 1000000", "cycles,instructions"),
}


def modelled(isa, directory):
    """Counters and traces, whose interrupts, buffers and registers are given back as well."""
    name = f"{isa}, the hardware model"
    program, why = machine.model(isa)
    if not program:
        tap.skip(name, why)
        return
    disk, (base, trace, events) = Disk(isa, directory), MODELS[isa]
    with shell.Shell(isa, disk.path, program=program, base=base) as sh:
        sh.open()
        said = sh.type("bareperf.efi record -e cycles -c 1000000 -g -- calltree 0.3")
        tap.ok(generated(said) > 0 and "0001.data" in said, f"{name}: counters sample", said)
        said = sh.type(f"bareperf.efi record -e {trace}")
        tap.ok(re.search(r"\n  [1-9]\d+ bytes of trace", said) and "0002.data" in said,
               f"{name}: hardware traces into an AUX area", said)
        said = sh.type(f"bareperf.efi record -e {events} -c 1000000 -- calltree 0.3")
        tap.ok(generated(said) > 0 and "0003.data" in said, f"{name}: and counters again", said)
        for _ in range(3):  # a busy host may delay the machine's timer
            tested = sh.type("bareperf.efi selftest")
            failed = set(re.findall(r"^FAIL +(\S+)", tested, re.MULTILINE))
            if "timer" not in failed or "gaps" not in failed:
                break
        tap.ok(re.search(r"PASS +(\S+ )*(branch store|SPE)", tested) and failed <= {"gaps"},
               f"{name}: a self-test finds nothing wrong with a machine that was taken over", tested)
        goes_on(sh, isa, name)
    itrace = {"x86_64": "--itrace=b", "aarch64": "--itrace=i1i"}[isa]
    status = [disk.is_sound()[0], opens(disk, "0001.data", fields="ip"),
              opens(disk, "0002.data", itrace, fields="ip"), opens(disk, "0003.data", fields="ip")]
    tap.equal(status, [0, True, True, True], f"{name}: the volume is sound, and perf opens the files")


STORIES = {1: one_cpu, 2: two_cpus, 4: many_cpus, 8: many_cpus}
if machine.missing():
    tap.skip("the machine is given back to its firmware", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-resident-") as DIRECTORY:
        for ISA, CPUS, DEVICE in MACHINES:
            if f"{ISA} {CPUS}".startswith(os.environ.get("RESIDENT_MACHINE", "")):
                STORIES[CPUS](ISA, DIRECTORY, DEVICE)
        if "x86_64 stick".startswith(os.environ.get("RESIDENT_MACHINE", "")):
            pulled("x86_64", DIRECTORY)
        for ISA in MODELS:
            if f"{ISA} model".startswith(os.environ.get("RESIDENT_MACHINE", "")):
                modelled(ISA, DIRECTORY)
tap.finish()
