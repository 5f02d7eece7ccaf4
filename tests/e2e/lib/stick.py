# SPDX-License-Identifier: MIT
"""A volume that a machine boots from, and its content afterwards."""

import pathlib
import shutil
import struct
import subprocess
import threading

import tap
from machine import boots

TOP = pathlib.Path(__file__).resolve().parents[3]
EDK2 = {"x86_64": boots.quick_firmware(), "aarch64": "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"}
U_BOOT = {"aarch64": "/usr/lib/u-boot/qemu_arm64/u-boot.bin",
          "x86_64": "/usr/lib/u-boot/qemu-x86_64/u-boot.rom"}
BOOT = {"x86_64": "BOOTX64.EFI", "aarch64": "BOOTAA64.EFI"}
MACHINE = {"x86_64": ["-machine", "q35", "-cpu", "max,-monitor"],
           "aarch64": ["-machine", "virt,gic-version=3", "-cpu", "cortex-a76"]}
SECONDS = boots.PATIENCE


def mtool(name, volume, *arguments, check=True):
    return subprocess.run([name, "-i", volume, *arguments], capture_output=True, check=check)


def fsck(volume, *options):
    """fsck.fat's exit status (0: clean, 1: errors) and its output."""
    tool = shutil.which("fsck.fat") or "/usr/sbin/fsck.fat"
    done = subprocess.run([tool, *options, volume], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Volume:
    """A FAT32 file system without a partition table."""

    def __init__(self, path, mib, arch, image, files):
        self.path = pathlib.Path(path)
        self.path.unlink(missing_ok=True)
        with open(self.path, "wb") as file:
            file.truncate(mib << 20)
        mtool("mformat", self.path, "-F", "-c", "1", "::")
        mtool("mmd", self.path, "::/EFI", "::/EFI/BOOT")
        mtool("mcopy", self.path, image, f"::/EFI/BOOT/{BOOT[arch]}")
        for name, contents in files.items():
            subprocess.run(["mcopy", "-i", self.path, "-", f"::/{name}"], input=contents, check=True)

    def names(self, directory="bareperf"):
        done = mtool("mdir", self.path, "-b", f"::/{directory}", check=False)
        return sorted(line.rsplit("/", 1)[1] for line in done.stdout.decode().split("\n") if line)

    def read(self, path):
        """A file's bytes; None if there is no such file."""
        done = mtool("mtype", self.path, f"::/{path}", check=False)
        return None if done.returncode else done.stdout

    def claim_free(self, clusters):
        """Change the file system's own count of free clusters, which is only a hint."""
        with open(self.path, "r+b") as file:
            file.seek(512 + 488)  # FSInfo, FSI_Free_Count
            file.write(struct.pack("<I", clusters))


def boot(arch, volume, *qemu, firmware=None, drive="", device="virtio-blk-pci", until=None):
    """The serial line's text of a machine that boots from the volume, up to its end or up to this
    text. firmware: a file for -bios, or QEMU's options."""
    command = [f"qemu-system-{arch}", *MACHINE[arch], "-m", "512", "-nographic", "-nodefaults"]
    command += ["-serial", "stdio", "-no-reboot", *boots.NO_MENU, *qemu]
    command += firmware if isinstance(firmware, list) else ["-bios", firmware or EDK2[arch]]
    if volume:
        command += ["-drive", f"if=none,id=stick,{drive or f'format=raw,file={volume.path}'}"]
        command += ["-device", f"{device},drive=stick"]
    machine = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    watchdog = threading.Timer(SECONDS, machine.kill)
    watchdog.start()
    said = b""
    while chunk := machine.stdout.read1(65536):
        said += chunk
        if until and until.encode() in said:
            machine.kill()
    machine.wait()
    if not watchdog.is_alive():
        tap.note(f"{arch}: ended after {SECONDS} s")
    watchdog.cancel()
    return said.decode(errors="replace").replace("\r", "")


class WriteLog:
    """The machine's writes in the log of QEMU's blklogwrites: [(first sector, bytes)], in order."""

    SUPER = struct.Struct("<QQQI")
    ENTRY = struct.Struct("<QQQQ")

    def __init__(self, path):
        log = pathlib.Path(path).read_bytes()
        _, _, count, sector = self.SUPER.unpack_from(log)
        self.sector, self.writes, at = sector, [], sector
        for _ in range(count):
            first, sectors, flags, _ = self.ENTRY.unpack_from(log, at)
            at += sector
            size = 0 if flags & 4 else sectors * sector  # discards have no data
            if size:
                self.writes.append((first, log[at : at + size]))
            at += size
