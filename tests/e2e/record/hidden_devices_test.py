#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ACPI tables that name devices at addresses that the CPU does not have, like a laptop's DBG2 with
a UART that its firmware has hidden: they are reported and left out, and the machine can be
recorded.

check-spare: little is asked of time
"""

import pathlib
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

HIDDEN = 0xFFFFFFFFFFFFF000
MEMORY, DWORDS = 0, 3


def address(at, bits=32):
    """An ACPI generic address structure."""
    return struct.pack("<BBBBQ", MEMORY, bits, 0, DWORDS, at)


def debug_port():
    """A DBG2 table with one 16550 and its name."""
    name = b".\0"
    head = struct.pack("<BHBHHHHHHHHH", 0, 22 + 12 + 4 + len(name), 1, len(name), 38, 0, 0, 0x8000, 1, 0, 22, 34)
    return struct.pack("<II", 44, 1) + head + address(HIDDEN) + struct.pack("<I", 8) + name


def watchdog():
    """A WDAT table whose action "reset" writes a word of memory, and whose timer is enabled."""
    entry = struct.pack("<BBH", 1, 2, 0) + address(HIDDEN) + struct.pack("<II", 1, 1)
    return struct.pack("<IHBBB3xIIIB3xI", 32, 0xFF, 0xFF, 0xFF, 0xFF, 1000, 100, 1, 1, 1) + entry


# by signature: the content after the header, and the expected message
TABLES = {
    "DBG2": (debug_port(), "a UART at 0xfffffffffffff000"),
    "SPCR": (bytes([3, 0, 0, 0]) + address(HIDDEN) + bytes(28), "a UART at 0xfffffffffffff000"),
    "HPET": (struct.pack("<I", 0) + address(HIDDEN) + bytes(4), "the HPET at 0xfffffffffffff000"),
    "MCFG": (bytes(8) + struct.pack("<QHBB4x", 0xFFFFFFFFF0000000, 0, 0, 0xFF),
             "PCI configuration space at 0xfffffffff0000000"),
    "WDAT": (watchdog(), "a watchdog's register at 0xfffffffffffff000"),
}

REASON = machine.missing()
if REASON:
    tap.skip("devices that are hidden", REASON)
    tap.finish()
with tempfile.TemporaryDirectory(prefix="bareperf-hidden-") as directory:
    options = []
    for signature, (rest, _) in TABLES.items():
        path = pathlib.Path(directory) / signature
        path.write_bytes(rest)
        options += ["-acpitable", f"sig={signature},rev=1,data={path}"]
    done = machine.Recording("record -e cpu-clock -F 1000 -- calltree", "--verbose", qemu=tuple(options))
tap.ok(done.status == 0, "tables name devices beyond the CPU's addresses: a recording comes to its end",
       done.text)
for signature, (_, text) in TABLES.items():
    tap.ok(f"ACPI: {text}" in done.text, f"{signature}: the device is reported", done.text)
tap.ok(done.text.count("it is left out") == len(TABLES), "and once", done.text)
tap.finish()
