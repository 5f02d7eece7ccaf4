#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the model costs: processor time of stock QEMU and ours, same guest.

cost.py STOCK-QEMU-SYSTEM-X86_64 [ROUNDS]

Each round boots the same guest on stock QEMU, on ours with the model off, and
on ours with all CPUs' instructions and branches being counted, in turns.
Prints the medians of user time, and of the rounds' ratios to stock.
"""

import os
import statistics
import sys

import guests

CPU = "Skylake-Client,-rdrand,-rdseed"


def user_seconds(binary, cpu, directory):
    """User time that a guest's whole life takes."""
    before = os.times().children_user
    guest = guests.Guest(binary, "x86_64", directory, cpu, "cost.test")
    if not guest.run():
        sys.exit(f"cost.py: the guest did not come to its end:\n{guest.console[-1000:]}")
    return os.times().children_user - before


def main():
    stock, ours = sys.argv[1], guests.qemu_binaries()["x86_64"]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    directory = guests.guest_directory("x86_64")
    kinds = {"stock": (stock, CPU), "off": (ours, CPU), "counting": (ours, CPU + ",pmu=on")}
    seconds = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, (binary, cpu) in kinds.items():
            seconds[kind].append(user_seconds(binary, cpu, directory))
    for kind, values in seconds.items():
        ratios = [value / base for value, base in zip(values, seconds["stock"])]
        print(f"{kind}: {statistics.median(values):.2f} s, ratio "
              f"{statistics.median(ratios):.3f} [{min(ratios):.3f}-{max(ratios):.3f}]")


if __name__ == "__main__":
    main()
