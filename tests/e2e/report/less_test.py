#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Firmware with fewer parts than EDK2's, and with stricter or deeper page tables:
tests/firmware/chain.h is started before our image, and starts it from its volume. A missing part is
reported once and left out."""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import stick
import tap
from remote import Remote

TOP = machine.TOP
SAID_ONCE = ("the firmware has no EFI_PCI_IO_PROTOCOL: devices are searched", "no screen\n",
             "load options: ignored, not for bareperf (")
# the memory that chain.h removes: so many holes, of at least so many bytes
HOLES, LEAST = 3000 * 4096, 1 << 20
MEMORY = (288, "<Q")                 # offset in the region's header
BASE = {
    "x86_64": ("-machine", "q35", "-cpu", "max,-monitor", "-bios", machine.boots.quick_firmware()),
    "aarch64": ("-machine", "virt,gic-version=3", "-cpu", "cortex-a72", "-bios",
                stick.EDK2["aarch64"]),
}

GARBAGE = {"x86_64": "noise", "aarch64": "garbage"}


def volume(directory, isa, loader, words, **files):
    """A volume that boots `loader`, which starts the image; more files by name, with "_" for
    "."."""
    return stick.Volume(f"{directory}/{isa}.img", 60, isa, TOP / f"build/{isa}/tests/{loader}.efi", {
        "image.efi": (TOP / f"build/{isa}/bareperf.efi").read_bytes(), "chain.cfg": words.encode(),
        **{name.replace("_", "."): text.encode() for name, text in files.items()}})


def disk(path):
    return ("-drive", f"if=none,id=disk,format=raw,file={path}", "-device",
            "virtio-blk-pci,drive=disk")


def without(isa, words, card):
    """Recordings by shared memory and by a serial card, both found in PCI configuration space."""
    with tempfile.TemporaryDirectory(prefix="bareperf-less-") as directory:
        path = volume(directory, isa, "less", words).path
        agent = mailbox.Agent(directory, isa, *disk(path), "-smp", "2", "-chardev",
                              f"socket,id=card,path={directory}/card,server=on,wait=off", "-device",
                              "pci-serial,chardev=card", base=BASE[isa])
        try:
            remote = Remote(agent, directory)
            well = agent.until(lambda: agent.state() == mailbox.tr.IDLE)
            tap.ok(well, f"{isa}, {words}: it is there, and waits", agent.state())
            said = agent.console() if well else ""
            for text in SAID_ONCE:
                tap.equal(said.count(text), 1, f"{isa}: it says once: {text.strip()}")
            tap.ok(agent.word(*MEMORY) < (512 << 20) - HOLES - LEAST,
                   f"{isa}: memory that others have, or that is not to be cached, is none of ours",
                   agent.word(*MEMORY))
            recorded(isa, remote, "shared memory")
            if card:
                recorded(isa, Remote(agent, directory, f"unix:{directory}/card"), "a serial card")
        finally:
            agent.process.kill()
            agent.process.wait()


def recorded(isa, remote, by):
    status, text = remote("record -a -m 8 -e cpu-clock -F 1000 -- qsort 300000", "-o", "taken",
                          "--timeout", "60")
    summary = remote.dump("taken") if status == 0 else {}
    tap.ok(status == 0 and summary["conserved"] and
           {event["cpu"] for event in summary["events"] if event["delivered"]} == {0, 1},
           f"{isa}: both CPUs are recorded by {by}", (status, text))


def tables(words, claim):
    """Resident: the machine is taken over and given back, and the firmware's tables are
    unchanged."""
    with tempfile.TemporaryDirectory(prefix="bareperf-less-") as directory:
        made = volume(directory, "x86_64", "x86_64/tables", words,
                      bareperf_cfg="record -a -e cpu-clock -F 1000 -- qsort 300000\n")
        output = stick.boot("x86_64", made, "-smp", "2", "-cpu", "max",
                            firmware=machine.boots.quick_firmware(), until="# back with 0\r")
        taken = pathlib.Path(directory) / "taken.data"
        taken.write_bytes(made.read("bareperf/0001.data") or b"")
        done = subprocess.run([machine.TOOL, "dump", taken], capture_output=True, text=True)
        cpus = {line.split()[1] for line in done.stdout.splitlines()
                if line.startswith("cpu-clock") and int(line.split()[5])}
        tap.ok(done.returncode == 0 and "conserved: yes" in done.stdout and cpus == {"0", "1"},
               f"{claim}: both CPUs are recorded, and a file is written",
               output[-3000:] + done.stdout + done.stderr)
        tap.ok("# back with 0" in output and "# CR4.LA57 1, the image was protected\n" in output,
               f"{claim}: the firmware continues, its tables as it had them", output[-1000:])


def exclusive(words, claim):
    with tempfile.TemporaryDirectory(prefix="bareperf-less-") as directory:
        path = volume(directory, "x86_64", "x86_64/tables", words).path
        agent = mailbox.Agent(directory, "x86_64", *disk(path), "-smp", "2", base=BASE["x86_64"])
        try:
            agent.until(lambda: agent.state() == mailbox.tr.IDLE)
            recorded(claim, Remote(agent, directory), "shared memory")
            status, text = Remote(agent, directory)("reboot")
            agent.process.wait(300)
            tap.equal((status, agent.process.returncode), (0, 0),
                      f"{claim}: the firmware's ResetSystem() works after us {text}")
        finally:
            agent.process.kill()
            agent.process.wait()


for ISA in BASE:
    if machine.missing(f"qemu-system-{ISA}"):
        tap.skip(f"{ISA}: firmware with less", machine.missing(f"qemu-system-{ISA}"))
        continue
    without(ISA, f"pci gop font mp holes uncached {GARBAGE[ISA]}", card=ISA == "x86_64")
    if ISA == "x86_64":
        exclusive("la57 wx", "five levels of page tables, W^X by the firmware")
        tables("la57 wx", "five levels, W^X, resident")
tap.finish()
