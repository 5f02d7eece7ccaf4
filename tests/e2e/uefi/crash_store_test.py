#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The crash store: machines that are reset while they record, while they write the file of an
earlier recording, after a panic, and in a hang that masks interrupts. The next start of the image
finds the recording in RAM and writes it to the volume.

MOMENTS: the number of random moments at which each machine is reset (2)."""

import mmap
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import ram
import region as tr
import shell
import stick
import tap

MIB = 1 << 20
SIZE = 512 * MIB
PATIENCE = live.PATIENCE
UNFINISHED = 4  # exit status of `bareperf dump`
MOMENTS = int(os.environ.get("MOMENTS", 2))
RECORD = "record --resident -e cpu-clock -F 4000 -g -m 2048 --region-size 16 -- {}\n"
FIELDS = ("-F", "tid,cpu,time,event,period,ip")
NOTES = b"kept\n" * 1000
# A program that samples for a while, and then masks all interrupts.
HANG = """
int main(void)
{
	for (volatile unsigned long i = 0; i < 100000000; i++)
		;
#ifdef __x86_64__
	__asm__ volatile("cli");
#else
	__asm__ volatile("msr daifset, #15");
#endif
	for (;;)
		;
}
"""


class Machine:
    """A machine that boots from a volume, and whose RAM is a file."""

    def __init__(self, isa, directory):
        self.isa, self.here = isa, pathlib.Path(directory) / isa
        self.here.mkdir()
        self.payload = machine.payload(isa, self.here / "payload.elf", HANG)
        self.volume = stick.Volume(self.here / "volume.img", 100, isa,
                                   machine.TOP / f"build/{isa}/bareperf.efi",
                                   {"bareperf.cfg": b"", "notes.txt": NOTES,
                                    "payload.elf": self.payload.read_bytes()})
        self.command("noploop 1000")
        self.monitor = machine.boots.Monitor(self.here)
        self.serial, path = self.here / "serial", self.here / "ram"
        with open(path, "wb") as file:
            file.truncate(SIZE)
        with open(path, "r+b") as file:
            self.ram = mmap.mmap(file.fileno(), 0)
        memory = f"memory-backend-file,id=ram,share=on,size={SIZE},mem-path={path}"
        kind = {"x86_64": "q35,memory-backend=ram",
                "aarch64": "virt,gic-version=3,memory-backend=ram"}[isa]
        self.process = subprocess.Popen(
            [f"qemu-system-{isa}", "-machine", kind, "-cpu", "max", *shell.firmware(isa), "-m",
             str(SIZE // MIB), "-nodefaults", "-display", "none", "-serial", f"file:{self.serial}",
             "-object", memory, "-drive", f"if=none,id=disk,format=raw,file={self.volume.path}",
             "-device", "virtio-blk-pci,drive=disk", *machine.boots.NO_MENU, *self.monitor.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.seen, self.at, self.nonce = 0, 0, 0

    def close(self):
        self.process.kill()
        self.process.wait()
        self.monitor.close()

    def command(self, workload):
        """Set the command of the next start."""
        text = RECORD.format(workload) if workload != "recover" else "recover\n"
        subprocess.run(["mcopy", "-o", "-i", self.volume.path, "-", "::/bareperf.cfg"],
                       input=text.encode(), check=True)

    def said(self):
        """The serial text since the last reset."""
        raw = self.serial.read_bytes()[self.seen:] if self.serial.exists() else b""
        return shell.ESCAPES.sub("", raw.decode("ascii", "replace")).replace("\r", "")

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while not (found := condition()) and time.monotonic() < end and self.process.poll() is None:
            time.sleep(0.01)
        return found or condition()

    def long(self, offset):
        return struct.unpack_from("<Q", self.ram, self.at + offset)[0]

    def is_recording(self):
        """The region of this start, and one of its words."""
        for at in ram.regions(self.ram):
            self.at = at
            if self.long(24) != self.nonce and self.long(48) & 0xffffffff == tr.RECORDING:
                return ram.recorded(self.ram, at) > 20000
        return False

    def is_hung(self):
        beat = self.long(tr.HEADER["heartbeat"][0])
        end = live.cpu_time(self.process.pid) + 0.3
        self.until(lambda: live.cpu_time(self.process.pid) > end)
        return beat == self.long(tr.HEADER["heartbeat"][0])

    def reset(self, workload):
        """The machine hangs and is reset, and then gets another command. The host reads the part of
        the recording that is in its RAM, with and without --reset."""
        self.monitor.ask("stop")
        path, base = self.here / "truth", ram.BASE[self.isa] + self.at
        path.write_bytes(self.ram[self.at:self.at + self.long(32)])
        self.nonce, self.seen = self.long(24), self.serial.stat().st_size
        self.command(workload)
        self.monitor.ask("system_reset")
        self.monitor.ask("cont")
        file = self.here / "imported"
        texts = []
        for options in (), ("--reset",):
            subprocess.run([machine.TOOL, "import", "-o", file, "--no-buildid-cache", *options,
                            f"--base={base:#x}", path], capture_output=True, check=False)
            texts.append(script(file))
        return texts

    def recovered(self):
        """The file that this start has made of the last start's recording: (the messages, its
        name)."""
        self.until(lambda: re.search(r"recordings recovered: \d+\n|not recovered", self.said()) or
                   self.is_recording())
        said = self.said()
        name = re.search(r"writing (\\bareperf\\\d+\.data)", said)
        return said, name and name[1].replace("\\", "/").strip("/")


def script(file):
    """Its samples, as stock perf reads them."""
    done = subprocess.run(["perf", "script", "-i", file, *FIELDS], capture_output=True, text=True,
                          check=False)
    return done.stdout.split("\n\n")[:-1]


def judge(guest, what, truth, said, name, words=()):
    """The recovered records begin like the original ones, and contain all but those after the last
    tick; the ledger is complete."""
    data = name and guest.volume.read(name)
    if not tap.ok(data, f"{guest.isa}: {what}: the next start finds it, and makes a file of it", said):
        return
    file = guest.here / "recovered.data"
    file.write_bytes(data)
    samples, (truth, kept) = script(file), truth
    done = subprocess.run([machine.TOOL, "dump", file], capture_output=True, text=True, check=False)
    is_torn = "reset while it published its ledger" in done.stdout
    tap.ok(len(samples) > 50 and samples == truth[:len(samples)] and
           len(truth) - len(samples) <= 20, f"{guest.isa}: {what}: it has the samples up to the last "
           "tick, and no others", (len(samples), len(truth), said))
    tap.ok(samples == kept, f"{guest.isa}: {what}: so has `bareperf import --reset`",
           (len(samples), len(kept)))
    tap.ok((done.returncode == UNFINISHED and "conserved: yes" in done.stdout) or is_torn,
           f"{guest.isa}: {what}: with its ledger", done.stdout)
    text = (guest.volume.read(name.replace(".data", ".txt")) or b"").decode()
    unsaid = [line for line in text.splitlines() if line not in said]
    tap.ok(not unsaid and "\ncommand: record --resident" in text and
           ("\nhottest functions by cpu-clock" in text or what == "a hang"),
           f"{guest.isa}: {what}: the summary is beside it", (text, "unsaid:", unsaid, said))
    for word in words:
        tap.ok(word in said, f"{guest.isa}: {what}: it says so: {word}", said)


def moments(guest):
    """Reset at random moments of a recording."""
    for i in range(MOMENTS):
        if not tap.ok(guest.until(guest.is_recording), f"{guest.isa}: recording {i + 1} continues",
                      guest.said()):
            return
        time.sleep(random.random())
        truth = guest.reset("noploop 1000")
        judge(guest, f"moment {i + 1}", truth, *guest.recovered(),
              ["in state recording", "record --resident -e cpu-clock"] if not i else [])


def while_it_writes(guest):
    """Reset as soon as it begins to write: the file is complete or absent; if it is absent, the
    recording is still there."""
    guest.until(guest.is_recording)
    guest.monitor.ask("stop")
    names = set(guest.volume.names())
    guest.monitor.ask("cont")
    truth = guest.reset("noploop 1000")
    guest.until(lambda: "writing" in guest.said())
    guest.monitor.ask("stop")
    said, guest.seen = guest.said(), guest.serial.stat().st_size
    guest.monitor.ask("system_reset")
    guest.monitor.ask("cont")
    again, name = guest.recovered()
    fresh = [one for one in guest.volume.names() if one not in names and one.endswith(".data")]
    name = name or (fresh and f"bareperf/{fresh[0]}")
    judge(guest, "reset while it is written", truth, said + again, name)
    tap.ok(len(fresh) in (1, 2), f"{guest.isa}: and there is a file of it", guest.volume.names())


def panics(guest):
    guest.until(guest.is_recording)
    ram.break_machine(guest.monitor, guest.isa, guest.ram, guest.at)
    tap.ok(guest.until(lambda: guest.long(48) & 0xffffffff == tr.PANIC), f"{guest.isa}: it panics",
           guest.said())
    truth = guest.reset("payload")
    judge(guest, "a panic", truth, *guest.recovered(), ["in state panic", "CPU 0: "])


def hangs(guest):
    tap.ok(guest.until(guest.is_recording) and guest.until(guest.is_hung),
           f"{guest.isa}: it hangs with its interrupts masked", guest.said())
    truth = guest.reset("recover")
    said, name = guest.recovered()
    judge(guest, "a hang", truth, said, name)
    tap.ok("recordings recovered: 1" in said, f"{guest.isa}: `recover` says how many there were", said)


def is_sound(guest):
    """At most lost clusters and files of ours."""
    stick.fsck(guest.volume.path, "-a")
    status, text = stick.fsck(guest.volume.path, "-n")
    image = (machine.TOP / f"build/{guest.isa}/bareperf.efi").read_bytes()
    tap.ok(status == 0 and guest.volume.read("notes.txt") == NOTES and
           guest.volume.read(f"EFI/BOOT/{stick.BOOT[guest.isa]}") == image and
           guest.volume.read("payload.elf") == guest.payload.read_bytes(),
           f"{guest.isa}: fsck.fat -a repairs the volume, and all other files are whole", text)


def keeps(isa, directory):
    guest = Machine(isa, directory)
    try:
        moments(guest)
        while_it_writes(guest)
        panics(guest)
        hangs(guest)
    finally:
        guest.close()
    is_sound(guest)


if machine.missing():
    tap.skip("a recording outlives a reset", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-crash-store-") as DIRECTORY:
        for ISA in shell.MACHINES:
            keeps(ISA, DIRECTORY)
tap.finish()
