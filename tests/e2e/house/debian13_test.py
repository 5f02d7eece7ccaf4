#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debian 13, the second of the two releases that bareperf supports (tests/debian13): its gcc builds
everything, the unit tests pass, and the main list runs on its QEMU and its firmware. DEBIAN13_JOBS:
the number of tests at a time (1, because other tests run meanwhile). DEBIAN13_TESTS: programs of
tests/check that also run there (make soak).

check-timeout: 3600
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
JOBS = os.environ.get("DEBIAN13_JOBS", "1")
MORE = os.environ.get("DEBIAN13_TESTS", "")
CANNOT = 77
TAP = re.compile(r"^(not )?ok \d+ - (.*?)(?: # SKIP (.*))?$")
# A line of tests/check about a program, and why one has failed or was left out.
PROGRAM = re.compile(r"^(\w+/\S+) +(\d+ (?:passed|FAILED|skipped).*)$", re.MULTILINE)
# Rows of the table in docs/hardware.md.
ROWS = "two NUMA nodes|U-Boot"


def inside(*words):
    """Run a command in Debian 13. Returns its exit status and its output."""
    done = subprocess.run([TOP / "tests/debian13", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, check=False, errors="replace")
    return done.returncode, done.stdout


def made(claim, *words):
    status, text = inside("make", f"-j{JOBS}", *words)
    return tap.ok(status == 0 and "warning:" not in text, f"Debian 13: {claim}", text[-6000:])


def programs(patterns):
    """Each program is a claim; if a program has run twice, its second result counts."""
    status, text = inside("tests/check", "-j", JOBS, patterns)
    results = dict(PROGRAM.findall(text))
    for name, result in results.items():
        tap.ok("FAILED" not in result, f"Debian 13: {name}: {result}", text[text.find(name):][:4000])
    tap.ok(results and (status == 0) == ("FAILED" not in str(results)), "Debian 13: tests/check ends by itself", text[-3000:])


def script(*words):
    """Its claims become claims of this test."""
    status, text = inside(*words)
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if found := TAP.match(line):
            failed, claim, reason = found.groups()
            if reason:
                tap.skip(f"Debian 13: {claim}", reason)
            else:
                tap.ok(not failed, f"Debian 13: {claim}", "\n".join(lines[i + 1:i + 40]))
    tap.ok(lines and re.match(r"1\.\.\d", lines[-1]) and status < 2, f"Debian 13: {words[0]} comes to its end", text[-3000:])


def more():
    """As long as lint takes it is no part of `make check`; nor is a clean Debian 13 for its packages."""
    made("lint finds nothing", "-k", "lint-run")
    inside("deps/install", "packaging/deps.txt")
    inside("packaging/chroot", "--build")
    programs(MORE)


def main():
    status, text = inside("--build")
    if status == CANNOT:
        tap.skip("Debian 13: the main list", "not to be had: " + text.strip().splitlines()[-1])
        return
    tap.equal(status, 0, "Debian 13 can be had")
    images = all([made(f"gcc builds the image and the SDK of {arch} without a warning", f"ARCH={arch}", "firmware", "sdk")
                  for arch in ("x86_64", "aarch64")])
    host = made("and the tool, and all unit tests", "unit-tests", "outside-guests", "SANITIZERS=no")
    if host:
        script("tests/e2e/outside/outside_test.py")
        programs("|".join(f"unit/{test.stem}" for test in (TOP / "tests/unit").rglob("*_test.c")))
    if images and host:
        script("tests/e2e/record/machines_test.py", ROWS)
        script("tests/e2e/uefi/main_list.py")
        script("tests/e2e/uefi/newer_list.py")
        if MORE:
            more()


main()
tap.finish()
