#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A GNU-EFI application, optimized with the branch stacks of its samples (docs/optimize.md): gcc
compiles it again with AutoFDO, llvm-bolt rewrites its ELF file, and objcopy makes the image of it.
Beside the firmware both print the same result. They are counted on the hardware model.

check-spare: machines count instructions
"""

import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import optimizers
import tap
from optimizers import run

SOURCE = pathlib.Path(__file__).with_name("optimize_uefi.c")
GNU_EFI = pathlib.Path("/usr/lib/crt0-efi-x86_64.o")
CPU = ("-cpu", "Skylake-Client,pmu=on,pmu-lbr=32,pmu-version=4", *machine.EXACT)
SECTIONS = (".text", ".sdata", ".data", ".dynamic", ".dynsym", ".rel", ".rela", ".rel.*", ".rela.*", ".reloc",
            ".bolt.org.text", ".text.cold", ".rodata")
TAKEN = "r20c4"  # BR_INST_RETIRED.NEAR_TAKEN


def image(so):
    """The UEFI image of an ELF file."""
    efi = so.with_suffix(".efi")
    done = run("objcopy", *(f"-j{name}" for name in SECTIONS), "--target=efi-app-x86_64", so, efi)
    tap.equal((done.returncode, done.stderr), (0, ""), f"{so.name}: objcopy makes an image of it")
    return efi


def build(so, *options):
    """The application's ELF file, in a directory of its own, by gnu-efi's linker script."""
    so.parent.mkdir()
    made = so.with_suffix(".o")
    for words in (("gcc", "-I/usr/include/efi", "-I/usr/include/efi/x86_64", "-O2", "-g", "-gdwarf-4", "-fpic",
                   "-ffreestanding", "-fno-stack-protector", "-fshort-wchar", "-mno-red-zone", *options, "-c",
                   "-o", made, SOURCE),
                  ("ld", "-nostdlib", "-znocombreloc", "-shared", "-Bsymbolic", "--emit-relocs", "-T",
                   "/usr/lib/elf_x86_64_efi.lds", GNU_EFI, made, "-o", so, "-L/usr/lib", "-lefi", "-lgnuefi")):
        done = run(*words)
        tap.ok(not done.returncode, f"{so.name}: {words[0]}", done.stderr)
    return so


class Application:
    """An application's counts, with those of the firmware that it calls, and its branch stacks."""

    def __init__(self, qemu, so):
        self.efi, self.qemu = image(so), qemu
        counted = self.record("-e instructions", f"-e {TAKEN} -c 100000000000")
        self.result = re.findall(r"^result .*", counted.text, re.MULTILINE)
        summary = counted.summary()
        self.instructions, self.taken = (event["count"] for event in summary["events"])

    def record(self, *events):
        done = machine.Recording(f"record {' '.join(events)} -m 4096 -- payload", "-v", "--payload", self.efi,
                                 "--qemu", self.qemu, qemu=CPU)
        tap.equal(done.status, 0, f"{self.efi.name} is recorded")
        return done

    def profile(self, form):
        """The application's branches, from branch stacks."""
        done = self.record("-b -e branches -c 500")
        out = self.efi.with_suffix(f".{form}")
        said = run(machine.TOOL, "export", "-f", form, "--symbols", self.efi.parent, "-o", out, done.file,
                   env=os.environ | {"PERF_BUILDID_DIR": str(self.efi.parent / "cache")})
        tap.equal((said.returncode, said.stderr.splitlines()[-1:]),
                  (0, ["bareperf: the profile is of the UEFI image payload.efi, by the addresses of its ELF file"]),
                  f"{self.efi.name}: {form}: the profile is of the image")
        return out

    def numbers(self):
        return json.dumps([self.result, self.instructions, self.taken])


def main():
    qemu, reason = machine.model("x86_64")
    reason = reason or optimizers.missing()
    if not reason and not GNU_EFI.exists():
        reason = "not to be had: gnu-efi"
    if reason:
        tap.skip("optimizing a UEFI application", reason)
        return
    with tempfile.TemporaryDirectory(prefix="bareperf-optimize-") as directory:
        place = pathlib.Path(directory)
        so = build(place / "first/app.so")
        first = Application(qemu, so)
        laid_out = Application(qemu, optimizers.laid_out(so, first.profile("bolt"), optimizers.LAYOUT[:-1]))
        tap.ok(first.result and laid_out.result == first.result and laid_out.taken < 0.95 * first.taken,
               "llvm-bolt: the same result, fewer taken branches", (first.numbers(), laid_out.numbers()))
        afdo = optimizers.converted(so, first.profile("autofdo-text"))
        again = Application(qemu, build(place / "again/app.so", f"-fauto-profile={afdo}"))
        tap.ok(again.result == first.result and again.instructions < 0.99 * first.instructions,
               "gcc's AutoFDO: the same result, fewer instructions", (first.numbers(), again.numbers()))
        if machine.SOAK:
            last = Application(qemu, optimizers.laid_out(place / "again/app.so", again.profile("bolt"),
                                                         optimizers.LAYOUT[:-1]))
            tap.ok(last.result == first.result and last.taken < 0.95 * first.taken and
                   last.instructions < 0.99 * first.instructions,
                   "AutoFDO, then llvm-bolt: the same result, fewer taken branches, fewer instructions",
                   (first.numbers(), last.numbers()))
        tap.note(f"-O2, BOLT, AutoFDO: {first.numbers()} {laid_out.numbers()} {again.numbers()}")


main()
tap.finish()
