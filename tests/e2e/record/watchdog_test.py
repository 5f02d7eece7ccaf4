#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A hardware watchdog, made of a fake WDAT table whose register is a port that QEMU writes to a
file: it is reset while a program is recorded.

check-spare: little is asked of time
"""

import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

PORT = 0x2F1
RESET, QUERY_RUNNING_STATE = 1, 8
READ_VALUE, WRITE_VALUE, PORTS = 0, 2, 1
VALUE = b"W"
READ = 0xE9  # the value that isa-debugcon reads


def entry(action, instruction, value):
    return struct.pack("<BBHBBBBQII", action, instruction, 0, PORTS, 8, 0, 1, PORT, value, 0xFF)


def table(path, counts):
    """The table after its header: its length, the device's place, times, flags (enabled, as in
    nearly every machine); then the entries."""
    path.write_bytes(struct.pack("<IHBBB3xIIIB3xI", 32, 0xFF, 0xFF, 0xFF, 0xFF, 1000, 100, 1, 1, 2) +
                     entry(RESET, WRITE_VALUE, VALUE[0]) +
                     entry(QUERY_RUNNING_STATE, READ_VALUE, READ if counts else READ ^ 1))
    return f"sig=WDAT,rev=1,data={path}"


def run(here, counts):
    """The result of the recording, and the writes to the port."""
    out = here / "port"
    done = machine.Recording(
        "record -e cpu-clock -F 1000 -- noploop 2",
        qemu=(*machine.EXACT, "-acpitable", table(here / "wdat", counts), "-chardev", f"file,id=w,path={out}",
              "-device", f"isa-debugcon,iobase={PORT:#x},chardev=w"))
    return done, out.read_bytes()


REASON = machine.missing()
if REASON:
    tap.skip("a hardware watchdog", REASON)
    tap.finish()
with tempfile.TemporaryDirectory(prefix="bareperf-watchdog-") as directory:
    HERE = pathlib.Path(directory)
    done, written = run(HERE, True)
    # The tick comes a thousand times a second. More than 20 writes if the machine waits for its
    # reader.
    tap.ok(done.status == 0 and set(written) == set(VALUE) and 15 <= len(written) < 1000,
           "each 100 ms its time begins anew, while a program runs for 2 s", (written, done.text))
    done, written = run(HERE, False)
    tap.ok(done.status == 0 and not written, "one that is enabled and does not count is left alone",
           (written, done.text))
tap.finish()
