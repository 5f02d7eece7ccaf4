#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A branch trace's ledger is exact, whichever instruction of another handler's entry or exit an NMI
interrupts, even twice. On the hardware model, tests/firmware/x86_64/bts_nmi.c moves the NMI through
all these instructions.

check-spare: machines count instructions
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e/lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machine  # noqa: E402
import qemu  # noqa: E402
import tap  # noqa: E402

SKID = 2000  # equal to SKID in bts_nmi.c
IMAGE = machine.TOP / "build/x86_64/tests/x86_64/bts_nmi.elf"


def instructions(entry, last):
    """Offsets from x86_vectors of the timer entry's instructions, by the disassembler."""
    symbols = subprocess.run(["nm", IMAGE], capture_output=True, text=True, check=True).stdout
    base = int(re.search(r"^(\w+) \w x86_vectors$", symbols, re.MULTILINE).group(1), 16)
    text = subprocess.run(["objdump", "-d", f"--start-address={base + entry}",
                           f"--stop-address={base + last}", IMAGE],
                          capture_output=True, text=True, check=True).stdout
    return [int(at, 16) - base for at in re.findall(r"^\s*([0-9a-f]+):", text, re.MULTILINE)]


def visited(text, code, step, others, name):
    """Whether an NMI returned to each of these instructions; NMIs in the middle of the step return
    to its first instruction."""
    begin, first, last = step
    inside = [at for at in code if first <= at <= last]
    expected = {at: 1 for at in others if at not in inside} | {begin: 1 + len(inside)}
    visits = {int(at, 16): int(times)
              for at, times in re.findall(r"^visits (\w+) (\d+)$", text, re.MULTILINE)}
    return tap.ok(len(inside) > 3 and expected.items() <= visits.items() and
                  not visits.keys() & set(inside), name, (expected, visits))


def check(binary):
    with qemu.Machine("x86_64/bts_nmi", "nothing", *machine.EXACT, program=binary,
                      cpu=f"Skylake-Client,pmu=on,pmi-skid={SKID}") as guest:
        text = guest.read_until(r"\n1\.\.\d+\n")
    found = re.search(r"^timer (\w+) hold (\w+) (\w+) (\w+) release (\w+) (\w+) (\w+)$", text,
                      re.MULTILINE)
    if not tap.ok(found and re.search(r"^1\.\.\d+$", text, re.MULTILINE),
                  "the image comes to its end", text):
        return
    entry, *steps = (int(word, 16) for word in found.groups())
    hold, release = steps[:3], steps[3:]
    code = instructions(entry, release[2] + 64)
    code = code[:next(i for i, at in enumerate(code) if at > release[2]) + 8]  # pops, add, iretq
    for part in re.split(r"^# (?=room|no room)", text, flags=re.MULTILINE)[1:]:
        name = part.splitlines()[0]
        passed = re.search(r"^ok \d+ - ", part, re.MULTILINE)
        if "\nway in\n" in part:
            tap.ok(passed, f"{name}: exact while the handler is on its way in", part)
            visited(part, code, hold, [at for at in code if at <= hold[2]],
                    f"{name}: and every instruction of it was interrupted")
        else:
            tap.ok(passed, f"{name}: exact while the handler is on its way out", part)
            visited(part, code, release, [at for at in code if at > release[0]],
                    f"{name}: and every instruction of that was interrupted")


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("an NMI in another handler's way in and out", REASON)
else:
    check(BINARY)
tap.finish()
