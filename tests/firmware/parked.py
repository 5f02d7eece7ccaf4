#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""QEMU that resumes a machine at the point where its firmware has started. That is four fifths of a
boot, and all boots of the same machine share it.

    parked.py REGION-MIB QEMU ARGUMENTS...

is QEMU with these arguments. The firmware does not see -kernel, -append, -initrd, files and sockets.
The first use of a machine boots parked.efi, which waits, and migrates the machine into a file; each
use migrates it in from there, and parked.efi starts its -kernel. A machine with an unknown option
boots as usual. REGION-MIB is the size of a region with a doorbell: no argument has it."""

import contextlib
import fcntl
import hashlib
import os
import re
import socket
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
KEPT = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "bareperf/parked")
UNUSED = 14 * 86400  # seconds after which an unused saved machine is removed

FLAGS = {"-no-reboot", "-nodefaults", "-singlestep"}
SAME = {"-machine", "-M", "-cpu", "-smp", "-m", "-nic", "-display", "-vga", "-icount", "-accel", "-bios", "-boot"}
# options that the parked machine does not see yet
LATER = {"-kernel", "-append", "-initrd", "-qmp", "-monitor"}
OURS = {"-device", "-chardev", "-serial", "-object"}
# the hardware model for x86 migrates in, but not out
MODEL = re.compile(r",(pmu=on|pm[ui]-[^,]*|bts-[^,]*)")
# Arm's model migrates out until a program uses it
ARM_FAULT = re.compile(r",spe-(delay|collide|fault-)[^,]*")
REGION = re.compile(r"ivshmem-(plain|doorbell),.*")
CHARDEV = re.compile(r"(?:file|socket|stdio|null),id=([^,]*)(,.*|)")
MEMORY = re.compile(r"(memory-backend-file,.*)mem-path=[^,]*(.*)")

# Sent before QEMU has started; the answers are not read. Shared memory is not migrated.
ORDERS = """{{"execute": "qmp_capabilities"}}
{{"execute": "migrate-set-capabilities",
 "arguments": {{"capabilities": [{{"capability": "x-ignore-shared", "state": true}}]}}}}
{{"execute": "migrate-incoming", "arguments": {{"uri": "fd:{}"}}}}
"""


class UnknownError(Exception):
    """An unknown option, or an unknown value of an option."""


def pairs(words):
    """Each option with its value, or None if it has none."""
    words = iter(words)
    for word in words:
        if word not in FLAGS | SAME | LATER | OURS:
            raise UnknownError(word)
        yield word, None if word in FLAGS else next(words)


def kept_value(option, value, bell, scratch):
    """The value of such an option for the saved machine."""
    if option == "-cpu":
        if ",pmu=on" in value:
            return MODEL.sub("", value)
        if "-leftovers=on" in value:
            raise UnknownError(value)
        return ARM_FAULT.sub("", value)
    if option == "-serial":
        return value if value == "none" or value.startswith("chardev:") else "null"
    if option == "-chardev" and (found := CHARDEV.fullmatch(value)):
        return f"socket,id={bell},path={scratch}/doorbell" if found[1] == bell else f"null,id={found[1]}"
    if option == "-device" and REGION.fullmatch(value):
        return value + ",master=on"
    if option == "-object" and (found := MEMORY.fullmatch(value)):
        return f"{found[1]}mem-path={scratch}/region{found[2]}"
    if option in OURS or "memory-backend=" in str(value):
        raise UnknownError(value)
    return value


def parked_words(words, scratch):
    """The options of the saved machine, with files and sockets in a directory."""
    bell = re.search(r"ivshmem-doorbell,chardev=([^,]*)", " ".join(words))
    kept = []
    for option, value in pairs(words):
        if option not in LATER:
            kept += [option, kept_value(option, value, bell and bell[1], scratch)]
    return [word for word in kept if word is not None]


def identity(path):
    if path.startswith(f"{TOP}/build/quick-"):  # the file's name depends on its content
        return path.removeprefix(TOP)
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def place(region, program, words):
    """The file of a saved machine: its name is a hash of everything that made the machine."""
    of = [region, identity(program), *(word.removeprefix(TOP) for word in parked_words(words, ""))]
    of += [identity(words[i + 1]) for i, word in enumerate(words) if word == "-bios"]
    of += [text(path) for path in (f"{HERE}/parked.c", f"{HERE}/{isa_of(program)}/fw_cfg.h", f"{TOP}/lib/efi/efi_initrd.h")]
    return f"{KEPT}/" + hashlib.sha256("\0".join(of).encode()).hexdigest()[:16]


def isa_of(program):
    return "aarch64" if "aarch64" in os.path.basename(program) else "x86_64"


def incoming(region, program, words):
    """The options to resume the machine, and the file, which must stay open."""
    if "-kernel" not in words or "-bios" not in words:
        raise UnknownError("a machine that boots something else")
    path = place(region, program, words)
    if not os.path.exists(path):
        os.makedirs(KEPT, exist_ok=True)
        with open(f"{path}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(path) and not os.path.exists(f"{path}.boots"):
                remove_unused()
                try:
                    make(path, region, program, words)
                # QEMU 10.0 ends during the migration, in the middle of an answer
                except (ConnectionError, ValueError):
                    with open(f"{path}.boots", "w", encoding="ascii"):
                        pass
    if not os.path.exists(path):
        raise UnknownError("a machine that this QEMU cannot keep")
    os.utime(path)
    file, (ours, monitor) = os.open(path, os.O_RDONLY), socket.socketpair()
    for fd in (file, ours.fileno(), monitor.fileno()):
        os.set_inheritable(fd, True)
    ours.send(ORDERS.format(file).encode())
    ours.detach()
    return [word + ",master=on" if REGION.fullmatch(word) else word for word in words] + [
        "-incoming", "defer", "-chardev", f"socket,id=parked,fd={monitor.detach()}",
        "-mon", "chardev=parked,mode=control"]


def remove_unused():
    with os.scandir(KEPT) as files:
        for file in files:
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                if file.stat().st_mtime < time.time() - UNUSED:
                    os.unlink(file)


def make(path, region, program, words):
    """Boot the machine, and save it when it is parked. Rarely needed, so its imports are here."""
    import tempfile  # noqa: PLC0415
    sys.path[:0] = [f"{TOP}/tests/e2e/lib", HERE]
    import parked_make  # noqa: PLC0415
    with tempfile.TemporaryDirectory(prefix="bareperf-parked-") as scratch:
        parked_make.make(path, int(region), [program, *parked_words(words, scratch), "-kernel",
                                             f"{TOP}/build/{isa_of(program)}/tests/parked.efi",
                                             "-append", "parked"], scratch)


def main(region, program, *words):
    words = list(words)
    try:
        words = incoming(region, program, words)
    except UnknownError:
        pass
    os.execv(program, [program, *words])


if __name__ == "__main__":
    main(*sys.argv[1:])
