# SPDX-License-Identifier: MIT
"""A machine that has booted the firmware's own shell from a disk that holds our image.

    with Shell("x86_64", directory) as shell:
        shell.open()
        text = shell.type("bareperf.efi list")"""

import os
import pathlib
import re
import selectors
import shutil
import subprocess
import time

import machine
import stick
from efi_variables import Variables

PATIENCE = machine.boots.PATIENCE
MACHINES = {
    "x86_64": ["-machine", "q35", "-cpu", "max,-monitor"],
    # Linux signs its return addresses: with the architecture's own cipher instead of QEMU's faster
    # one, that takes most of its boot.
    "aarch64": ["-machine", "virt,gic-version=3,virtualization=on", "-cpu", "max,pauth-impdef=on"],
}
DEVICES = {
    "virtio": ["-device", "virtio-blk-pci,drive=disk"],
    "USB": ["-device", "qemu-xhci", "-device", "usb-storage,drive=disk,id=stick"],
    "NVMe": ["-device", "nvme,serial=1,drive=disk"],
}
ESCAPES = re.compile(r"\x1b\[[0-9;=?]*[A-Za-z]")
PROMPT = re.compile(r"(Shell|FS0:\\[\w\\]*)> *$")


def firmware(isa):
    if isa == "x86_64":
        return [str(word) for word in machine.boots.firmware()]
    return ["-bios", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"]


FLASH = {
    "x86_64": ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    "aarch64": ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd"),
}


# The firmware formats the empty variables of a new machine.
FORMATTED = {"aarch64": "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd"}


def flash(isa, directory, options=None, quick=True):
    """This machine's own variables: those of a new machine, or only these (efi_variables.py)."""
    code, variables = machine.boots.quick_flash() if quick and isa == "x86_64" else FLASH[isa]
    ours = pathlib.Path(directory) / f"{isa}.fd"
    if options is None:
        shutil.copy(variables, ours)
    else:
        Variables(FORMATTED.get(isa, variables), ours).add_options(options)
    os.chmod(ours, 0o644)
    return ["-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={code}",
            "-drive", f"if=pflash,unit=1,format=raw,file={ours}"]


# The summary's words about a recording's ledger.
LEDGER = re.compile(r"(\d+) (?:samples|records) generated = (\d+) written \+ (\d+) lost\n")

# A command that fails, so that the next boot entry, the shell, is booted.
FAILS = "record -e cpu-clock -- payload\n"


def make_disk(directory, isa, config=FAILS, files=()):
    """The volume of `make image`, with this \\bareperf.cfg and more files as (path, name)."""
    disk = pathlib.Path(directory) / f"{isa}.img"
    images = [machine.TOP / f"build/{arch}/bareperf.efi" for arch in MACHINES]
    subprocess.run([machine.TOP / "boot/make-image", disk, *images], check=True)
    text = pathlib.Path(directory) / "bareperf.cfg"
    text.write_text(config)
    for path, name in (*files, (text, "bareperf.cfg"), (images[isa == "aarch64"], "bareperf.efi")):
        subprocess.run(["mcopy", "-o", "-i", f"{disk}@@1M", path, f"::/{name}"], check=True)
    return disk


class Shell:
    """QEMU with this disk; its serial line is the firmware's console."""

    def __init__(self, isa, disk, *options, device="virtio", program=None, base=None, flash=None):
        self.monitor = machine.boots.Monitor(disk.parent)
        self.raw = b""
        self.process = subprocess.Popen(
            [program or f"qemu-system-{isa}", *(base or MACHINES[isa]), *(flash or firmware(isa)),
             "-m", "512", "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot",
             "-drive", f"if=none,id=disk,format=raw,file={disk}",
             *DEVICES[device], *machine.boots.NO_MENU, *self.monitor.options, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()
        self.monitor.close()
        pathlib.Path(self.monitor.options[1].removeprefix("unix:")).unlink()

    def read_until(self, pattern, start=0):
        """Wait until pattern matches the text since start, a position in QEMU's output, until QEMU
        ends, or until the time is over; returns the text without the terminal's escapes. Text comes
        in pieces, so a pattern must not end in "as many as there are": it would match half a
        word."""
        assert re.compile(pattern).pattern[-1] not in "+*", pattern
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < deadline and not re.search(pattern, self.said(start)):
                if not selector.select(timeout=1):
                    continue
                data = self.process.stdout.read1(65536)
                if not data:
                    break
                self.raw += data
        return self.said(start)

    def said(self, start=0):
        return ESCAPES.sub("", self.raw[start:].decode("ascii", "replace")).replace("\r", "")

    def send(self, text):
        """Send keys by the serial line."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def open(self, start=0):
        """Wait for the shell's prompt on our volume; returns the text before it. At "Press ESC in 5
        seconds" send another key: after Escape the firmware would wait for the rest of a terminal's
        sequence."""
        self.read_until(r"Press ESC in \d", start)
        self.send(" ")
        said = self.read_until(PROMPT, start)
        self.type("fs0:")
        return said

    def type(self, line, keys=None):
        """Type a command by the serial line, or by keys(). Returns the text up to the next
        prompt."""
        start = len(self.raw)
        if keys:
            keys()
        else:
            self.send(line + "\r")
        return self.read_until(PROMPT, start).split("\n", 1)[-1]

    def press(self, text):
        """Press keys on the keyboard, each after the last one was seen, because the keyboard's
        buffer is small."""
        names = {" ": "spc", ".": "dot", "\n": "ret", "-": "minus", "/": "slash",
                 "\b": "backspace", "\x1b": "esc"}
        for key in text:
            before = len(self.raw)
            self.monitor.line(f"sendkey {names.get(key, key)} 1")
            if len(text) > 1:
                self.read_until("(?s).", before)


class Disk:
    """The volume of `make image` with a second image for the shell, and its files."""

    def __init__(self, isa, directory, files=(), config=FAILS):
        self.path = make_disk(directory, isa, config, files)
        self.directory = pathlib.Path(directory)

    def read(self, name):
        return stick.mtool("mtype", f"{self.path}@@1M", f"::/bareperf/{name}", check=False).stdout

    def is_sound(self):
        """The partition as a file: from 1 MiB up to the backup of the GPT."""
        volume = self.path.with_suffix(".fat")
        volume.write_bytes(self.path.read_bytes()[1 << 20:-(1 << 20)])
        return stick.fsck(volume, "-n")

    def take(self, sh, said, name):
        """The region that stayed in RAM, saved as a debug probe would, here by QEMU's monitor."""
        place = re.search(r"pmemsave (0x[0-9a-f]+) (\d+)", said)
        path = self.directory / f"{name}.bin"
        if place:
            sh.monitor.ask("pmemsave", val=int(place[1], 16), size=int(place[2]), filename=str(path))
        return path if place else None

    def of_host(self, region):
        """The host tool's recording of the region."""
        data = region.with_suffix(".host")
        subprocess.run([machine.TOP / "build/host/region-file", "write", region, data], check=True)
        return data.read_bytes()


def in_use(sh):
    """Pages by their type in the firmware's memory map, and the number of handles."""
    pages = {kind: int(count.replace(",", "")) for kind, count in
             re.findall(r"^ *(\w+) *: *([\d,]+) Pages", sh.type("memmap"), re.MULTILINE)}
    return pages | {"handles": len(re.findall(r"^[0-9A-F]+: ", sh.type("dh"), re.MULTILINE))}


def leak(sh, *commands):
    """The memory that these commands leave in use. For each command one page of BS_Data is
    subtracted, because a shell keeps the lines that it reads and prints, some five to a page."""
    in_use(sh)  # the first time, dh and memmap keep some 50 pages
    before = in_use(sh)
    said = "".join(sh.type(command) for command in commands)
    after = in_use(sh)
    more = {kind: after[kind] - before.get(kind, 0) for kind in after}
    more["BS_Data"] = max(more["BS_Data"] - len(commands), 0)
    del more["Available"]
    return said, {kind: count for kind, count in more.items() if count}
