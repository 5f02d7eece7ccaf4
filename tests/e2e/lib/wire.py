# SPDX-License-Identifier: MIT
"""A second implementation of the wire format, written after docs/wire-format.md alone; it decodes
the output of the target's code."""

import struct
import subprocess

import machine
import tap

ENCODER = machine.TOP / "build/host/wire-encode"
SHOWN = 1 << 20  # the tested part of a recording, bytes
HELLO, GET, DATA, STATUS = 1, 2, 16, 18
ENCODED = 1
M64 = (1 << 64) - 1

CRC = []
for value in range(256):
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    CRC.append(value)


class Bad(ValueError):
    """An invalid frame."""


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def cobs_decode(data):
    out, at = bytearray(), 0
    while at < len(data):
        code = data[at]
        if at + code > len(data):
            raise Bad("a block that is too long")
        out += data[at + 1:at + code]
        at += code
        if code < 255 and at < len(data):
            out.append(0)
    return bytes(out)


def cobs_encode(data):
    out, block = bytearray(), bytearray()
    for byte in data:
        if byte:
            block.append(byte)
        if not byte or len(block) == 254:
            out += bytes([len(block) + 1]) + block
            block = bytearray()
    return bytes(out + bytes([len(block) + 1]) + block)


def unframe(piece):
    """The frame between two bytes 0x00: (type, flags, sequence, words)."""
    whole = cobs_decode(piece)
    if len(whole) < 8 or crc32c(whole[:-4]) != struct.unpack("<I", whole[-4:])[0]:
        raise Bad("the checksum is wrong")
    return (*struct.unpack_from("<BBH", whole), whole[4:-4])


def frame(kind, words, sequence=0, flags=0):
    body = struct.pack("<BBH", kind, flags, sequence) + words
    return b"\0" + cobs_encode(body + struct.pack("<I", crc32c(body))) + b"\0"


def frames(line):
    return [unframe(piece) for piece in line.split(b"\0") if piece]


class Bits:
    def __init__(self, data):
        self.value, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def take(self, count):
        if count > self.left:
            raise Bad("bits end early")
        value = self.value & (1 << count) - 1
        self.value >>= count
        self.left -= count
        return value


class Words:
    """The words that the decoder remembers."""

    def __init__(self):
        self.last = self.before = 0
        self.seen, self.step = [0] * 64, [0] * 256
        self.one, self.two = [0] * 256, [0] * 512

    def take(self, bits):
        one, two = self.last >> 56, (self.last ^ self.before >> 3) >> 55
        behind = self.one[one]
        if not bits.take(1):
            word = self.two[two]
        elif not bits.take(1):
            word = self.seen[bits.take(6)]
        elif not bits.take(1):
            zigzag = bits.take(4 * bits.take(4))
            word = behind + self.step[one] + (zigzag >> 1 if not zigzag & 1 else ~(zigzag >> 1)) & M64
        else:
            mask, word = bits.take(8), behind
            for place in range(0, 64, 8):
                if mask >> place // 8 & 1:
                    word = word & ~(0xff << place) | bits.take(8) << place
        self.two[two], self.step[one], self.one[one] = word, word - behind & M64, word
        self.before, self.last = self.last, word * 0x9e3779b97f4a7c15 & M64
        self.seen[self.last >> 58] = word
        return word


def decode(content, raw):
    bits, words = Bits(content), Words()
    out = struct.pack(f"<{raw // 8}Q", *(words.take(bits) for _ in range(raw // 8)))
    if bits.left >= 8 or bits.value:
        raise Bad("something is left over")
    return out


def data_of(found):
    """(tag, offset, bytes) of a DATA frame."""
    _, flags, _, words = found
    tag, at, raw = struct.unpack_from("<HHH", words)
    content = words[6:]
    return tag, at, decode(content, raw) if flags & ENCODED else content


def on_the_line(raw):
    """The frames that the target's code makes of these bytes."""
    return subprocess.run([ENCODER], input=raw, stdout=subprocess.PIPE, check=True).stdout


def parts(path):
    """The bytes of a perf.data that were in rings: records, and AUX areas."""
    data = path.read_bytes()
    start, size = struct.unpack_from("<QQ", data, 40)
    records, aux, at = bytearray(), bytearray(), start
    while at < start + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == 71:  # PERF_RECORD_AUXTRACE
            more = struct.unpack_from("<Q", data, at + 8)[0]
            aux += data[at + length:at + length + more]
            at += more
        elif kind < 64:
            records += data[at:at + length]
        at += length
    return bytes(records), bytes(aux)


def shrinks(raw, name, times):
    """A recording's bytes survive encoding and decoding, and are so many times fewer on the line,
    with all overhead."""
    raw = raw[:SHOWN]
    line = on_the_line(raw)
    back = b"".join(data_of(found)[2] for found in frames(line))
    tap.ok(raw and back == raw, f"{name}: {len(raw)} bytes come back from the line as they are")
    tap.ok(len(raw) >= times * len(line), f"{name}: they take at most 1/{times} of that on it",
           len(raw) / max(len(line), 1))
    tap.note(f"{name}: {len(raw)} bytes in {len(line)}, 1/{len(raw) / max(len(line), 1):.1f}")
