#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built images: the PE file that UEFI loads, and the ELF files that symbols come from.

check-spare: files are read
"""

import pathlib
import re
import struct
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import tap  # noqa: E402

# Section characteristics (PE format, "Section Flags")
EXECUTE, READ, WRITE = 0x20000000, 0x40000000, 0x80000000
MACHINES = {"x86_64": 0x8664, "aarch64": 0xAA64}
EFI_APPLICATION, EFI_BOOT_SERVICE_DRIVER = 10, 11
NX_COMPAT = 0x0100


def sections(pe):
    """[(name, virtual size, address, raw size, file offset, rights)] and the optional header."""
    (at,) = struct.unpack_from("<I", pe, 0x3C)
    machine, count, _, _, _, optional_size, _ = struct.unpack_from("<HHIIIHH", pe, at + 4)
    table = []
    for index in range(count):
        entry = struct.unpack_from("<8sIIIIIIHHI", pe, at + 24 + optional_size + 40 * index)
        table.append((entry[0].rstrip(b"\0").decode(), *entry[1:5], entry[9]))
    return machine, at + 24, table


def check_pe(arch):
    pe = (TOP / f"build/{arch}/bareperf.efi").read_bytes()
    machine, optional, table = sections(pe)
    entry, image_size = (struct.unpack_from("<I", pe, optional + at)[0] for at in (16, 56))
    subsystem, flags = struct.unpack_from("<HH", pe, optional + 68)

    tap.equal(machine, MACHINES[arch], f"{arch}: the PE file is for this machine")
    tap.equal(subsystem, EFI_APPLICATION, f"{arch}: the PE file is an EFI application")
    driver = bytearray((TOP / f"build/{arch}/bareperf-dxe.efi").read_bytes())
    tap.equal(struct.unpack_from("<H", driver, optional + 68)[0], EFI_BOOT_SERVICE_DRIVER,
              f"{arch}: bareperf-dxe.efi is a boot services driver")
    struct.pack_into("<H", driver, optional + 68, EFI_APPLICATION)
    tap.ok(driver == pe, f"{arch}: and the same image otherwise")
    tap.ok(flags & NX_COMPAT, f"{arch}: the PE file says that data need not be executable", flags)
    tap.equal(
        [name for name, *_, rights in table if rights & WRITE and rights & EXECUTE],
        [],
        f"{arch}: no PE section is writable and executable",
    )
    tap.equal(
        {name: rights & (READ | WRITE | EXECUTE) for name, *_, rights in table},
        {
            ".text": READ | EXECUTE,
            ".rodata": READ,
            ".reloc": READ,
            ".sbat": READ,
            ".data": READ | WRITE,
        },
        f"{arch}: code is not writable, constants are neither, data is not executable",
    )
    tap.equal(
        [name for name, _, address, _, offset, _ in table if address % 4096 or address != offset],
        [],
        f"{arch}: every PE section starts on a page of its own, in the file as in memory",
    )
    ends = [address + max(size, raw) for _, size, address, raw, _, _ in table]
    starts = [address for _, _, address, _, _, _ in table[1:]] + [image_size]
    tap.ok(
        all(end <= start for end, start in zip(ends, starts)) and ends[-1] == image_size,
        f"{arch}: PE sections do not overlap and end with the image",
        f"ends {ends}, next starts {starts}",
    )
    tap.ok(
        all(offset + raw <= len(pe) for _, _, _, raw, offset, _ in table),
        f"{arch}: the PE file holds all that its sections claim",
        f"{len(pe)} bytes, {table}",
    )
    size, start = next((size, at) for name, size, _, _, at, _ in table if name == ".sbat")
    rows = [line.split(",") for line in pe[start : start + size].decode().splitlines()]
    tap.ok(
        pe[start + size - 1] == ord("\n") and [row[:2] for row in rows] == [["sbat", "1"], ["bareperf", "1"]]
        and all(len(row) == 6 and all(row) for row in rows),
        f"{arch}: the SBAT names its components and their generations, in six words a line",
        rows,
    )
    code = next(section for section in table if section[0] == ".text")
    tap.ok(
        code[2] <= entry < code[2] + code[1], f"{arch}: the entry point is in the code", hex(entry)
    )


def readelf(option, arch, suffix):
    command = ["readelf", "-W", option, str(TOP / f"build/{arch}/bareperf.{suffix}")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def symbols(arch, suffix):
    """{(name, type)} of the defined symbols, section and file names left out."""
    rows = [line.split() for line in readelf("-s", arch, suffix).splitlines()]
    rows = [row for row in rows if len(row) == 8 and row[0][:-1].isdigit() and row[6] != "UND"]
    return {(row[7], row[3]) for row in rows if row[3] not in ("SECTION", "FILE")}


def segments(arch, suffix):
    """[(type, file offset, address, rights)]"""
    pattern = r"^\s+([A-Z_]+)\s+(0x\w+) (0x\w+) 0x\w+ 0x\w+ 0x\w+ ([R ][W ][E ])"
    return re.findall(pattern, readelf("-l", arch, suffix), re.MULTILINE)


def check_elf(arch):
    for suffix in ("elf", "sym"):
        loads = [segment for segment in segments(arch, suffix) if segment[0] == "LOAD"]
        tap.ok(
            len(loads) == 4 and not any("W" in rights and "E" in rights for *_, rights in loads),
            f"{arch}: no segment of the .{suffix} is writable and executable",
            loads,
        )
        offsets = [(int(offset, 16), int(address, 16)) for _, offset, address, _ in loads]
        if suffix == "elf":
            tap.ok(
                all(offset % 4096 == address % 4096 and offset for offset, address in offsets),
                f"{arch}: the .elf maps page by page, nothing from file offset 0",
                loads,
            )
        else:
            tap.ok(
                all(offset == address for offset, address in offsets),
                f"{arch}: each byte of the .sym lies at its address",
                loads,
            )
    build_ids = [
        re.findall(r"Build ID: (\w{40})", readelf("-n", arch, suffix)) for suffix in ("elf", "sym")
    ]
    tap.ok(
        len(build_ids[0]) == 1 and build_ids[0] == build_ids[1],
        f"{arch}: the .sym has the build-id of the .elf",
        build_ids,
    )
    pe = (TOP / f"build/{arch}/bareperf.efi").read_bytes()
    tap.ok(
        bytes.fromhex("".join(build_ids[0])) in pe,
        f"{arch}: the build-id is in the image that runs",
        build_ids,
    )
    functions = {name for name, kind in symbols(arch, "elf") if kind == "FUNC"}
    others = {(name, kind) for name, kind in symbols(arch, "sym") if kind != "FUNC"}
    tap.equal(others, set(), f"{arch}: the .sym names functions only")
    tap.ok(
        "efi_main" in functions
        and functions == {name for name, _ in symbols(arch, "sym")},
        f"{arch}: the .sym names every function of the .elf",
        sorted(functions ^ {name for name, _ in symbols(arch, "sym")}),
    )
    tap.equal(
        re.findall(r"R_(?:X86_64|AARCH64)_(?!RELATIV)\w+", readelf("-r", arch, "elf")),
        [],
        f"{arch}: the only relocations are those that the image applies to itself",
    )


for arch in MACHINES:
    check_pe(arch)
    check_elf(arch)
tap.finish()
