# SPDX-License-Identifier: MIT
"""EDK2's variables as they lie in flash, written before the firmware starts: the programs that a
boot manager loads."""

import pathlib
import shutil
import struct
import uuid

GLOBAL = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
NON_VOLATILE, BOOT_SERVICE, RUNTIME = 1, 2, 4


def pci_device(device):
    """The device path of function 0 of a device on a PC's first PCI bus (UEFI 2.10, 10.3.3.1,
    10.3.2.1)."""
    return struct.pack("<BBHII", 2, 1, 12, 0x0A0341D0, 0) + struct.pack("<BBHBB", 1, 1, 6, 0, device)


def load_option(name, file, words, volume=b""):
    """EFI_LOAD_OPTION (UEFI 2.10, 3.1.3) of a file. With the device path of its volume the boot
    manager connects only the devices on that path. Without one it connects all devices, and
    searches all volumes for the file (3.1.2, short-form)."""
    texts = [(text + "\0").encode("utf-16-le") for text in (name, file, words)]
    path = volume + struct.pack("<BBH", 4, 4, 4 + len(texts[1])) + texts[1] + struct.pack("<BBH", 0x7F, 0xFF, 4)
    return struct.pack("<IH", 1, len(path)) + texts[0] + path + texts[2]


class Variables:
    """EDK2's store of variables in flash (MdeModulePkg, Guid/VariableFormat.h): an existing store
    is copied without its variables, and new variables are added."""

    HEADER = struct.Struct("<HBBIQ16sIII16s")  # AUTHENTICATED_VARIABLE_HEADER
    STORE = 28  # VARIABLE_STORE_HEADER
    START, ADDED = 0x55AA, 0x3F

    def __init__(self, template, path):
        shutil.copy(template, path)
        with open(path, "r+b") as file:
            start = file.read(256)
            if start[40:44] != b"_FVH":
                raise ValueError(f"{template}: no firmware volume")
            (length,) = struct.unpack_from("<H", start, 48)  # EFI_FIRMWARE_VOLUME_HEADER.HeaderLength
            (size,) = struct.unpack_from("<I", start, length + 16)
            file.seek(length + self.STORE)
            file.write(b"\xff" * (size - self.STORE))
        self.path, self.at = path, length + self.STORE

    def add(self, guid, name, attributes, data):
        text = name.encode("utf-16-le") + b"\0\0"
        record = self.HEADER.pack(self.START, self.ADDED, 0, attributes, 0, bytes(16), 0, len(text),
                                  len(data), guid.bytes_le) + text + data
        with open(self.path, "r+b") as file:
            file.seek(self.at)
            file.write(record)
        self.at += (len(record) + 3) & ~3

    def add_options(self, options):
        """[(kind, load_option())], in the order in which the boot manager takes them: "Driver",
        "SysPrep", then "Boot"."""
        for kind in sorted({kind for kind, _ in options}):
            those = [option for one, option in options if one == kind]
            for number, option in enumerate(those):
                self.add(GLOBAL, f"{kind}{number:04X}", NON_VOLATILE | BOOT_SERVICE | RUNTIME, option)
            self.add(GLOBAL, f"{kind}Order", NON_VOLATILE | BOOT_SERVICE | RUNTIME,
                     struct.pack(f"<{len(those)}H", *range(len(those))))
