#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/wire-format.md: its example agrees with the code, and wire.py, an implementation of the
page, decodes the code's output. Records of branches and of SPE are tested where they can be
recorded.

check-spare: machines count instructions
"""

import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap
import wire

COMMAND = "record -e cycles -c 100000 -g -- calltree 1"
PLAIN = "record -e cycles -c 100000 -- qsort 3000"


def the_example():
    text = (machine.TOP / "docs/wire-format.md").read_text()
    written = [line.split() for line in
               re.findall(r"^    ((?:host|target|\.\.\.) +[0-9a-f]{2}(?: .*)?)$", text, re.MULTILINE)]
    said = subprocess.run([wire.ENCODER, "example"], capture_output=True, text=True,
                          check=True).stdout
    joined = []
    for words in written:
        if words[0] == "...":
            joined[-1] += words[1:]
        else:
            joined.append(words)
    tap.equal(joined, [line.split() for line in said.splitlines()],
              "docs/wire-format.md's example agrees with the code")
    hello, welcome, get, data = (wire.unframe(bytes.fromhex("".join(words[2:-1])))
                                 for words in joined)
    tap.equal((hello[0], get[0], data[0]), (wire.HELLO, wire.GET, wire.DATA),
              "a HELLO, a GET, a DATA")
    tap.equal(hello[3][-3:], welcome[3][-3:], "the answer to HELLO has its probe bytes")
    tap.equal(struct.unpack("<HIQ", get[3]), (1, 32, 0x10000), "the GET asks for 32 bytes")
    tap.equal(struct.unpack("<4Q", wire.data_of(data)[2]), (0, 5, 5, 0), "which are 0, 5, 5, 0")


def what_can_fail():
    for name, line in (("a flipped bit", b"\0\x05\x01\x02\x03\x05\0"),
                       ("a block that is too long", b"\0\x09\x01\0")):
        try:
            wire.frames(line)
            tap.ok(False, f"wire.py: {name} is no frame")
        except wire.Bad:
            tap.ok(True, f"wire.py: {name} is no frame")


def recordings():
    for name, command, times in (("aarch64, callchains", COMMAND, 4), ("aarch64, samples", PLAIN, 4)):
        run = machine.Recording(command, "--arch", "aarch64", qemu=machine.EXACT)
        if tap.equal(run.status, 0, f"{name}: recorded"):
            wire.shrinks(wire.parts(run.file)[0], name, times)


the_example()
what_can_fail()
recordings()
tap.finish()
