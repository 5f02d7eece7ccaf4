#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Secure Boot with our own keys, on firmware that enforces it: an image that `make sign` has signed
boots from a disk and records; the firmware refuses unsigned and changed images.

check-spare: no claim is about time
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import secure_boot
import stick
import tap
from efi_variables import load_option
from stick import TOP, Volume

ARCHES = ("x86_64", "aarch64")
NAMES = {"x86_64": "bareperfx64.efi", "aarch64": "bareperfaa64.efi"}
COMMAND = b"record -e cpu-clock -F 1000 --then poweroff -- branches 100000000\n"
ENOUGH = 1  # sample: the loop takes as long as the host needs
BANNER = "bareperf 0"
SHIM = pathlib.Path("/usr/lib/shim/shimx64.efi")
SLOT = 0x10  # PCI slot of the first disk; the others follow


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


def disk(place, name, arch, image, files=()):
    return Volume(f"{place}/{name}.img", 40, arch, image, {"bareperf.cfg": COMMAND, **dict(files)})


def boot(arch, firmware, volumes, until=None):
    """A machine that tries to boot the volumes in this order."""
    disks = []
    for i, volume in enumerate(volumes):
        disks += ["-drive", f"if=none,id=disk{i},format=raw,file={volume.path}", "-device",
                  f"virtio-blk-pci,drive=disk{i},bootindex={i},addr={SLOT + i:#x}"]
    return stick.boot(arch, None, *disks, firmware=firmware, until=until)


def refused(output, slot):
    return re.search(rf"BdsDxe: failed to load \S+ .* from \S*Pci\({slot:#x},0x0\): Access Denied",
                     output, re.IGNORECASE)


def recorded(place, volume, number=1):
    """The number of samples in a recording on a volume, if its ledger balances; 0 if there is
    none."""
    path = pathlib.Path(place) / "taken.data"
    path.write_bytes(volume.read(f"bareperf/{number:04}.data") or b"")
    done = subprocess.run([TOP / "build/host/bareperf", "dump", "--json", path], check=False,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["events"][0]["delivered"] if done.returncode == 0 else 0


def signed_by(place, key):
    """`make sign`'s work, and its refusals."""
    output = pathlib.Path(place) / "signed"
    images = [TOP / f"build/{arch}/bareperf.efi" for arch in ARCHES]
    status, text = run(TOP / "packaging/sign", key.key, key.cert, output, *images)
    tap.ok(status == 0 and (output / "bareperf.img").exists(), "make sign signs both images", text)
    for words, why in ((("", ""), "whose key?"), ((place / "none.key", key.cert), "none.key: there is no"),
                       ((key.key, key.key), "is no certificate in PEM")):
        status, text = run(TOP / "packaging/sign", *words, output, *images)
        tap.ok(status == 1 and why in text, f"and says: {why}", text)
    return output


def altered(image, output):
    """Change a byte that has no effect: the vendor's name in the SBAT."""
    contents = image.read_bytes()
    assert contents.count(b"bareperf,1,bareperf,") == 1
    output.write_bytes(contents.replace(b"bareperf,1,bareperf,", b"bareperf,1,Bareperf,"))
    return output


def verifies(key, other, image, changed, arch):
    tap.ok(run("sbverify", "--cert", key.cert, image) == (0, "Signature verification OK\n"),
           f"{arch}: sbverify accepts the signature, without a warning", run("sbverify", image))
    tap.ok(run("sbverify", "--cert", other.cert, image)[0] != 0 and
           run("sbverify", "--cert", key.cert, changed)[0] != 0 and
           run("sbverify", "--cert", key.cert, TOP / f"build/{arch}/bareperf.efi")[0] != 0,
           f"{arch}: not by another's key, nor of a changed image, nor where there is none")
    objdump = "objdump" if arch == "x86_64" else "aarch64-linux-gnu-objdump"
    sections, header = run(objdump, "-h", image)[1], run(objdump, "-p", image)[1]
    tap.ok(re.search(r"^ +\d+ \.sbat ", sections, re.MULTILINE) and
           re.search(r"^DllCharacteristics\s+0*140$", header, re.MULTILINE) and
           re.search(r"^SectionAlignment\s+0*1000$", header, re.MULTILINE),
           f"{arch}: signed, it has .sbat, NX_COMPAT and sections of 4 KiB", sections + header)


# Before it boots, the boot manager loads our driver, lets our image end its recording, and starts a
# third program.
OPTIONS = [(kind, load_option("bareperf", file, words)) for kind, file, words in (
    ("Driver", r"\bareperf-dxe.efi", "record --boot -e cpu-clock -F 1000"),
    ("SysPrep", r"\bareperf.efi", "stop"),
    ("SysPrep", r"\bareperf.efi", r"record -e cpu-clock -- \unsigned-dxe.efi"))]


def drivers(arch, signed):
    return {"bareperf.efi": signed.read_bytes(),
            "bareperf-dxe.efi": signed.with_stem(f"{signed.stem}-dxe").read_bytes(),
            "unsigned-dxe.efi": (TOP / f"build/{arch}/bareperf-dxe.efi").read_bytes()}


def enforces(place, arch, keys, signed):
    """One boot: the firmware skips the images that it refuses."""
    unsigned, changed = TOP / f"build/{arch}/bareperf.efi", place / f"changed-{arch}.efi"
    firmware = secure_boot.enforced(arch, place / f"{arch}.vars", keys["PK"], keys["db"], options=OPTIONS)
    volumes = [disk(place, f"{arch}-{i}", arch, image, files) for i, (image, files) in
               enumerate(((unsigned, {}), (changed, {}), (signed, drivers(arch, signed))))]
    output = boot(arch, firmware, volumes)
    # in the recordings of options the banner has another name
    begins = re.search(rf"{BANNER}[\d.]+: ", output)
    first = begins.start() if begins else -1
    for slot, what in enumerate(("an unsigned image", "one that was changed when it was signed")):
        denied = refused(output, SLOT + slot)
        tap.ok(denied and denied.start() < first and not volumes[slot].names(),
               f"{arch}: the firmware refuses {what}: Access Denied", output[-3000:])
    tap.ok(re.search(r"marks: [1-9]\d* samples, 0 lost", output) and recorded(place, volumes[2], 1) > 0,
           f"{arch}: a signed driver records the boot until `stop`", output[-3000:])
    tap.ok("\\unsigned-dxe.efi: not loaded: Secure Boot refuses it (0x800000000000000f)" in output,
           f"{arch}: the firmware refuses an unsigned driver: Access Denied, which is said", output[-3000:])
    tap.ok(first >= 0 and recorded(place, volumes[2], 3) >= ENOUGH,
           f"{arch}: a signed image boots, records, and switches the machine off", output[-3000:])
    return firmware, volumes


def shows(firmware, volumes, arch):
    output = boot(arch, firmware, volumes[:2], until="No bootable option or device was found")
    tap.ok(output.count("Access Denied") == 2 and BANNER not in output and
           "No bootable option or device was found" in output,
           f"{arch}: where nothing else is to be booted it shows Access Denied, then No bootable option",
           output[-3000:])


def unenforced(place, arch):
    """The missing signature is the reason: elsewhere both images run."""
    volume = disk(place, "free", arch, place / f"changed-{arch}.efi")
    output = stick.boot(arch, volume)
    tap.ok(recorded(place, volume) >= ENOUGH,
           f"{arch}: where nothing is enforced, the changed image boots and records", output[-3000:])


def by_shim(place, keys):
    """The firmware trusts shim by db, and shim trusts us by a machine owner's key; shim reads our
    SBAT."""
    if not SHIM.exists():
        tap.skip("shim starts an image that a machine owner's key has signed", f"there is no {SHIM}")
        return
    shim = secure_boot.sign(keys["db"], SHIM, place / "shim.efi")
    contents = (TOP / "build/x86_64/bareperf.efi").read_bytes()

    def started(name, image, until=None):
        (place / name).write_bytes(image)
        ours = secure_boot.sign(keys["MOK"], place / name, place / f"{name}.signed")
        volume = disk(place, name, "x86_64", shim, {"EFI/BOOT/grubx64.efi": ours.read_bytes()})
        firmware = secure_boot.enforced("x86_64", place / f"{name}.vars", keys["PK"], keys["db"], keys["MOK"])
        return volume, boot("x86_64", firmware, [volume], until)

    volume, output = started("mok", contents)
    tap.ok(recorded(place, volume) >= ENOUGH,
           "shim starts an image that a machine owner's key (MOK) has signed, and it records", output[-3000:])
    output = started("bare", contents.replace(b".sbat\0\0\0", b".none\0\0\0", 1), "Security Violation")[1]
    tap.ok("Verification failed: (0x1A) Security Violation" in output and BANNER not in output,
           "which it refuses to do without the section .sbat", output[-3000:])


with tempfile.TemporaryDirectory(prefix="bareperf-secure-boot-test-") as directory:
    PLACE = pathlib.Path(directory)
    REASON = secure_boot.missing("x86_64")
    if REASON:
        tap.skip("signed images boot where Secure Boot is enforced", REASON)
        tap.finish()
    KEYS = {name: secure_boot.Key(PLACE, name) for name in ("PK", "db", "MOK")}
    SIGNED = signed_by(PLACE, KEYS["db"])
    for ARCH in ARCHES:
        verifies(KEYS["db"], KEYS["PK"], SIGNED / NAMES[ARCH],
                 altered(SIGNED / NAMES[ARCH], PLACE / f"changed-{ARCH}.efi"), ARCH)
        if ARCH not in machine.repeats(ARCHES):
            continue
        if REASON := secure_boot.missing(ARCH):
            tap.skip(f"{ARCH}: signed images boot where Secure Boot is enforced", REASON)
            continue
        FIRMWARE, VOLUMES = enforces(PLACE, ARCH, KEYS, SIGNED / NAMES[ARCH])
        if ARCH == "x86_64":
            shows(FIRMWARE, VOLUMES, ARCH)
            unenforced(PLACE, ARCH)
    by_shim(PLACE, KEYS)
tap.finish()
