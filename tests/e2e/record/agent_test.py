#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine that boots once and records many times, on commands through the mailbox."""

import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import region as tr
import tap

IDLE, COMPLETE, FAILED = 1, 3, 4
EINVAL, ENODEV = -22, -19
STATUS, CPUS = tr.HEADER["status"][0], tr.table("cpus")
BOOT, ONLINE, TRACED = 1, 2, 4  # a CPU's flags


def unbalanced(agent):
    """dump's messages about the region in its present state, or None."""
    done = subprocess.run([machine.TOOL, "dump", agent.path], capture_output=True, text=True,
                          timeout=300, stdin=subprocess.DEVNULL)
    well = done.returncode == 0 and "conserved: yes" in done.stdout
    return None if well else done.stdout + done.stderr


def cpu(agent, index):
    """A CPU's data in the region: its flags, and the ticks of the last run."""
    offset, _, stride = struct.unpack_from("<QII", agent.bytes, CPUS)
    return (agent.word(offset + index * stride + 4), agent.word(offset + index * stride + 32, "<Q"))


def beat(agent):
    """The machine's count of heartbeats."""
    return agent.word(*tr.HEADER["heartbeat"])


def beats_while_recording(agent):
    """Whether the heartbeat changes: compares two looks, between which nothing but the recording
    happens."""
    first = beat(agent)
    return agent.until(lambda: beat(agent) > first + 20 or agent.state() != tr.RECORDING) and \
        agent.state() == tr.RECORDING


def serve(agent):
    tap.ok(agent.until(lambda: agent.state() == IDLE),
           "started without a command, the machine waits for one", agent.state())
    tap.ok(agent.until(lambda start=beat(agent): beat(agent) != start),
           "while it waits its heart beats")
    tap.equal(agent.command(b"record -e cpu-clock -F 1000 -- noploop 0.3"), 0,
              "a command from the mailbox is carried out")
    tap.equal(unbalanced(agent), None, "its recording is conserved")
    tap.equal(agent.word(56, "<Q"), 1, "it was the first run")
    tap.equal(agent.command(b"record -e cyles -- noploop"), EINVAL, "a wrong command is refused")
    tap.equal((agent.word(STATUS, "<i"), agent.bytes[tr.MESSAGE:tr.MESSAGE + 12]),
              (EINVAL, b"command line"), "the header has the reason")
    tap.equal((agent.command(b"version"), agent.word(STATUS, "<i"), agent.bytes[tr.MESSAGE]),
              (0, 0, 0), "until the next command")
    tap.equal(agent.command(b"record -C 9 -- noploop"), ENODEV, "a missing CPU is refused")
    tap.equal(agent.command(b"", 0xffffffff), EINVAL, "a length beyond the mailbox is refused")
    tap.equal(agent.command(b"list\x80\xff"), EINVAL, "bytes that are no text are refused")
    tap.equal(agent.command(b""), EINVAL, "an empty command is refused")
    tap.equal(agent.command(b"record --then poweroff -- lop"), EINVAL,
              "a refused command does not end the machine")
    tap.equal(agent.command(b"record -a -e cpu-clock -F 1000 -- noploop 0.3"), 0,
              "after all of this it records again, on both CPUs")
    flags, ticks = cpu(agent, 1)
    tap.ok(flags == ONLINE | TRACED and ticks > 0, "the second CPU is marked as traced",
           (flags, ticks))
    box = agent.post(b"record -C 1 -e cpu-clock -F 1000 -- noploop 1")
    tap.ok(agent.until(lambda: agent.state() == tr.RECORDING) and beats_while_recording(agent),
           "its heart beats while it records any CPU")
    tap.ok(agent.until(lambda: agent.is_answered(box)), "to its end")
    tap.equal(agent.command(b"record -e cpu-clock -F 1000 -g -- qsort 1000"), 0,
              "and again, on the first")
    tap.equal(cpu(agent, 1), (ONLINE, 0), "its report has nothing of the second")
    tap.equal(cpu(agent, 0)[0], BOOT | ONLINE | TRACED, "the first is still traced")
    ledger = agent.word(tr.table("event_ledger"), "<Q")
    generated, written, lost = struct.unpack_from("<3Q", agent.bytes, ledger)
    tap.equal(generated, written + lost, "the last run's ledger is its own, and adds up")
    tap.equal(unbalanced(agent), None, "and dump finds it conserved")
    agent.post(b"version --then poweroff")
    agent.process.wait(300)
    tap.equal(agent.process.returncode, 0, "--then poweroff from the mailbox ends the machine")


if machine.missing():
    tap.skip("commands through the mailbox", machine.missing())
else:
    with tempfile.TemporaryDirectory() as DIRECTORY:
        AGENT = mailbox.Agent(DIRECTORY, "x86_64", "-smp", "2", "-kernel",
                              str(machine.TOP / "build/x86_64/bareperf.efi"))
        try:
            serve(AGENT)
        finally:
            AGENT.process.kill()
            AGENT.process.wait()
tap.finish()
