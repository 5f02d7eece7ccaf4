#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian's boot loaders, and the Linux kernels that they start, while the firmware's boot is
recorded.

UEFI_MACHINES: only these machines ("x86_64 aarch64")."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import stick
import tap
from shell import Disk
from uefi import Taken

sys.path.append(str(machine.TOP / "tests/qemu"))
import guests  # noqa: E402

COMMAND = "record --boot -e cpu-clock -F 1000 -g"
SUFFIX = {"x86_64": "x64", "aarch64": "aa64"}  # the suffix in the file names of shim and GRUB
CONSOLE = {"x86_64": "ttyS0", "aarch64": "ttyAMA0"}
SLOW = 6_000_000  # bytes per second of the disk: the smaller kernel takes more than two seconds
LOOKS = r"Kernel panic - not syncing: VFS: Unable to mount root"


def loaders():
    """The path of the boot loaders, or None."""
    script = machine.TOP / "deps/boot-loaders"
    subprocess.run([script, "--build"], check=True, stdout=subprocess.DEVNULL)
    place = pathlib.Path(subprocess.run([script, "--path"], check=True, capture_output=True,
                                        text=True).stdout.strip())
    return place if place.exists() else None


def kernel_of(isa):
    """The path of Debian's kernel, or None."""
    try:
        return guests.guest_directory(isa) / "vmlinuz"
    except (guests.Unavailable, RuntimeError):
        return None


def make_disk(isa, directory, place, kernel):
    """A disk on which systemd-boot starts shim, shim starts GRUB, and GRUB starts Linux."""
    build = machine.TOP / f"build/{isa}"
    disk = Disk(isa, directory, [(build / "bareperf-dxe.efi", "bareperf-dxe.efi"), (kernel, "linux.efi"),
                                 (place / f"systemd-boot-{isa}.efi", "systemd-boot.efi")])
    volume = f"{disk.path}@@1M"
    stick.mtool("mmd", volume, "::/loader", "::/loader/entries", "::/EFI/debian")
    for loader in ("shim", "grub"):
        stick.mtool("mcopy", volume, place / f"{loader}-{isa}.efi", f"::/EFI/debian/{loader}{SUFFIX[isa]}.efi")
    for name, text in (("loader/loader.conf", "timeout 0\ndefault grub.conf\n"),
                       ("loader/entries/grub.conf", f"title GRUB\nefi /EFI/debian/shim{SUFFIX[isa]}.efi\n"),
                       ("EFI/debian/grub.cfg", f"linux /linux.efi console={CONSOLE[isa]} panic=-1\nboot\n")):
        path = pathlib.Path(directory) / pathlib.PurePath(name).name
        path.write_text(text)
        stick.mtool("mcopy", volume, path, f"::/{name}")
    return disk


def boot(isa, disk, directory):
    """The machine's output from power-on until the kernel, with all its drivers, looks for its
    disk; the loaders' disk is slow."""
    with shell.Shell(isa, disk.path, "-action", "reboot=reset",
                     flash=shell.flash(isa, directory, quick=False)) as sh:
        sh.open()
        sh.type(f"bareperf.efi register {COMMAND}")
        sh.type(r"bcfg boot add 0 fs0:\systemd-boot.efi loader")
        sh.monitor.ask("block_set_io_throttle", device="disk", bps=SLOW, bps_rd=0, bps_wr=0, iops=0,
                       iops_rd=0, iops_wr=0)
        start = len(sh.raw)
        sh.send("reset\r")
        sh.read_until(r"written: \S+\s", start)
        return sh.read_until(LOOKS, start)


def judge_shim(taken, isa):
    """shim loads GRUB without the firmware, and presents it under its own image."""
    maps = taken.maps()
    places = {re.split(r"[\\/]", name)[-1]: at for at, _, name in maps}
    shim, grub = (places.get(f"{loader}{SUFFIX[isa]}.efi") for loader in ("shim", "grub"))
    over = [name for at, _, name in maps if at == shim]
    tap.ok(shim and grub and shim != grub and over[-1:] != ["//anon"],
           f"{isa}: so is GRUB, which shim has loaded by itself, beside shim, which stays where it is",
           (places, over))


def judge(isa, taken):
    dump = taken.dump()
    tap.ok(dump.returncode == 0 and "conserved: yes" in dump.stdout, f"{isa}: the ledger is in order",
           dump.stdout[-2000:] + dump.stderr)
    work, waits, text = taken.modules()
    tap.ok(work.get(f"grub{SUFFIX[isa]}", 0) > 100 and "systemd-boot" in work | waits,
           f"{isa}: the loaders are modules of it", text)
    judge_shim(taken, isa)
    images, total = taken.images(), len(taken.chains())
    unknown = images.get("[unknown]", 0)
    tap.ok(0 < unknown < 0.05 * total, f"{isa}: GRUB's modules, which run from its heap, are in none",
           (unknown, total, text))
    tap.equal([sum(images.values()), work.pop("[work]", 0) + waits.pop("[waiting]", 0), waits.pop("[all]", 0),
               sum(work.values()) + sum(waits.values())], [total] * 4,
              f"{isa}: the images' sum is all samples, and so is the modules', of work and of waiting")
    tap.ok(waits.get("VirtioBlkDxe", 0) > 500,
           f"{isa}: that the disk is slow is its driver's waiting", text)


def run(isa, place, kernel):
    with tempfile.TemporaryDirectory(prefix="bareperf-loaders-") as directory:
        disk = make_disk(isa, directory, place, kernel)
        said = boot(isa, disk, directory)
        tap.ok("samples, 0 lost" in said and "written: \\bareperf\\0001.data" in said and
               re.search(LOOKS, said), f"{isa}: the recording is a file, and then Linux boots, as far as to look for "
               "its disk", said[-3000:])
        strange = re.findall(r"(?i).*(?:NMI received|nobody cared|no irq handler|unexpected irq|unexpected interrupt).*",
                             said)
        tap.ok(not strange, f"{isa}: no interrupt of ours comes to it", strange)
        judge(isa, Taken(disk, "0001.data"))


if machine.missing():
    tap.skip("boot loaders are recorded", machine.missing())
else:
    for ISA in shell.MACHINES:
        if ISA not in os.environ.get("UEFI_MACHINES", "x86_64 aarch64").split():
            continue
        PLACE, KERNEL = loaders(), kernel_of(ISA)
        if PLACE and KERNEL:
            run(ISA, PLACE, KERNEL)
        else:
            tap.skip(f"{ISA}: boot loaders are recorded", "Debian's loaders, or its kernel, cannot be had")
tap.finish()
