# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of check-model are saved, and used again without a boot as long as none of their
inputs has changed: the two QEMUs, the guests' kernels and programs, the claims, the firmware, the
compilers of the images. Each version of QEMU has a verdict of its own. AGAIN=1 in the environment
boots in any case."""

import hashlib
import os
import pathlib
import subprocess

import guests
import images

FIRMWARE = [pathlib.Path(name) for name in (
    "/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/seabios/bios-256k.bin")]


def files(*places):
    """All files in these places, in a fixed order."""
    for place in places:
        if place.is_dir():
            yield from sorted(path for path in place.rglob("*")
                              if path.is_file() and path.suffix != ".pyc")
        elif place.exists():
            yield place


def claims():
    """The files of this directory but for QEMU's sources: the QEMUs themselves are compared."""
    sources = {guests.HERE / "model", guests.HERE / "patches", guests.HERE / "README.md"}
    return [path for path in sorted(guests.HERE.iterdir()) if path not in sources]


def compilers():
    for command, _ in images.BUILD.values():
        yield subprocess.run([command[0], "--version"], capture_output=True, check=False).stdout


def place(binaries, directories):
    """The path of the verdict on these inputs."""
    digest = hashlib.sha256()
    for path in files(*claims(), images.SOURCE, *FIRMWARE, *map(pathlib.Path, binaries.values()),
                      *map(pathlib.Path, directories.values())):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    for text in compilers():
        digest.update(text)
    return guests.CACHE / f"model-verdict-{guests.version(binaries)}-{digest.hexdigest()[:24]}"


def kept(path):
    """The TAP of a run without failures, or None."""
    if os.environ.get("AGAIN") or not path.exists():
        return None
    return path.read_text(encoding="utf-8")


def keep(path, tap):
    """Keep only the last one of this version, written atomically."""
    for old in guests.CACHE.glob(path.name[:-24] + "*"):
        old.unlink(missing_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(tap, encoding="utf-8")
    new.rename(path)
