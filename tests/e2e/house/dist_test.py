#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A release has the same bytes wherever it is made, and its files match their descriptions. It is
made twice, from this tree and from a copy in another directory. The copy compiles the image for
x86_64 again and takes over the rest; with EVERYTHING in the environment (make soak) it builds
everything, newlib and libpfm4 included.

check-timeout: 1800
check-spare: programs are built
"""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
VERSION = re.search(r"^VERSION := (\S+)$", (TOP / "Makefile").read_text(), re.MULTILINE).group(1)
EVERYTHING = "EVERYTHING" in os.environ
ARCHES = ("x86_64", "aarch64")
TOOL, SYMBOLS = f"bareperf-{VERSION}-linux-amd64", f"bareperf-{VERSION}-symbols"
SBOM = f"bareperf-{VERSION}.spdx.json"
FILES = {"bareperfx64.efi", "bareperfaa64.efi", "bareperfx64-dxe.efi", "bareperfaa64-dxe.efi",
         "bareperf.img.xz", "LICENSES.txt", "SHA256SUMS", SBOM, f"{TOOL}.tar.xz", f"{SYMBOLS}.tar.xz",
         *(f"bareperf-{VERSION}-sdk-{arch}.tar.xz" for arch in ARCHES)}
STATIC = {"newlib", "libgcc", "gnu-efi", "device-tree-compiler", "libpfm4", "libiberty", "glibc"}
DYNAMIC = {"elfutils", "zlib", "zstd", "jansson", "libyaml", "capstone", "ncurses", "glibc"}
LINKED = {*((name, "STATIC_LINK") for name in STATIC), *((name, "DYNAMIC_LINK") for name in DYNAMIC)}


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "PWD"}
    return {**kept, **more}


def run(*words, **keywords):
    keywords.setdefault("env", environment())
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, stdin=subprocess.DEVNULL, **keywords)
    return done.returncode, done.stdout


def epoch():
    return run(TOP / "packaging/changelog", VERSION, "--epoch")[1].strip()


def copied(tree):
    """A copy of this tree's sources in another directory."""
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=TOP)[1]
    for name in names.splitlines():
        if (TOP / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, tree / name)


def built_anew(tree):
    """The release, made in another directory and environment."""
    other = environment(CCACHE_DISABLE="1", LC_ALL="C.UTF-8", TZ="Pacific/Kiritimati")
    targets = ["firmware", "sdk", "host"]
    if EVERYTHING:
        other["XDG_CACHE_HOME"] = str(tree / "cache")
    else:
        targets = [f"build/x86_64/bareperf{end}" for end in (".efi", "-dxe.efi", ".sym")]
        for name in ("x86_64/sdk", "aarch64/sdk"):
            shutil.copytree(TOP / "build" / name, tree / "build" / name)
        arm = (f"aarch64/bareperf{end}" for end in (".efi", "-dxe.efi", ".elf", ".sym", ".map"))
        for name in ("host/bareperf", "host/bareperf-outside.so", "host/bareperf.map", *arm):
            (tree / "build" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / "build" / name, tree / "build" / name)
    for arch in ARCHES if EVERYTHING else ARCHES[:1]:
        status, text = run("make", f"-j{len(os.sched_getaffinity(0))}", f"ARCH={arch}", *targets,
                           cwd=tree, env=other, umask=0o077)
        if status:
            return tap.ok(False, "it builds in another directory", text[-3000:])
    return other


def released(tree, output, env):
    status, text = run("packaging/dist", output, VERSION, cwd=tree,
                       env={**env, "SOURCE_DATE_EPOCH": epoch(), "XZ_OPT": "-0"})
    tap.equal((status, text), (0, ""), "a release is put together")
    return {path.name: path.read_bytes() for path in output.iterdir()}


def reproducible(here, there):
    tap.equal(set(here), FILES, "it has images, stick, tool, SDKs, symbols, licences, SBOM, checksums")
    for name in sorted(FILES):
        tap.ok(here.get(name) == there.get(name), f"{name}: the same bytes from another directory")


def unpacked(output, name, place):
    subprocess.run(["tar", "-C", place, "-xJf", output / f"{name}.tar.xz"], check=True)
    return place / name


def usable(output, place):
    """Each file works without the others."""
    tap.ok(run("sha256sum", "-c", "--quiet", "SHA256SUMS", cwd=output) == (0, ""), "checksums are right")
    tool = unpacked(output, TOOL, place)
    tap.equal(run(tool / "bin/bareperf", "--version"), (0, f"bareperf {VERSION}\n"),
              "the tool is of the Makefile's version")
    for arch in ARCHES:
        status, text = run(tool / "bin/bareperf", "run", "--arch", arch, "--", "record", "--",
                           "caltree", cwd=place)
        tap.ok(status == 126 and "did you mean calltree?" in text,
               f"{arch}: the tool finds the image beside it", text)
        sdk = unpacked(output, f"bareperf-{VERSION}-sdk-{arch}", place)
        (place / "p.c").write_text("#include <stdio.h>\nint main(void) { return puts(\"\"); }")
        status, text = run(sdk / "bin/bareperf-cc", "-o", place / "p.elf", place / "p.c")
        tap.ok((status, text) == (0, "") and (sdk / "LICENSES.txt").exists(),
               f"{arch}: the SDK compiles a payload", text)
    image = place / "bareperf.img"
    image.write_bytes(subprocess.run(["xz", "-dc", output / "bareperf.img.xz"], check=True,
                                     capture_output=True).stdout)
    for name, path in (("BOOTX64.EFI", "bareperfx64.efi"), ("BOOTAA64.EFI", "bareperfaa64.efi"),
                       ("BOOTX64-DXE.EFI", "bareperfx64-dxe.efi"), ("BOOTAA64-DXE.EFI", "bareperfaa64-dxe.efi")):
        held = subprocess.run(["mtype", "-i", f"{image}@@1M", f"::/EFI/BOOT/{name}"], check=False,
                              capture_output=True).stdout
        tap.ok(held == (output / path).read_bytes(), f"the stick has {path}")
    symbols = unpacked(output, SYMBOLS, place)
    return [*tool.rglob("*"), *symbols.rglob("*"), *place.glob("*sdk*/lib/*"), *output.glob("*.efi")]


def no_paths(files, places):
    """No file contains this machine's directories or the build's."""
    found = []
    for path in files:
        contents = path.read_bytes() if path.is_file() else b""
        found += [f"{path}: {place}" for place in places if place.encode() in contents]
    tap.ok(not found, "no file says where it was made", "\n".join(found))


def versions(output):
    for name in sorted(name for name in FILES if name.endswith(".efi")):
        sbat = re.search(rb"^bareperf,1,bareperf,bareperf,(.*?),", (output / name).read_bytes(), re.MULTILINE)
        tap.equal(sbat and sbat.group(1).decode(), VERSION, f"{name}: its SBAT has the version")
    status, text = run(TOP / "packaging/changelog", "9.9.9", "--epoch")
    tap.ok(status == 1 and "the newest entry is" in text, "a version without a change is refused", text)


def listed(output):
    """The SBOM describes its files and the parts that are linked into them."""
    sbom = json.loads((output / SBOM).read_text())
    names = {part["SPDXID"]: part["name"] for part in sbom["packages"]}
    ids = {*names, "SPDXRef-DOCUMENT", *(file["SPDXID"] for file in sbom["files"])}
    tap.ok(sbom["spdxVersion"] == "SPDX-2.3" and len(ids) == len(names) + 1 + len(sbom["files"]) and
           all(r["spdxElementId"] in ids and r["relatedSpdxElement"] in ids for r in sbom["relationships"]),
           "the SBOM is SPDX 2.3, and describes the release's content", sbom["relationships"])
    sums = {file["fileName"][2:]: file["checksums"][1]["checksumValue"] for file in sbom["files"]}
    tap.equal(sums, {name: hashlib.sha256((output / name).read_bytes()).hexdigest()
                     for name in FILES - {SBOM, "SHA256SUMS"}}, "it has every file's checksum")
    linked = {(names[r["relatedSpdxElement"]], r["relationshipType"]) for r in sbom["relationships"]
              if r["relationshipType"].endswith("_LINK")}
    tap.equal(linked - {("libkdumpfile", "DYNAMIC_LINK")}, LINKED, "and all that is linked")
    tap.ok(all(part["versionInfo"] and part["licenseDeclared"] not in ("", "NOASSERTION")
               for part in sbom["packages"]), "with versions and licences", sbom["packages"])


with contextlib.ExitStack() as stack:
    PLACE = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bareperf-dist-test-")))
    TREE = PLACE / "another-directory"
    TREE.mkdir()
    copied(TREE)
    OTHER = built_anew(TREE)
    if not OTHER:
        tap.finish()
    HERE, THERE = PLACE / "here", PLACE / "there"
    reproducible(released(TOP, HERE, environment()), released(TREE, THERE, OTHER))
    (PLACE / "use").mkdir()
    ALL = usable(HERE, PLACE / "use")
    no_paths(ALL, [f"{TOP}/", f"{TREE}/", f"{pathlib.Path.home()}/"])
    versions(HERE)
    listed(HERE)
tap.finish()
