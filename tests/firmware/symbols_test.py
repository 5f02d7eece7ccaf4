#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The function of an address: checked for every instruction of the image and of a payload, assembly
included, by other tools that read the files which perf gets.

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
ASSEMBLY = {
    "x86_64": ("setjmp", "longjmp", "x86_vectors", "interrupt"),
    "aarch64": ("setjmp", "longjmp", "arm_vectors_el2_gicv3_run", "synchronous_el2"),
}
PADDING = re.compile(r"nop|xchg +%ax,%ax|int3|data16$|add +%al,\(%rax\)|udf|\.inst 0x0+ |\.word 0x0+$")


def out(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def functions(arch, path):
    """[(address, end, name), …] from the symbol table, sorted."""
    found = []
    for line in out(TOOLS[arch] + "readelf", "-sW", path).splitlines():
        match = re.match(r"\s*\d+: (\w+)\s+(\w+) FUNC +\S+ +\S+ +\d+ (\S+)", line)
        if match:
            start, size = int(match.group(1), 16), int(match.group(2), 0)
            found.append((start, start + size, match.group(3)))
    return sorted(found)


def reaching_no_next(names):
    """The same, but each ends at the next one's start at the latest."""
    starts = sorted({start for start, _, _ in names})
    after = dict(zip(starts, starts[1:]))
    return [(start, min(end, after.get(start, end)), name) for start, end, name in names]


def labels_in_code(arch, path):
    """Symbols of executable sections that are not functions; readers take them for functions."""
    code = {match.group(1) for match in re.finditer(
        r"\[ *(\d+)\] \S+ +PROGBITS .* AX ", out(TOOLS[arch] + "readelf", "-SW", path))}
    lines = (line.split() for line in out(TOOLS[arch] + "readelf", "-sW", path).splitlines())
    return [words[7] for words in lines if len(words) == 8 and words[3] == "NOTYPE" and
            words[6] in code and not words[7].startswith("$")]


def nameless(arch, code, names):
    """Instructions of one file that are in no function of another file's table. Two kinds are
    excused: the assembler's padding of long gaps, and ld's code for an erratum of Cortex-A53
    (843419), which has no name and begins with a jump over it."""
    lost, at, over = [], 0, 0
    for line in out(TOOLS[arch] + "objdump", "-d", "--no-show-raw-insn", code).splitlines():
        match = re.match(r" +([0-9a-f]+):\t(.*)", line)
        if not match or PADDING.search(match.group(2)):
            continue
        address = int(match.group(1), 16)
        while at < len(names) and names[at][1] <= address:
            at += 1
        if at < len(names) and address >= names[at][0]:
            continue
        if at < len(names) and names[at][2] == "strnlen" and names[at][0] - address <= 8:
            continue  # newlib's function for aarch64 begins with a return, before its entry
        jump = re.match(r"(?:b|jmp)\s+([0-9a-f]+) ", match.group(2))
        over = max(over, int(jump.group(1), 16) if jump else 0)
        if address >= over:
            lost.append(line.strip())
    return lost


def moved(arch, path):
    """Loaded segments whose file offset differs from their address."""
    return [line for line in out(TOOLS[arch] + "readelf", "-lW", path).splitlines()
            if line.split()[:1] == ["LOAD"] and
            int(line.split()[1], 16) != int(line.split()[2], 16)]


def named_by_others(arch, path, names):
    """The names that addr2line, without DWARF, gives for the first and the last byte of each
    function; if a function has several names, any is right."""
    wanted, addresses = [], []
    for start, end, _ in names:
        same = {name for other, _, name in names if other == start}
        addresses += [hex(start), hex(end - 1)]
        wanted += [same, same]
    seen = out(TOOLS[arch] + "addr2line", "-fe", path,
               input="\n".join(addresses)).splitlines()[::2]
    return [(a, w, s) for a, w, s in zip(addresses, wanted, seen) if s not in w]


def build_id(arch, path):
    return re.search(r"Build ID: (\w+)", out(TOOLS[arch] + "readelf", "-n", path)).group(1)


def linked(arch):
    """Functions of the image, and of the libraries of a program."""
    libraries = (TOP / f"build/{arch}/sdk/lib/lib{name}.a" for name in ("bareperf", "stdc++"))
    text = "".join(out(TOOLS[arch] + "nm", path) for path in (TOP / f"build/{arch}/bareperf.elf", *libraries))
    return {name.split(".")[0] for name in re.findall(r" [TtW] (\S+)$", text, re.M)}


def left_out():
    """The functions that host-tools/report/frames.c recognises by name as bareperf's."""
    source = (TOP / "host-tools/report/frames.c").read_text()
    return set(re.findall(r'"(\w+)"', "".join(re.findall(r"between\[\] = \{.*?\}|CALLS_PROGRAM \S+", source, re.S))))


for ARCH in TOOLS:
    ELF, SYM = (TOP / f"build/{ARCH}/bareperf.{kind}" for kind in ("elf", "sym"))
    NAMES = functions(ARCH, SYM)
    tap.equal(nameless(ARCH, ELF, NAMES), [], f"{ARCH}: every instruction is in a function")
    tap.equal({name for _, _, name in NAMES} & set(ASSEMBLY[ARCH]), set(ASSEMBLY[ARCH]),
              f"{ARCH}: functions in assembly have their names")
    tap.equal(NAMES, reaching_no_next(functions(ARCH, ELF)), f"{ARCH}: they are the ELF's, at their places")
    tap.equal((moved(ARCH, SYM), build_id(ARCH, SYM)), ([], build_id(ARCH, ELF)),
              f"{ARCH}: offsets in the symbol file are addresses; it has the image's build-id")
    LOADED = re.findall(r"LOAD +0x\w+ 0x(\w+)", out(TOOLS[ARCH] + "readelf", "-lW", SYM))
    tap.equal(int(LOADED[0], 16), 0, f"{ARCH}: its first segment is at 0, which libdwfl counts from")
    tap.equal(named_by_others(ARCH, SYM, NAMES), [],
              f"{ARCH}: addr2line names each function's first and last byte")
    tap.equal(labels_in_code(ARCH, SYM), [], f"{ARCH}: no label can be taken for a function")
    tap.ok(len(left_out()) > 3 and left_out() <= linked(ARCH),
           f"{ARCH}: the functions above main() that reports leave out exist by that name", left_out() - linked(ARCH))
    PAYLOAD = TOP / f"build/{ARCH}/sdk/example.elf"
    NAMES = functions(ARCH, PAYLOAD)
    tap.equal((nameless(ARCH, PAYLOAD, NAMES), labels_in_code(ARCH, PAYLOAD), moved(ARCH, PAYLOAD)),
              ([], [], []), f"{ARCH}: the same of a payload")
    tap.ok({"memcpy", "memset", "main"} <= {name for _, _, name in NAMES},
           f"{ARCH}: among its functions are newlib's in assembly", NAMES)
tap.finish()
