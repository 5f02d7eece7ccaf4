#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of a tick's pump of a serial line, counted exactly in the guest
(tests/firmware/line_cost.c under -icount): instructions per sent byte, and those of the longest
call, which builds a frame."""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/firmware"), str(TOP / "tests/e2e/lib")]
import machine  # noqa: E402
import mailbox  # noqa: E402

KEEP = {  # goals: instructions per byte, and instructions of the longest call
    "x86_64": {"pump-of-noise": (79, 37900), "pump-of-noise-encoded": (116, 78700),
               "pump-of-samples": (126, 51600)},
    "aarch64": {"pump-of-noise": (85, 33800), "pump-of-noise-encoded": (124, 76300),
                "pump-of-samples": (133, 49600)},
}


def console(isa):
    done = subprocess.run(
        [f"qemu-system-{isa}", *mailbox.MACHINES[isa], "-m", "256", "-nodefaults", "-display", "none",
         "-serial", "stdio", "-no-reboot", *machine.EXACT, "-kernel",
         TOP / f"build/{isa}/tests/line_cost.efi", "-append", "nothing"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.stdout.decode("ascii", "replace").replace("\r", "")


def figure(name, value, unit, keep):
    print(f"bench {name} {value:.0f} {unit} keep {keep} {'ok' if value <= keep else 'worse'}")


for isa, kept in KEEP.items():
    missing = machine.missing(f"qemu-system-{isa}")
    if missing:
        print(f"bench pump-{isa} skip {missing}")
        continue
    text = console(isa)
    found = {name: tuple(map(int, rest)) for name, *rest in
             re.findall(r"^cost (\S+) (\d+) (\d+) (\d+)$", text, re.MULTILINE)}
    if "not ok" in text or not kept.keys() <= found.keys():
        sys.exit(f"{isa}: the image did not count exactly:\n{text}")
    print(f"# {isa}: a call at rest {found['pump-of-text'][2]} instructions at the most")
    for name, (each, most) in kept.items():
        sent, spent, longest = found[name]
        print(f"# {isa}, {name}: 64 KiB of the region in {sent} bytes on the line")
        figure(f"{name}-{isa}", spent / sent, "instructions-a-byte", each)
        figure(f"{name}-longest-{isa}", longest, "instructions", most)
