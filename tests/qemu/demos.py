# SPDX-License-Identifier: GPL-2.0-or-later
"""The claims of check-model about the tour of tests/qemu/demo, whose output docs/hardware-model.md shows."""

import re


def check(tap, results, x86_at, arm_at):
    """results: {boot: Guest}; x86_at, arm_at: the addresses of the programs' labels."""
    text = results["x86-demo"].console
    tap.claim("x86, demo: perf stat has the program's counts",
              re.search(r" 4000004 +instructions:u\b", text) and re.search(r" 3000001 +branches:u\b", text), text)
    leaf = x86_at["calls.leaf"]
    tap.claim("x86, demo: perf script has the edges of the branch trace store, and of the branch records",
              f"=>           {leaf:x} leaf" in text and f"/{leaf:#x}/P/" in text, text)
    text = results["arm-demo"].console
    tap.claim("arm, demo: perf stat has the program's counts",
              re.search(r" 4000005 +instructions:u\b", text) and re.search(r" 3000000 +r21:u\b", text), text)
    tap.claim("arm, demo: perf script has SPE's records of the load", f"PC {arm_at['stream.stream']:#x} el0 ns=1" in text
              and "LD GP-REG" in text, text)
