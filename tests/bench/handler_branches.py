#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions of a sample with a branch stack: bareperf's and Linux's, with Intel's LBR and Arm's
BRBE. bareperf's are measured as in handler.py: the same program is sampled twice with different
periods, and the time of ticks is subtracted. Linux's counters are stopped while it reads the
records, so its figure is the slope of the program's time, which counts instructions (-icount). It
includes perf's writing of the file. Linux has a driver for BRBE from 6.17 on."""

import collections
import pathlib
import re
import subprocess
import tempfile

import handler  # this module sets the path of the others

import guests
import machine

X86 = "Skylake-Client,pmu=on,pmu-version=4,pmu-lbr=32"
ARM = "cortex-a76,pmu-instructions=on,brbe="
MACHINE = {"x86_64": (), "aarch64": ("-machine", "virt,gic-version=3,virtualization=on")}
# The CPU, kernel and event of Linux: on aarch64 a cycle is a nanosecond
LINUX = {"x86_64": (X86 + ",-rdrand,-rdseed", "vmlinuz", "cycles:u"),
         "aarch64": (ARM + "32", "vmlinuz-new", "instructions:u")}
LINUX_SHIFT = 3  # of guests.ICOUNT
GOAL = 1 / 2     # of Linux's
DEPTH = 32
# Of a Linux guest, beside its own scripts
SCRIPT = """
. /tests/lib.sh
cost()
{
	section "$1"
	perf record -q -B -N -o /tmp/data -j any,u -e %s -c "$2" \\
		perf stat -x, -o /tmp/stat -e duration_time "$3" > /dev/null 2>&1
	grep -v '^#' /tmp/stat | grep .
	perf report -i /tmp/data --stats 2> /dev/null | grep 'SAMPLE events'
	perf script -i /tmp/data -F brstack 2> /dev/null | awk 'NF { print NF }' | sort -n | uniq -c |
		sort -n | tail -n 1
}
cost warm-up 100003 spin
for period in 100003 50021 20011; do
	cost branches-$period $period spin-long
done
"""


def ours(isa, binary, payload, cpu, period, flags, depth=0):
    """(samples, instructions) of one run."""
    run = machine.Recording(
        f"record -e {handler.EVENT[isa]} -c {period} {flags} -m 2048 -- payload {handler.CHAIN} "
        f"{handler.TURNS}", "--arch", isa, "--qemu", binary, "--payload", payload, "--timeout", "300",
        qemu=(*MACHINE[isa], "-cpu", cpu, "-icount", f"shift={handler.SHIFT},sleep=off"), timeout=600)
    if run.status:
        raise SystemExit(f"handler_branches.py: {run.text}")
    summary = run.summary()
    event, cpu = summary["events"][0], summary["cpus"][0]
    assert summary["conserved"] and not event["lost"], summary
    if depth:
        text = subprocess.run([machine.TOOL, "dump", run.file], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        sizes = collections.Counter(map(int, re.findall(r"branch stack: nr:(\d+)$", text, re.MULTILINE)))
        assert sizes[depth] >= 0.97 * event["samples"], sizes
    ticks = cpu["tick_cycles"] * 1e9 / cpu["frequency"]
    return event["generated"], (event["time_enabled"] - ticks) / 2 ** handler.SHIFT


def our_cost(isa, binary, payload, cpu, flags="", depth=0):
    points = [ours(isa, binary, payload, cpu, period, flags, depth) for period in handler.PERIODS]
    print(f"# {isa} {flags or 'without branches'} {depth or ''}: (samples, instructions) {points}: "
          f"{handler.slope(points):.0f} a sample", flush=True)
    return handler.slope(points)


def with_script(isa, directory, script):
    """A guest's kernel and initramfs with one more script, tests/branches.test: an initramfs may be
    several archives in a row."""
    made, _, kernel, _ = guests.guest_directory(isa), *LINUX[isa]
    if not (made / kernel).exists():
        raise guests.Unavailable(f"no {kernel}")
    (directory / "tests").mkdir()
    (directory / "tests/branches.test").write_text(script, encoding="ascii")
    more = subprocess.run(["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=directory,
                          input=b"tests/branches.test\n", stdout=subprocess.PIPE, check=True).stdout
    (directory / "initrd").write_bytes((made / "initrd").read_bytes() + more)
    (directory / kernel).symlink_to(made / kernel)
    return directory


def linux(isa, binary):
    """[(samples, instructions), …]"""
    cpu, kernel, event = LINUX[isa]
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        place = with_script(isa, pathlib.Path(directory), SCRIPT % event)
        guest = guests.Guest(binary, isa, place, cpu, "branches.test", guests.ICOUNT, kernel=kernel)
        if not guest.run():
            raise SystemExit("handler_branches.py: Linux did not come to its end:\n"
                             f"{guest.console[-1000:]}")
    found = []
    for section, lines in guest.sections().items():
        if section.startswith("branches-"):
            time, samples, depths = lines[0], *lines[-2:]
            assert int(depths.split()[1]) == DEPTH, lines
            found.append((int(samples.split()[2]), int(time.split(",")[0]) >> LINUX_SHIFT))
    return found


def measure(isa, binary, payload):
    records = (32,) if isa == "x86_64" else (8, 32, 64)
    name = "handler-x86_64-lbr" if isa == "x86_64" else "handler-aarch64-brbe"
    plain = our_cost(isa, binary, payload, X86 if isa == "x86_64" else f"{ARM}32")
    for depth in records:
        cpu = X86 if isa == "x86_64" else f"{ARM}{depth}"
        cost = our_cost(isa, binary, payload, cpu, "-b", depth)
        print(f"# {isa}: {(cost - plain) / depth:.1f} a branch", flush=True)
        if depth == DEPTH:
            mine = cost
    points = linux(isa, binary)
    peer = handler.slope(points)
    print(f"# {isa} -b, Linux: (samples, instructions) {points}: {peer:.0f} a sample")
    handler.figure(f"{name}-{DEPTH}-against-linux", mine / peer, "times-theirs", GOAL)


def main():
    for isa in MACHINE:
        binary, reason = machine.model(isa)
        if reason:
            print(f"bench handler-{isa}-branches skip {reason}")
            continue
        with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
            try:
                measure(isa, binary, handler.build_payload(isa, directory))
            except guests.Unavailable as reason:
                print(f"bench handler-{isa}-branches skip {reason}")


if __name__ == "__main__":
    main()
