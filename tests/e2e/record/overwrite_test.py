#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`record --overwrite`: the rings keep the newest records, and the older ones are counted.

check-spare: machines count instructions
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

PAGES, PERIOD = 4, 20000  # ns
COMMAND = f"record --overwrite -c {PERIOD} -m {PAGES} -- calltree 1"


def newest(arch):
    run = machine.Recording(COMMAND, "--arch", arch, qemu=machine.EXACT)
    summary = run.summary()
    event = summary["events"][0]
    text, complaints, status = run.perf("script", "--ns", "-F", "time")
    times = [round(1e9 * float(line.strip(" :"))) for line in text.splitlines()]
    tap.equal((run.status, summary["status"], event["lost"]), (0, 0, 0),
              f"{arch}: a ring that is overwritten many times loses nothing")
    tap.ok(len(times) == event["delivered"] and
           event["delivered"] + event["overwritten"] == event["written"] > 20 * len(times),
           f"{arch}: each record is in the file, or was overwritten and is counted", event)
    tap.ok(len(times) * 56 > PAGES * 4096 / 2, f"{arch}: what is left fills the ring by half at "
           "least", len(times))
    ends = 1_000_000_000 - 50 * PERIOD  # of a workload of 1 s
    tap.ok(times == sorted(times) and times[-1] - times[0] < 2 * PERIOD * len(times) and
           times[-1] > ends, f"{arch}: they are the newest, the oldest of them first", times[-3:])
    tap.equal(summary["wakeups"]["causes"], {"threshold": 0, "full": 0, "aux": 0, "end": 1},
              f"{arch}: no reader is woken before the end")
    tap.ok(f"{event['overwritten']} older records were overwritten" in run.text,
           f"{arch}: the closing lines say so", run.text)
    tap.equal((status, "error" in complaints.lower()), (0, False), f"{arch}: stock perf reads them")


for ISA in ("x86_64", "aarch64"):
    newest(ISA)
tap.finish()
