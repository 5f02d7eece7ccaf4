# SPDX-License-Identifier: MIT
"""Recordings of Arm's SPE on the hardware model, and their records as `bareperf dump` prints
them."""

import collections
import re
import subprocess

import machine
import tap

EL2 = "virt,gic-version=3,virtualization=on"
EL1 = "virt,gic-version=3"
CPU = "cortex-a76,spe=on,pmu-instructions=on"
RECORD_SIZE = 64  # bytes of a record of the model

TRUNCATED, OVERWRITE, PARTIAL, COLLISION = 1, 2, 4, 8  # PERF_AUX_FLAG_*

# Faults of the model: name, PMBSR_EL1, bytes of the record that were written.
TRANSLATION = 1 << 17 | 1 << 19 | 0x24 << 26 | 7  # S, DL, stage 1, translation fault
FAULTS = [
    ("a translation fault that loses a record", TRANSLATION, 0),
    ("a record cut off in its middle", TRANSLATION, 20),
    ("a fault that loses nothing", TRANSLATION & ~(1 << 19), 0),
    ("an external abort", 1 << 17 | 1 << 18 | 1 << 19, 0),
    ("a full buffer that lost a record", 1 << 17 | 1 << 19 | 1, 0),
]

Record = collections.namedtuple(
    "Record", "position pc el operation events latency va pa source time")

LINE = re.compile(
    r"\. spe (0x[0-9a-f]+): PC (0x[0-9a-f]+)(?: [^ ]+)? EL(\d) (load|store|other|branch(?:, \w+)?)"
    r"(?: to 0x[0-9a-f]+(?: [^ ]+)? EL\d)?((?: [A-Z][-A-Z0-9]+)*) latency (\d+) issue \d+"
    r"(?: translation \d+)?(?: VA (0x[0-9a-f]+)(?: [^ ]+)?)?(?: PA (0x[0-9a-f]+))?"
    r"(?: source (0x[0-9a-f]+))?"
    r"(?: context (\d+))?(?: time (\d+))?$")


def hexadecimal(text):
    return int(text, 16) if text else None


def records(run):
    """Every SPE record of a file; a line of another form is an error."""
    text = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    found = []
    for line in text.splitlines():
        if not line.startswith(". spe"):
            continue
        match = LINE.match(line)
        if not match:
            raise ValueError(f"no SPE record: {line}")
        position, pc, level, operation, events, latency, va, pa, source, _, time = match.groups()
        found.append(Record(hexadecimal(position), hexadecimal(pc), int(level), operation,
                            frozenset(events.split()), int(latency), hexadecimal(va),
                            hexadecimal(pa), hexadecimal(source),
                            int(time) if time else None))
    return found


def good(run, name):
    """The recording ended well, every byte and record is accounted for, and decoding found no
    error."""
    summary = run.summary()
    errors = summary.get("spe", {}).get("errors")
    if not tap.ok(run.status == 0 and summary["conserved"] and not errors,
                  f"{name}: the ledger balances, and all bytes are records",
                  (run.status, errors, summary.get("broken"))):
        tap.note(run.text)
    return summary


def stock_perf_decodes_the_same(run, found, name):
    """Returns each function's share of the records, in percent."""
    text, errors, status = run.perf("script", "--itrace=i1i", "-F", "event,ip,sym")
    lines = [line.split()[1:] for line in text.splitlines() if "instructions:" in line]
    tap.ok([int(line[0], 16) for line in lines] == [r.pc for r in found],
           f"{name}: stock perf finds the same PCs, one for each record",
           (len(lines), len(found)))
    complaints = [line for line in errors.splitlines() if "rror" in line or "lost" in line]
    tap.ok(status == 0 and not complaints, f"{name}: without a decode error", errors)
    names = collections.Counter(line[1] for line in lines)
    return {symbol: 100 * count / len(lines) for symbol, count in names.items()}


def aux_records(run):
    """Every AUX record of a file as (offset, size, flags)."""
    text = subprocess.run([machine.TOOL, "dump", run.file], capture_output=True, text=True,
                          check=False).stdout
    return [tuple(int(word, 16) for word in words) for words in re.findall(
        r"RECORD_AUX offset: (0x\w+) size: (0x\w+) flags: (0x\w+)", text)]


def record(binary, command, *options, kind=EL2, cpu="", clock=machine.EXACT):
    """One boot of the model, entered at the exception level of `kind`."""
    return machine.Recording(command, "--arch", "aarch64", "--qemu", binary,
                             qemu=("-machine", kind, "-cpu", CPU + cpu, *clock, *options))
