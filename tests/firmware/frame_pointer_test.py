#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Backtraces by frame pointer work everywhere in the image, newlib included. Every function that
calls another one links its frame into the chain first, and none uses the frame pointer for another
purpose. On x86_64 no function keeps data below the stack pointer (the red zone), where an interrupt
would overwrite them. Assembly is exempt where the ABI requires it.

check-spare: files are read
"""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import tap  # noqa: E402

TOOLS = {"x86_64": "", "aarch64": "aarch64-linux-gnu-"}
CALL = re.compile(r"(call|bl|blr)\b")
FRAME = {"x86_64": re.compile(r"mov\s+%rsp,%rbp"), "aarch64": re.compile(r"(mov|add)\s+x29, sp")}
# The allowed changes of the frame pointer: setting it up, and restoring it.
ALLOWED = {
    "x86_64": re.compile(r"mov\s+%rsp,%rbp|lea\s+\S*\(%rsp\),%rbp"),
    "aarch64": re.compile(r"(mov|add)\s+x29, sp|ld[pr]\s+x29, .*\[sp"),
}
WRITES = {
    "x86_64": re.compile(r"^(?!cmp|test)\S+\s.*,%[er]?bp$"),
    "aarch64": re.compile(r"^(?!st|cmp|tst|cb|tb|b)\S+\s+[xw]29,"),
}
RED_ZONE = re.compile(r"-0x[0-9a-f]+\(%rsp")
# newlib's: setjmp and longjmp restore any frame; the other is assembly that saves its return
# address itself.
EXEMPT = {"longjmp", "setjmp", "rawmemchr"}


def functions(arch, *files):
    """{name: instructions} of one or several ELF files."""
    command = [TOOLS[arch] + "objdump", "-d", "--no-show-raw-insn", *map(str, files)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, current = {}, []
    for line in text.splitlines():
        start = re.match(r"^[0-9a-f]+ <([^>]+)>:$", line)
        if start:
            current = found.setdefault(start.group(1), [])
        elif "\t" in line:
            current.append(line.split("\t", 1)[1].strip())
    return found


def objects(arch, sources):
    """The object files of these sources."""
    return [TOP / f"build/{arch}/obj/{path.relative_to(TOP)}.o" for path in TOP.glob(sources)]


def check(arch):
    exempt = EXEMPT | functions(arch, *objects(arch, f"arch/{arch}/**/*.S")).keys()
    image = functions(arch, TOP / f"build/{arch}/bareperf.elf")
    image = {name: code for name, code in image.items() if name not in exempt}
    calling = [name for name, code in image.items() if any(map(CALL.match, code))]
    frameless = [n for n in calling if not any(FRAME[arch].match(c) for c in image[n])]
    tap.ok(
        calling and not frameless,
        f"{arch}: every function that calls another has a frame",
        f"{len(frameless)} of {len(calling)}: {frameless}",
    )
    workloads = functions(arch, *objects(arch, "workload/*.c"))
    frameless = [n for n, code in workloads.items() if not any(map(FRAME[arch].match, code))]
    tap.ok(
        workloads and not frameless,
        f"{arch}: every function of a built-in workload has a frame, so that samples name its caller",
        frameless,
    )
    misused = [
        f"{name}: {instruction}"
        for name, code in image.items()
        for instruction in code
        if WRITES[arch].search(instruction) and not ALLOWED[arch].match(instruction)
    ]
    tap.equal(misused, [], f"{arch}: the frame pointer is used for nothing else")
    if arch == "x86_64":
        users = [name for name, code in image.items() if any(map(RED_ZONE.search, code))]
        tap.equal(users, [], f"{arch}: no function uses the red zone")


for arch in TOOLS:
    check(arch)
tap.finish()
