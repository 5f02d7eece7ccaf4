# SPDX-License-Identifier: MIT
"""The host's end of a serial line, on the second implementation of the wire format (wire.py)."""

import collections
import os
import pathlib
import select
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import wire

HELLO, GET, PUT, CLEAR, BAUD, BYE, DATA, DONE, STATUS = 1, 2, 3, 4, 5, 6, 16, 17, 18
ENCODED = 1
VERSION = 0x10000
Status = collections.namedtuple(
    "Status", "nonce heartbeat run state reply console r0 r1 r2 r3 damaged overruns")
Welcome = collections.namedtuple(
    "Welcome", "version host_nonce nonce size address burst burst_us baud baud_max machine gets "
    "probes probe")


class Line:
    """A line at a socket. Bytes outside of frames are text."""

    def __init__(self, path, seconds=300):
        end = time.monotonic() + seconds
        while True:
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(str(path))
                break
            except OSError:
                assert time.monotonic() < end, f"nobody listens at {path}"
                time.sleep(0.02)
        self.text = ""
        self.piece, self.inside = bytearray(), False
        self.sequence, self.number, self.tag = 0, 0, 0
        self.welcome = self.status = None
        self.framed, self.heard = False, 0.0
        self.data, self.done = {}, {}
        self.received = collections.Counter()
        self.raw = self.carried = self.gaps = 0
        self.expected = None

    def write(self, data):
        self.socket.setblocking(True)
        self.socket.sendall(data)

    def send(self, kind, words=b"", flags=0):
        self.write(wire.frame(kind, words, self.sequence & 0xFFFF, flags))
        self.sequence += 1

    def poll(self, seconds=0.05):
        """Take the bytes that arrive within `seconds`. False: the line is closed."""
        if not select.select([self.socket], [], [], seconds)[0]:
            # without a HELLO the target would end the session
            if self.framed and time.monotonic() - self.heard > 1.5:
                self.heard = time.monotonic()
                self._hello(VERSION, b"")
            return True
        data = self.socket.recv(65536)
        self.heard = time.monotonic()
        for byte in data:
            self.take(byte)
        return bool(data)

    def take(self, byte):
        if byte and not self.inside:
            self.text += chr(byte)
        elif byte:
            self.piece.append(byte)
        elif not self.piece:
            self.inside = True
        else:
            self.inside = False
            try:
                self.got(*wire.unframe(bytes(self.piece)))
            except wire.Bad:
                self.text += self.piece.decode("latin-1")
            self.piece.clear()

    def got(self, kind, flags, sequence, words):
        self.received[kind] += 1
        self.gaps += self.expected not in (None, sequence)
        self.expected = sequence + 1 & 0xFFFF
        if kind == HELLO:
            head = struct.unpack_from("<IQQQQIIIIHHH", words)
            self.welcome = Welcome(*head, words[struct.calcsize("<IQQQQIIIIHHH"):])
        elif kind == DATA:
            tag, at, data = wire.data_of((kind, flags, sequence, words))
            self.raw += len(data)
            self.carried += len(words) - 6
            self.data.setdefault(tag, {})[at] = data
        elif kind == DONE:
            number, status, bits = struct.unpack_from("<IiQ", words)
            self.done[number] = (status, bits)
        elif kind == STATUS:
            self.status = Status(*struct.unpack_from("<QQQIIQ4QII", words))

    def until(self, condition, seconds=300, each=0.0, again=None):
        """Wait until a condition holds. again() is called at once and then every few seconds."""
        end, due = time.monotonic() + seconds, 0
        while not condition():
            if again and time.monotonic() >= due:
                again()
                due = time.monotonic() + each
            if time.monotonic() > end or not self.poll():
                return condition()
        return True

    def wait_text(self, text, seconds=300):
        return self.until(lambda: text in self.text, seconds)

    def hello(self, version=VERSION, nonce=None, probe=bytes(range(256)), seconds=300):
        """Returns whether the target answers with WELCOME."""
        self.nonce = int.from_bytes(os.urandom(8), "little") if nonce is None else nonce
        self.welcome = None
        self.framed = self.until(
            lambda: self.welcome and self.welcome.host_nonce == self.nonce, seconds, 1,
            lambda: self._hello(version, probe))
        if nonce is None:
            self.number, self.done = 0, {}  # earlier frames belong to another session
        return self.framed

    def _hello(self, version, probe):
        self.send(HELLO, struct.pack("<IQH", version, self.nonce, len(probe)) + probe)

    def bye(self):
        self.send(BYE)
        self.framed = False

    def get(self, offset, size, encoded=False, seconds=300):
        """Bytes of the region, or None."""
        result = b""
        while len(result) < size:
            self.tag = self.tag + 1 & 0xFFFF
            tag, count = self.tag, min(size - len(result), 16384)
            request = struct.pack("<HIQ", tag, count, offset + len(result))
            came = lambda: sum(map(len, self.data.get(tag, {}).values()))  # noqa: E731
            had, end = -1, time.monotonic() + seconds
            while came() < count:
                if came() == had:  # nothing new has arrived: ask again
                    self.data.pop(tag, None)
                if came() == had or had < 0:
                    self.send(GET, request, ENCODED if encoded else 0)
                had = came()
                self.until(lambda: came() == count, 2, 0.3, self.live)
                if time.monotonic() > end:
                    return None
            result += b"".join(piece for _, piece in sorted(self.data.pop(tag).items()))
        return result

    def live(self):
        """A frame of an unknown type: it is ignored, but the sender counts as alive."""
        self.send(99)

    def word(self, offset, form="<I"):
        return struct.unpack(form, self.get(offset, struct.calcsize(form)))[0]

    def _store(self, kind, words, seconds=300):
        self.number += 1
        number = self.number
        request = struct.pack("<I", number) + words
        self.until(lambda: number in self.done, seconds, 1, lambda: self.send(kind, request))
        return self.done.get(number)

    def put(self, offset, data):
        """The status."""
        done = self._store(PUT, struct.pack("<HQ", len(data), offset) + data)
        return done and done[0]

    def clear(self, *offsets):
        """(status, bits)"""
        return self._store(CLEAR, struct.pack(f"<H{len(offsets)}Q", len(offsets), *offsets))

    def close(self):
        self.socket.close()
