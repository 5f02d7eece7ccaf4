#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program's environment: its C library, its thread-local variables, and its own registers and
stack, however often it is sampled. On both architectures, many programs in one boot."""

import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import libc_payload
import machine
import mailbox
import tap
from mailbox import qemu

IDLE = 1
STEADY = ("-icount", "shift=1,sleep=off")  # 2 ns per instruction: handlers keep up with -c 5000
BOOT = {
    "x86_64": ("-kernel", str(machine.TOP / "build/x86_64/bareperf.efi")),
    "aarch64": ("-kernel", str(machine.TOP / "build/aarch64/bareperf.efi")),
}


def run(agent, words, options="-a -e cpu-clock -c 1000000"):
    """The payload's exit status for these words, and its output."""
    status, text = agent.run(f"record {options} -- payload {words}")
    found = re.search(r"payload: exit status (\d+)", text)
    return (int(found.group(1)) if found else status), text


def well(agent, claim, words, **how):
    status, text = run(agent, words, **how)
    tap.ok(status == 0 and "FAILED" not in text and "all is well" in text, claim, (status, text))


def library(isa, agent):
    well(agent, f"{isa}: formats of C99, long double, clocks, aligned memory, getopt()", "library")
    status, text = run(agent, "smash")
    tap.ok(status == 134 and "stack smashing detected" in text,
           f"{isa}: -fstack-protector-strong finds an array that is overrun", (status, text))


def threads_and_files(isa, payload):
    """On CPUs that run at the same time, and with files that are passed to the program."""
    directory = payload.parent
    for name, content in (("data", bytes(range(256)) * 19 + bytes(range(136))),
                          ("words", b"alpha 'two words'\n\"q\\\"@\"\n"),
                          ("input", b"first line\nsecond")):
        (directory / name).write_bytes(content)
    done = machine.Recording(
        f"record -a -e cpu-clock -c 1000000 -- payload files {directory}/data @{directory}/words",
        "--arch", isa, "--payload", payload, "--file", directory / "data", "--file",
        directory / "words", "--stdin", directory / "input", qemu=("-smp", "2"))
    lines = re.findall(r"^<thread (\d) line (\d+) of many, none of them cut>$", done.text, re.M)
    tap.equal(len(set(lines)), 300, f"{isa}: two threads print whole lines at once")
    tap.ok(done.status == 0 and "all is well" in done.text,
           f"{isa}: it reads, writes, renames and removes files, reads its standard input and the "
           "words of @FILE", done.text)


def newlib(isa, agent):
    for test in libc_payload.NEWLIB_TESTS:
        status, text = run(agent, libc_payload.c_name(test))
        tap.ok(status == 0 and "crashed" not in text, f"{isa}: newlib's own {test}", (status, text))


def registers(isa, agent, monitor):
    def stay(claim, turns, options, cpus, least):
        well(agent, f"{isa}: {claim}, at {options}", f"registers {turns}",
             options=f"{options} --max-sample-rate 0")
        samples = agent.samples()
        tap.ok(set(samples) == set(range(cpus)) and min(samples.values()) > least,
               f"{isa}: on each CPU of which more than {least} samples were taken", samples)

    stay("vector registers, thread-local variables and libgcc's data below the stack pointer stay",
         100, "-a -e cpu-clock -c 1000000", 2, 3)
    tap.equal(monitor.line("singlestep on"), "", f"{isa}: interrupts come behind each instruction")
    stay("so they do at any interrupted place", 20, "-a -e cpu-clock -c 5000", 2, 100)
    stay("and as often as the machine can", 20, "-e cpu-clock -c 1000", 1, 100)
    tap.equal(monitor.line("singlestep off"), "", f"{isa}: and no longer")


def boot(isa, directory):
    monitor = qemu.Monitor(directory)
    payload = libc_payload.build(isa, directory)
    agent = mailbox.Agent(directory, isa, *BOOT[isa], *STEADY, "-smp", "2", "-initrd",
                          str(payload), *monitor.options)
    try:
        tap.ok(agent.until(lambda: agent.state() == IDLE), f"{isa}: a machine waits")
        library(isa, agent)
        newlib(isa, agent)
        registers(isa, agent, monitor)
    finally:
        agent.process.kill()
        agent.process.wait()
        monitor.close()
    return payload


def entered_at_el1(payload):
    done = machine.Recording("record -a -e cpu-clock -c 100000 --max-sample-rate 0 -- payload registers 30",
                             "--arch", "aarch64", "--payload", payload, qemu=("-smp", "2", *machine.EXACT))
    tap.ok(done.status == 0 and "all is well" in done.text,
           "aarch64: entered at EL1 they stay as well", done.text)
    samples = [event["generated"] for event in done.summary()["events"]]
    tap.ok(len(samples) == 2 and min(samples) > 30, "aarch64: under more than 30 samples a CPU", samples)


for name in ("x86_64", "aarch64"):
    if not shutil.which(f"qemu-system-{name}"):
        tap.skip(f"{name}: a payload's C library", f"qemu-system-{name} is not installed")
        continue
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as work:
        program = boot(name, work)
        threads_and_files(name, program)
        if name == "aarch64":
            entered_at_el1(program)
tap.finish()
