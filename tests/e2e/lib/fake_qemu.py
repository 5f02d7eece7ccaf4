#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replaces QEMU in tests of `bareperf run`: writes a trace region as an image would.

The word after "fake" in the command chooses the scenario: `-- record fake SCENARIO`. If the command
comes later through the mailbox, FAKE_SCENARIO in the environment chooses it.
"""

import mmap
import os
import re
import struct
import sys
import time

import region as tr

arguments = sys.argv[1:]
command = arguments[arguments.index("-append") + 1]
backend = next(a for a in arguments if a.startswith("memory-backend-file"))
path = re.search(r"mem-path=([^,]+)", backend).group(1)
size = int(re.search(r"size=(\d+)", backend).group(1))
serial = next((a for a in arguments if a.startswith("file,id=bareperf-serial")), None)
scenario = (re.findall(r"fake (\S+)", command) or [os.environ.get("FAKE_SCENARIO", "")])[0]
number = int((re.findall(r"fake \S+ (\d+)", command) or ["1000"])[0])
build_id = bytes.fromhex(os.environ.get("FAKE_BUILD_ID", ""))
image = tuple(int(n, 0) for n in os.environ.get("FAKE_IMAGE", "0x100000,0x10000,0x1000").split(","))

if scenario != "dead" and serial:
    with open(re.search(r"path=([^,]+)", serial).group(1), "a", encoding="utf-8") as line:
        print("serial: the machine is up", file=line)
descriptor = os.open(path, os.O_RDWR)
memory = mmap.mmap(descriptor, size)
machine = tr.Region(memory, chain="-g" in command,
                    aux_pages=4 if scenario in ("branches", "cut", "cut_slowly", "bad_aux") else 0)
machine.model = os.environ.get("FAKE_MODEL", machine.model)
machine.time = int(os.environ.get("FAKE_TIME", machine.time))


def record(samples):
    """The samples of a run; waits for the reader when the ring is full."""
    ips = [int(ip, 0) for ip in os.environ.get("FAKE_IPS", "0x101000").split(",")]
    for i in range(samples):
        while machine.head - machine.tail() > machine.ring_size - 512:
            machine.publish()
            time.sleep(0.001)
        chain = ips[1:] if machine.sample_type & tr.CALLCHAIN else ()
        machine.sample(0, ip=ips[0], chain=chain)
        if i % 100 == 0:
            machine.publish()
    machine.publish()


def await_reader():
    """The tool announces itself before it starts this program, and reports that it is ready when it
    has seen RECORDING."""
    limit = time.monotonic() + 60
    while machine.get(tr.READY) != 1:
        if time.monotonic() > limit:
            sys.exit("fake: nobody became ready")
        time.sleep(0.001)


def run():
    if machine.aux_size:
        machine.describe(build_id=build_id, image=image, name="bts//", pmu=100)
    else:
        machine.describe(build_id=build_id, image=image)
    machine.state(tr.RECORDING)
    await_reader()


def complete():
    record(number)
    machine.state(tr.COMPLETE)


def lossy():
    """Nothing is published meanwhile, so the reader cannot make room, and all samples beyond one
    ring are lost."""
    for _ in range(number - 100):
        machine.sample(0)
    record(100)
    machine.state(tr.COMPLETE)


def unbalanced():
    record(number)
    machine.put(tr.EVENT_LEDGER, "<Q", number + 7)
    machine.state(tr.COMPLETE)


def panic():
    record(number)
    machine.say("#PF at 0x1234\n")
    machine.message("page fault in the handler", -14)
    machine.state(tr.PANIC)
    time.sleep(60)


def refuse():
    machine.message("record: unknown event 'fake'", -22)
    machine.state(tr.FAILED)


def broken():
    """The machine was not taken over: it has no clock, and accepts no commands."""
    machine.put(64, "<Q", 0)
    machine.message("the machine cannot be taken over: I/O error (-5)")
    machine.state(tr.FAILED)


def bad_tables():
    """Waits for a command, and has an invalid CPU table."""
    machine.table("cpus", 4, 1, 256)
    machine.state(tr.IDLE)
    time.sleep(60)


def off_idle():
    """Switches off normally without reading its mailbox."""
    machine.state(tr.IDLE)


def crash():
    record(number)
    machine.message("the payload crashed", -14)
    machine.state(tr.FAILED)


def exits():
    """Exits with the number in the command, which has more bits than an exit status."""
    record(100)
    machine.header(exit_status=0x100 + number)
    machine.state(tr.COMPLETE)


def die():
    record(number)
    print("fake: out of luck", file=sys.stderr, flush=True)
    os.abort()


def die_ahead():
    """Dies with records in the ring that are newer than its last ledger."""
    record(number)
    for _ in range(50):
        machine.sample(0)
    machine.put(tr.FIRST_RING + 1024, "<Q", machine.head)
    os.abort()


def overwritten():
    """The state word is overwritten, and the machine switches off as if the run had ended
    normally."""
    record(number)
    machine.state(77)


def overwritten_before():
    machine.state(77)


def off():
    """Switches off in the middle of a recording, as if it had ended."""


def stall():
    """Records without end, so that the test has to interrupt it."""
    record(number)
    print("recording", flush=True)
    while True:
        record(10)
        time.sleep(0.01)


def branches():
    """Pieces of ten branch records each; waits for the reader when the area is full."""
    here, there = (int(ip, 0) for ip in os.environ["FAKE_IPS"].split(",")[:2])
    for _ in range(number // 10):
        piece = b"".join(struct.pack("<QQQ", here, there, 0x10) for _ in range(10))
        while not machine.aux(piece):
            machine.publish()
            time.sleep(0.001)
        machine.publish()
    machine.state(tr.COMPLETE)


def cut():
    """A trace whose pieces were cut while FAKE_LOST branches were taken; without FAKE_LOST the
    number is unknown."""
    machine.branches_lost = int(os.environ.get("FAKE_LOST", tr.UNKNOWN))
    for _ in range(number // 10):
        while not machine.aux(struct.pack("<QQQ", 0x101000, 0x101010, 0) * 10, flags=1):
            machine.publish()
            time.sleep(0.001)
        machine.publish()
    machine.state(tr.COMPLETE)


def throttled():
    machine.ledger[0][3] = 5
    complete()


def cut_slowly():
    """Loses branches at once, and continues for so long that a user can see the loss."""
    machine.branches_lost = int(os.environ["FAKE_LOST"])
    for _ in range(30):
        machine.aux(bytes(240))
        machine.publish()
        time.sleep(0.05)
    machine.state(tr.COMPLETE)


def bad_aux():
    machine.aux(bytes(240))
    machine.aux_head -= 8
    machine.publish()
    machine.state(tr.COMPLETE)


def bad_head():
    record(number)
    machine.put(tr.FIRST_RING + 1024, "<Q", machine.head + 8 * machine.ring_size)
    machine.state(tr.COMPLETE)


def bad_record():
    record(number)
    machine._write(b"\x09\0\0\0\0\0\x03\0")
    machine.publish()
    machine.state(tr.COMPLETE)


def handshake():
    """The work that a reader must have done before it reports that it is ready."""
    if not announced or machine.get(tr.READER, "<I") != announced:
        sys.exit("fake: no reader was announced before the boot")
    first = machine.get(tr.READER + 4, "<I")
    start = time.monotonic()
    # until the lease was renewed five times; the first renewal may be under way
    while machine.get(tr.READER + 4, "<I") - first < 5:
        if time.monotonic() - start > 10:
            sys.exit("fake: the lease is not renewed within the 2 s after which it has run out")
        time.sleep(0.001)
    if time.monotonic() - start < 0.35:
        sys.exit("fake: the lease is renewed much more often than every 100 ms")
    if machine.get(tr.READY):
        sys.exit("fake: ready for a run that has not begun")
    if not os.path.exists(os.environ["FAKE_OUTPUT"]):
        sys.exit("fake: the output is not there when the machine starts")
    run()
    complete()


def impatient():
    machine.put(tr.FOUND, "<I", 3)
    complete()


def idle():
    """The machine did not get the command."""
    machine.state(tr.IDLE)
    time.sleep(60)


def lists():
    machine.say("cpu-clock [timer]\n")
    machine.state(tr.IDLE)


def arguments_given():
    machine.say(" ".join(arguments) + "\n")
    machine.state(tr.COMPLETE)


if scenario in ("silent", "dead"):
    time.sleep(60)
elif scenario == "kvm_error":
    print("KVM internal error. Suberror: 1\nextra data[0]: 0x0", file=sys.stderr, flush=True)
    time.sleep(60)
elif scenario == "stillborn":
    sys.exit("fake: no such machine type")
elif scenario == "garbage":
    memory[0:4096] = b"BAREPERF" + os.urandom(4088)
    time.sleep(60)
announced = machine.get(tr.READER, "<I")
machine.open(address=0x380000000)
if scenario == "arguments":
    arguments_given()
    sys.exit()
if scenario not in ("refuse", "broken", "lists", "overwritten_before", "off", "off_idle", "handshake",
                    "idle", "bad_tables"):
    run()
globals()[scenario]()
