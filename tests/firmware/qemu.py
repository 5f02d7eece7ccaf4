# SPDX-License-Identifier: MIT
"""Boots an image in QEMU and reads its console.

    with Machine("machine", "no-hpet", "-smp", "2") as machine:
        text = machine.read_until("1..")
"""

import functools
import hashlib
import json
import os
import pathlib
import re
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import ovmf

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FIRMWARE = [
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),
]
NO_MENU = ["-boot", "menu=on,splash-time=0"]  # show EDK2's boot menu for 0 s
PATIENCE = 300  # seconds until something counts as hung; the host may be very busy


def missing():
    """The reason why no machine can be booted here, or None."""
    if not shutil.which("qemu-system-x86_64"):
        return "there is no qemu-system-x86_64"
    if not any(pathlib.Path(code).exists() for code, _ in FIRMWARE):
        return "there is no OVMF"
    return None


@functools.cache
def quick_flash():
    """The smallest OVMF, with fewer drivers, and the variables of a new machine, as files for
    QEMU's flash; or None."""
    there = [pair for pair in FIRMWARE if all(pathlib.Path(path).exists() for path in pair)]
    if not there:
        return None
    code, variables = min(there, key=lambda pair: pathlib.Path(pair[0]).stat().st_size)
    made_of = pathlib.Path(code).read_bytes() + pathlib.Path(ovmf.__file__).read_bytes()
    return made("quick-OVMF_CODE", made_of, lambda: ovmf.quick(pathlib.Path(code).read_bytes())), variables


@functools.cache
def quick_firmware():
    """The same as one file for QEMU's -bios, or None."""
    if not quick_flash():
        return None
    code, variables = (pathlib.Path(path).read_bytes() for path in quick_flash())
    return made("quick-OVMF", variables + code, lambda: variables + code)


def made(name, made_of, make):
    """A file whose name is a hash of its inputs; it is made if it does not exist."""
    path = TOP / "build" / f"{name}-{hashlib.sha256(made_of).hexdigest()[:12]}.fd"
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(make())
        os.replace(file.name, path)
    return path


@functools.cache
def parked(program, region=64):
    """A program that behaves like this QEMU, but resumes a parked machine (parked.py), in a form
    that the host tool can start; None if there is none. region: MiB, if it has a doorbell."""
    program = shutil.which(program)
    if not program:
        return None
    path = TOP / "build/parked" / f"{region}-{hashlib.sha256(program.encode()).hexdigest()[:8]}"
    path /= os.path.basename(program)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
            file.write(f'''#!/bin/sh
[ "$2" != none ] || exec {program} "$@"  # -machine none: what it can
exec {sys.executable} -SE {TOP}/tests/firmware/parked.py {region} {program} "$@"
''')
        os.chmod(file.name, 0o755)
        os.replace(file.name, path)
    return path


def firmware(quick=True):
    """QEMU's options for OVMF, without a file for its variables. The other way is flash, as
    `bareperf run` does."""
    if quick:
        return ["-bios", quick_firmware()]
    code, variables = next(pair for pair in FIRMWARE if pathlib.Path(pair[0]).exists())
    return [
        "-drive", f"if=pflash,format=raw,readonly=on,file={code}",
        "-drive", f"if=pflash,format=raw,snapshot=on,file={variables}",
    ]  # fmt: skip


class Monitor:
    """QEMU's monitor, at a socket that listens before QEMU starts with these options."""

    def __init__(self, directory):
        path = f"{directory}/qmp"
        self.options = ["-qmp", f"unix:{path}"]
        self.file = None
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(1)

    def ask(self, command, **arguments):
        """A command's result; a refused command is an error of the test."""
        if not self.file:
            self.listener.settimeout(PATIENCE)
            self.file = self.listener.accept()[0].makefile("rw")
            self.file.readline()
            self.ask("qmp_capabilities")
        self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            reply = json.loads(self.file.readline())
            if "error" in reply:
                raise ValueError(f"{command}: {reply['error']}")
            if "return" in reply:
                return reply["return"]

    def line(self, text):
        """The answer of the human monitor to a line."""
        return self.ask("human-monitor-command", **{"command-line": text})

    def close(self):
        self.listener.close()
        if self.file:
            self.file.close()


class Machine:
    """A q35 PC that runs build/x86_64/tests/IMAGE.efi with this command line, on the firmware that
    boots quickly, or on the one that users have."""

    def __init__(self, image, command, *options, cpu="max,-monitor", program="qemu-system-x86_64",
                 quick=True):
        self.directory = tempfile.TemporaryDirectory()
        self.text = ""
        self.monitor = Monitor(self.directory.name)
        self.process = subprocess.Popen(
            [(quick and parked(program)) or program, "-machine", "q35", "-cpu", cpu, "-m", "512", "-nodefaults"]
            + ["-display", "none", "-vga", "std", "-no-reboot", "-serial", "stdio"]
            + firmware(quick)
            + self.monitor.options
            + ["-kernel", TOP / f"build/x86_64/tests/{image}.efi", "-append", command, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.monitor.close()
        self.directory.cleanup()

    def read_until(self, pattern):
        """Wait until pattern matches the console's text, QEMU ends, or the time is over; returns
        the text. Text comes in pieces, so a pattern must not end in "as many as there are": it
        would match half a word."""
        assert re.compile(pattern).pattern[-1] not in "+*", pattern
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < deadline and not re.search(pattern, self.text):
                if not selector.select(timeout=1):
                    continue
                data = self.process.stdout.read1(65536)
                if not data:
                    break
                text = data.decode("ascii", "replace").replace("\r", "")
                self.text += re.sub(r"\x1b\[[0-9;=]*[A-Za-z]", "", text)
        return self.text

    def exit_status(self):
        """QEMU's exit status, or None if it does not end."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def screen(self):
        """The screen's picture: width, height, and rows of (red, green, blue) bytes."""
        path = pathlib.Path(self.directory.name) / "screen.ppm"
        self.monitor.ask("screendump", filename=str(path))
        kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
        assert kind == b"P6"
        width, height = map(int, size.split())
        return width, height, [pixels[y * width * 3 : (y + 1) * width * 3] for y in range(height)]
