#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`run --outside`: a guest without a line of bareperf is sampled by instructions. Its functions spend stated numbers
of instructions (kernel.h), which the samples show exactly; callers, privilege levels, and all failures.

check-spare: guests count instructions
"""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
EXACT = ("-icount", "shift=0,sleep=off")
QUIET = ("-nodefaults", "-display", "none")
CONSOLE = ("-serial", "stdio")
PERIOD = 1000
# {function: its instructions}, without those around its loop
TRUTH = {"heavy": 1200000, "user_program": 800000, "light": 800000}
SECOND = {"kernel_second": 600000}
MACHINES = {"x86_64": ("-device", "isa-debug-exit,iobase=0xf4"), "aarch64": ("-M", "virt", "-cpu", "cortex-a72")}
STATUS = {"x86_64": 2 * 16 + 1, "aarch64": 0}
# QEMU's plugins read registers since 9.2
REGISTERS = (9, 2)


def kernel(isa):
    return TOP / f"build/host/outside/{isa}.elf"


def version(isa):
    try:
        out = subprocess.run([f"qemu-system-{isa}", "--version"], capture_output=True, text=True, check=True).stdout
    except OSError:
        return None
    return tuple(int(n) for n in re.search(r"version (\d+)\.(\d+)", out).groups())


class Run:
    """A recording of the guest. ours: words before --; theirs: QEMU's, behind the machine's."""

    def __init__(self, isa, directory, *ours, theirs=EXACT, symbols=True, end=True):
        self.out = pathlib.Path(directory) / "outside.data"
        self.out.unlink(missing_ok=True)
        machine = MACHINES[isa] if end else MACHINES[isa][:0 if isa == "x86_64" else None]
        self.words = [TOOL, "run", "--outside", "-a", isa, "-o", self.out,
                      *(("--symbols", kernel(isa)) if symbols else ()), *ours, "--", *machine, *QUIET, *CONSOLE,
                      "-kernel", kernel(isa), *theirs]

    def start(self):
        return subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL)

    def finish(self, process=None):
        process = process or self.start()
        self.console, self.text = process.communicate(timeout=300)
        self.status = process.returncode
        return self

    def script(self, fields="comm,tid,time,ip,sym"):
        return subprocess.run(["perf", "script", "-i", self.out, "-F", fields], capture_output=True, text=True,
                              check=False).stdout

    def functions(self, comm="guest"):
        """{function: samples} of a CPU."""
        lines = [line.split() for line in self.script("comm,ip,sym").splitlines()]
        return collections.Counter(line[2] for line in lines if len(line) == 3 and line[0] == comm)

    def dump(self):
        done = subprocess.run([TOOL, "dump", "--json", self.out], capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.stdout else {"conserved": False, "events": []}


def differs(seen, truth, period, most=2):
    """The functions whose samples are not their instructions."""
    return {name: seen[name] for name, count in truth.items() if abs(seen[name] * period - count) > most * period}


def weights(isa, directory):
    run = Run(isa, directory, "-c", str(PERIOD)).finish()
    seen = run.functions()
    tap.ok(run.status == STATUS[isa] and run.console == "kernel: begin\nkernel: end\n",
           f"{isa}: the guest runs as without bareperf, and its QEMU's exit status is the tool's",
           (run.status, run.console, run.text))
    tap.equal(differs(seen, TRUTH, PERIOD), {}, f"{isa}: each function has the samples of its instructions")
    tap.ok(run.dump()["conserved"], f"{isa}: the ledger is conserved", run.text)
    report = subprocess.run([TOOL, "report", run.out], capture_output=True, text=True, check=False).stdout
    tap.ok(re.search(r"%\s+guest\s+" + isa + r"\.elf\s+\[\.\] heavy\b", report),
           f"{isa}: bareperf report has its functions, too", report)
    first = run.script()
    again = Run(isa, directory, "-c", str(PERIOD)).finish()
    tap.ok(first and again.script() == first, f"{isa}: with -icount a second run has the same samples",
           (len(first), again.text))
    short = Run(isa, directory, "-c", "7").finish()
    tap.equal(differs(short.functions(), TRUTH, 7, most=4), {},
              f"{isa}: with a period of 7 the samples are exact to a few instructions")
    count = sum(event["count"] for event in short.dump()["events"])
    samples = sum(event["delivered"] for event in short.dump()["events"])
    tap.equal(samples, count // 7, f"{isa}: there is a sample for each 7 instructions of the whole run")


def cpus(isa, directory):
    """Only the kernel for Arm starts a second CPU."""
    run = Run(isa, directory, "-c", str(PERIOD), theirs=("-smp", "2")).finish()
    tap.equal((differs(run.functions(), TRUTH, PERIOD), differs(run.functions("guest/1"), SECOND, PERIOD)), ({}, {}),
              f"{isa}: two vCPUs on two threads of QEMU are told apart")
    run = Run(isa, directory, "-c", str(PERIOD), theirs=("-smp", "2", *EXACT)).finish()
    if version(isa) < (8, 2):
        tap.equal((differs(run.functions(), TRUTH, PERIOD), differs(run.functions("guest/1"), SECOND, PERIOD)),
                  ({}, {}), f"{isa}: and on one thread")
    else:
        tap.ok(not differs(run.functions(), TRUTH | SECOND, PERIOD) and "are sampled as one CPU" in run.text,
               f"{isa}: on one thread this QEMU's are one CPU, which the tool says", (run.functions(), run.text))
        run = Run(isa, directory, "--call-graph", "calls", theirs=("-smp", "2", *EXACT)).finish()
        tap.ok(run.status == 126 and "must know which vCPU executes" in run.text,
               f"{isa}: callers by calls are refused there", (run.status, run.text))


def stacks(run):
    """Each sample's functions, innermost first, five at most: how often."""
    chains = collections.Counter()
    for sample in run.script("ip,sym").split("\n\n"):
        names = [line.split()[1] for line in sample.splitlines() if len(line.split()) == 2]
        chains[tuple(names[:5])] += 1
    return chains


def wrong_stacks(run, isa):
    chains = stacks(run)
    seen = {name: chains[(name, "middle", "outer", "kernel_main", "start64" if isa == "x86_64" else "start")]
            for name in ("heavy", "light")}
    return differs(seen, {name: TRUTH[name] for name in seen}, PERIOD)


def callers(isa, directory):
    run = Run(isa, directory, "--call-graph", "calls", "-c", str(PERIOD)).finish()
    tap.equal(wrong_stacks(run, isa), {}, f"{isa}: each sample has its callers, by the calls that the guest executed")
    flame = subprocess.run([TOOL, "flamegraph", "-o", pathlib.Path(directory) / "flame.svg", run.out],
                           capture_output=True, text=True, check=False)
    tap.ok(flame.returncode == 0 and "middle" in (pathlib.Path(directory) / "flame.svg").read_text(),
           f"{isa}: the flame graph has them", flame.stderr)
    claim = f"{isa}: and by frame pointers, which -g prefers"
    run = Run(isa, directory, "-g", "-c", str(PERIOD)).finish()
    if version(isa) >= REGISTERS:
        tap.equal(wrong_stacks(run, isa), {}, claim)
        return
    tap.skip(claim, "not to be had: QEMU's plugins read registers since 9.2")
    tap.equal(wrong_stacks(run, isa), {}, f"{isa}: without registers -g goes by calls")
    run = Run(isa, directory, "--call-graph", "fp", "-c", str(PERIOD)).finish()
    tap.ok(run.status == 126 and "Use --call-graph calls" in run.text,
           f"{isa}: frame pointers are refused by a QEMU whose plugins cannot read registers", (run.status, run.text))


def levels(isa, directory):
    user = Run(isa, directory, "-e", "instructions:u", "-c", str(PERIOD)).finish()
    of_user = user.functions()
    of_kernel = Run(isa, directory, "-e", "instructions:k", "-c", str(PERIOD)).finish().functions()
    if version(isa) < REGISTERS:
        tap.skip(f"{isa}: :u and :k sample one level only", "not to be had: QEMU's plugins read registers since 9.2")
        tap.ok("cannot read the privilege level" in user.text,
               f"{isa}: without registers the level is that of the address, which the tool says", user.text)
        return
    rest = {"heavy": TRUTH["heavy"], "light": TRUTH["light"]}
    tap.ok(set(of_user) == {"user_program"} and
           not differs(of_user, {"user_program": TRUTH["user_program"]}, PERIOD) and
           not of_kernel["user_program"] and not differs(of_kernel, rest, PERIOD),
           f"{isa}: :u and :k sample one level only", (of_user, of_kernel))


def ends(isa, directory):
    """A guest that does not end: on x86_64, without the device that ends QEMU."""
    def when_it_waits(run):
        process = run.start()
        deadline = time.monotonic() + 60
        while process.stdout.readline() != "kernel: end\n" and time.monotonic() < deadline:
            pass
        return process

    run = Run(isa, directory, "-c", str(PERIOD), theirs=(), end=False)
    process = when_it_waits(run)
    process.send_signal(signal.SIGINT)
    run.finish(process)
    tap.ok(run.status == 130 and run.dump()["conserved"] and not differs(run.functions(), TRUTH, PERIOD),
           "Ctrl-C ends QEMU in order, and the recording is whole", (run.status, run.text, run.functions()))
    run = Run(isa, directory, "-c", str(PERIOD), theirs=(), end=False)
    process = when_it_waits(run)
    qemu = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(qemu[0]), signal.SIGKILL)
    run.finish(process)
    tap.ok(run.status == 253 and "QEMU ended without its plugin (signal 9)" in run.text and
           not differs(run.functions(), TRUTH, PERIOD, most=66),
           "a QEMU that is killed leaves the samples until then, and the tool says so", (run.status, run.text))


def places(isa, directory):
    run = Run(isa, directory, "-c", str(PERIOD), theirs=("-smp", "1,maxcpus=3")).finish()
    tap.ok(run.status == STATUS[isa] and not differs(run.functions(), TRUTH, PERIOD) and run.dump()["conserved"],
           "vCPUs that are not plugged in do no harm", (run.status, run.text))


def slow_reader(isa, directory):
    run = Run(isa, directory, "-c", "7", "--region-size", "2")
    process = run.start()
    process.send_signal(signal.SIGSTOP)
    time.sleep(1.5)
    process.send_signal(signal.SIGCONT)
    run.finish(process)
    events = run.dump()["events"]
    tap.ok(run.status == STATUS[isa] and sum(e["lost"] for e in events) == 0 and run.dump()["conserved"] and
           sum(e["delivered"] for e in events) > 400000,
           "a reader that stops for a time, with a ring of two MiB, loses nothing: QEMU waits", (run.text, events))


def dead_reader(isa, directory):
    """QEMU waits 10 s for a reader, once."""
    run = Run(isa, directory, "-c", "7", "--region-size", "2")
    process = run.start()
    process.stdout.readline()
    process.send_signal(signal.SIGSTOP)
    child = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout.strip()
    deadline = time.monotonic() + 250
    while pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] != "Z" and \
            time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGCONT)
    run.finish(process)
    events = run.dump()["events"]
    lost = sum(e["lost"] for e in events)
    tap.ok(lost > 100000 and sum(e["delivered"] for e in events) + lost == sum(e["count"] for e in events) // 7,
           "a reader that takes nothing any more does not stop the guest, and each lost sample is counted",
           (run.status, run.text, events))
    tap.ok(run.status == STATUS[isa] and run.dump()["conserved"] and "LOST instructions: " in run.text and
           " -m " not in run.text, "which the tool says, and advises no option that it does not have",
           (run.status, run.text))


def stream(isa, directory):
    run = Run(isa, directory, "-c", str(PERIOD))
    run.words[run.words.index("-o") + 1] = "-"
    piped = subprocess.run(run.words, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    shown = subprocess.run(["perf", "report", "-i", "-", "--stdio"], input=piped.stdout, capture_output=True,
                           check=False).stdout.decode()
    tap.ok(re.search(r"\] heavy\b", shown) and b"kernel: end" in piped.stderr,
           "-o - is a stream that perf reads, and the guest's console is on standard error", (shown, piped.stderr))


def refusals(isa, directory):
    def refused(claim, status, part, *ours, theirs=EXACT, symbols=False):
        run = Run(isa, directory, *ours, theirs=theirs, symbols=symbols).finish()
        tap.ok(run.status == status and part in run.text, claim, (run.status, run.text))

    refused("an accelerator is refused with the reason", 126, "only the emulator TCG", theirs=("-accel", "kvm"))
    refused("so is an event that is none of TCG's", 126, "only instructions are counted", "-e", "cycles")
    refused("so is a file that is no kernel", 125, "give the vmlinux that it was made from", "--symbols", __file__)
    refused("a kernel that is not the guest's has no sample, and the tool says so", STATUS[isa], "nokaslr",
            "--symbols", TOP / f"build/{isa}/bareperf.elf")
    refused("QEMU's own errors are QEMU's, and the tool adds what did not happen", 125, "before it loaded the plugin",
            theirs=("-no-such-option",))
    fake = pathlib.Path(directory) / "qemu-system-without"
    fake.write_text("#!/bin/sh\necho 'plugin interface not enabled in this QEMU' >&2\nexit 1\n")
    fake.chmod(0o755)
    refused("a QEMU without plugins is named as such", 125, "built without plugins", "--qemu", fake)
    refused("without a QEMU the package is named", 125, "install qemu-system", "--qemu", "qemu-system-none")
    done = subprocess.run([TOOL, "run", "--outside"], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 126 and "put QEMU's options behind --" in done.stderr, "without a guest there is advice",
           done.stderr)
    plugin = TOP / "build/host/bareperf-outside.so"
    alone = subprocess.run([f"qemu-system-{isa}", "-M", "none", "-display", "none", "-plugin", plugin],
                           capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60)
    tap.ok(alone.returncode and "only `bareperf run --outside' can load it" in alone.stderr,
           "the plugin alone says who loads it", alone.stderr)


def main():
    with tempfile.TemporaryDirectory(prefix="bareperf-outside-test-") as directory:
        for isa in MACHINES:
            if not version(isa):
                tap.skip(f"{isa}: a guest from outside", f"there is no qemu-system-{isa}")
                continue
            weights(isa, directory)
            callers(isa, directory)
            levels(isa, directory)
        if version("aarch64"):
            cpus("aarch64", directory)
        if version("x86_64"):
            ends("x86_64", directory)
            places("x86_64", directory)
            slow_reader("x86_64", directory)
            dead_reader("x86_64", directory)
            stream("x86_64", directory)
            refusals("x86_64", directory)
    tap.finish()


main()
