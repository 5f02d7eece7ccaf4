#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A payload on the boot volume, run several times by one machine, with a crash in between.

check-spare: no claim is about time
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import tap

IDLE = 1
EFAULT = -14
BOOT = {"x86_64": "BOOTX64.EFI", "aarch64": "BOOTAA64.EFI"}

AGAIN = r"""
#include <stdio.h>
#include <stdlib.h>

static int runs; /* .bss and .data, fresh in every run */
static int sevens = 7;

int main(int argc, char **argv)
{
	unsigned char *zeroed = calloc(1, 100000);
	unsigned sum = 0;

	for (unsigned i = 0; i < 100000; i++) {
		sum += zeroed[i];
		zeroed[i] = 0xee;
	}
	printf("%s: run %d of %d, calloc() gave %zu\n", argv[1], ++runs, sevens++, (size_t)sum);
	fflush(stdout);
	if (argc > 2)
		*(volatile int *volatile)0x10 = 1;
	return 0;
}
"""


def make_volume(directory, arch):
    """A directory that QEMU offers as a volume: the image, and the payload beside it."""
    volume = pathlib.Path(directory) / "volume"
    (volume / "EFI/BOOT").mkdir(parents=True)
    shutil.copy(machine.TOP / f"build/{arch}/bareperf.efi", volume / "EFI/BOOT" / BOOT[arch])
    subprocess.run([machine.TOP / f"build/{arch}/sdk/bin/bareperf-cc", "-O2", "-xc", "-", "-xnone",
                    "-o", volume / "payload.elf"], input=AGAIN, text=True, check=True)
    return volume


def serve(arch, agent):
    tap.ok(agent.until(lambda: agent.state() == IDLE, 120) and
           "payload: \\payload.elf, " in agent.console(),
           f"{arch}: \\payload.elf is found on the volume that was booted", agent.console())
    for words, status, claim in (
        ("first", 0, "it runs"),
        ("second", 0, "it runs again, from fresh variables and a heap of zeros"),
        ("third crash", EFAULT, "its crash is the command's failure and not the machine's end"),
        ("fourth", 0, "it runs as before after that"),
    ):
        seen = agent.command(f"record -e cpu-clock -F 1000 -- payload {words}".encode())
        said = f"{words.split()[0]}: run 1 of 7, calloc() gave 0\n"
        tap.ok(seen == status and said in agent.printed(), f"{arch}: {claim}",
               f"status {seen}\n{agent.console()}\n{agent.printed()}")
    tap.equal(agent.command(b"record -e cpu-clock -F 1000 -- qsort 1000"), 0,
              f"{arch}: and the built-in workloads do")


for name in BOOT:
    if not shutil.which(f"qemu-system-{name}"):
        tap.skip(f"{name}: a payload on the boot volume", f"qemu-system-{name} is not installed")
        continue
    with tempfile.TemporaryDirectory() as place:
        stick = make_volume(place, name)
        AGENT = mailbox.Agent(place, name, "-drive", f"if=none,id=stick,format=raw,file=fat:rw:{stick}",
                              "-device", "virtio-blk-pci,drive=stick,bootindex=0")
        try:
            serve(name, AGENT)
        finally:
            AGENT.process.kill()
            AGENT.process.wait()
tap.finish()
