#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The other end of a channel may be anything: a port that sends without end, one that sends
nothing, one that accepts no connection. The tool must still end by its time-out and by signals. The
process that holds a connection to a GDB stub must end with the tool, and must not spin."""

import concurrent.futures
import contextlib
import fcntl
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import region as tr
import tap
import wire

ERROR, SIGNALLED, UNFINISHED = 125, 128, 253
BASE = 0x200000  # the region's address, for the GDB stub


class Peer:
    """Listens, and runs talk() for each connection."""

    def __init__(self, talk, path=None):
        self.talk, self.met = talk, threading.Event()
        self.socket = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self.socket.bind(str(path) if path else ("127.0.0.1", 0))
        self.socket.listen()
        self.port = None if path else self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            peer = self.socket.accept()[0]
            threading.Thread(target=self.meet, args=(peer,), daemon=True).start()

    def meet(self, peer):
        with contextlib.suppress(OSError), peer:
            self.talk(self, peer)


def is_silent(peer, connection):
    peer.met.set()
    while connection.recv(4096):
        pass


def floods_with(data):
    def talk(peer, connection):
        connection.recv(4096)
        while True:
            connection.sendall(data)
            peer.met.set()
    return talk


def unread(connection):
    """Bytes of a Unix socket that its other end has not read (unix(7), TIOCOUTQ)."""
    return struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0]


class Stub:
    """A GDB stub with one region. While its machine runs it sends bytes without a request. Each
    read takes so many seconds."""

    def __init__(self, babble, takes=0):
        self.babble, self.takes = babble, takes
        self.beats = True
        self.taken = 0  # number of complete reads of the region, after which it sends more
        self.region = tr.Region(bytearray(1 << 20))
        self.region.open(address=BASE)
        self.region.header(version=0x10002, state=tr.IDLE)
        self.runs = False

    @staticmethod
    def send(connection, body):
        connection.sendall(b"$%s#%02x" % (body, sum(body) & 255))

    def obey(self, connection, body):
        words = body[1:].replace(b":", b",").split(b",")
        if body.startswith(b"qSupported"):
            self.send(connection, b"PacketSize=1000;QStartNoAckMode+")
        elif body == b"?":
            self.send(connection, b"T02thread:01;")
        elif body == b"c":
            self.runs = True
        elif body[:1] == b"m":
            time.sleep(self.takes)
            if self.beats:
                self.region.header(heartbeat=self.region.get(296) + 1)
            at, size = (int(word, 16) for word in words)
            self.send(connection, self.region.memory[at - BASE:at - BASE + size].hex().encode())
        elif body[:1] == b"M":
            at = int(words[0], 16) - BASE
            data = bytes.fromhex(words[2].decode())
            self.region.memory[at:at + len(data)] = data
            self.send(connection, b"OK")
        else:
            self.send(connection, b"" if body[:2] == b"qq" else b"OK")

    def talk(self, peer, connection):
        pending = b""
        while True:
            connection.setblocking(not self.runs)
            try:
                data = connection.recv(4096)
                if not data:
                    return
            except BlockingIOError:
                if not self.babble:
                    select.select([connection], [], [])
                    continue
                if len(self.babble) > 1 or not unread(connection):
                    with contextlib.suppress(BlockingIOError):
                        connection.send(self.babble)
                    self.taken += 1
                peer.met.set()
                continue
            connection.setblocking(True)
            pending += data
            while pending[:1] == b"\3" or b"#" in pending[:-2]:
                if pending[:1] == b"\3":  # the stop request may follow directly behind a `c` packet
                    self.runs, pending = False, pending[1:]
                    self.send(connection, b"T02thread:01;")
                    continue
                packet, pending = pending[:pending.index(b"#")], pending[pending.index(b"#") + 3:]
                self.obey(connection, packet[packet.index(b"$") + 1:])


def greets_only(peer, connection):
    """A machine behind a serial line that answers HELLO, and nothing else."""
    pending, sequence = b"", 0
    while data := connection.recv(4096):
        pending += data
        *pieces, pending = pending.split(b"\0")
        for piece in filter(None, pieces):
            with contextlib.suppress(wire.Bad):
                kind, _, _, words = wire.unframe(piece)
                if kind != wire.HELLO:
                    peer.met.set()
                    continue
                nonce, probes = words[4:12], words[14:]
                answer = struct.pack("<I8sQQQIIIIHHH", 0x10000, nonce, 7, 1 << 20, 0, 4096, 1000, 0,
                                     0, tr.EM_X86_64, 4, len(probes)) + probes
                connection.sendall(wire.frame(wire.HELLO, answer, sequence & 0xffff))
                sequence += 1


def tells_of_peers(memory):
    """An ivshmem server that announces peers without end."""
    def talk(peer, connection):
        for number, file in ((0, []), (1, []), (-1, [memory])):
            socket.send_fds(connection, [struct.pack("<q", number)], file)
        peer.met.set()
        subprocess.run(["cat", "/dev/zero"], stdout=connection, stderr=subprocess.DEVNULL,
                       check=False)  # peer 0, without a file
    return talk


def full(path):
    """A listener with a full queue, which accepts no connection."""
    listener, waiting = socket.socket(socket.AF_UNIX), []
    listener.bind(str(path))
    listener.listen(0)
    with contextlib.suppress(BlockingIOError):
        while True:
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            waiting[-1].connect(str(path))
    return listener, waiting


def tool(url, timeout, *words):
    return subprocess.Popen([machine.TOOL, *(words or ("list",)), "--channel", url, "--timeout",
                             str(timeout)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def end_of(process):
    """Its exit status and text; None: it does not end."""
    try:
        text = process.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[0]
    return process.returncode, text


def is_gone(pid):
    return pid and live.until(lambda: not pathlib.Path(f"/proc/{pid}/stat").exists() or
                              ") Z " in pathlib.Path(f"/proc/{pid}/stat").read_text(), seconds=60)


def ends_by_time(name, url, says, claim="the tool ends in time, and says why"):
    status, text = end_of(tool(url, 1))
    tap.ok(status == ERROR and says in text and text.count("\n") == 1, f"{name}: {claim}",
           (status, text))


def ends_by_signal(name, make):
    """make() returns a new peer and its URL, for each signal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        peer, url = make(number)
        process = tool(url, 3600)
        peer.met.wait(live.PATIENCE)
        pid = live.child(process.pid, "bareperf-gdb")
        process.send_signal(number)
        status, text = end_of(process)
        expected = -number if number == signal.SIGKILL else SIGNALLED + number
        tap.equal(status, expected, f"{name}: {number.name} ends the tool")
        if url.startswith("gdb:"):
            tap.ok(is_gone(pid), f"{name}: after {number.name} its supervisor ends, too",
                   (pid, text))


def follow(path, babble):
    """A stub whose machine runs, the tool that reads it, and the supervisor's process id."""
    stub = Stub(babble)
    peer = Peer(stub.talk, path)
    process = tool(f"gdb:{path},address={BASE:#x}", 60, "console", "--follow")
    peer.met.wait(live.PATIENCE)
    return stub, process, live.until(lambda: live.child(process.pid, "bareperf-gdb"), process=process)


def babbling_machines(here):
    stub, process, pid = follow(here / "babbles", b"+")
    began, before = time.monotonic(), stub.taken
    time.sleep(3)
    a_second = (stub.taken - before) / (time.monotonic() - began)
    # the tool stops the machine at most 100 times a second, and polls at most 100 times
    tap.ok(process.poll() is None and 0 < a_second < 300,
           "a GDB stub that sends bytes while the machine runs: the supervisor is not woken by each",
           (process.poll(), a_second))
    process.send_signal(signal.SIGTERM)
    tap.equal(end_of(process)[0], 0, "and SIGTERM ends the tool")
    tap.ok(is_gone(pid), "and its supervisor", pid)
    _, process, pid = follow(here / "floods", b"+" * 65536)
    process.send_signal(signal.SIGTERM)
    status, text = end_of(process)
    tap.ok(status in (0, ERROR), "a GDB stub that floods while the machine runs: SIGTERM ends the tool",
           (status, text))
    tap.ok(is_gone(pid), "and its supervisor, too", pid)


def recording(path):
    """A slow GDB stub of a machine that records."""
    stub = Stub(b"", takes=0.05)
    stub.region.describe()
    stub.region.header(state=tr.RECORDING)
    for _ in range(50):
        stub.region.sample()
    stub.region.publish()
    Peer(stub.talk, path)
    return stub, f"gdb:{path},address={BASE:#x},stop-budget=100%"


def machines_that_hang(here):
    """Each look takes longer than one refresh, so a refresh returns before the look has ended."""
    stub, url = recording(here / "hangs")
    stub.beats = False
    status, text = end_of(tool(url, 3, "stop"))
    tap.ok(status == ERROR and "no sign of life for 3 s" in text,
           "a slow GDB stub of a machine that hangs: stop ends in time", (status, text))
    stub, url = recording(here / "stops")
    process = tool(url, 3, "attach", "-o", str(here / "perf.data"))
    live.until(lambda: stub.region.tail() == stub.region.head, process=process)
    stub.beats = False
    status, text = end_of(process)
    tap.ok(status == UNFINISHED and "no sign of life for 3 s" in text,
           "and so does attach, when the machine hangs in its recording", (status, text))


def gdb(talk):
    peer = Peer(talk)
    return peer, f"gdb:127.0.0.1:{peer.port},address={BASE:#x}"


def tcp(talk):
    peer = Peer(talk)
    return peer, f"tcp:127.0.0.1:{peer.port}"


def shm(talk, path):
    return Peer(talk, path), f"shm:{path}"


def gdb_stubs():
    for name, talk, says in (
            ("a GDB stub that sends + without end", floods_with(b"+" * 4096), "without end"),
            ("a GDB stub that sends notices without end", floods_with(b"%Stop:T05#99" * 256),
             "without end"),
            ("a GDB stub that says nothing", is_silent, "no answer")):
        ends_by_time(name, gdb(talk)[1], says)
    ends_by_signal("a GDB stub that says nothing", lambda _: gdb(is_silent))


def lines():
    ends_by_time("a console that sends without end", tcp(floods_with(b"\xff" * 4096))[1], "no answer")
    name = "a line that answers HELLO and no more"
    ends_by_time(name, tcp(greets_only)[1], "requested data does not come")
    ends_by_signal(name, lambda _: tcp(greets_only))


def ivshmem_servers(here):
    (here / "memory").write_bytes(bytes(1 << 20))
    talk = tells_of_peers(os.open(here / "memory", os.O_RDWR))
    name = "an ivshmem server that reports peers without end"
    ends_by_time("an ivshmem server that says nothing", shm(is_silent, here / "silent")[1],
                 "says nothing")
    ends_by_time(name, shm(talk, here / "peers")[1], "no trace region")
    ends_by_signal(name, lambda number: shm(talk, here / f"peers{number}"))
    ends_by_signal("an ivshmem server that says nothing",
                   lambda number: shm(is_silent, here / f"silent{number}"))


def nobody_accepts(here):
    listener = full(here / "full")
    for name, url in (("a GDB stub", f"gdb:{here}/full,address={BASE:#x}"),
                      ("a console", f"unix:{here}/full"),
                      ("an ivshmem server", f"shm:{here}/full")):
        ends_by_time(f"{name} that accepts nobody", url, "connecting")
    listener[0].close()


with tempfile.TemporaryDirectory(prefix="bareperf-hostile-") as DIRECTORY, \
        concurrent.futures.ThreadPoolExecutor() as POOL:
    HERE = pathlib.Path(DIRECTORY)
    for STORY in [POOL.submit(gdb_stubs), POOL.submit(babbling_machines, HERE),
                  POOL.submit(machines_that_hang, HERE), POOL.submit(lines),
                  POOL.submit(ivshmem_servers, HERE), POOL.submit(nobody_accepts, HERE)]:
        STORY.result()
tap.finish()
