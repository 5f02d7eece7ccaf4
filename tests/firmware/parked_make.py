# SPDX-License-Identifier: MIT
"""Boots a machine with parked.efi, and saves it (parked.py)."""

import ctypes
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import threading
import time

import qemu

PARKED = "6261726570657266"  # the value of parked.c in a register


def serve_doorbell(path, size):
    """Answers to an ivshmem peer before its machine starts, after QEMU's
    docs/specs/ivshmem-spec.txt: the version, its number, the memory."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    memory = os.memfd_create("region")
    os.ftruncate(memory, size)

    def serve():
        peer = listener.accept()[0]
        for number, files in ((0, []), (0, []), (-1, [memory])):
            socket.send_fds(peer, [struct.pack("<q", number)], files)
        peer.recv(1)  # returns when the peer ends

    threading.Thread(target=serve, daemon=True).start()


def die_with_us():
    """End with the parent, which may be killed: prctl(2), PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def until(condition, process):
    limit = time.monotonic() + qemu.PATIENCE
    while not condition():
        assert process.poll() is None and time.monotonic() < limit, "a machine that was to be kept"
        time.sleep(0.01)


def without_place(stream, region):
    """QEMU checks the address of the region before the new machine's device has it. So replace the
    address, which follows the block's name and size, by 0 ("no address yet")."""
    before, block, behind = stream.partition(region)
    assert region not in behind, "one region"
    return before + block + behind[:8] + bytes(8) + behind[16:] if block else stream


def migrate(path, monitor, process):
    until(lambda: PARKED in monitor.line("info registers"), process)
    monitor.ask("migrate-set-capabilities", capabilities=[{"capability": "x-ignore-shared", "state": True}])
    monitor.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
    monitor.ask("migrate", uri=f"exec:cat > {path}")
    until(lambda: monitor.ask("query-migrate")["status"] in ("completed", "failed"), process)
    result = monitor.ask("query-migrate")
    assert result["status"] == "completed", result


def make(path, region, words, scratch):
    """words: the program and its options; region: MiB of memory with a doorbell."""
    serve_doorbell(f"{scratch}/doorbell", region << 20)
    monitor = qemu.Monitor(scratch)
    new = pathlib.Path(f"{path}.new")
    with subprocess.Popen([*words, *monitor.options], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, preexec_fn=die_with_us) as process:
        try:
            migrate(new, monitor, process)
        finally:
            process.kill()
    monitor.close()
    memory = re.search(r"memory-backend-file,id=([^,]*)", " ".join(words))
    name = memory[1] if memory else "ivshmem.bar2"
    new.write_bytes(without_place(new.read_bytes(), f"/{name}".encode()))
    os.replace(new, path)
