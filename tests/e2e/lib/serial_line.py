# SPDX-License-Identifier: MIT
"""A relay between a machine's serial line and the tool, for tests: it limits the rate, loses,
damages, doubles or delays whole frames, models a cable that is pulled, and two ends with different
rates."""

import collections
import contextlib
import fcntl
import os
import pty
import random
import select
import socket
import struct
import threading
import time
import tty

TURN = 0.002  # s


class Way:
    """One direction of the relay."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.faults = 0    # per mille of frames: lost, damaged, doubled, late
        self.rate = 0      # bytes per second; 0: unlimited
        self.eaten = b""   # bytes that get lost
        self.pieces = []   # the frame under way
        self.late = b""
        self.ready = bytearray()
        self.bytes = 0     # bytes that came through
        self.spoiled = 0   # frames
        self.began = time.monotonic()
        self.allowed = 0.0
        self.busy = False

    def take(self, data):
        data = data.translate(None, self.eaten) if self.eaten else data
        if not self.faults and not self.pieces:
            self.ready += data
            return
        self.pieces.append(data)
        whole = b"".join(self.pieces)
        end = whole.rfind(b"\0") + 1
        self.pieces = [whole[end:]] if whole[end:] else []
        for piece in whole[:end].split(b"\0"):
            if piece:
                self.spoil(b"\0" + piece + b"\0")

    def spoil(self, frame):
        fate = self.random.randrange(1000) // self.faults if self.faults else 4
        self.spoiled += fate < 4
        if fate == 1:
            at = self.random.randrange(len(frame))
            frame = frame[:at] + bytes([frame[at] ^ 1 << self.random.randrange(8)]) + frame[at + 1:]
        if fate == 3 and not self.late:
            self.late = frame
        elif fate != 0:
            self.ready += (frame + frame if fate == 2 else frame) + self.late
            self.late = b""

    def give(self):
        """The bytes that may pass by now. A line that was busy since the last call has all of that
        time, however late the call is, so its rate does not depend on the host's speed."""
        now = time.monotonic()
        if self.rate:
            self.allowed += (now - self.began) * self.rate
            if not self.busy:
                self.allowed = min(self.allowed, self.rate * 0.05 + 16)
        self.began = now
        size = min(len(self.ready), int(self.allowed)) if self.rate else len(self.ready)
        out = bytes(self.ready[:size])
        del self.ready[:size]
        self.allowed -= size
        self.bytes += size
        self.busy = bool(self.ready)
        return out


class Line:
    """Relays between the machine's socket at `machine` and the client at `path`, or at the pty
    named `tty`."""

    def __init__(self, machine, path, seed=1, terminal=False):
        self.machine_path, self.path = machine, str(path)
        self.to_host, self.to_machine = Way(seed), Way(seed + 1)
        self.cut = False      # True: the relay accepts no client, and has disconnected the last one
        self.held = False     # True: the relay reads neither side
        self.connections = 0
        self.machine = None
        self.client = self.listener = None
        if terminal:
            self.client, name = pty.openpty()
            tty.setraw(self.client)
            tty.setraw(name)
            self.tty, self.name = os.ttyname(name), name
            os.set_blocking(self.client, False)
        else:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(self.path)
            self.listener.listen(1)
            self.listener.setblocking(False)
        self.stop = False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stop = True
        self.thread.join()
        for end in (self.machine, self.listener):
            if end:
                end.close()
        self.hang_up()

    def faults(self, each):
        self.to_host.faults = self.to_machine.faults = each

    def connect(self):
        while not self.machine and not self.stop:
            try:
                self.machine = socket.socket(socket.AF_UNIX)
                self.machine.connect(str(self.machine_path))
                self.machine.setblocking(False)
            except OSError:
                self.machine.close()
                self.machine = None
                time.sleep(0.05)

    def hang_up(self):
        if isinstance(self.client, int):
            os.close(self.client)
        elif self.client:
            self.client.close()
        self.client = None

    def accept(self):
        try:
            self.client = self.listener.accept()[0]
            self.client.setblocking(False)
            self.connections += 1
        except OSError:
            pass

    def read(self, end, way):
        try:
            data = os.read(end if isinstance(end, int) else end.fileno(), 65536)
        except BlockingIOError:
            return True
        except OSError:
            return isinstance(end, int)  # a pty that no program has open
        way.take(data)
        return bool(data) or isinstance(end, int)

    def write(self, end, way):
        data = way.give()
        while data and not self.stop:
            try:
                data = data[os.write(end if isinstance(end, int) else end.fileno(), data):]
            except BlockingIOError:
                select.select([], [end], [], 0.05)
            except OSError:
                return

    def turn(self):
        if self.cut and not isinstance(self.client, int):
            self.hang_up()
        # Without a receiver the relay reads at most a buffer of bytes.
        ends = [self.machine] if len(self.to_host.ready) < 4096 else []
        ends += [self.client] if self.client else []
        ready = select.select(ends, [], [], TURN)[0]
        time.sleep(TURN if self.held else TURN / 2)  # a machine sends its bytes one by one
        if self.held:
            return
        if self.machine in ready and not self.read(self.machine, self.to_host):
            self.stop = True
        if self.client in ready and not self.read(self.client, self.to_machine):
            self.hang_up()
        if self.cut:
            self.to_host.ready.clear()
            self.to_machine.ready.clear()
        if self.client:
            self.write(self.client, self.to_host)
        else:
            self.to_host.ready.clear()
            if self.listener and not self.cut:
                self.accept()
        self.write(self.machine, self.to_machine)

    def serve(self):
        self.connect()
        while not self.stop:
            self.turn()


TCGETS2 = 0x802C542A  # ioctl_tty(2): struct termios2, whose rates are numbers


def rate(end):
    """The rate, in bit/s, that the program at a pty's other end has set."""
    return struct.unpack("<4IB19sII", fcntl.ioctl(end, TCGETS2, bytes(44)))[-1]


class Cable:
    """Relays between two ttys, whose names are given, and whose rates must be equal."""

    def __init__(self):
        # False: the relay only polls now and then, so that a writing program continues
        self.used = False
        self.ends, self.names, self.slaves = [], [], []
        for _ in range(2):
            end, slave = pty.openpty()
            tty.setraw(slave)
            os.set_blocking(end, False)
            self.ends.append(end)
            self.slaves.append(slave)
            self.names.append(os.ttyname(slave))
        self.deaf = set()  # rates at which no byte gets through
        self.carried = collections.Counter()  # number of bytes at each rate
        self.garbled = 0
        self.stop = False
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def rates(self):
        return [rate(end) for end in self.ends]

    def carries(self):
        """The rate of both ends, or 0 if they differ."""
        here, there = self.rates()
        return here if here == there and here not in self.deaf else 0

    def serve(self):
        """Bytes in flight while a rate changed may have been sent at the old one."""
        last = 0
        while not self.stop:
            time.sleep(TURN / 2 if self.used else 20 * TURN)
            ready = select.select(self.ends, [], [], TURN)[0]
            now = self.carries()
            for end in ready:
                with contextlib.suppress(OSError):
                    self.carry(end, self.ends[end == self.ends[0]], now or last)
            last = now

    def carry(self, end, other, at):
        data = os.read(end, 4096)
        if at:
            self.carried[at] += len(data)
        else:
            self.garbled += len(data)
            data = bytes(byte ^ 0x5a for byte in data)
        while data and not self.stop:
            try:
                data = data[os.write(other, data):]
            except BlockingIOError:
                if not self.used:
                    return  # no program reads there
                select.select([], [other], [], TURN)

    def close(self):
        self.stop = True
        self.thread.join()
        for end in self.ends + self.slaves:
            os.close(end)
