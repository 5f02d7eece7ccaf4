#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hardware model's build, for each version of QEMU: without its source its tests are skipped,
with the reason; an existing build must contain the patches; and a build of Debian's version, if the
wanted version is missing, has a directory of its own. Scripts replace Debian's tools and the
compiler."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

QEMU = pathlib.Path(__file__).resolve().parents[2] / "qemu"
NOWHERE = "http://127.0.0.1:9/"  # the discard port, which refuses connections
BUILD = QEMU / "build.sh"
# {version of QEMU: (upstream's part of Debian's version, the rest of the one that is wanted, its suite)}
VERSIONS = {version: words for version, *words in re.findall(
    r"^(\S+)\) upstream=(\S+) wanted=\$\{upstream\}(\S+) suite=(\S+)", BUILD.read_text(encoding="utf-8"), re.MULTILINE)}
NEWER = {"7.2": "7+deb12u99", "10.0": "99+ds-0+deb13u1"}
TOOLS = {
    "apt-get": """echo "$@" >> "$XDG_CACHE_HOME/asked"
    case "$*" in
    *update*) cat "${APT_CONFIG%.conf}/sources.list" >> "$XDG_CACHE_HOME/asked" ;;
    *source*) touch qemu_1.dsc ;;
    *download*) touch meson_1_all.deb ;;
    esac""",
    "apt-cache": 'echo "Version: $OFFERED"',
    "meson": 'echo 1.0.1',
    "dpkg-deb": 'mkdir "$3"',
    "dpkg-source": 'mkdir source; echo : > source/configure; chmod +x source/configure',
    "patch": 'cat > /dev/null; exit "$PATCH_STATUS"',
    "ninja": r"""for t in x86_64 aarch64; do
    printf '#!/bin/sh\necho \\"ivshmem-plain\\" \\"ivshmem-doorbell\\"\n' > qemu-system-$t
    chmod +x qemu-system-$t
    done""",
    "strip": 'cp "$3" "$2"',
    **dict.fromkeys(("pkg-config", "gcc", "bison", "flex"), ":"),
}


def build(cache, version, offered, patch_status=0):
    """Run build.sh with these tools. Returns its result, and the directory of its binaries."""
    tools = pathlib.Path(cache) / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in TOOLS.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tools / name).chmod(0o755)
    done = subprocess.run([BUILD, "--version", version], capture_output=True, text=True, check=False, env=dict(
        os.environ, XDG_CACHE_HOME=cache, PATH=f"{tools}:{os.environ['PATH']}",
        OFFERED=VERSIONS[version][0] + offered, PATCH_STATUS=str(patch_status)))
    return done, {pathlib.Path(line).parent.name for line in done.stdout.split()}


def versions_differ(first, second, version):
    """A version of QEMU, in two empty caches."""
    _, wanted, suite = VERSIONS[version]
    done, _ = build(first, version, wanted, patch_status=1)
    tap.equal(done.returncode, 1, f"QEMU {version}: a patch that does not fit the source is a failure, no skip")
    tap.ok(f"does not fit QEMU 1:{version}" in done.stderr, "... which it says", done.stderr)
    asked = pathlib.Path(first, "asked").read_text(encoding="utf-8")
    tap.ok(f"{suite}-security main" in asked, f"... and the source comes from {suite}", asked)
    tap.equal("download meson" in asked, version == "10.0",
              "... with Debian 13's meson only for a QEMU that needs it")
    done, ours = build(first, version, wanted)
    tap.ok(done.returncode == 0 and len(ours) == 1, "with one that does it is built",
           done.stdout + done.stderr)
    done, successor = build(second, version, NEWER[version])
    tap.ok("is gone: trying" in done.stderr and len(successor) == 1,
           "where Debian has a successor only, that is built", done.stdout + done.stderr)
    tap.ok(not successor & ours, "... and lies elsewhere", f"{successor} {ours}")
    asked = pathlib.Path(second, "asked")
    before = asked.read_text(encoding="utf-8")
    done, again = build(second, version, "none")
    tap.ok(again == successor and asked.read_text(encoding="utf-8") == before,
           "... where it is found again, and Debian is not asked", done.stdout + done.stderr)
    return ours


tap.equal(sorted(VERSIONS), ["10.0", "7.2"], "the model is made for the QEMU of Debian 12 and of Debian 13")
with tempfile.TemporaryDirectory(prefix="bareperf-test-") as first, \
     tempfile.TemporaryDirectory(prefix="bareperf-test-") as second:
    places = [versions_differ(first, second, version) for version in VERSIONS]
    tap.ok(not places[0] & places[1], "each version has a place of its own", places)
    done = subprocess.run([BUILD, "--version", "9.9"], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 2 and "only for 7.2 and 10.0" in done.stderr,
           "another version is refused, and the error names those that exist", done.stderr)

with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
    offline = dict(os.environ, XDG_CACHE_HOME=directory, DEBIAN_MIRROR=NOWHERE,
                   DEBIAN_SECURITY_MIRROR=NOWHERE)
    done = subprocess.run([BUILD], env=offline, capture_output=True, text=True,
                          check=False)
    tap.equal(done.returncode, 77, "build.sh without Debian's source exits with 77")
    tap.ok("source package of QEMU cannot be had" in done.stderr or "is missing" in done.stderr,
           "... and reports the missing part", done.stderr)
    left = [p for p in pathlib.Path(directory).rglob("*") if p.is_file() and p.stat().st_size]
    tap.equal(left, [], "... and leaves nothing behind")
    done = subprocess.run([QEMU / "check-model"], env=offline, capture_output=True, text=True,
                          check=False)
    tap.equal(done.stdout.strip(), "1..0 # SKIP no hardware model: build.sh says why",
              "check-model is skipped, with the reason")

# The model is used only on request; `bareperf run` starts it with the same CPU as any QEMU.
BINARY, REASON = machine.model("x86_64")
REASON = REASON or machine.missing()
if REASON:
    tap.skip("the model without its PMU", REASON)
else:
    run = machine.Recording("record -- noploop 1", "--qemu", BINARY)
    tap.ok(run.status == 0 and run.summary()["conserved"],
           "without -cpu the model is a QEMU as any other", run.text)
tap.finish()
