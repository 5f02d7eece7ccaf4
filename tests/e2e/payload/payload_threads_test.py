#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program's POSIX and C11 threads, one per CPU, on both architectures."""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import tap
import threads_payload

FLAGS = ("-fstack-protector-strong", "-Wno-unused")
IDLE = 1
EAGAIN = 11  # newlib's


class Machine:
    """A machine with four CPUs and the program, which waits for commands."""

    def __init__(self, isa, directory):
        self.isa = isa
        self.payload = machine.payload(isa, pathlib.Path(directory) / "threads.elf",
                                       threads_payload.SOURCE, *FLAGS)
        self.agent = mailbox.Agent(directory, isa, "-kernel",
                                   machine.TOP / f"build/{isa}/bareperf.efi", "-smp", "4",
                                   "-initrd", self.payload)

    def run(self, word, options="-a -e cpu-clock -F 2000"):
        status, text = self.agent.run(f"record {options} -- payload {word}")
        found = re.search(r"payload: exit status (\d+)", text)
        return (int(found.group(1)) if found else status), text

    def well(self, claim, word):
        status, text = self.run(word)
        tap.ok(status == 0 and "all is well" in text, f"{self.isa}: {claim}", (status, text))

    def ends(self):
        status, text = self.run("exit")
        tap.ok(status == 7 and "the handler ran" in text and "FAILED" not in text,
               f"{self.isa}: exit() in a thread ends the program", (status, text))
        status, text = self.run("alone")
        tap.ok(status == 0 and "the last thread" in text,
               f"{self.isa}: main() may leave its threads alone", (status, text))
        status, text = self.run("abort")
        tap.ok(status == 134 and text.count("the handler of 6 ran") == 1,
               f"{self.isa}: abort() in a thread finds main()'s handler, and ends all", (status, text))

    def too_many(self):
        status, text = self.run("one-more", "-C 1 -e cpu-clock -F 2000")
        tap.ok(status == EAGAIN and "record -a" in text and "-smp" in text and "there are 2 with main()'s" in text,
               f"{self.isa}: with too few CPUs the option for more is reported", (status, text))


def waits_are_idle(isa, payload):
    """The program's name for its thread is in the recording: three threads wait for the fourth,
    which spins in usleep()."""
    done = machine.Recording("record -a -e cpu-clock -F 2000 -- payload many", "--arch", isa,
                             "--payload", payload, qemu=("-smp", "4"))
    text = subprocess.run(["perf", "script", "-F", "cpu,ip,sym", "-i", done.file],
                          capture_output=True, text=True, check=False).stdout
    seen = collections.Counter((int(cpu), name == "cpu_idle") for cpu, name in
                               re.findall(r"^\s*\[(\d+)\]\s+[0-9a-f]+ (\S+)", text, re.M))
    # On a busy host there are few samples; and the fourth thread waits for the three, which may not
    # run.
    tap.ok(done.status == 0 and seen[0, False] > 20 and
           all(seen[cpu, True] > 2 for cpu in (1, 2, 3)),
           f"{isa}: a waiting thread is halted in cpu_idle()", (seen, done.text))
    report = subprocess.run([machine.TOOL, "report", done.file], capture_output=True, text=True,
                            check=False).stdout
    told = re.search(r"^# Idle: ([\d.]+)% of that", report, re.M)
    rows = re.findall(r"^ +([\d.]+)% .* (?:cpu_idle|arch_wait)$", report, re.M)
    tap.ok(told and rows and abs(float(told[1]) - sum(map(float, rows))) < 0.02 * len(rows),
           f"{isa}: and report says how much that is", report[:2000])


for name in ("x86_64", "aarch64"):
    why = machine.missing(f"qemu-system-{name}")
    if why:
        tap.skip(f"{name}: threads", why)
        continue
    with tempfile.TemporaryDirectory(prefix="bareperf-threads-") as work:
        booted = Machine(name, work)
        try:
            tap.ok(booted.agent.until(lambda: booted.agent.state() == IDLE), f"{name}: a machine waits")
            booted.well("mutexes, conditions, barriers, locks, once, keys, values", "posix")
            booted.well("deadlines by both clocks", "timed")
            booted.well("C11's threads", "c11")
            booted.well("detached ones give their CPUs back; one more than there are is EAGAIN", "many")
            booted.well("semaphores, and names", "semaphores")
            booted.well("signals: handlers belong to the program, masks to the thread", "signals")
            booted.well("floating-point modes are the creator's", "floats")
            booted.well("and a program starts with the usual ones, after any other program", "floats")
            booted.ends()
            booted.too_many()
        finally:
            booted.agent.process.kill()
            booted.agent.process.wait()
        waits_are_idle(name, booted.payload)
tap.finish()
