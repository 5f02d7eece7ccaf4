#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of a mark, its call included, counted in the guest under -icount; compared with an
LTTng-UST tracepoint of the same content, single-stepped in a traced process
(tests/bench/mark_lttng.c)."""

import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import machine  # noqa: E402
import mark_cost  # noqa: E402

AGAINST = 1 / 8  # the goal, as a share of LTTng-UST's instructions
EL2 = ("-machine", "virt,gic-version=3,virtualization=on")

SOURCE = mark_cost.SOURCE + r"""
int main(void)
{
	print_cost();
	return 0;
}
"""


def theirs():
    """{"plain": instructions, "values": …}, or the reason why there are none."""
    program = TOP / "build/host/bench/mark_lttng"
    if not program.exists():
        return {}, "tests/bench/mark_lttng.c is not built"
    done = subprocess.run([program], capture_output=True, text=True, timeout=120, check=False)
    skipped = re.search(r"skip (.*)", done.stdout)
    return ({kind: int(number) for kind, number in
             re.findall(r"^bench mark-lttng-(\w+) (\d+)", done.stdout, re.MULTILINE)},
            skipped.group(1) if skipped else "mark_lttng did not count")


def ours(isa, *options):
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        program = machine.payload(isa, pathlib.Path(directory) / "marks.elf",
                                  SOURCE)
        run = machine.Recording("record -e cpu-clock,marks -- payload", "--arch", isa, "--payload",
                                program, qemu=(*options, *machine.EXACT), timeout=300)
    cost = mark_cost.instructions(run.text)
    if run.status or not cost:
        sys.exit(f"marks.py: {run.text}")
    return cost


def figure(name, value, unit, goal):
    print(f"bench {name} {value:.3g} {unit} goal {goal:.3g} {'ok' if value <= goal else 'short'}",
          flush=True)


THEIRS, REASON = theirs()
for architecture, machine_options in (("x86_64", ()), ("aarch64", EL2)):
    if machine.missing(f"qemu-system-{architecture}"):
        print(f"bench mark-{architecture} skip {machine.missing(f'qemu-system-{architecture}')}")
        continue
    for what, number in ours(architecture, *machine_options).items():
        figure(f"mark-{architecture}-{what}", number, "instructions", mark_cost.MOST[what])
        if architecture != "x86_64" or what not in ("plain", "values"):
            continue
        if what in THEIRS:
            print(f"# LTTng-UST's {what}: {THEIRS[what]} instructions")
            figure(f"mark-{what}-against-lttng", number / THEIRS[what], "times-theirs", AGAINST)
        else:
            print(f"bench mark-{what}-against-lttng skip {REASON}")
