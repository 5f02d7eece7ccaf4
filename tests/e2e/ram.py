# SPDX-License-Identifier: MIT
"""A machine's RAM as a file, in which a test sees the trace region beside the channel that is tested."""

import mmap
import struct

import region as tr

ALIGN = 2 << 20
BASE = {"x86_64": 0, "aarch64": 1 << 30}  # where RAM begins


class Ram:
    """options and machine (to be added to -machine) are QEMU's; region: where the file has it."""

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
        """The region that its firmware has opened, if it has."""
        for at in range(ALIGN, self.size, ALIGN):
            if self.bytes[at:at + 8] == tr.MAGIC and struct.unpack_from(
                    "<Q", self.bytes, at + 16)[0] == self.base + at:
                self.region = at
                return at
        return None

    def word(self, name):
        offset, form = tr.HEADER[name]
        return struct.unpack_from(form, self.bytes, self.region + offset)[0]
