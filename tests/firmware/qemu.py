# SPDX-License-Identifier: MIT
"""Boots an image in QEMU and reads its console.

    with Machine("machine", "no-hpet", "-smp", "2") as machine:
        text = machine.read_until("1..")
"""

import json
import pathlib
import re
import selectors
import shutil
import socket
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FIRMWARE = [
    ("/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    ("/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd"),
]
PATIENCE = 150  # seconds until a boot counts as hung: the machine may be very busy


def missing():
    """Why no machine can be booted here, or None."""
    if not shutil.which("qemu-system-x86_64"):
        return "there is no qemu-system-x86_64"
    if not any(pathlib.Path(code).exists() for code, _ in FIRMWARE):
        return "there is no OVMF"
    return None


def firmware():
    """QEMU's options for the first OVMF that there is; its variables are written nowhere."""
    code, variables = next(pair for pair in FIRMWARE if pathlib.Path(pair[0]).exists())
    return [
        "-drive", f"if=pflash,format=raw,readonly=on,file={code}",
        "-drive", f"if=pflash,format=raw,snapshot=on,file={variables}",
    ]  # fmt: skip


class Machine:
    """A q35 PC that runs build/x86_64/tests/IMAGE.efi with this command line."""

    def __init__(self, image, command, *options, cpu="max", program="qemu-system-x86_64"):
        self.directory = tempfile.TemporaryDirectory()
        self.text = ""
        self.qmp = None
        monitor = f"{self.directory.name}/qmp"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(monitor)
        self.listener.listen(1)
        self.process = subprocess.Popen(
            [program, "-machine", "q35", "-cpu", cpu, "-m", "512", "-nodefaults"]
            + ["-display", "none", "-vga", "std", "-no-reboot", "-serial", "stdio"]
            + firmware()
            + ["-qmp", f"unix:{monitor}"]
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
        self.listener.close()
        if self.qmp:
            self.qmp.close()
        self.directory.cleanup()

    def read_until(self, pattern):
        """The console's text so far, when pattern matches in it, QEMU ends or patience does."""
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
        """QEMU's, or None if it does not end."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def ask(self, command, **arguments):
        """A QMP command's result."""
        if not self.qmp:
            self.listener.settimeout(PATIENCE)
            self.qmp = self.listener.accept()[0].makefile("rw")
            self.qmp.readline()
            self.ask("qmp_capabilities")
        self.qmp.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.qmp.flush()
        while True:
            reply = json.loads(self.qmp.readline())
            if "return" in reply or "error" in reply:
                return reply.get("return", reply.get("error"))

    def screen(self):
        """What is on the screen: width, height, and rows of (red, green, blue) bytes."""
        path = pathlib.Path(self.directory.name) / "screen.ppm"
        self.ask("screendump", filename=str(path))
        kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
        assert kind == b"P6"
        width, height = map(int, size.split())
        return width, height, [pixels[y * width * 3 : (y + 1) * width * 3] for y in range(height)]
