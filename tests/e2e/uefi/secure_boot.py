# SPDX-License-Identifier: MIT
"""The user's own keys, and firmware that enforces Secure Boot with them: the keys that its menus
would enroll are written to its variables before it starts."""

import pathlib
import shutil
import struct
import subprocess
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
from efi_variables import BOOT_SERVICE, GLOBAL, NON_VOLATILE, RUNTIME, Variables

SECURITY_DATABASE = uuid.UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")
SHIM = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")
X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
OWNER = uuid.UUID("0f6ac3c4-51a0-43c1-9ae5-1a4a4b3a7f2c")  # anybody's
TIME_BASED = 0x20
AUTHENTICATED = NON_VOLATILE | BOOT_SERVICE | RUNTIME | TIME_BASED
FIRMWARE = {
    "x86_64": ("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
    "aarch64": ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd"),
}
# Only SMM may write OVMF's variables, because otherwise a program could enroll its own key.
MACHINE = {
    "x86_64": ["-machine", "smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"],
    "aarch64": [],
}


class Key:
    """A private key and its certificate: .key and .cert are PEM files."""

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


def missing(arch):
    """The reason why this firmware is not available here, or None."""
    tools = ("sbsign", "sbverify", "openssl", "mformat", f"qemu-system-{arch}")
    absent = [tool for tool in tools if not shutil.which(tool)]
    absent += [path for path in FIRMWARE[arch] if not pathlib.Path(path).exists()]
    return f"there is no {absent[0]}" if absent else None


def enforced(arch, path, platform, db, mok=None, options=()):
    """QEMU's options for firmware with these keys enrolled, whose variables are in path; mok is a
    key that shim trusts. options: (kind, load_option()), which the boot manager starts in this
    order before it boots: "Driver", then "SysPrep"."""
    code, template = FIRMWARE[arch]
    variables = Variables(template, path)
    variables.add(GLOBAL, "PK", AUTHENTICATED, platform.signature_list())
    variables.add(GLOBAL, "KEK", AUTHENTICATED, platform.signature_list())
    variables.add(SECURITY_DATABASE, "db", AUTHENTICATED, db.signature_list())
    if mok:
        variables.add(SHIM, "MokList", NON_VOLATILE | BOOT_SERVICE, mok.signature_list())
    variables.add_options(options)
    return [*MACHINE[arch], "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}",
            "-drive", f"if=pflash,format=raw,unit=1,file={path}"]


def sign(key, image, output):
    """Sign one image as packaging/sign does."""
    subprocess.run(["sbsign", "--key", key.key, "--cert", key.cert, "--output", output, image],
                   check=True, capture_output=True)
    return output
