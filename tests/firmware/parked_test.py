#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine that was resumed after its firmware's start (parked.py) behaves like one that has
booted."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
sys.path.insert(0, str(TOP / "tests/firmware"))
import machine  # noqa: E402
import parked  # noqa: E402
import qemu  # noqa: E402
import tap  # noqa: E402

MACHINE = ("-machine", "q35", "-cpu", "max", "-smp", "2", "-m", "512", "-bios", "OVMF.fd", "-kernel", "a.efi", "-append",
           "list", "-chardev", "file,id=console,path=/dev/fd/7", "-serial", "chardev:console", "-chardev",
           "socket,id=bell,fd=8", "-device", "ivshmem-doorbell,chardev=bell,vectors=32")
PAYLOAD = r"""
#include <stdio.h>
int main(int count, char **words)
{
	for (int i = 1; i < count; i++)
		printf("%s\n", words[i]);
	return 7;
}
"""


def other(option, value):
    """MACHINE with another value for an option."""
    words = list(MACHINE)
    words[words.index(option) + 1] = value
    return words


def names():
    of = tuple(parked.parked_words(MACHINE, "/x"))
    same = {"kernel": other("-kernel", "b.efi"), "command": other("-append", "selftest"),
            "console's file": other("-chardev", "file,id=console,path=/dev/fd/9"),
            "initrd": [*MACHINE, "-initrd", "c"], "monitor": [*MACHINE, "-qmp", "unix:d"]}
    tap.equal([name for name, words in same.items() if tuple(parked.parked_words(words, "/x")) != of], [],
              "options that the firmware does not see make no other machine")
    others = {option: other(option, "x") for option in ("-machine", "-cpu", "-smp", "-m", "-bios")}
    tap.equal([name for name, words in others.items() if tuple(parked.parked_words(words, "/x")) == of], [],
              "options that it sees do")
    refused = []
    for words in ([*MACHINE, "-S"], [*MACHINE, "-drive", "file=x"], [*MACHINE, "-device", "nvme"],
                  other("-chardev", "udp,id=console"), other("-cpu", "max,spe=on,spe-leftovers=on")):
        try:
            parked.parked_words(words, "/x")
        except parked.UnknownError as option:
            refused.append(str(option))
    tap.equal(refused, ["-S", "-drive", "nvme", "udp,id=console", "max,spe=on,spe-leftovers=on"],
              "with an unknown option it boots")


def run(isa, elf, *options):
    """The exit status, and the bytes that the program has written."""
    done = subprocess.run([TOP / "build/host/bareperf", "run", "-a", isa, *options, "-o", "/dev/null", "--payload", elf,
                           "--", "record", "--", "payload", "one", "two words", "three=3"],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300)
    return done.returncode, done.stdout, done.stderr


def behind_its_firmware(isa, elf):
    program = shutil.which(f"qemu-system-{isa}")
    firmware = ("--firmware", qemu.quick_firmware()) if isa == "x86_64" else ()
    booted = run(isa, elf, *firmware)
    first, again = (run(isa, elf, *firmware, "--qemu", qemu.parked(program)) for _ in range(2))
    tap.ok(booted[0] == 7 and booted[1].splitlines() == ["one", "two words", "three=3"] and
           booted[:2] == first[:2] == again[:2],
           f"{isa}: image, command line and initrd are its own", (booted, first, again))


names()
with tempfile.TemporaryDirectory() as directory:
    for ISA in ("x86_64", "aarch64"):
        REASON = qemu.missing() or machine.missing(f"qemu-system-{ISA}")
        if REASON:
            tap.skip(f"{ISA}: image, command line and initrd are its own", REASON)
            continue
        ELF = pathlib.Path(directory, f"{ISA}.elf")
        subprocess.run([TOP / f"build/{ISA}/sdk/bin/bareperf-cc", "-O2", "-xc", "-", "-xnone", "-o", ELF],
                       input=PAYLOAD, text=True, check=True)
        behind_its_firmware(ISA, ELF)
tap.finish()
