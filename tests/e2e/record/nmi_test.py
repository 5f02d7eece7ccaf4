#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cause of an NMI: the performance monitor, another CPU's signal, or unknown; counters that
firmware has left on; and neither an NMI nor a tick changes the program's state. On the hardware
model."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import libc_payload
import machine
import mailbox
import tap
from mailbox import qemu

IDLE = 1
SAMPLES = 100
MODEL = ("-cpu", "Skylake-Client,pmu=on", *machine.EXACT)
KERNEL = ("-kernel", str(machine.TOP / "build/x86_64/bareperf.efi"))


def spurious(agent):
    """The count of spurious interrupts of each CPU, in the ledgers."""
    return [cpu["spurious"] for cpu in agent.summary()["cpus"]]


def signals(agent):
    """Each CPU is signalled at least at the end of a recording, while its counters count."""
    tap.ok(agent.until(lambda: agent.state() == IDLE), "four CPUs wait")
    for command in ("record -a -e cycles,instructions -c 20000 -- noploop 1",
                    "record -a -e bts// -m 16,64 -- branches 1000",
                    "record -a -e cycles -c 20000 -- masked 1"):
        tap.equal(agent.command(command.encode()), 0, command)
        tap.equal(spurious(agent), [0, 0, 0, 0], "no interrupt of a clean machine is spurious")


def red_zone(agent, monitor):
    """Both operands of libgcc's conversion pass through the red zone, and the program keeps its own
    words there, in AVX registers and in thread-local variables. In single-step mode the emulator
    accepts interrupts after each instruction."""
    tap.equal(monitor.line("singlestep on"), "", "the emulator steps")
    for command in ("record -e cpu-clock -c 20000 --max-sample-rate 0 -- payload registers 20",
                    "record -e cycles -c 1000 --max-sample-rate 0 -- payload registers 20"):
        status, text = agent.run(command)
        tap.ok(status == 0 and "all is well" in text,
               f"{command}: no interrupt touches the red zone, nor registers, nor variables",
               (status, text))
        tap.ok(agent.samples()[0] > SAMPLES, f"{command}: of which there are more than {SAMPLES}",
               agent.samples())
    tap.equal(monitor.line("singlestep off"), "", "and no longer")


def button(agent, monitor):
    tap.ok(agent.until(lambda: agent.state() == IDLE), "a CPU waits")
    red_zone(agent, monitor)
    tap.equal(agent.command(b"record -e cycles -c 20000 -- noploop 1"), 0, "it records")
    tap.equal(agent.command(b"record -e bts// -- branches 1000"), 0, "and traces branches")
    seen = False
    # the first overflow may come only in the last millisecond of the last counter
    for _ in range(10):
        monitor.ask("inject-nmi")
        seen = seen or agent.until(lambda: "NMI without a handler" in agent.console(), 5)
        if seen:
            break
    tap.ok(seen, "an NMI while no counter is in use is reported as spurious", agent.console())


def boot(serve, cpus):
    with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
        monitor = qemu.Monitor(directory)
        payload = libc_payload.build("x86_64", directory, ())
        agent = mailbox.Agent(directory, "x86_64", *MODEL, "-smp", cpus, *KERNEL, "-initrd",
                              str(payload), *monitor.options, program=BINARY)
        try:
            serve(agent, *([monitor] if serve is button else []))
        finally:
            agent.process.kill()
            agent.process.wait()
            monitor.close()


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("NMIs of a performance monitor", REASON)
else:
    boot(signals, "4")
    boot(button, "1,maxcpus=2")
tap.finish()
