# SPDX-License-Identifier: MIT
"""A machine that has booted the firmware's own shell from a disk with our image on it.

    with Shell("x86_64", directory) as shell:
        shell.open()
        text = shell.type("bareperf.efi list")
"""

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
    # Linux signs its return addresses: by the architecture's cipher, not QEMU's own, that is most of its boot.
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


# A new machine's is none yet: the firmware formats it.
FORMATTED = {"aarch64": "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd"}


def flash(isa, directory, options=None, quick=True):
    """Variables of this machine alone: a new one's, or nothing but these (efi_variables.py)."""
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
BOOKS = re.compile(r"(\d+) (?:samples|records) generated = (\d+) written \+ (\d+) lost\n")

# Fails, so that the next boot entry is booted: the shell.
FAILS = "record -e cpu-clock -- payload\n"


def make_disk(directory, isa, config=FAILS, files=()):
    """The volume of `make image`, with this \\bareperf.cfg, and more files by (path, name)."""
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
        """The text since start, a place in what QEMU wrote, when pattern matches in it, QEMU ends
        or patience does; without the terminal's escapes, which may come in pieces. Text does, too: a pattern that
        ends in "as many as there are" would take half a word for all of it."""
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
        """Keys, by the serial line."""
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def open(self, start=0):
        """To the shell's prompt on our volume; what was said on the way. "Press ESC in 5 seconds", or any
        other key: behind Escape a terminal may send more, which is waited for."""
        self.read_until(r"Press ESC in \d", start)
        self.send(" ")
        said = self.read_until(PROMPT, start)
        self.type("fs0:")
        return said

    def type(self, line, keys=None):
        """A command by the serial line, or by keys(); what it says up to the next prompt."""
        start = len(self.raw)
        if keys:
            keys()
        else:
            self.send(line + "\r")
        return self.read_until(PROMPT, start).split("\n", 1)[-1]

    def press(self, text):
        """Keys, by the keyboard: one when the last one is seen, as its buffer holds few of them."""
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
        """The partition as a file: from 1 MiB, up to the backup of the GPT."""
        volume = self.path.with_suffix(".fat")
        volume.write_bytes(self.path.read_bytes()[1 << 20:-(1 << 20)])
        return stick.fsck(volume, "-n")

    def take(self, sh, said, name):
        """The region that stayed in RAM, as a debug probe, here QEMU's monitor, would take it."""
        place = re.search(r"pmemsave (0x[0-9a-f]+) (\d+)", said)
        path = self.directory / f"{name}.bin"
        if place:
            sh.monitor.ask("pmemsave", val=int(place[1], 16), size=int(place[2]), filename=str(path))
        return path if place else None

    def of_host(self, region):
        """The output of the host's tool for it."""
        data = region.with_suffix(".host")
        subprocess.run([machine.TOP / "build/host/region-file", "write", region, data], check=True)
        return data.read_bytes()


def in_use(sh):
    """Pages by their type, as the firmware's memory map has them, and how many handles there are."""
    pages = {kind: int(count.replace(",", "")) for kind, count in
             re.findall(r"^ *(\w+) *: *([\d,]+) Pages", sh.type("memmap"), re.MULTILINE)}
    return pages | {"handles": len(re.findall(r"^[0-9A-F]+: ", sh.type("dh"), re.MULTILINE))}


def leak(sh, *commands):
    """The memory that they leave in use. BS_Data less a page each: a shell remembers each line that it
    is given, and of each that it shows, comes to one in some five of them."""
    in_use(sh)  # the first time, dh's names and memmap's stay in memory: some 50 pages
    before = in_use(sh)
    said = "".join(sh.type(command) for command in commands)
    after = in_use(sh)
    more = {kind: after[kind] - before.get(kind, 0) for kind in after}
    more["BS_Data"] = max(more["BS_Data"] - len(commands), 0)
    del more["Available"]
    return said, {kind: count for kind, count in more.items() if count}
