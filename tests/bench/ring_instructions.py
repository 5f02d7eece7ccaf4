#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions per record, counted exactly in the guest (tests/firmware/ring_cost.c under -icount),
compared with the table in docs/ring-instructions.md."""

import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/firmware"))
import qemu  # noqa: E402

TABLE = TOP / "docs/ring-instructions.md"
ARM_FIRMWARE = ["/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"]
# 16 ns per instruction: a period of the virt machine's timer
EXACT = ["-icount", "shift=4,sleep=off"]
PATIENCE = 300


def x86_64():
    """The image's console text, or the reason why there is none."""
    if qemu.missing():
        return None, qemu.missing()
    with qemu.Machine("ring_cost", "nothing", *EXACT) as machine:
        return machine.read_until(r"\n1\.\.\d+\n"), None


def aarch64():
    firmware = [path for path in ARM_FIRMWARE if pathlib.Path(path).exists()]
    if not shutil.which("qemu-system-aarch64") or not firmware:
        return None, "there is no qemu-system-aarch64, or no AAVMF"
    run = subprocess.run(
        ["qemu-system-aarch64", "-machine", "virt,gic-version=3", "-cpu", "max", "-m", "256",
         "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot", *EXACT,
         "-bios", firmware[0], "-kernel", TOP / "build/aarch64/tests/ring_cost.efi",
         "-append", "nothing"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=PATIENCE)  # fmt: skip
    return run.stdout.decode("ascii", "replace").replace("\r", ""), None


def table():
    """{(case, ISA): instructions}"""
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in TABLE.read_text().splitlines()
        if line.startswith("| ")
    ]
    header, *cases = rows
    return {
        (row[0], isa): int(number)
        for row in cases
        for isa, number in zip(header[1:], row[1:])
        if number.isdigit()
    }


def measure(isa, console):
    text, missing = console()
    if missing:
        print(f"bench ring-instructions-{isa} skip {missing}")
        return
    found = re.findall(r"^cost (\S+) (\d+)$", text, re.MULTILINE)
    if "not ok" in text or not found or not re.search(r"^1\.\.\d+$", text, re.MULTILINE):
        sys.exit(f"{isa}: the image did not count exactly:\n{text}")
    known = table()
    if {case for case, _ in found} != {case for case, of in known if of == isa}:
        sys.exit(f"{TABLE}: the cases of {isa} are not those of the image: {found}")
    for case, number in found:
        keep = known[case, isa]
        verdict = "ok" if int(number) <= keep else "worse"
        print(f"bench ring-instructions-{case}-{isa} {number} instructions keep {keep} {verdict}")


measure("x86_64", x86_64)
measure("aarch64", aarch64)
