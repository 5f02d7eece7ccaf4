# SPDX-License-Identifier: MIT
"""Runs tests/firmware/x86_64/bts_cost.c on the hardware model: instructions of a branch trace's
segment switches, from the vector to IRET."""

import collections
import re

import machine
import qemu

GOAL = 250

# ways to trace that continue; the others end a trace, request something, or wrap the data ring
# twice
RUNNING = ("64KiB", "16MiB", "late-reader", "watermark-of-100")
RARE = ("data-ring-half-full", "no-room", "asked")
BOUND = 1100  # of these

Switches = collections.namedtuple("Switches", "median mean most count")


def run(binary):
    """({name of the way: its Switches}, the image's text)."""
    with qemu.Machine("x86_64/bts_cost", "nothing", *machine.EXACT, program=binary,
                      cpu="Skylake-Client,pmu=on") as guest:
        text = guest.read_until(r"\n1\.\.\d+\n")
    found = re.findall(r"cost (\S+) median (\d+) mean (\d+) most (\d+) of (\d+)", text)
    return {way: Switches(*map(int, numbers)) for way, *numbers in found}, text
