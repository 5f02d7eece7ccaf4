#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`noise`: the table of rtla's hwnoise, from the host's command and from the image's.

check-timeout: 600
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

HEAD = "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single      HW     NMI     "
ROW = re.compile(r"^ *(\d+) #(\d+) +(\d+) +(\d+) +([\d.]+) +\d+ +\d+ +(\d+) +(\d+) +(\d+|-)$", re.MULTILINE)


def noise(*options, isa="x86_64", qemu=()):
    words = machine.run_words("--arch", isa)
    done = subprocess.run([words[0], "noise", *options, *words[2:], "--", *machine.EXACT, *qemu],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def table(isa, last, dash):
    status, out, said = noise("-d", "1", isa=isa, qemu=("-smp", "2"))
    rows = ROW.findall(out)
    tap.ok(status == 0 and HEAD + last in out, f"{isa}: the table is hwnoise's, with the column {last}",
           (status, out, said))
    tap.ok([(cpu, periods) for cpu, periods, *_ in rows] == [("0", "10"), ("1", "10")] and
           all(1000000 <= int(row[2]) < 1000100 for row in rows), f"{isa}: a second is 10 periods on each CPU", out)
    tap.equal([row[3:8] for row in rows], [("0", "100.00000", "0", "0", dash)] * 2,
              f"{isa}: nothing takes time from an emulated CPU")


def options():
    status, out, said = noise("-d", "2", "-p", "250000", "-T", "5", "-C", "1", "--json", qemu=("-smp", "2"))
    report = json.loads(out) if status == 0 else {"noise": {"cpus": []}}
    tap.ok(report.get("architecture") == "x86_64" and report["noise"].get("threshold_ns") == 5000 and
           report["noise"].get("period_ns") == 250000000 and report["noise"]["has_smi"] is False,
           "--json: threshold and period are in ns, and the CPU has no count of SMIs", (status, out, said))
    tap.equal([cpu["periods"] for cpu in report["noise"]["cpus"]], [0, 8], "-C: only these CPUs are watched")
    run = machine.Recording("noise -d 1 -C 1", qemu=("-smp", "2", *machine.EXACT))
    tap.ok(run.status == 0 and [row[0] for row in ROW.findall(run.out)] == ["1"],
           "the image's own command prints the same table", run.text)
    status, out, said = noise("-C", "0,2", qemu=("-smp", "2"))
    tap.ok(status == 126 and "noise: there is no CPU 2: CPUs are 0 to 1" in said, "a CPU that is not there is named",
           (status, said))
    status, out, said = noise("-d", "1 --then poweroff")
    tap.ok(status == 126 and "want numbers" in said, "an option's value adds no further words", (status, said))
    for command, text in (("noise -d 0", "number is too small"), ("noise -e cycles", "unknown option"),
                          ("noise -p 10", "number is too small")):
        run = machine.Recording(command, qemu=machine.EXACT)
        tap.ok(run.status == 126 and text in run.text, f"{command}: {text}", run.text)


table("x86_64", "SMI", "-")
options()
if machine.missing("qemu-system-aarch64"):
    tap.skip("aarch64", machine.missing("qemu-system-aarch64"))
else:
    table("aarch64", "GAP", "0")
tap.finish()
