# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots stock Linux on the modelled machines, for check-model."""

import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "bareperf"
LIMIT = 600  # time limit of one guest, seconds
ICOUNT = ("-icount", "shift=3,sleep=off", "-rtc", "base=2020-01-01,clock=vm")
FIRMWARE = ["/usr/share/qemu", "/usr/share/seabios", "/usr/lib/ipxe/qemu"]
MACHINES = {
    "x86_64": ("q35", "console=ttyS0 nopti tsc=reliable"),
    "aarch64": ("virt,gic-version=3,dtb-randomness=off", "console=ttyAMA0 kpti=off"),
}
# CPUs with all of the model
X86 = "Skylake-Client,pmu=on,-rdrand,-rdseed"
X86_FULL = X86 + ",pmu-version=4,pmu-lbr=32,pmu-pebs=on"
AMD = "EPYC-Rome,pmu=on,-rdrand,-rdseed"
ARM = "cortex-a76,spe=on,pmu-instructions=on"
BRBE = "cortex-a76,pmu-instructions=on,brbe="
FULL = {"x86_64": X86_FULL, "aarch64": ARM}


class Unavailable(Exception):
    """A missing part that the checks need: they are skipped."""


def run_script(*command):
    """The standard output of one of our scripts; its exit status 77 means that something is
    missing."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 77:
        raise Unavailable(f"no hardware model: {pathlib.Path(command[0]).name} says why")
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed with status {done.returncode}")
    return done.stdout


def qemu_binaries(*options):
    """{architecture: path}, built if necessary; "--stock": without our patches."""
    x86, arm = run_script(HERE / "build.sh", *options).split()
    return {"x86_64": x86, "aarch64": arm}


def version(binaries):
    """QEMU's, as "10.0"."""
    done = subprocess.run([binaries["x86_64"], "--version"], capture_output=True, text=True, check=True)
    return re.search(r"version (\d+\.\d+)", done.stdout)[1]


def guest_directory(isa):
    """The paths of the kernel and the initramfs, which are made if necessary."""
    digest = hashlib.sha256()
    for path in [HERE / "guest.sh", HERE / "apt.sh", *sorted((HERE / "guest").iterdir())]:
        digest.update(path.read_bytes())
    directory = CACHE / f"guest-{isa}-{digest.hexdigest()[:12]}"
    if not (directory / "initrd").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with open(CACHE / f"guest-{isa}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # other processes may make them at the same time
            if not (directory / "initrd").exists():
                run_script(HERE / "guest.sh", isa, directory)
    return directory


def sections(console):
    """{name: [line, ...]} of what a guest's script printed."""
    found, name = {}, None
    for line in console.replace("\r", "").split("\n"):
        if line.startswith("@set "):
            continue
        if line.startswith("@"):
            name = line[1:]
            found[name] = []
        elif name is not None and line.strip():
            found[name].append(line.strip())
    return found


def each_count(lines):
    """[(event, count), ...] of perf stat -x, lines"""
    fields = (line.split(",") for line in lines)
    return [(f[2], int(f[0])) for f in fields if len(f) > 2 and f[0].isdigit()]


def counts(lines):
    """The same as {event: count}."""
    return dict(each_count(lines))


def tally(lines):
    """{text: number} of uniq -c lines."""
    found = {}
    for line in lines:
        number, _, text = line.partition(" ")
        if number.isdigit():
            found[text.strip()] = found.get(text.strip(), 0) + int(number)
    return found


class Sections(dict):
    """One script's output; notes, for all scripts, the sections that were read."""

    seen = set()

    def __init__(self, test, console):
        super().__init__(sections(console))
        self.test = test

    def __getitem__(self, name):
        self.seen.add((self.test, name))
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.seen.add((self.test, name))
        return super().get(name, default)

    def unseen(self):
        """Sections that no check has read, in any boot of the script, except for its frame."""
        return {f"{self.test}: {name}" for name in self
                if (self.test, name) not in self.seen and not name.startswith(("begin ", "end "))}


class Qmp:
    """A connection to QEMU's monitor."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.file = self.socket.makefile("rw")
        self.file.readline()
        self.command("qmp_capabilities")

    def command(self, name, **arguments):
        """The answer: {"return": ...} or {"error": ...}."""
        self.file.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "return" in answer or "error" in answer:
                return answer

    def first_cpu(self):
        return self.command("query-cpus-fast")["return"][0]["qom-path"]

    def get_cpu(self, name):
        """A property of the first CPU."""
        return self.command("qom-get", path=self.first_cpu(), property=name)["return"]

    def set_cpu(self, name, text):
        """Set one."""
        value = {"true": True, "false": False}.get(text)
        if value is None:
            value = int(text, 0)
        return self.command("qom-set", path=self.first_cpu(), property=name, value=value)

    def close(self):
        self.file.close()
        self.socket.close()


def command(binary, isa, directory, cpu, test, machine="", more="", kernel="vmlinuz"):
    """QEMU's command line for a guest that runs guest/TEST and switches off."""
    board, words = MACHINES[isa]
    # A watchdog uses the host's clock: a guest that gets no CPU from the host is not stuck.
    words = f"{words} nosoftlockup rcupdate.rcu_cpu_stall_suppress=1"
    words = f"{words} {more} quiet nokaslr norandmaps panic=-1 test={test}"
    return [binary, *(option for path in FIRMWARE for option in ("-L", path)),
            "-machine", board + machine, "-cpu", cpu, "-m", "1G", "-display", "none",
            "-nic", "none", "-no-reboot", "-serial", "stdio",
            "-kernel", str(directory / kernel), "-initrd", str(directory / "initrd"),
            "-append", words]


class Guest:
    """One boot: runs to its end and keeps the output."""

    def __init__(self, binary, isa, directory, cpu, test, extra=(), machine="", more="",
                 kernel="vmlinuz"):
        self.console = ""
        self.test = test
        self.trouble = None
        self.where = tempfile.mkdtemp(prefix="check-model-")
        self.monitor = pathlib.Path(self.where) / "qmp"
        line = command(binary, isa, directory, cpu, test, machine, more, kernel)
        line += ["-qmp", f"unix:{self.monitor},server=on,wait=off", *extra]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace",
                                        bufsize=1)
        self.qmp = Qmp(self.monitor)

    def obey(self, line):
        """The guest requests a property: set it, and let the guest continue."""
        _, name, value = line.split()
        answer = self.qmp.set_cpu(name, value)
        if "error" in answer:
            self.trouble = f"{name}={value}: {answer['error']['desc']}"
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def run(self):
        """Run to the end; returns True if the script reached its own end."""
        timer = threading.Timer(LIMIT, self.process.kill)
        timer.start()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        for line in self.process.stdout:
            self.console += line
            if line.startswith("@set "):
                self.obey(line.strip())
        timer.cancel()
        self.finish()
        return "@end" in self.console

    def finish(self):
        """Wait for QEMU's end, and clean up."""
        self.process.wait()
        self.qmp.close()
        shutil.rmtree(self.where)

    def sections(self):
        return Sections(self.test, self.console)
