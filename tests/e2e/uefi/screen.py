# SPDX-License-Identifier: MIT
"""Reads a machine's screen: its characters, from the pixels of QEMU's screendump.

    glyphs = Glyphs()
    glyphs.learn(screen.row(3), "text that is known to be there")
    glyphs.text(screen.row(4))

The firmware draws the letters; they are learned from a row with a known text, and each must then
look the same everywhere."""

import pathlib
import struct
import uuid

WIDTH, HEIGHT = 8, 19  # size of EDK2's narrow glyphs
BLACK, WHITE = b"\x00", b"\xff"


class Screen:
    """A screendump whose letters are `scale` times as large as the firmware's."""

    def __init__(self, path, scale):
        kind, size, _, self.data = pathlib.Path(path).read_bytes().split(b"\n", 3)
        assert kind == b"P6"
        self.width, self.height = map(int, size.split())
        self.scale = scale
        self.columns, self.rows = (self.width // (WIDTH * scale), self.height // (HEIGHT * scale))

    def line(self, y):
        """A line of pixels: the green byte of each."""
        return self.data[y * self.width * 3 : (y + 1) * self.width * 3][1::3]

    def is_square(self):
        """Whether the picture consists of squares of `scale` pixels."""
        for y in range(0, self.rows * HEIGHT * self.scale, self.scale):
            lines = {self.line(y + i)[j : self.columns * WIDTH * self.scale : self.scale]
                     for i in range(self.scale) for j in range(self.scale)}
            if len(lines) > 1:
                return False
        return True

    def row(self, row):
        """The cells of a row: the pixels of each glyph; row -1 is the last."""
        top = row % self.rows * HEIGHT
        lines = [self.line((top + y) * self.scale)[:: self.scale] for y in range(HEIGHT)]
        return [b"".join(line[c * WIDTH : (c + 1) * WIDTH] for line in lines)
                for c in range(self.columns)]

    def pixels(self, row):
        top = row % self.rows * HEIGHT * self.scale
        return b"".join(self.line(top + y) for y in range(HEIGHT * self.scale))


def is_blank(cells):
    return not any(b"".join(cells).replace(BLACK, b""))


class Glyphs(dict):
    """{pixels: character}."""

    def learn(self, cells, text):
        """Whether each character has its own pixels, white on black, the same everywhere."""
        learned = {}
        for cell, character in zip(cells, text):
            if learned.setdefault(cell, character) != character:
                return False
            if cell.replace(BLACK, b"").replace(WHITE, b""):
                return False
        self.update(learned)
        return len(learned) == len(set(text))

    def text(self, cells):
        return "".join(self.get(cell, "\N{REPLACEMENT CHARACTER}") for cell in cells).rstrip()


# Begin of the variables in OVMF's flash, and the variable in which OVMF's setup keeps the
# resolution: MdePkg's VARIABLE_HEADER of authenticated variables; OvmfPkg/PlatformDxe,
# PLATFORM_CONFIG.
VARIABLES = 0x64
VARIABLE = struct.Struct("<HBBIQ16sIII16s")
PLATFORM_CONFIG = uuid.UUID("7235c51c-0c80-4cab-87ac-3b084a6304b1")
NON_VOLATILE_AND_BOOT = 3


def flash(directory, width, height):
    """QEMU's options for an OVMF with this resolution in its setup; None if it is not installed."""
    code, empty = (pathlib.Path(f"/usr/share/OVMF/OVMF_{part}_4M.fd") for part in ("CODE", "VARS"))
    if not code.exists() or not empty.exists():
        return None
    image = bytearray(empty.read_bytes())
    name = "PlatformConfig\0".encode("utf-16le")
    header = VARIABLE.pack(0x55AA, 0x3F, 0, NON_VOLATILE_AND_BOOT, 0, bytes(16), 0, len(name), 8,
                           PLATFORM_CONFIG.bytes_le)
    variable = header + name + struct.pack("<II", width, height)
    image[VARIABLES : VARIABLES + len(variable)] = variable
    path = pathlib.Path(directory) / "vars.fd"
    path.write_bytes(image)
    return ["-drive", f"if=pflash,format=raw,readonly=on,file={code}",
            "-drive", f"if=pflash,format=raw,snapshot=on,file={path}"]
