#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 900
"""Writers of one ring nested by real interrupts and NMIs, with a reader on another CPU."""

import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import qemu  # noqa: E402
import tap  # noqa: E402

ARM_FIRMWARE = ["/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"]
PATIENCE = 300


def relay(name, text):
    """The image's claims become claims of this test."""
    notes = "\n".join(re.findall(r"^# (.*)", text, re.MULTILINE))
    for passed, claim in re.findall(r"^(not ok|ok) \d+ - (.*)$", text, re.MULTILINE):
        tap.ok(passed == "ok", f"{name}: {claim}", notes)
    tap.ok(re.search(r"^1\.\.6$", text, re.MULTILINE), f"{name}: the image comes to its end", text)
    tap.note(notes)


def arm_missing():
    if not shutil.which("qemu-system-aarch64"):
        return "there is no qemu-system-aarch64"
    if not any(pathlib.Path(path).exists() for path in ARM_FIRMWARE):
        return "there is no AAVMF"
    return None


def arm_text():
    firmware = next(path for path in ARM_FIRMWARE if pathlib.Path(path).exists())
    run = subprocess.run(
        [qemu.parked("qemu-system-aarch64"), "-machine", "virt,virtualization=on,gic-version=3", "-cpu", "max",
         "-smp", "2", "-m", "256", "-nodefaults", "-display", "none", "-serial", "stdio",
         "-no-reboot", "-bios", firmware, "-kernel", TOP / "build/aarch64/tests/nest.efi",
         "-append", "nothing"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=PATIENCE)  # fmt: skip
    return run.stdout.decode("ascii", "replace").replace("\r", "")


if qemu.missing():
    tap.skip("x86_64: writers nest", qemu.missing())
else:
    with qemu.Machine("nest", "", "-smp", "2") as machine:
        relay("x86_64", machine.read_until(r"\n1\.\.\d+\n"))
if arm_missing():
    tap.skip("aarch64: writers nest", arm_missing())
else:
    relay("aarch64", arm_text())
tap.finish()
