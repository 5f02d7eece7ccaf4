# SPDX-License-Identifier: MIT
"""Recordings of Arm's SPE on the hardware model, and their records as `bareperf dump` reads them."""

import collections
import re
import subprocess

import machine

EL2 = "virt,gic-version=3,virtualization=on"
EL1 = "virt,gic-version=3"
CPU = "cortex-a76,spe=on,pmu-instructions=on"
RECORD_SIZE = 64  # of the model

Record = collections.namedtuple("Record", "position pc el operation events latency va pa time")

LINE = re.compile(
    r"\. spe (0x[0-9a-f]+): PC (0x[0-9a-f]+) EL(\d) (load|store|other|branch(?:, \w+)?)"
    r"(?: to 0x[0-9a-f]+ EL\d)?((?: [A-Z][-A-Z0-9]+)*) latency (\d+) issue \d+"
    r"(?: translation \d+)?(?: VA (0x[0-9a-f]+))?(?: PA (0x[0-9a-f]+))?"
    r"(?: context (\d+))?(?: time (\d+))?$")


def hexadecimal(text):
    return int(text, 16) if text else None


def records(run):
    """Every SPE record of a file; a line that says otherwise than we expect is an error."""
    text = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    found = []
    for line in text.splitlines():
        if not line.startswith(". spe"):
            continue
        match = LINE.match(line)
        if not match:
            raise ValueError(f"no SPE record: {line}")
        position, pc, level, operation, events, latency, va, pa, _, time = match.groups()
        found.append(Record(hexadecimal(position), hexadecimal(pc), int(level), operation,
                            frozenset(events.split()), int(latency), hexadecimal(va),
                            hexadecimal(pa), int(time) if time else None))
    return found


def record(binary, command, *options, kind=EL2, cpu="", clock=machine.EXACT):
    """One boot of the model, entered as kind says."""
    return machine.Recording(command, "--arch", "aarch64", "--qemu", binary,
                             qemu=("-machine", kind, "-cpu", CPU + cpu, *clock, *options))
