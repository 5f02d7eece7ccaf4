#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording begins when its reader is ready. Without a reader it stays in RAM, and no record is
discarded."""

import ctypes
import json
import mmap
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import region as tr
import tap

EINVAL = -22
IDLE, RECORDING, COMPLETE, FAILED = 1, 2, 3, 4
LEDGER, RINGS = tr.table("event_ledger"), tr.table("rings")  # tables of the header
HEAD, TAIL = 1024, 1032  # offsets in a ring's control page
NONE, IS_READY, GONE = 0, 1, 2
MIB = 1 << 20

# The reader process needs three seconds to start: its first call, to epoll, is delayed.
SLOW_READER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
int epoll_create1(int flags)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "epoll_create1");

	if (!strcmp(program_invocation_short_name, "bareperf"))
		sleep(3);
	return real(flags);
}
"""


class Ram(mailbox.Agent):
    """A machine without a channel: its region is in its RAM, which is a file here. Its clock runs
    faster than the host's, by which readers live."""

    def __init__(self, directory, command):
        self.path = pathlib.Path(directory) / "ram"
        with open(self.path, "wb") as file:
            file.truncate(512 * MIB)
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", *mailbox.MACHINES["x86_64"], "-machine", "memory-backend=ram",
             "-object", f"memory-backend-file,id=ram,share=on,size=512M,mem-path={self.path}",
             "-m", "512", *machine.EXACT, "-nodefaults", "-display", "none", "-no-reboot",
             "-kernel", machine.TOP / "build/x86_64/bareperf.efi", "-append", command],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.bytes = b""

    def find(self):
        """Find the region as a debug probe does: the magic at a multiple of 2 MiB, where the
        header's own address agrees."""
        with open(self.path, "r+b") as file:
            for at in range(0, 512 * MIB, 2 * MIB):
                head = os.pread(file.fileno(), 40, at)
                magic, _, address, _, size = struct.unpack("<8sQQQQ", head)
                if magic == b"BAREPERF" and address == at:
                    self.bytes = mmap.mmap(file.fileno(), size, offset=at)
                    return True
        return False


def announce(agent, identity=1):
    agent.store(tr.READER, ctypes.c_uint32, identity)


def be_ready(agent):
    agent.store(tr.READY, ctypes.c_uint64, agent.word(56, "<Q"))


def renew(agent):
    agent.store(tr.READER + 4, ctypes.c_uint32, (agent.word(tr.READER + 4) + 1) & 0xFFFFFFFF)


def account(agent, word):
    """A word of the first event's ledger."""
    return agent.word(agent.word(LEDGER, "<Q") + 8 * word, "<Q")


def acknowledge(agent):
    """All bytes of records in the first ring."""
    control = agent.word(agent.word(RINGS, "<Q") + 16, "<Q")
    agent.store(control + TAIL, ctypes.c_uint64, agent.word(control + HEAD, "<Q"))


def message(agent):
    return agent.bytes[tr.MESSAGE:tr.MESSAGE + 1024].split(b"\0")[0].decode()


GENERATED, LOST, TIME_ENABLED = 0, 2, 8


def keep_lease(agent, condition):
    """Wait until a condition holds, while renewing the lease as a live reader does."""
    def holds():
        renew(agent)
        return condition()
    return agent.until(holds)


def waits(agent):
    announce(agent)
    box = agent.post(b"record -e cpu-clock -F 1000 -- noploop 1")
    tap.ok(keep_lease(agent, lambda: agent.state() == RECORDING),
           "a reader that was announced sees the tables")
    time.sleep(0.1)
    end = time.monotonic() + 2
    keep_lease(agent, lambda: time.monotonic() > end)
    tap.equal((agent.state(), account(agent, GENERATED), agent.is_answered(box)),
              (RECORDING, 0, False), "and nothing is recorded before it is ready")
    be_ready(agent)
    keep_lease(agent, lambda: agent.is_answered(box))
    tap.equal((agent.word(tr.FOUND), account(agent, LOST)), (IS_READY, 0), "then the run begins")
    tap.ok(1e9 < account(agent, TIME_ENABLED) < 1e9 + agent.word(tr.WAIT, "<Q") / 2,
           "the wait is in no event's time_enabled",
           (account(agent, TIME_ENABLED), agent.word(tr.WAIT, "<Q")))
    tap.equal(agent.command(b"record -e cpu-clock -F 1000 -- noploop 1"), 0,
              "a reader that is gone, ready for the last run as it was, does not stop the next")
    tap.ok(agent.word(tr.FOUND) == GONE and "the reader is gone: recording without it" in agent.console(),
           "the change is reported", agent.console())
    before = agent.word(56, "<Q")
    tap.equal((agent.command(b"record -e cpu-clock -F 1000 -- noploop 1"), agent.word(tr.FOUND),
               agent.word(56, "<Q") - before), (0, NONE, 1), "and not waited for again")


def in_ram(agent):
    tap.ok(agent.until(agent.find), "a debug probe finds the region in RAM")
    tap.equal(len(agent.bytes), 32 * MIB, "it is as large as --region-size says")
    tap.ok(agent.until(lambda: agent.state() == IDLE), "the machine waits for commands")
    tap.equal((agent.command(b"record --then poweroff -- calltree 1"),
               agent.command(b"record --then reboot -- calltree 1"),
               agent.command(b"list --region-size 64")), (EINVAL,) * 3,
              "a command that would discard the recording is refused, and so is a change of the size")
    tap.ok("because no host reads it" in agent.console(), "with the reason",
           agent.console())
    tap.equal((agent.command(b"record -e cyles -- calltree"),
               agent.command(b"list --region-size 64")), (EINVAL,) * 2, "so is a misspelt command")
    tap.ok(message(agent).endswith("column 6: the trace region already exists: give this option at "
                                   "boot"),
           "the hint for that is not repeated for the next mistake", message(agent))
    tap.equal(agent.command(b"record -e cpu-clock -F 20000 -g -- calltree 1"), 0, "it records")
    tap.equal(agent.word(agent.word(RINGS, "<Q") + 32, "<Q"), 16 * MIB,
              "the ring is as large as the region allows")
    tap.ok(account(agent, GENERATED) > 10000 and not account(agent, LOST), "nothing is lost",
           (account(agent, GENERATED), account(agent, LOST)))
    done = subprocess.run([machine.TOOL, "dump", agent.path], capture_output=True, text=True)
    tap.ok(done.returncode == 0 and "conserved: yes" in done.stdout, "dump finds it in the RAM",
           done.stdout + done.stderr)
    agent.command(b"record -e cpu-clock -F 20000 -g -m 4 -- calltree 1")
    tap.ok(account(agent, LOST) > 5000, "a small ring loses most")
    text = agent.console()
    advice = re.search(r"([1-9]\d*) lost \((\d+) % of (\d+)\)\n.*To lose nothing: -m (\d+), or", text)
    tap.ok(advice and int(advice[1]) == account(agent, LOST) and int(advice[2]) > 50 and
           int(advice[3]) == account(agent, GENERATED), "the screen shows its size, and the next step",
           text[-400:])
    agent.command(f"record -e cpu-clock -F 20000 -g -m {advice[4]} -- calltree 1".encode())
    tap.equal(account(agent, LOST), 0, "and so it is")
    waits(agent)
    announce(agent, 2)
    box = agent.post(b"record -e cpu-clock --then poweroff -- noploop 1")
    keep_lease(agent, lambda: agent.state() == RECORDING)
    be_ready(agent)
    keep_lease(agent, lambda: acknowledge(agent) or agent.is_answered(box))
    acknowledge(agent)
    end = time.monotonic() + 3
    keep_lease(agent, lambda: time.monotonic() > end)
    tap.equal((agent.process.poll(), agent.state()), (None, COMPLETE),
              "with a reader the machine may switch off, and does not before that has withdrawn")
    announce(agent, 0)
    agent.process.wait(300)
    tap.equal(agent.process.returncode, 0, "when its reader has withdrawn it does")


def refused_at_boot(agent, reason):
    tap.ok(agent.until(lambda: agent.find() and agent.state() == FAILED) and
           message(agent).endswith(reason), f"a boot's command is refused: {reason}",
           message(agent) if agent.bytes else None)


def slow_reader(directory):
    """The supervisor is not delayed; less than half of the samples would fit in its ring."""
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", directory / "slow.so"],
                   input=SLOW_READER, text=True, check=True)
    done = subprocess.run(
        [*machine.run_words("--region", directory / "region", "-o", directory / "perf.data"),
         *machine.PACED, "--", "record", "-e", "cpu-clock", "-c", "100000", "-m", "256", "--",
         "noploop", "4"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
        env={**os.environ, "LD_PRELOAD": str(directory / "slow.so")})
    dump = subprocess.run([machine.TOOL, "dump", "--json", directory / "perf.data"],
                          capture_output=True, text=True)
    event = json.loads(dump.stdout)["events"][0]
    tap.equal((done.returncode, event["lost"], json.loads(dump.stdout)["reader_found"]),
              (0, 0, IS_READY),
              "a reader that starts three seconds late misses nothing")
    tap.ok(event["generated"] > 30000 and event["generated"] == event["delivered"],
           "and has all records of the machine", event)
    header = (directory / "region").read_bytes()[:4096]
    tap.equal((struct.unpack_from("<I", header, tr.FOUND)[0], struct.unpack_from("<I", header, tr.READER)[0],
               struct.unpack_from("<Q", header, tr.READY)[0]), (IS_READY, 0, 1),
              "the machine found it ready, and it has withdrawn")


def with_agent(agent, story):
    try:
        story(agent)
    finally:
        agent.process.kill()
        agent.process.wait()


if machine.missing():
    tap.skip("a recording begins when its reader reads", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-reader-") as DIRECTORY:
        with_agent(Ram(DIRECTORY, "list --exclusive --region-size 32"), in_ram)
        for COMMAND, REASON in (
                ("record --exclusive --region-size 65536 -e cyles -- noploop", "did you mean cycles?"),
                ("record --exclusive --region-size 32 --then poweroff -- noploop",
                 "column 37: the recording in RAM would be lost, because no host reads it: "
                 "use --then wait")):
            with_agent(Ram(DIRECTORY, COMMAND), lambda agent, reason=REASON:
                       refused_at_boot(agent, reason))
        slow_reader(pathlib.Path(DIRECTORY))
tap.finish()
