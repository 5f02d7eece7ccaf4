#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf import`: machines whose region is in RAM, as QEMU's monitor saves their memory, in the
states waiting, finished, running, reset and panicked; and a region file compared with the recording
of `run`."""

import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import machine
import mailbox
import ram
import region as tr
import tap

HERE = tempfile.TemporaryDirectory(prefix="bareperf-import-")
MIB = 1 << 20
SIZE = 256 * MIB
OPTIONS = {
    "x86_64": ["-machine", "q35,memory-backend=ram", "-cpu", "max,-monitor", "-bios"],
    "aarch64": ["-machine", "virt,gic-version=3,memory-backend=ram", "-cpu", "max", "-bios",
                "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"],
}
FIELDS = ("-F", "comm,tid,cpu,time,event,period,ip,sym")


class Machine(mailbox.Agent):
    """A machine without ivshmem, whose RAM is a file that contains the region, so that the test can
    send commands."""

    def __init__(self, arch):
        directory = pathlib.Path(HERE.name) / arch
        directory.mkdir()
        self.arch, self.path, self.at = arch, directory / "ram", 0
        self.monitor = mailbox.qemu.Monitor(directory)
        bios = [mailbox.qemu.quick_firmware()] if arch == "x86_64" else []
        self.process = subprocess.Popen(
            [f"qemu-system-{arch}", *OPTIONS[arch], *bios, "-m", str(SIZE // MIB), "-nodefaults",
             "-display", "none", "-object",
             f"memory-backend-file,id=ram,share=on,size={SIZE},mem-path={self.path}",
             *self.monitor.options, "-kernel", machine.TOP / f"build/{arch}/bareperf.efi",
             "-append", ""],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.until(lambda: self.path.exists() and self.path.stat().st_size == SIZE)
        with open(self.path, "r+b") as file:
            self.ram = mailbox.mmap.mmap(file.fileno(), 0)
        self.bytes = self.ram

    def has_region(self):
        for at in range(0, SIZE, 2 * MIB):
            if self.ram[at:at + 8] == tr.MAGIC:
                self.at = at
                self.bytes = memoryview(self.ram)[at:at + self.long(tr.HEADER["size"][0])]
                return True
        return False

    def long(self, offset):
        return struct.unpack_from("<Q", self.ram, self.at + offset)[0]

    def state(self):
        return self.word(48)

    def recorded(self):
        """Bytes of records in the first ring."""
        return self.word(self.word(self.word(tr.table("rings"), "<Q") + 16, "<Q") + 1024, "<Q")

    def save(self, name):
        """The memory as the monitor saves it: (file, options for import)."""
        path = self.path.parent / name
        where, size = ram.BASE[self.arch] + self.at, self.long(32)
        path.unlink(missing_ok=True)
        if name == "raw":
            self.monitor.ask("pmemsave", val=ram.BASE[self.arch], size=SIZE, filename=str(path))
            return path, (f"--base={ram.BASE[self.arch]:#x}",)
        if name == "part":
            self.monitor.ask("pmemsave", val=where, size=size, filename=str(path))
            return path, (f"--base={where:#x}",)
        form = {"format": "kdump-zlib"} if name == "kdump" else {}
        self.monitor.ask("dump-guest-memory", paging=False, protocol=f"file:{path}", **form)
        return path, ()

    def standing(self):
        """The place where the machine hangs: its state, its registers twice, and the end of its
        console."""
        looks = [self.monitor.ask("human-monitor-command", **{"command-line": "info registers"})
                 for _ in range(2)]
        return "\n".join([f"state {self.state()}", *looks, self.console()[-2000:]])

    def close(self):
        self.process.kill()
        self.process.wait()
        self.monitor.close()


class Imported:
    def __init__(self, file, *options, out="imported"):
        self.file = pathlib.Path(HERE.name) / out
        self.directory = HERE
        done = subprocess.run([machine.TOOL, "import", "-o", self.file, "--no-buildid-cache",
                               *options, file], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        self.status, self.text = done.returncode, done.stdout + done.stderr

    summary = machine.Recording.summary
    perf = machine.Recording.perf

    def events(self):
        return self.summary()["events"]

    def script(self):
        text, complaints, status = self.perf("script", *FIELDS)
        return text if not status else f"{status}: {complaints}"


def finished(guest):
    arch = guest.arch
    tap.equal(guest.command(b"record -e cpu-clock -F 2000 -g -- calltree 0.3"), 0,
              f"{arch}: a machine records into its RAM")
    guest.monitor.ask("stop")
    seen = {}
    for name in ("raw", "part", "core", "kdump"):
        path, options = guest.save(name)
        run = seen[name] = Imported(path, *options, out=name)
        summary = run.summary()
        event = summary["events"][0]
        tap.ok((run.status, summary["status"]) == (0, 0) and summary["conserved"] and
               event["samples"] == event["generated"] > 0,
               f"{arch}: {name}: a finished recording, whole and conserved", run.text)
        done = subprocess.run([machine.TOOL, "dump", "-s", *options, path], capture_output=True,
                              text=True, check=False)
        tap.ok(done.returncode == 0 and f"SAMPLE {event['samples']:12}" in done.stdout,
               f"{arch}: {name}: dump reads it, too", done.stdout + done.stderr)
        if name != "raw":
            tap.ok(run.events() == seen["raw"].events() and
                   run.script() == seen["raw"].script() != "",
                   f"{arch}: {name}: stock perf reads the same records", run.script()[:500])
        path.unlink()
    run = Imported(guest.path, f"--base={ram.BASE[arch] + 2 * MIB:#x}")
    tap.ok(run.status == 1 and "a copy, not the region" in run.text,
           f"{arch}: a dump that lay elsewhere is refused", run.text)
    guest.monitor.ask("cont")


def unfinished(guest):
    arch = guest.arch
    guest.post(b"record -e cpu-clock -F 2000 -g -- noploop 1000")
    guest.until(lambda: guest.state() == tr.RECORDING and guest.recorded() > 20000)
    guest.monitor.ask("stop")
    path, _ = guest.save("core")
    frozen = Imported(path, out="frozen")
    event = frozen.events()[0]
    tap.ok(frozen.status == 4 and frozen.summary()["conserved"] and event["samples"] > 100 and
           "did not come to the end of its run: its state is recording" in frozen.text,
           f"{arch}: a machine that stalls in the middle: the records until then, exit status 4",
           frozen.text)
    guest.monitor.ask("system_reset")
    path, _ = guest.save("core")
    reset = Imported(path, out="reset")
    tap.ok(reset.status == 4 and reset.script() == frozen.script() and
           reset.events() == frozen.events(), f"{arch}: of one that was reset there, the same",
           reset.text)
    path.unlink()


def panicked(guest):
    """Run in the boot after the reset."""
    arch = guest.arch
    guest.ram[guest.at:guest.at + 8] = bytes(8)
    guest.monitor.ask("cont")
    tap.ok(guest.until(lambda: guest.has_region() and guest.state() == tr.IDLE),
           f"{arch}: the machine boots again")
    path, _ = guest.save("core")
    run = Imported(path)
    tap.ok(run.status == 1 and "nothing was recorded: the machine's state is idle" in run.text,
           f"{arch}: of one that has recorded nothing, it says so", run.text)
    guest.post(b"record -e cpu-clock -F 2000 -g -- noploop 1000")
    guest.until(lambda: guest.state() == tr.RECORDING and guest.recorded() > 20000)
    ram.break_machine(guest.monitor, arch, guest.ram, guest.at)
    panics = guest.until(lambda: guest.state() == tr.PANIC)
    tap.ok(panics, f"{arch}: it panics", "" if panics else guest.standing())
    path, _ = guest.save("kdump")
    run = Imported(path)
    tap.ok(run.status == 4 and run.summary()["conserved"] and run.events()[0]["samples"] > 100 and
           "bareperf: the machine panicked: " in run.text and "backtrace:" in run.text,
           f"{arch}: of one that panicked: its records, its message and its last words", run.text)


def image(arch):
    guest = Machine(arch)
    try:
        tap.ok(guest.until(lambda: guest.has_region() and guest.state() == tr.IDLE),
               f"{arch}: a machine waits for commands")
        finished(guest)
        unfinished(guest)
        panicked(guest)
    finally:
        guest.close()


def features(file):
    """The feature bits: the sections behind the records."""
    return int.from_bytes(file.read_bytes()[72:104], "little")


def region_file():
    """A recording that a reader has read completely."""
    rig = fake_run.Rig()
    for scenario, number in (("complete", "300"), ("branches", "100")):
        file = rig.here / f"{scenario}.region"
        done = rig.command(*rig.words("record", "fake", scenario, number,
                                      options=("--region", file)),
                           FAKE_IPS="0x101000,0x101010")
        taken = Imported(file)
        tap.ok(done.returncode == 0 and taken.status == 0 and taken.summary()["conserved"] and
               "(0 samples" in taken.text and "--again reads them, too" in taken.text,
               f"{scenario}: records that a reader has taken are not imported, and reported", taken.text)
        run, again = Imported(file, "--again"), Imported(file, "--again", out="again")
        shutil.copy(rig.out, run.file)
        tap.ok(again.status == 0 and again.script() == run.script() and
               again.events() == run.events() and again.summary()["aux"] == run.summary()["aux"],
               f"{scenario}: --again has the records that the reader wrote", again.text)
        newest = Imported(file, "--again", "--e-machine", "--preallocate=1M", out="newest")
        tap.ok(newest.status == 0 and newest.script() == run.script() and
               newest.events() == run.events() and
               features(newest.file) == features(again.file) | 1 << 33,
               f"{scenario}: with E_MACHINE stock perf and we read the same", newest.text)
    full = Imported(file, "--preallocate=900P", out="newest")
    tap.ok(full.status == 2 and "--preallocate 900P: want bytes, as 1048576, 64M or 2G" in full.text,
           "a size that is none is refused", full.text)
    full = Imported(file, "--preallocate=900T", out="newest")
    tap.ok(full.status == 1 and "reserving 989560464998400 bytes for" in full.text and
           newest.script() == run.script(),
           "a recording without room on the disk is refused, and the old file stays", full.text)


def several():
    """Two regions in one dump."""
    dump = bytearray(4 * MIB)
    for i in range(2):
        made = tr.Region(bytearray(MIB))
        made.open(address=2 * MIB * i)
        made.header(nonce=0xABC0 + i, heartbeat=7 + i)
        made.describe()
        for n in range(3 + i):
            made.sample(0)
        made.publish()
        made.state(tr.COMPLETE)
        dump[2 * MIB * i:2 * MIB * i + MIB] = made.memory
    path = pathlib.Path(HERE.name) / "two"
    path.write_bytes(dump)
    run = Imported(path, "--base=0")
    tap.ok(run.status == 1 and "2 trace regions: say which by --nonce" in run.text and
           re.search(r"nonce 0x0*abc1 at 0x200000: complete, run 1, heartbeat 8", run.text),
           "several regions are listed", run.text)
    tap.equal([Imported(path, f"--nonce={0xABC0 + i}").summary()["events"][0]["samples"]
               for i in range(2)], [3, 4], "and picked by their nonce")
    run = Imported(path, "--nonce=5")
    tap.ok(run.status == 1 and "none of 2 trace regions" in run.text, "a number of no region is refused",
           run.text)


def half_written():
    """A machine that was stopped between two stores to a ledger: the tool reports the numbers, and
    that their sums are wrong."""
    path = pathlib.Path(HERE.name) / "half"
    for table, word, status, line, claim in (
            (tr.EVENT_LEDGER, 0, 4, "(5 samples)", "an event's first word is a record in flight"),
            (tr.EVENT_LEDGER, 1, 3, "not conserved: event 0 cpu-clock (CPU 0): generated 5 = "
             "written 6 + lost 0", "its second is reported"),
            (tr.RING_LEDGER, 1, 3, "not conserved: ring 0: lost 1 = its events' lost 0",
             "so is a ring's")):
        made = tr.Region(bytearray(MIB))
        made.open()
        made.describe()
        made.state(tr.RECORDING)
        for _ in range(5):
            made.sample(0)
        made.publish()
        made.put(table + 8 * word, "<Q", made.get(table + 8 * word) + 1)
        path.write_bytes(made.memory)
        run = Imported(path)
        tap.ok(run.status == status and line in run.text and
               run.summary()["events"][0]["samples"] == 5 and
               ("not conserved" in run.text) == (status == 3),
               f"half written: {claim}; its records are there", (run.status, run.text))


region_file()
several()
half_written()
for ISA in ("x86_64", "aarch64"):
    if machine.missing(f"qemu-system-{ISA}"):
        tap.skip(f"{ISA}: memory dumps", machine.missing(f"qemu-system-{ISA}"))
    else:
        image(ISA)
tap.finish()
