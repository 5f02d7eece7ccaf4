# SPDX-License-Identifier: MIT
"""Made-up branch traces of a program in assembly, in files as perf writes them."""

import re
import struct
import subprocess

import perf_file

ASSEMBLY = """	.globl _start, main, work, leaf, handler, inner, hot, hot.cold
	.text
	.type _start, @function
_start:	call main
after:	ret
	.size _start, . - _start
	.type main, @function
main:	nop
	call work
back:	nop
	ret
	.size main, . - main
	.type work, @function
work:	nop
	nop
here:	nop
	call leaf
wback:	ret
	.size work, . - work
	.type leaf, @function
leaf:	nop
lret:	ret
	.size leaf, . - leaf
	.type handler, @function
handler: nop
	jmp next
next:	call inner
hback:	iretq
	.size handler, . - handler
	.type inner, @function
inner:	nop
	nop
	ret
	.size inner, . - inner
	.type hot, @function
hot:	nop
	jmp rare
on:	ret
	.size hot, . - hot
	.type hot.cold, @function
hot.cold: nop
rare:	nop
	jmp on
	.size hot.cold, . - hot.cold
"""
CALLS = "outside>_start _start>main main+1>work here+1>leaf lret>wback wback>back back+1>after after>outside"
TRUNCATED, OUTSIDE = 1, 0x1000


class Made:
    """Traces of a program in assembly."""

    def __init__(self, here):
        self.here = here
        (here / "made.S").write_text(ASSEMBLY)
        subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-Ttext-segment=0x400000,--build-id=sha1",
                        "-o", here / "made", here / "made.S"], check=True)
        self.at = {name: int(value, 16) - 0x400000 + 0x40000000 for value, _, name in
                   re.findall(r"^([0-9a-f]+) (\w) (\S+)$", subprocess.run(
                       ["nm", here / "made"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)}
        self.at["outside"] = OUTSIDE

    def file(self, *pieces, name="made.data"):
        """pieces: (branches as text "from>to …", flags, time); flags None: the piece has no AUX
        record. A branch starts at a label, or at the instruction after a label: "main+1"."""
        file = perf_file.PerfFile()
        file.image(self.here / "made", 0x40000000, 0x10000, 0)
        file.records.append(perf_file.record(70, struct.pack("<8Q", 2, 1, 0, 1, 0, 0, 0, 0)))
        offset = 0
        for text, flags, time in pieces:
            data = b"".join(struct.pack("<QQQ", *map(self.place, branch.split(">")), 16)
                            for branch in text.split())
            if flags is not None:
                file.add(perf_file.AUX, struct.pack("<QQQ", offset, len(data), flags), time=time)
            file.records.append(perf_file.record(71, struct.pack("<QQQIIII", len(data), offset, 0, 0, 1,
                                                                 0, 0)) + data)
            offset += len(data)
        file.write(self.here / name)
        return self.here / name

    def place(self, text):
        label, _, more = text.partition("+")
        return self.at[label] + int(more or 0)
