#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each segment switch of a branch trace costs at most the promised number of instructions, counted
exactly on the hardware model.

check-spare: machines count instructions
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e/lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bts_cost  # noqa: E402
import machine  # noqa: E402
import tap  # noqa: E402


def check(binary):
    cost, text = bts_cost.run(binary)
    claims = re.findall(r"^(not ok|ok) \d+ - (.*)$", text, re.MULTILINE)
    tap.ok(claims and all(passed == "ok" for passed, _ in claims) and
           cost.keys() == {*bts_cost.RUNNING, *bts_cost.RARE},
           "the image comes to its end, every way to trace is exact", text)
    for way in bts_cost.RUNNING:
        switches = cost.get(way)
        tap.ok(switches and switches.count > 8 and switches.most <= bts_cost.GOAL,
               f"{way}: no switch takes more than {bts_cost.GOAL} instructions, the area's begin "
               "included", switches)
    for way in bts_cost.RARE:
        switches = cost.get(way)
        tap.ok(switches and switches.most <= bts_cost.BOUND,
               f"{way}: no switch takes more than {bts_cost.BOUND}", switches)
    tap.equal(cost["16MiB"].most, cost["64KiB"].most,
              "the longest of 16 MiB takes as long as that of 64 KiB")


BINARY, REASON = machine.model("x86_64")
if REASON:
    tap.skip("the cost of a segment switch", REASON)
else:
    check(BINARY)
tap.finish()
