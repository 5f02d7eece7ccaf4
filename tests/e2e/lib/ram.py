# SPDX-License-Identifier: MIT
"""A machine's RAM as a file, so that a test can read the trace region independently of the tested
channel."""

import ctypes
import mmap
import re
import struct
import subprocess

import machine
import region as tr

ALIGN = 2 << 20
BASE = {"x86_64": 0, "aarch64": 1 << 30}  # where RAM begins


class Ram:
    """options and machine (which is appended to -machine) are QEMU's; region: the region's offset
    in the file, if it is known."""

    def __init__(self, isa, directory, mib):
        self.base, self.size, self.region = BASE[isa], mib << 20, 0
        path = directory / "ram"
        with open(path, "wb") as file:
            file.truncate(self.size)
        self.machine = ",memory-backend=ram"
        self.options = ["-m", str(mib), "-object",
                        f"memory-backend-file,id=ram,share=on,size={mib}M,mem-path={path}"]
        with open(path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 0)

    def find(self):
        """The offset of the region that its firmware has opened, or None."""
        for at in range(ALIGN, self.size, ALIGN):
            if self.bytes[at:at + 8] == tr.MAGIC and struct.unpack_from(
                    "<Q", self.bytes, at + 16)[0] == self.base + at:
                self.region = at
                return at
        return None

    def word(self, name):
        offset, form = tr.HEADER[name]
        return tr.word(self.bytes, self.region + offset, form)


def regions(ram):
    """The offsets of all regions, in ascending order."""
    return [at for at in range(0, len(ram), ALIGN) if ram[at:at + 8] == tr.MAGIC]


def word(ram, at, form="<Q"):
    return struct.unpack_from(form, ram, at)[0]


def recorded(ram, at):
    """Bytes of records in the first ring of the region at `at`."""
    control = word(ram, at + word(ram, at + tr.table("rings")) + 16)
    return word(ram, at + control + 1024)


def break_machine(monitor, isa, ram, at):
    """Make a machine with a region panic: by an NMI without a cause; on an ISA without NMIs by an
    invalid address of a handler."""
    if isa == "x86_64":
        monitor.ask("inject-nmi")
        return
    names = subprocess.run(["aarch64-linux-gnu-nm", machine.TOP / "build/aarch64/bareperf.elf"],
                           capture_output=True, text=True, check=True).stdout
    place = int(re.search(r"(\w+) . arm_interrupt_handlers", names).group(1), 16)
    address, _, linked = struct.unpack_from("<3Q", ram, at + word(ram, at + tr.table("images")))
    table = address - linked + place
    for entry in range(table - BASE[isa] + 8 * 16, table - BASE[isa] + 8 * 32, 8):  # PPIs
        if ram[entry:entry + 8] != bytes(8):
            # An address in our memory that must not be executed. One store: struct.pack_into() clears
            # the word first, and an interrupt without a handler would be switched off.
            ctypes.c_uint64.from_buffer(ram, entry).value = table
