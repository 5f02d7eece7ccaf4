#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each machine in the table of docs/hardware.md (machines.py) is booted once, and passes the tests
of its row. With ROWS=all in the environment the slow ones as well (make soak).

    tests/e2e/record/machines_test.py --write     writes the table
    tests/e2e/record/machines_test.py PATTERN     only rows whose line contains PATTERN

check-timeout: 1500
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machines
import tap

ALL = os.environ.get("ROWS") == "all"
write = "--write" in sys.argv[1:]
patterns = [word for word in sys.argv[1:] if not word.startswith("-")]
lines = []
for row in machines.ROWS:
    label = machines.line([f"{row.isa} {row.name}", *row.said()[1:]])[:-2]
    if patterns and not any(re.search(pattern, label) for pattern in patterns):
        continue
    why = machines.why_not(row)
    if why:
        tap.skip(f"{label}: does what its row says", why)
    elif row.soak and not (ALL or write):
        continue
    else:
        with tempfile.TemporaryDirectory(prefix="bareperf-row-") as directory:
            made = machines.try_row(row, directory)
        lines.append(made)
        if not write:
            true_in = machines.documented().get(made)
            tap.ok(true_in is not None and (not machines.world() or machines.world() in true_in),
                   f"docs/hardware.md says so: {label}",
                   "\n".join([made, str(true_in), "tests/e2e/record/machines_test.py --write writes the table"]))
if write:
    machines.document(lines)
elif not patterns:
    tap.equal(len(machines.documented()), len(machines.ROWS), "the table has all rows, and no other")
tap.finish()
