#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of newer emulators and firmware that Debian 12 lacks. e2e/debian13_test runs it in Debian 13. The claims
are about QEMU 9 and later, EDK2 2025.02 and U-Boot 2025.01.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import tap
from shell import LEDGER, Disk
from uefi import Taken

TOP = machine.TOP
PATIENCE = machine.boots.PATIENCE
DEVICE = {"x86_64": "NVMe", "aarch64": "virtio"}
# {claim: words of `run`}; each records all CPUs
MACHINES = {
    "x86_64": {"x2APIC: all CPUs are recorded": ("-cpu", "max,-monitor,+x2apic", "-smp", "4")},
    "aarch64": {"-cpu max at EL1: all CPUs are recorded": ("-cpu", "max,pauth-impdef=on", "-smp", "2"),
                "-cpu max at EL2: all CPUs are recorded":
                ("-machine", "virt,gic-version=3,virtualization=on", "-cpu", "max,pauth-impdef=on", "-smp", "2")},
}
# Debian's EDK2 removes the protocol before boot loaders, some of which use it wrongly, unless it is told not to.
KEEP = ("-fw_cfg", "opt/org.tianocore/UninstallMemAttrProtocol,string=n")
# No firmware in one file: a code image and a variables image
WHOLE = {"x86_64": "/usr/share/OVMF/OVMF.fd", "aarch64": None}


def recorded(isa, claim, options, directory):
    out = pathlib.Path(directory) / "newer.data"
    done = subprocess.run([machine.TOOL, "run", "--arch", isa, "-o", out, "--timeout", str(PATIENCE), *options, "--", "record",
                           "-a", "-e", "cpu-clock", "-F", "500", "-g", "--", "calltree", "0.5"],
                          capture_output=True, text=True, timeout=2 * PATIENCE, check=False, stdin=subprocess.DEVNULL)
    dumped = subprocess.run([machine.TOOL, "dump", "--json", out], capture_output=True, text=True, check=False)
    try:
        summary = json.loads(dumped.stdout)
    except ValueError:
        summary = {"events": [], "conserved": False}
    sampled = {event["cpu"] for event in summary["events"] if event["delivered"]}
    tap.ok(done.returncode == 0 and summary["conserved"] and len(sampled) == int(options[-1]), f"{isa}: {claim}",
           (done.returncode, done.stdout + done.stderr, summary))


def split_flash(isa):
    """The machines of recorded() have booted firmware that `run` has found."""
    if WHOLE[isa]:
        tap.ok(not pathlib.Path(WHOLE[isa]).exists(), f"{isa}: there is no firmware in one file, and run has found the split flash")


def by_the_firmware(isa, directory):
    """Rights by EFI_MEMORY_ATTRIBUTE_PROTOCOL, and the announcement of the boot services' end."""
    build = TOP / f"build/{isa}"
    disk = Disk(isa, directory, ((build / "tests/spinner.efi", "spinner.efi"),))
    with shell.Shell(isa, disk.path, *machine.EXACT, *KEEP, device=DEVICE[isa], flash=shell.flash(isa, directory, quick=False)) as sh:
        sh.open()
        said = sh.type(r"bareperf.efi record -e cpu-clock -F 1000 -o app.data -- \spinner.efi rights low=100 announced")
        rights = dict(re.findall(r"^(stack|pool|code|data): (\S+)", said, re.MULTILINE))
        ledger = LEDGER.search(said)
    if isa == "aarch64":  # Debian's OVMF lets all of its memory be executed
        tap.ok({rights.get(name) for name in ("stack", "pool", "data")} == {"rw-"} and rights.get("code") == "r-x",
               f"{isa}: the firmware executes neither stack nor pool nor data, and an application is recorded", said)
    tap.ok(ledger and int(ledger[1]) >= 90 and len(Taken(disk, "app.data").samples()) >= 90, f"{isa}: its samples are there", said)
    tap.ok("1 announcements before a call that failed" in said,
           f"{isa}: the firmware itself signals EFI_EVENT_GROUP_BEFORE_EXIT_BOOT_SERVICES", said)


def main():
    with tempfile.TemporaryDirectory(prefix="bareperf-newer-") as directory:
        for isa in sys.argv[1:] or shell.MACHINES:
            why = machine.missing(f"qemu-system-{isa}")
            if why:
                tap.skip(f"{isa}: parts of newer emulators and firmware", why)
                continue
            for claim, options in MACHINES[isa].items():
                recorded(isa, claim, options, directory)
            split_flash(isa)
            by_the_firmware(isa, directory)


main()
tap.finish()
