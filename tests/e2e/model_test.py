#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where the hardware model's source cannot be had: who needs it skips, and says why."""

import os
import pathlib
import subprocess
import tempfile

import tap

QEMU = pathlib.Path(__file__).resolve().parents[1] / "qemu"
NOWHERE = "http://127.0.0.1:9/"  # the discard port: refused

with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
    offline = dict(os.environ, XDG_CACHE_HOME=directory, DEBIAN_MIRROR=NOWHERE,
                   DEBIAN_SECURITY_MIRROR=NOWHERE)
    done = subprocess.run([QEMU / "build.sh"], env=offline, capture_output=True, text=True,
                          check=False)
    tap.equal(done.returncode, 77, "build.sh without Debian's source exits with 77")
    tap.ok("source package of QEMU cannot be had" in done.stderr or "is missing" in done.stderr,
           "... and says what it lacks", done.stderr)
    left = [p for p in pathlib.Path(directory).rglob("*") if p.is_file() and p.stat().st_size]
    tap.equal(left, [], "... and leaves nothing behind")
    done = subprocess.run([QEMU / "check-model"], env=offline, capture_output=True, text=True,
                          check=False)
    tap.equal(done.stdout.strip(), "1..0 # SKIP no hardware model: build.sh says why",
              "check-model is skipped, with the reason")
tap.finish()
