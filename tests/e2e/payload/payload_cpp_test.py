#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""C++ as a payload: its output equals that of the host's build, with exceptions that are thrown and
caught on two CPUs while both are sampled after any instruction, and its functions have names."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import tap
from machine import boots as qemu

FLAGS = {
    "x86_64": ("-O2", "-fstack-protector-strong", "-march=x86-64-v3"),
    "aarch64": ("-O2", "-fstack-protector-strong"),
}
SOURCE = machine.TOP / "tests/e2e/payload/cpp_payload.cc"
STEADY = ("-icount", "shift=1,sleep=off")  # 2 ns per instruction: handlers keep up with -c 5000
TIMES = "40"
WORK = tempfile.TemporaryDirectory(prefix="bareperf-cpp-")
HOST = pathlib.Path(WORK.name) / "host"


def on_host(*words):
    return subprocess.run([HOST, *words], cwd=WORK.name, capture_output=True, text=True, check=False)


def record(isa, elf, options, words):
    return machine.Recording(f"record -a -e cpu-clock {options} -- payload {words}", "--arch", isa,
                             "--payload", elf, qemu=("-smp", "2"))


def stepping(isa, elf, options, words):
    """The same in an emulator that accepts interrupts after each instruction: libstdc++, libgcc and
    libgcc_eh use memory below the stack pointer if they were compiled to."""
    with tempfile.TemporaryDirectory(prefix="bareperf-cpp-") as directory:
        monitor = qemu.Monitor(directory)
        run = live.Live(f"record -a -e cpu-clock {options} -- payload {words}", "--arch", isa, "--payload",
                        elf, qemu=("-smp", "2", *STEADY, *monitor.options), stderr=subprocess.PIPE)
        if run.until(run.is_recording):
            tap.equal(monitor.line("singlestep on"), "", f"{isa}: the emulator steps")
        run.finish()
        monitor.close()
    return run


def exceptions(isa, elf):
    run, same = stepping(isa, elf, "-c 5000 --max-sample-rate 0 -m 4096 -g", TIMES), on_host(TIMES)
    tap.ok(run.status == same.returncode == 6 and run.out == same.stdout and run.out.count("\n") > 15,
           f"{isa}: exceptions, types, streams, containers, threads work under -c 5000 as they do on the "
           "host, at any interrupted place", (run.text, same.stdout))
    generated = [event["generated"] for event in run.summary()["events"]]
    tap.ok(len(generated) == 2 and min(generated) > 1000, f"{isa}: of more than 1000 samples a CPU",
           generated)
    tap.ok(same.stderr in run.said, f"{isa}: standard error is apart", run.said)
    samples = [chain for _, _, chain in run.chains()]
    unwinding = sum(chain[0].startswith(("_Unwind", "uw_", "execute_cfa", "__gxx_personality"))
                    for chain in samples if chain)
    tap.ok(unwinding > 200, f"{isa}: sampled in the middle of unwinding", (unwinding, len(samples)))


def ends(isa, elf):
    """An uncaught exception, after some work."""
    run, same = record(isa, elf, "-F 2000 -g", "10 10000000"), on_host("10", "10000000")
    tap.ok(run.status == 134 and same.returncode == -6 and run.out == same.stdout.split("gone")[0] and
           same.stderr in run.said and "'Odd'" in same.stderr,
           f"{isa}: an uncaught exception is reported as on the host, exit status 134",
           (run.text, same))
    text, _, _ = run.perf("report", "--stdio", "--no-children", "-g", "none", "--sort", "symbol")
    tops = [line.strip() for line in text.splitlines() if line.strip() and "[.] arch_" not in line and
            line[0] != "#"]  # without the other CPU, which waits
    tap.ok("primes::Sieve<unsigned int>::count" in tops[0],
           f"{isa}: stock perf names its functions, demangled", tops[:5])


def main():
    if not shutil.which("g++"):
        tap.skip("C++ as a payload", "g++ is not installed (deps/install deps/c++.txt)")
        return
    subprocess.run(["g++", "-O1", "-o", HOST, SOURCE], check=True)
    for isa, flags in FLAGS.items():
        compiler = machine.TOP / f"build/{isa}/sdk/bin/bareperf-c++"
        if not compiler.exists():
            tap.skip(f"{isa}: C++ as a payload", f"there is no {compiler}: make ARCH={isa} sdk-c++")
        elif not shutil.which(f"qemu-system-{isa}"):
            tap.skip(f"{isa}: C++ as a payload", f"qemu-system-{isa} is not installed")
        else:
            elf = pathlib.Path(WORK.name) / f"{isa}.elf"
            subprocess.run([compiler, *flags, "-Wall", "-o", elf, SOURCE], check=True)
            exceptions(isa, elf)
            ends(isa, elf)


main()
tap.finish()
