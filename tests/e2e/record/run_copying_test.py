#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf run` over a channel that copies (copying_channel.h): it fetches in pieces and at random
what a machine writes meanwhile, and delays the tool's stores. Real machines, doorbells without
time-outs, a command by mailbox."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

machine.TOOL = machine.TOP / "build/host/bareperf-copying"
SMALL = ("--region-size", "4")
ARM = ("-machine", "virt,gic-version=3,virtualization=on", "-cpu", "neoverse-n1", *machine.PACED)


def conserved(run, claim):
    """The run's summary, if it ended well."""
    if not tap.equal(run.status, 0, f"{claim}: the run ends well"):
        tap.note(run.text)
        return {"events": [], "conserved": False}
    summary = run.summary()
    tap.ok(summary["conserved"], f"{claim}: the ledger is exact", summary)
    return summary


def main():
    if machine.missing():
        tap.skip("runs over a channel that copies", machine.missing())
        tap.finish()
        return
    summary = conserved(
        machine.Recording("record -e cpu-clock -F 1000 -g -m 4 -- calltree", *SMALL,
                          qemu=machine.PACED), "small rings")
    tap.ok(all(event["delivered"] > 1000 for event in summary["events"]) and summary["events"],
           "small rings: samples of all the time are in the file", summary)
    if machine.missing("qemu-system-aarch64"):
        tap.skip("a command by mailbox", machine.missing("qemu-system-aarch64"))
    else:
        summary = conserved(
            machine.Recording("record -e INST_RETIRED -c 100000 -- branches 1000000", "--arch",
                              "aarch64", *SMALL, qemu=ARM), "a command by mailbox")
        tap.ok(any(event["delivered"] > 10 for event in summary["events"]),
               "a command by mailbox: its samples are in the file", summary)
    tap.finish()


main()
