#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A boot that fails reports that, and does not count as success."""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

ERROR = 125  # run's exit status; 126 would mean that the command is wrong
STAGES = (("broken_clock", "the clock or the timer does not work: No such device (-19)"),
          ("broken_cpu", "the machine cannot be taken over: I/O error (-5)"))


def breaks(image, message, directory):
    output = directory / "perf.data"
    done = subprocess.run(
        [*machine.run_words("-i", machine.TOP / f"build/x86_64/tests/{image}.efi", "-o", output),
         "--", "record", "-e", "cpu-clock", "--", "noploop", "1"],
        capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    tap.ok(done.returncode == ERROR and message in done.stderr,
           f"{image}: the host says what broke, and fails", (done.returncode, done.stderr))
    tap.ok(not output.exists(), f"{image}: and leaves no file")


if machine.missing():
    tap.skip("a boot that comes to nothing says so", machine.missing())
else:
    with tempfile.TemporaryDirectory(prefix="bareperf-broken-") as DIRECTORY:
        for IMAGE, MESSAGE in STAGES:
            breaks(IMAGE, MESSAGE, pathlib.Path(DIRECTORY))
tap.finish()
