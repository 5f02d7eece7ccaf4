#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 3600
"""Machines whose trace region lies in their RAM, read through QEMU's own GDB stub: --channel gdb:.
The test also sees that RAM as a file."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import ram
import recordings
import region as tr
import talker
import tap

sys.path.insert(0, str(machine.TOP / "tests/firmware"))
import qemu  # noqa: E402

MIB = 256
UNFINISHED = 253
KILLS = int(os.environ.get("KILLS", "4"))
MACHINES = {
    "x86_64": ("q35", qemu.firmware),
    "aarch64": ("virt,gic-version=3",
                lambda: ["-bios", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"]),
}
# A program that works for a while, then masks all interrupts and spins for ever.
HANGS = talker.SOURCE + r"""
int main(int argc, char **argv)
{
	if (argc > 1)
		return talk(argc, argv);
	printf("before it hangs\n");
	fflush(stdout);
	for (volatile int i = 0; i < 100000000; i++)
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
    def __init__(self, isa, directory, *options):
        self.isa, self.here = isa, pathlib.Path(directory)
        board, firmware = MACHINES[isa]
        self.monitor = qemu.Monitor(directory)
        self.socket = self.here / "gdb"
        self.ram = ram.Ram(isa, self.here, MIB)
        self.word = self.ram.word
        self.process = subprocess.Popen(
            [f"qemu-system-{isa}", "-machine", board + self.ram.machine, "-cpu", "max", *firmware(),
             *self.ram.options, "-nodefaults", "-display", "none", "-no-reboot", "-kernel",
             str(machine.TOP / f"build/{isa}/bareperf.efi"), "-gdb",
             f"unix:{self.socket},server=on,wait=off", *self.monitor.options, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def boot(self):
        """Wait until the machine waits for commands."""
        self.monitor.ask("query-status")
        live.until(self.ram.find, process=self.process)
        live.until(lambda: self.word("state") == tr.IDLE, process=self.process)

    @property
    def url(self):
        return f"gdb:{self.socket},address={self.ram.base + self.ram.region:#x}"

    def start(self, command, *options, url=None):
        verb, *rest = command.split()
        return subprocess.Popen(
            [machine.TOOL, verb, "--channel", url or self.url, *options, *rest],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=self.here)

    def __call__(self, command, *options, url=None):
        process = self.start(command, *options, url=url)
        text = process.communicate(timeout=live.PATIENCE)[0]
        return process.returncode, text

    def dump(self, name, *options):
        done = subprocess.run([machine.TOOL, "dump", "--json", *options, self.here / name],
                              capture_output=True, text=True, check=False)
        return {**json.loads(done.stdout or "{}"), "status": done.returncode, "said": done.stderr}

    def runs(self):
        return self.monitor.ask("query-status")["status"] == "running"

    def lives(self):
        """QEMU reports that the machine runs, and its heartbeat changes."""
        before = self.word("heartbeat")
        return live.until(lambda: self.runs() and self.word("heartbeat") != before,
                          process=self.process)

    def until_run(self, run):
        return live.until(lambda: self.word("run") == run and self.word("state") == tr.RECORDING,
                          process=self.process)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.monitor.close()


def total(summary, what):
    return sum(event[what] for event in summary.get("events", []))


def whole(target, name, status, text, claim):
    """The recording ended well, and its ledger is exact."""
    summary = target.dump(name)
    tap.ok(status == 0 and summary["status"] == 0 and summary.get("conserved") and
           total(summary, "delivered") > 0, f"{target.isa}: {claim}", (status, text, summary))
    return summary


def recorded(target):
    """Small rings: the machine rings often, and the tails come back in time."""
    url = f"{target.url},stop-budget=50%"
    status, text = target("record -e cpu-clock -F 2000 -g -m 16 -- calltree", "-o", "small",
                          url=url)
    summary = whole(target, "small", status, text, "a recording through small rings")
    tap.ok(total(summary, "delivered") > 16 * 4096 // 56,
           f"{target.isa}: more than the ring holds found room", summary)
    script = subprocess.run(["perf", "script", "--show-switch-events", "-i", target.here / "small",
                             "-F", "tid,time"], capture_output=True, text=True, check=False)
    out, back = (script.stdout.count(f"PERF_RECORD_SWITCH {which} ") for which in ("OUT", "IN"))
    times = [float(time) for time in re.findall(r"([0-9.]+): *PERF_RECORD_SWITCH OUT",
                                                script.stdout)]
    told = re.search(r"was stopped (\d+) times to be read, ", text)
    tap.ok(told and out == back == int(told[1]) > 3 and
           times == sorted(times) and 0 < times[0] < times[-1],
           f"{target.isa}: each stop is in the file, as of a thread that was switched out",
           (out, back, times[:2], times[-2:], script.stderr, text))
    low = target.ram.base
    high = low + (MIB << 20)
    status, text = target("stat -e cpu-clock -- noploop 0.3",
                          url=f"gdb:{target.socket},scan={low:#x}-{high:#x}")
    tap.ok(status == 0 and "cpu-clock" in text, f"{target.isa}: a scan of its RAM finds the region",
           text)
    tap.ok(target.lives(), f"{target.isa}: the machine runs on afterwards")


def overwritten(target):
    status, text = target("record --overwrite -m 2 -e cpu-clock -F 5000 -- noploop 2", "-o",
                          "overwritten")
    summary = whole(target, "overwritten", status, text, "an overwritable ring")
    tap.ok(total(summary, "written") > total(summary, "delivered"),
           f"{target.isa}: its newest record is there", summary)


def dumped(target):
    """Compare with another client, gdb, which reads the same bytes."""
    if not shutil.which("gdb-multiarch"):
        tap.skip(f"{target.isa}: gdb's `dump memory` of the region has the same ledger",
                 "there is no gdb-multiarch")
        return
    begin = target.ram.base + target.ram.region
    subprocess.run(
        ["gdb-multiarch", "-nx", "-batch", "-ex", f"target remote {target.socket}", "-ex",
         "maint packet Qqemu.PhyMemMode:1", "-ex",
         f"dump binary memory region.bin {begin:#x} {begin + target.word('size'):#x}", "-ex",
         "detach"], cwd=target.here, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    ours, theirs = target.dump("overwritten"), target.dump("region.bin", f"--base={begin:#x}")
    kept = ("id", "generated", "written", "lost", "count", "period", "residue")
    tap.equal([[event[key] for key in kept] for event in theirs.get("events", [])],
              [[event[key] for key in kept] for event in ours["events"]],
              f"{target.isa}: gdb's `dump memory` of the region has the same ledger")


def killed(target):
    """Readers that die while the machine runs or is stopped."""
    run = target.word("run") + 1
    process = target.start(f"record -e cpu-clock -F 1000 -g -- noploop {max(3, KILLS)}", "-o",
                           "killed")
    target.until_run(run)
    alive = 0
    for i in range(KILLS):
        time.sleep(0.05 + 0.13 * (i % 4))
        process.kill()
        process.communicate()
        alive += bool(target.lives())
        process = target.start("attach", "-o", "killed")
    text = process.communicate(timeout=live.PATIENCE)[0]
    tap.equal(alive, KILLS, f"{target.isa}: a reader that is killed leaves a machine that runs")
    summary = whole(target, "killed", process.returncode, text,
                    "a recording whose readers were killed")
    tap.equal(total(summary, "delivered"), total(summary, "written"),
              f"{target.isa}: all of it is in the file, once")


def hung(target):
    """The machine masks its ticks for ever; the records from before still arrive."""
    run = target.word("run") + 1
    status, text = target("record -e cpu-clock -F 1000 -- payload", "--timeout", "5", "-o", "hung")
    summary = target.dump("hung")
    tap.ok(target.word("run") == run and status == UNFINISHED and "no sign of life" in text,
           f"{target.isa}: a machine that hangs with interrupts off is reported", text)
    tap.ok("before it hangs\n" in text, f"{target.isa}: its output until then is there", text)
    tap.ok(total(summary, "delivered") > 10 and not total(summary, "lost") and
           not re.search("BROKEN", summary["said"]),
           f"{target.isa}: its records until then are there", summary)
    tap.ok(target.runs(), f"{target.isa}: and it is left running")


def registers(target):
    """The registers of the first CPU, which show the place of the hang, by QEMU's monitor."""
    return target.monitor.line("info registers")


def forced(target):
    """The machine still hangs, and its recording has not ended."""
    before = registers(target)
    status, text = target("stop", "--timeout", "5")
    tap.ok(status != 0 and "no sign of life" in text and target.word("state") == tr.RECORDING,
           f"{target.isa}: which hears no stop", text)
    status, text = target("stop --force")
    tap.ok(status == 0 and target.word("state") == tr.FAILED and "still hangs" in text,
           f"{target.isa}: by force its recording ends", text)
    # QEMU's monitor shows lazily computed flags until the CPU continues, so wait for equal
    # registers.
    live.until(lambda: registers(target) == before)
    tap.equal(registers(target), before,
              f"{target.isa}: and it hangs on, with all registers as they were")
    tap.ok(target.runs(), f"{target.isa}: running")
    base = target.ram.base + target.ram.region
    region = target.here / "region"
    region.write_bytes(target.ram.bytes[target.ram.region:target.ram.region + target.word("size")])
    done = subprocess.run([machine.TOOL, "import", "--again", f"--base={base:#x}", "-o",
                           target.here / "after", region], capture_output=True, text=True, check=False)
    summary = target.dump("after")
    tap.ok(done.returncode == 0 and summary["status"] == 0 and summary["conserved"] and
           summary["ended"] and "stopped by a debugger" in summary["message"] and
           total(summary, "delivered") == total(summary, "written") > 10,
           f"{target.isa}: its ledger is final, its records are there", (done.stderr, summary))
    status, text = target("stop --force")
    tap.ok(status != 0 and "records nothing" in text, f"{target.isa}: once is enough", text)


def reads(target, directory):
    """Claims that do not depend on the ISA run on one ISA only."""
    recordings.one_boot(target, target.word, directory, f"{target.isa}, gdb", [
        kind for kind in recordings.KINDS if target.isa == "x86_64" or "branch" not in kind])
    talker.check(talker.remote(target.url), target.here, f"{target.isa}, gdb", 5000, 60000)
    recorded(target)
    overwritten(target)
    dumped(target)
    killed(target)


def check(isa):
    if machine.missing(f"qemu-system-{isa}"):
        tap.skip(f"{isa}: recordings through a GDB stub", machine.missing(f"qemu-system-{isa}"))
        return
    with tempfile.TemporaryDirectory(prefix="bareperf-gdb-") as directory:
        payload = machine.payload(isa, pathlib.Path(directory) / "hangs.elf", HANGS)
        with contextlib.closing(Machine(isa, directory, "-initrd", str(payload))) as target:
            target.boot()
            if isa in machine.repeats(MACHINES):
                reads(target, directory)
            else:
                whole(target, "data", *target("record -e cpu-clock -F 1000 -- noploop 1", "-o", "data"),
                      "a recording")
            hung(target)
            forced(target)


for ISA in MACHINES:
    check(ISA)
tap.finish()
