#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The USB image boots on both ISAs, as a USB stick and with only the firmware's defaults.

check-spare: no claim is about time
"""

import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 300
MACHINES = {
    "x86_64": ["-machine", "q35", "-cpu", "max", "-bios", "/usr/share/ovmf/OVMF.fd"],
    "aarch64": [
        *("-machine", "virt,gic-version=3,virtualization=on", "-cpu", "max"),
        *("-bios", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"),
    ],
}


def make_image(directory):
    image = pathlib.Path(directory) / "bareperf.img"
    images = [TOP / f"build/{arch}/bareperf.efi" for arch in MACHINES]
    subprocess.run([TOP / "boot/make-image", image, *images], check=True)
    return image


def boot(arch, image, wanted):
    """Serial output until the wanted text appears, the machine ends, or SECONDS have passed."""
    command = [f"qemu-system-{arch}", *MACHINES[arch], "-m", "512", "-nographic", "-nodefaults"]
    command += ["-serial", "stdio", "-no-reboot", "-device", "qemu-xhci", "-device"]
    command += ["usb-storage,drive=stick", "-drive"]
    command += [f"if=none,id=stick,format=raw,snapshot=on,file={image}"]
    qemu = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    watchdog = threading.Timer(SECONDS, qemu.kill)
    watchdog.start()
    output = ""
    while wanted not in output:
        chunk = qemu.stdout.read1(4096)
        if not chunk:
            break
        output += chunk.decode(errors="replace")
    watchdog.cancel()
    qemu.kill()
    qemu.wait()
    return output


with tempfile.TemporaryDirectory() as directory:
    image = make_image(directory)
    table = subprocess.run(["sgdisk", "-v", image], capture_output=True, text=True).stdout
    tap.ok("No problems found" in table, "the partition table is sound", table)
    for arch in MACHINES:
        output = boot(arch, image, "(help shows more)")
        tap.ok("-e cpu-clock" in output, f"{arch}: the stick boots and lists the event sources", output[-2000:])
        tap.ok(r"next: a command in \bareperf.cfg" in output and "not here" not in output,
               f"{arch}: this machine's features, and the next step", output[-2000:])
tap.finish()
