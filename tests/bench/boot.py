#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of recording a boot: instructions from the machine's start to the boot entry, with and
without `record --boot`, on Debian's OVMF and AAVMF. The machine counts instructions as time
(-icount), and the boot entry is an application that prints the clock. The firmware polls devices,
which take the host's time, so the shortest of several boots counts. The cost includes the loading
of the driver and its reports of images, besides 1000 samples a second."""

import os
import pathlib
import re
import shutil
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/qemu"), str(TOP / "tests/e2e/lib"), str(TOP / "tests/firmware")]

import machine  # noqa: E402
import shell  # noqa: E402

SHIFT = 3  # 2 ** SHIFT ns per instruction
STEADY = ["-icount", f"shift={SHIFT},sleep=off", "-action", "reboot=reset"]
NS_OF_CYCLE = {"x86_64": 1, "aarch64": 16}  # ns per count of QEMU's counter under -icount
BOOTS = 3
GOAL = 5  # per cent
FLASH = {
    "x86_64": ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    "aarch64": ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd"),
}
COMMAND = "record --boot -e cpu-clock -F 1000 -g"
SETUP = (
    "setvar Timeout -guid 8be4df61-93ca-11d2-aa0d-00e098032b8c -bs -rt -nv =0x0000",
    r"bcfg boot add 0 fs0:\spinner.efi spinner",
)


def flash(isa, variables):
    return ["-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={FLASH[isa][0]}",
            "-drive", f"if=pflash,unit=1,format=raw,file={variables}"]


def prepare(isa, disk, variables, *first):
    """UEFI variables with which the machine boots the entry; the shell's commands set them."""
    shutil.copy(FLASH[isa][1], variables)
    os.chmod(variables, 0o644)
    with shell.Shell(isa, disk.path, *STEADY, flash=flash(isa, variables)) as sh:
        sh.read_until(shell.PROMPT)
        for line in ("fs0:", *first, *SETUP):
            sh.type(line)
    return variables


def boot(isa, disk, variables):
    """Returns the number of instructions."""
    with shell.Shell(isa, disk.path, *STEADY, flash=flash(isa, variables)) as sh:
        said = sh.read_until(r"clock \d+\s")
    return int(re.search(r"clock (\d+)", said)[1]) * NS_OF_CYCLE[isa] >> SHIFT


def measure(isa):
    with tempfile.TemporaryDirectory(prefix="bareperf-boot-") as place:
        directory = pathlib.Path(place)
        build = TOP / f"build/{isa}"
        disk = shell.Disk(isa, directory, ((build / "bareperf-dxe.efi", "bareperf-dxe.efi"),
                                           (build / "tests/spinner.efi", "spinner.efi")))
        ours = {"without": prepare(isa, disk, directory / "without.fd"),
                "with": prepare(isa, disk, directory / "with.fd", f"bareperf.efi register {COMMAND}")}
        times = {name: [boot(isa, disk, variables) for _ in range(BOOTS)] for name, variables in ours.items()}
    for name, all_of_them in times.items():
        print(f"# {isa}, {name}: {' '.join(f'{count / 1e6:.1f}' for count in all_of_them)} million instructions")
    more = 100 * (min(times["with"]) / min(times["without"]) - 1)
    print(f"bench boot-{isa}-recorded {more:.2f} % goal {GOAL} {'ok' if more <= GOAL else 'short'}")


for ISA in shell.MACHINES:
    if machine.missing(f"qemu-system-{ISA}"):
        print(f"bench boot-{ISA}-recorded skip {machine.missing(f'qemu-system-{ISA}')}")
    else:
        measure(ISA)
