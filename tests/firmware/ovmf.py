# SPDX-License-Identifier: MIT
"""Debian's OVMF without the drivers for disks' and networks' user interfaces, certificates and a
TPM, so that it boots quickly. Nothing here boots from these or uses them, and they are a third of
the image that each boot unpacks. Without a TPM, QEMU reads zeros where a PC's chipset reads ones,
so OVMF waits twice 750 ms for a TPM. Platform Initialization 1.7, volume 3: firmware volumes
consist of files, and these of sections, all little-endian."""

import lzma
import struct
import uuid

LZMA = uuid.UUID("ee4e5898-3914-4259-9d6e-dc7bd79403cf").bytes_le  # section EFI_SECTION_GUID_DEFINED
VOLUME_IMAGE, USER_INTERFACE = 0x17, 0x15  # sections
PAD, NO_FILE = 0xF0, 0xFF  # types of files
# offsets in a file's header; the header's bytes add up to 0
CHECKSUM, TYPE, SIZE, FILE_HEADER = 16, 18, 20, 24
BLOCK = 0x10000
LEFT_OUT = {
    "ArpDxe", "Dhcp4Dxe", "Dhcp6Dxe", "DnsDxe", "HttpBootDxe", "HttpDxe", "HttpUtilitiesDxe", "IScsiDxe", "Ip4Dxe",
    "Ip6Dxe", "MnpDxe", "Mtftp4Dxe", "Mtftp6Dxe", "SecureBootConfigDxe", "SnpDxe", "Tcg2ConfigDxe",
    "Tcg2ConfigPei", "Tcg2Dxe", "Tcg2Pei", "Tcg2PlatformPei", "TcgPei", "TcpDxe", "TlsAuthConfigDxe", "TlsDxe", "Udp4Dxe", "Udp6Dxe", "UefiPxeBcDxe", "VirtioNetDxe", "VlanConfigDxe",
    "httpDynamicCommand", "tftpDynamicCommand",
}


def align(number, to):
    return -(-number // to) * to


def size24(data, at):
    return int.from_bytes(data[at:at + 3], "little")


def sections(data):
    """(type, offset of its header, its body) of each file, until one is invalid."""
    at = 0
    while at + 4 <= len(data) and size24(data, at) >= 4:
        size = size24(data, at)
        yield data[at + 3], at, data[at + 4:at + size]
        at = align(at + size, 4)


def files(volume):
    """(type, bytes) of each section smaller than 16 MiB."""
    header, extended = struct.unpack_from("<H", volume, 48)[0], struct.unpack_from("<H", volume, 52)[0]
    at = align(extended + struct.unpack_from("<I", volume, extended + 16)[0], 8) if extended else header
    yield None, volume[:at]
    while at + FILE_HEADER <= len(volume) and volume[at + TYPE] != NO_FILE:
        size = size24(volume, at + SIZE)
        yield volume[at + TYPE], volume[at:at + size]
        at = align(at + size, 8)


def name_of(file):
    names = (body for kind, _, body in sections(file[FILE_HEADER:]) if kind == USER_INTERFACE)
    return next(names, b"").decode("utf-16le").rstrip("\0")


def smaller(volume):
    """The volume without the files of LEFT_OUT and without free space."""
    out = bytearray()
    for kind, file in files(volume):
        if kind != PAD and (kind is None or name_of(file) not in LEFT_OUT):
            out += b"\xff" * (align(len(out), 8) - len(out)) + file
    out += b"\xff" * (align(len(out), BLOCK) - len(out))
    struct.pack_into("<Q", out, 32, len(out))
    struct.pack_into("<II", out, 56, len(out) // BLOCK, BLOCK)
    struct.pack_into("<H", out, 50, 0)
    header = struct.unpack_from("<H", out, 48)[0]
    struct.pack_into("<H", out, 50, -sum(struct.unpack_from(f"<{header // 2}H", out)) & 0xFFFF)
    return bytes(out)


def blinder(volume):
    """The volume with the files of LEFT_OUT as padding: code that runs before RAM works is linked
    to its address."""
    out = bytearray()
    for kind, file in files(volume):
        out += b"\xff" * (align(len(out), 8) - len(out)) + file
        if kind not in (None, PAD) and name_of(file) in LEFT_OUT:
            header = len(out) - len(file)
            out[header + CHECKSUM] = (out[header + CHECKSUM] + kind - PAD) & 0xFF
            out[header + TYPE] = PAD
    return bytes(out).ljust(len(volume), b"\xff")


def packed(data):
    """In EDK2's format: the size comes before the data."""
    out = lzma.compress(data, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 24}])
    return out[:5] + struct.pack("<Q", len(data)) + out[13:]


def quick(code):
    """OVMF_CODE*.fd with fewer drivers; unchanged if its layout is unknown."""
    guid = code.find(LZMA)
    if guid < 4:
        return code
    begin, end = guid - 4 + struct.unpack_from("<H", code, guid + 16)[0], guid - 4 + size24(code, guid - 4)
    unpacked = lzma.decompress(code[begin:end], lzma.FORMAT_ALONE)
    volumes = [(at, body) for kind, at, body in sections(unpacked) if kind == VOLUME_IMAGE]
    if len(volumes) != 2:
        return code
    (begins, peims), (at, drivers) = volumes
    volume = smaller(drivers)
    section = (len(volume) + 4).to_bytes(3, "little") + bytes([VOLUME_IMAGE]) + volume
    again = packed(unpacked[:begins + 4] + blinder(peims) + unpacked[begins + 4 + len(peims):at] + section)
    return code if len(again) > end - begin else code[:begin] + again.ljust(end - begin, b"\xff") + code[end:]
