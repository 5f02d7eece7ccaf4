#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SQLite with its benchmark speedtest1 is rewritten by llvm-bolt with the exact trace of a run, and
has fewer taken branches, fewer instructions and the same result (docs/optimize.md). In `make soak`
the whole demonstration of that page: the benchmark's main test set, compiled again by gcc with
AutoFDO, and then rewritten by llvm-bolt.

check-timeout: 1800
check-spare: machines count instructions
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import optimizers
import programs
import tap
from optimizers import Run

MAIN = """int speedtest1_main(int argc, char **argv);
int main(int argc, char **argv) { return speedtest1_main(argc, argv); }
"""
FLAGS = ("-O2", "-fstack-protector-strong", "-march=x86-64-v3")  # those of payload_programs_test, with its cache


def timeless(text):
    """speedtest1's output without the times; it ends with a hash of all results."""
    return re.sub(r"\.* +\d+\.\d{3}s$", "", text, flags=re.MULTILINE)


def linked(here, sources):
    """speedtest1 with relocations, of the object files that are made for payload_programs_test."""
    sdk = machine.TOP / "build/x86_64/sdk"
    parts = programs.objects("x86_64", optimizers.CC, "objcopy", FLAGS, programs.sources_of(sources),
                             programs.commands_of(sources), sdk)
    wanted = [part for part in parts if part.name in ("sqlite3-sqlite3.o", "test-speedtest1.o")]
    (here / "main.c").write_text(MAIN)
    subprocess.run([optimizers.CC, "-O2", "-Wl,--emit-relocs", "-o", here / "quick.elf", here / "main.c", *wanted,
                    "-lm"], check=True)
    return here / "quick.elf"


def compiled(here, sources, name, *options):
    """speedtest1 as docs/optimize.md compiles it."""
    of_sqlite = sources / "sqlite3"
    subprocess.run([optimizers.CC, "-O2", "-g", "-gdwarf-4", "-w", "-Wl,--emit-relocs", *programs.SQLITE,
                    f"-I{of_sqlite}", *options, "-o", here / name, of_sqlite / "sqlite3.c",
                    of_sqlite / "test/speedtest1.c", "-lm"], check=True)
    return here / name


def quick(elf):
    """The smallest test set, by single-step."""
    before = Run(elf, "--testset debug1 --verify")
    tap.ok("Verification Hash" in before.out, "speedtest1 ends with a hash of its results", before.out)
    Run(optimizers.laid_out(elf, before.profile), "--testset debug1 --verify").better(
        before, "SQLite, llvm-bolt", timeless)


def whole(here, sources):
    """The main test set, by the hardware model's branch trace store, which is quicker."""
    qemu, reason = machine.model("x86_64")
    if not qemu:
        tap.skip("SQLite's main test set", reason)
        return

    def run(elf):
        made = Run(elf, "--testset main --size 1 --verify", "--qemu", qemu, "--region-size", "512", event="bts//",
                   lossless=True, qemu=("-cpu", "Skylake-Client,pmu=on", *machine.EXACT))
        tap.note(f"{elf.name}: {made.instructions} instructions, {made.taken} taken branches")
        return made

    elf = compiled(here, sources, "sqlite.elf")
    before = run(elf)
    run(optimizers.laid_out(elf, before.profile)).better(before, "SQLite's main test set, llvm-bolt", timeless)
    afdo = optimizers.converted(elf, optimizers.export("autofdo-text", before.file)[1])
    again = compiled(here, sources, "sqlite.fdo.elf", f"-fauto-profile={afdo}", "-fno-tree-vectorize")
    middle = run(again)
    middle.better(before, "SQLite's main test set, gcc's AutoFDO", timeless)
    run(optimizers.laid_out(again, middle.profile)).better(middle, "SQLite's main test set, AutoFDO, then llvm-bolt",
                                                           timeless)


def main():
    found = subprocess.run([machine.TOP / "deps/programs", "--build"], capture_output=True, text=True,
                           check=False)
    reason = found.stderr.strip() if found.returncode else machine.missing() or optimizers.missing()
    if reason:
        tap.skip("SQLite, optimized", reason)
        return
    sources = pathlib.Path(found.stdout.strip())
    with tempfile.TemporaryDirectory(prefix="bareperf-optimize-") as directory:
        quick(linked(pathlib.Path(directory), sources))
        if machine.SOAK:
            whole(pathlib.Path(directory), sources)


main()
tap.finish()
