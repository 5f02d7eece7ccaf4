# SPDX-License-Identifier: MIT
"""Keys of one's own, and firmware that enforces Secure Boot by them: what its menus would enroll is
written into its variables before it starts."""

import pathlib
import shutil
import struct
import subprocess
import uuid

GLOBAL = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
SECURITY_DATABASE = uuid.UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")
SHIM = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")
X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
OWNER = uuid.UUID("0f6ac3c4-51a0-43c1-9ae5-1a4a4b3a7f2c")  # anybody's
NON_VOLATILE, BOOT_SERVICE, RUNTIME, TIME_BASED = 1, 2, 4, 0x20
AUTHENTICATED = NON_VOLATILE | BOOT_SERVICE | RUNTIME | TIME_BASED
FIRMWARE = {
    "x86_64": ("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    "aarch64": ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd"),
}
# Only SMM may write OVMF's variables, or a program could enroll its own key.
MACHINE = {
    "x86_64": ["-machine", "smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"],
    "aarch64": [],
}


class Key:
    """A private key and a certificate for it: .key and .cert are files, PEM."""

    def __init__(self, directory, name):
        self.key, self.cert = (pathlib.Path(directory) / f"{name}.{end}" for end in ("key", "crt"))
        subprocess.run(["openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj",
                        f"/CN={name}", "-days", "3650", "-keyout", self.key, "-out", self.cert],
                       check=True, capture_output=True)

    def signature_list(self):
        """EFI_SIGNATURE_LIST (UEFI 2.10, 32.4.1) of its certificate."""
        der = subprocess.run(["openssl", "x509", "-in", self.cert, "-outform", "DER"], check=True,
                             capture_output=True).stdout
        return (X509.bytes_le + struct.pack("<III", 28 + 16 + len(der), 0, 16 + len(der)) +
                OWNER.bytes_le + der)


def load_option(name, file, words):
    """EFI_LOAD_OPTION (UEFI 2.10, 3.1.3) of a file, on whichever volume has it (3.1.2, short-form)."""
    texts = [(text + "\0").encode("utf-16-le") for text in (name, file, words)]
    path = struct.pack("<BBH", 4, 4, 4 + len(texts[1])) + texts[1] + struct.pack("<BBH", 0x7F, 0xFF, 4)
    return struct.pack("<IH", 1, len(path)) + texts[0] + path + texts[2]


class Variables:
    """EDK2's store of variables in flash (MdeModulePkg, Guid/VariableFormat.h): a copy of another one,
    without its variables, that variables are added to."""

    HEADER = struct.Struct("<HBBIQ16sIII16s")  # AUTHENTICATED_VARIABLE_HEADER
    STORE = 28  # VARIABLE_STORE_HEADER
    START, ADDED = 0x55AA, 0x3F

    def __init__(self, template, path):
        shutil.copy(template, path)
        with open(path, "r+b") as file:
            start = file.read(256)
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


def missing(arch):
    """Why this firmware cannot be had here, or None."""
    tools = ("sbsign", "sbverify", "openssl", "mformat", f"qemu-system-{arch}")
    absent = [tool for tool in tools if not shutil.which(tool)]
    absent += [path for path in FIRMWARE[arch] if not pathlib.Path(path).exists()]
    return f"there is no {absent[0]}" if absent else None


def enforced(arch, path, platform, db, mok=None, options=()):
    """QEMU's options for firmware with these keys enrolled, whose variables are at path; mok is for
    shim to trust. options: (kind, load_option()), which the boot manager starts in their order before
    it boots: "Driver", then "SysPrep"."""
    code, template = FIRMWARE[arch]
    variables = Variables(template, path)
    variables.add(GLOBAL, "PK", AUTHENTICATED, platform.signature_list())
    variables.add(GLOBAL, "KEK", AUTHENTICATED, platform.signature_list())
    variables.add(SECURITY_DATABASE, "db", AUTHENTICATED, db.signature_list())
    if mok:
        variables.add(SHIM, "MokList", NON_VOLATILE | BOOT_SERVICE, mok.signature_list())
    for kind in sorted({kind for kind, _ in options}):
        those = [option for one, option in options if one == kind]
        for number, option in enumerate(those):
            variables.add(GLOBAL, f"{kind}{number:04X}", NON_VOLATILE | BOOT_SERVICE | RUNTIME, option)
        variables.add(GLOBAL, f"{kind}Order", NON_VOLATILE | BOOT_SERVICE | RUNTIME,
                      struct.pack(f"<{len(those)}H", *range(len(those))))
    return [*MACHINE[arch], "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}",
            "-drive", f"if=pflash,format=raw,unit=1,file={path}"]


def sign(key, image, output):
    """Sign one image as packaging/sign does."""
    subprocess.run(["sbsign", "--key", key.key, "--cert", key.cert, "--output", output, image],
                   check=True, capture_output=True)
    return output
