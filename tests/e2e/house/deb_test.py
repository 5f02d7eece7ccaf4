#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages keep Debian's rules and contain everything that their user needs: the tool in
a clean chroot records from a machine outside, which runs the packaged image. QEMU with the hardware model
is a package of its own, whose CPUs have that hardware there.

check-spare: programs are built
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import mailbox
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/qemu"))
import guests
import images

ENVIRONMENT = {**{k: v for k, v in os.environ.items() if not k.startswith("MAKE")},
               "DEB_BUILD_OPTIONS": "noautodbgsym"}
VERSION = re.search(r"^VERSION := (\S+)$", (TOP / "Makefile").read_text(), re.MULTILINE).group(1)
CLAIM = "the packages are made, and used in a clean chroot"


def run(*words, **keywords):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, stdin=subprocess.DEVNULL, env=ENVIRONMENT, **keywords)
    return done.returncode, done.stdout


def missing():
    """The reason why nothing can be tested here, or None."""
    for tool, package in (("dh", "debhelper"), ("lintian", "lintian")):
        if not shutil.which(tool):
            return f"{package} is not installed (packaging/deps.txt)"
    if os.geteuid() != 0:
        return "not to be had: a chroot wants root"
    base = pathlib.Path(run(TOP / "packaging/chroot", "--path")[1].strip())
    return None if base.exists() else "there is no clean Debian: packaging/chroot --build"


def made(directory):
    status, text = run(TOP / "packaging/deb", directory, VERSION, cwd=TOP)
    names = [f"bareperf_{VERSION}_amd64.deb", f"bareperf-firmware_{VERSION}_all.deb"]
    packages = [directory / name for name in names]
    tap.ok(status == 0 and all(package.exists() for package in packages),
           "two packages are made, of the Makefile's version", text)
    listed = run("dpkg-deb", "-c", packages[1])[1]
    tap.ok(all(f"./usr/lib/bareperf/{arch}/bareperf.{end}\n" in listed
               for arch in ("x86_64", "aarch64") for end in ("efi", "elf", "sym")),
           "the images' package has both images with their symbols", listed)
    changes = next(directory.glob("*.changes"))
    tap.equal(run("lintian", "--allow-root", "--fail-on", "error,warning", changes), (0, ""),
              "lintian has nothing to say")
    return packages


def made_emulator(directory):
    """The package of QEMU with the hardware model, or None."""
    status, text = run(TOP / "packaging/deb-qemu", directory, VERSION, cwd=TOP)
    if status == 77:
        tap.skip("the package of the hardware model", "no hardware model: tests/qemu/build.sh says why")
        return None
    packages = list(directory.glob(f"bareperf-qemu_{VERSION}+qemu*_amd64.deb"))
    tap.ok(status == 0 and len(packages) == 1, "a package of QEMU with the hardware model is made", text)
    fields = run("dpkg-deb", "-f", packages[0], "Built-Using", "Depends")[1]
    tap.ok(re.search(r"^Built-Using: qemu \(= \d+:\d+\.\d+\S*\)$", fields, re.MULTILINE),
           "it names the source that it was made of", fields)
    listed = run("dpkg-deb", "-c", packages[0])[1]
    tap.ok("./usr/share/doc/bareperf-qemu/patches/0005-hw-arm-virt" in listed, "and has the rest of its source",
           listed)
    changes = next(directory.glob("*.changes"))
    tap.equal(run("lintian", "--allow-root", "--fail-on", "error,warning", changes), (0, ""),
              "lintian has nothing to say about it")
    return packages[0]


class Chroot:
    """A clean Debian in a directory; calling the object runs a command in it."""

    def __init__(self, directory):
        self.root = pathlib.Path(directory)
        base = run(TOP / "packaging/chroot", "--path")[1].strip()
        subprocess.run(["tar", "-C", self.root, "--numeric-owner", "-xpf", base], check=True)

    def __call__(self, *words):
        return run("chroot", self.root, "/usr/bin/env", "-i", "HOME=/root", "LC_ALL=C.UTF-8",
                   "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", *words)


def installed(clean, packages):
    for package in packages:
        shutil.copy(package, clean.root / "tmp")
    status, text = clean("apt-get", "-qq", "install", "--no-install-recommends", "-y",
                         *(f"/tmp/{package.name}" for package in packages))
    tap.ok(status == 0 and "Setting up bareperf " in text,
           "apt installs them, and their dependencies, in a clean Debian", text)
    tap.equal(clean("bareperf", "--version"), (0, f"bareperf {VERSION}\n"), "the tool starts there")
    for arch in ("x86_64", "aarch64"):
        status, text = clean("bareperf", "run", "--arch", arch, "--", "record", "--", "caltree")
        tap.ok(status == 126 and "did you mean calltree?" in text,
               f"{arch}: and finds the image that was installed", text)
    for name in ("bareperf", "bareperf-run", "bareperf-attach"):
        page = clean.root / f"usr/share/man/man1/{name}.1.gz"
        target = page.parent / os.readlink(page) if page.is_symlink() else page
        tap.ok(target.exists(), f"its manual page {name}(1) is there", page)
    tap.ok((clean.root / "usr/share/bash-completion/completions/bareperf").is_file(),
           "its completion is where bash looks for it")


def records(clean):
    """The machine runs outside the chroot, like a real one; tool and image are from the
    packages."""
    image = clean.root / "usr/lib/bareperf/x86_64/bareperf.efi"
    agent = mailbox.Agent(clean.root / "tmp", "x86_64", "-kernel", image)
    status, text = clean("bareperf", "record", "--channel", "shm:/tmp/region", "-o", "/tmp/perf.data",
                         "-e", "cpu-clock", "-F", "1000", "-g", "--", "calltree", "1")
    tap.ok(status == 0 and "Captured and wrote" in text, "it records from a machine with that image",
           text)
    status, text = clean("bareperf", "report", "/tmp/perf.data")
    tap.ok(status == 0 and re.search(r"\d+\.\d+%.*\blex\b", text), "its functions have their names",
           text)
    status, text = clean("bareperf", "dump", "--summary", "/tmp/perf.data")
    tap.ok(status == 0 and "conserved: yes" in text, "and nothing is unaccounted for", text)
    agent.process.kill()
    agent.process.wait()


def emulates(clean, package):
    """The conformance images of tests/firmware/model, which know nothing of bareperf, find the hardware."""
    shutil.copy(package, clean.root / "tmp")
    status, text = clean("apt-get", "-qq", "install", "--no-install-recommends", "-y", f"/tmp/{package.name}")
    tap.ok(status == 0 and "Setting up bareperf-qemu " in text, "apt installs it in the clean Debian", text)
    for isa, board, cpu in (("x86_64", "q35", images.X86), ("aarch64", images.EL1, images.ARM)):
        image = images.build(isa, clean.root / "tmp")
        words = images.command(f"bareperf-qemu-system-{isa}", isa, board, cpu, f"/tmp/{image.name}")
        del words[1:1 + 2 * len(guests.FIRMWARE)]  # it finds Debian's firmware without being told
        status, text = clean(*words)
        tap.ok(status == images.PASSED[isa] and "not ok" not in text and "ok 1 " in text,
               f"{isa}: its CPU has the modelled hardware", text)
        page = clean.root / f"usr/share/man/man1/bareperf-qemu-system-{isa}.1.gz"
        tap.ok(page.is_symlink() or page.exists(), f"bareperf-qemu-system-{isa}(1) is there", page)


def removed(clean, packages):
    status, text = clean("apt-get", "-qq", "purge", "-y", *(package.name.partition("_")[0] for package in packages))
    left = [str(path) for path in (clean.root / "usr").rglob("*bareperf*")]
    tap.ok(status == 0 and not left, "removed, they leave nothing", f"{text}\n{left}")


REASON = missing() or machine.missing()
if REASON:
    tap.skip(CLAIM, REASON)
    tap.finish()
with tempfile.TemporaryDirectory(prefix="bareperf-deb-test-") as DIRECTORY:
    HERE = pathlib.Path(DIRECTORY)
    PACKAGES = made(HERE / "deb")
    EMULATOR = made_emulator(HERE / "deb-qemu")
    (HERE / "root").mkdir()
    CLEAN = Chroot(HERE / "root")
    installed(CLEAN, PACKAGES)
    records(CLEAN)
    if EMULATOR:
        emulates(CLEAN, EMULATOR)
    removed(CLEAN, [*PACKAGES, *([EMULATOR] if EMULATOR else [])])
tap.finish()
