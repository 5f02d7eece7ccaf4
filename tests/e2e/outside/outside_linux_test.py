#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`run --outside` with Debian's Linux as the guest, for both ISAs: the kernel's functions have names from its
/proc/kallsyms, and a program's function has the samples of its 40 million instructions.

check-spare: guests count instructions
"""

import fcntl
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "qemu"))
import guests
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
PROGRAMS = TOP / "build/host/outside"
PERIOD, WORK = 100000, 40000000
# samples that interrupts during the work may take from it, or shift into it
INTERRUPTED = 6
MACHINES = {"x86_64": ("-m", "512", "-append", "console=ttyS0 nokaslr quiet"),
            "aarch64": ("-M", "virt,dtb-randomness=off", "-cpu", "cortex-a72", "-m", "512",
                        "-append", "console=ttyAMA0 nokaslr quiet")}
# the digits that linux_init.c leaves out
PREFIX = {"x86_64": "fffffff", "aarch64": "ffff800"}
REGISTERS = (9, 2)


def entry(name, mode, content=b""):
    """A file of an initramfs, in cpio's "new ASCII" format (Linux's Documentation, initramfs-buffer-format)."""
    fields = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)


def initramfs(program):
    return entry("proc", 0o40755) + entry("init", 0o100755, program.read_bytes()) + entry("TRAILER!!!", 0)


def machine(isa, program, directory):
    initrd = pathlib.Path(directory) / f"{program.name}.cpio"
    initrd.write_bytes(initramfs(program))
    return [f"qemu-system-{isa}", *MACHINES[isa], "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot",
            "-icount", "shift=0,sleep=off", "-rtc", "base=2020-01-01,clock=vm",
            "-kernel", guests.guest_directory(isa) / "vmlinuz", "-initrd", initrd]


def names(isa, directory):
    """The kernel's functions. A boot prints them once for each kernel; they are kept in the user's cache."""
    kernel = (guests.guest_directory(isa) / "vmlinuz").read_bytes()
    kept = guests.CACHE / f"kallsyms-{isa}-{hashlib.sha256(kernel).hexdigest()[:12]}"
    with open(guests.CACHE / f"kallsyms-{isa}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept.exists():
            return kept
        done = subprocess.run(machine(isa, PROGRAMS / f"{isa}.names", directory), capture_output=True, check=True,
                              timeout=600, stdin=subprocess.DEVNULL)
        text = done.stdout.decode(errors="replace").replace("\r", "")
        text = text.partition("init: begin\n")[2].partition("init: done\n")[0]
        lines = [f"{PREFIX[isa]}{line}\n" for line in text.splitlines() if re.fullmatch(r"[0-9a-f]{9} [tTwW] \S+", line)]
        part = kept.with_suffix(".part")
        part.write_text("".join(lines))
        part.rename(kept)
    return kept


def record(isa, directory, *ours):
    out = pathlib.Path(directory) / "linux.data"
    out.unlink(missing_ok=True)
    done = subprocess.run([TOOL, "run", "--outside", "-c", str(PERIOD), "-o", out, "--symbols", names(isa, directory), *ours,
                           "--", *machine(isa, PROGRAMS / f"{isa}.init", directory)], capture_output=True, text=True,
                          timeout=600, check=False, stdin=subprocess.DEVNULL)
    return out, done


def samples(out, fields="ip,sym,dso"):
    return subprocess.run(["perf", "script", "-i", out, "-F", fields], capture_output=True, text=True,
                          check=False).stdout


def work_range(isa):
    table = subprocess.run(["nm", "-S", PROGRAMS / f"{isa}.init"], capture_output=True, text=True, check=True).stdout
    start, size = re.search(r"^(\w+) (\w+) t work$", table, re.M).groups()
    return range(int(start, 16), int(start, 16) + int(size, 16))


def version(isa):
    text = subprocess.run([f"qemu-system-{isa}", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(n) for n in re.search(r"version (\d+)\.(\d+)", text).groups())


def whole(isa, directory):
    out, done = record(isa, directory)
    tap.ok(done.returncode == 0 and "init: done" in done.stdout, f"{isa}: Linux runs as without bareperf",
           (done.returncode, done.stdout[-1000:], done.stderr))
    lines = [line.split() for line in samples(out).splitlines() if line.strip()]
    work = work_range(isa)
    here = sum(int(line[0], 16) in work for line in lines)
    tap.ok(abs(here - WORK // PERIOD) <= INTERRUPTED, f"{isa}: a program's function has the samples of its instructions", here)
    kernel = [line for line in lines if int(line[0], 16) >> 63]
    named = [line for line in kernel if line[1] != "[unknown]" and "kallsyms-" in line[-1]]
    tap.ok(len(kernel) > 5000 and len(named) > 0.98 * len(kernel), f"{isa}: the kernel's functions have their names",
           (len(kernel), len(named)))
    report = subprocess.run([TOOL, "report", "-s", "symbol", out], capture_output=True, text=True, check=False).stdout
    top = re.findall(r"%\s+\[\.\] ([a-z]\w+)", report)[:1]
    seen = {line[1].partition("+")[0] for line in kernel}
    tap.ok(top and top[0] in seen, f"{isa}: bareperf report names them, too", report[:1000])


# where all of a kernel's callers begin: a thread, or the boot
ROOTS = {"ret_from_fork", "start_kernel", "x86_64_start_kernel", "__primary_switched"}


def with_callers(isa, directory):
    """Debian's kernel for x86_64 has no frame pointers. Firmware, before the kernel, has no names."""
    out, done = record(isa, directory, "--call-graph", "calls")
    stacks = [[line.split()[1] for line in stack.splitlines() if len(line.split()) == 2]
              for stack in samples(out, "ip,sym").split("\n\n")]
    stacks = [stack for stack in stacks if stack and stack[0] != "[unknown]"]
    whole_stacks = sum(not ROOTS.isdisjoint(stack) for stack in stacks)
    tap.ok(len(stacks) > 5000 and whole_stacks > 0.95 * len(stacks),
           f"{isa}: --call-graph calls follows the kernel's calls to the thread's start",
           (len(stacks), whole_stacks, done.stderr))


def with_registers(isa, directory):
    """Debian's kernel for arm64 keeps frame pointers."""
    claim = f"{isa}: -g follows the kernel's stack to the thread's start; user level alone is the program's"
    if version(isa) < REGISTERS:
        tap.skip(claim, "not to be had: QEMU's plugins read registers since 9.2")
        return
    out, _ = record(isa, directory, "-g")
    stacks = samples(out, "ip,sym").split("\n\n")
    deep = sum("ret_from_fork" in stack for stack in stacks)
    out, done = record(isa, directory, "-e", "instructions:u")
    user = len([line for line in samples(out).splitlines() if line.strip()])
    tap.ok(deep > 1000 and abs(user - WORK // PERIOD) <= INTERRUPTED, claim, (deep, user, done.stderr))


def main():
    with tempfile.TemporaryDirectory(prefix="bareperf-outside-linux-test-") as directory:
        for isa in MACHINES:
            try:
                guests.guest_directory(isa)
            except guests.Unavailable as missing:
                tap.skip(f"{isa}: Linux from outside", f"not to be had: {missing}")
                continue
            whole(isa, directory)
            with_callers(isa, directory)
            if isa == "aarch64":
                with_registers(isa, directory)
    tap.finish()


main()
