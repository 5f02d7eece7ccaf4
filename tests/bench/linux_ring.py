#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of a record of ours compared with one in Linux's own ring, on this machine: three
million close(-1) under `perf record -e raw_syscalls:*`, which makes two records per call; the time
of the same loop without tracing is subtracted."""

import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
NAME = "ring-against-linux"
GOAL = 1 / 50
ROUNDS = 3
LOOP = """
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct timespec cpu;

	for (int i = 0; i < 3000000; i++)
		close(-1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	fprintf(stderr, "loop %f\\n", (cpu.tv_sec * 1e9 + cpu.tv_nsec) / 3e6);
	return 0;
}
"""


def ns_a_call(*command):
    """CPU time of the loop, ns per call; None if it cannot be traced here."""
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"loop ([\d.]+)", run.stderr)
    return float(found.group(1)) if run.returncode == 0 and found else None


def ours():
    """ns for a record with a timestamp, as the producer's benchmark measures it."""
    run = subprocess.run([TOP / "build/host/bench/ring_producer"], capture_output=True, text=True)
    return float(re.search(r"# record with timestamp\s+([\d.]+)", run.stdout).group(1))


def main():
    if not shutil.which("perf"):
        print(f"bench {NAME} skip no perf")
        return
    with tempfile.TemporaryDirectory() as directory:
        loop = f"{directory}/loop"
        subprocess.run(["gcc", "-O2", "-x", "c", "-", "-o", loop], input=LOOP, text=True, check=True)
        perf = ["perf", "record", "-q", "-o", "-", "-e", "raw_syscalls:*", loop]
        theirs, mine = [], []
        for _ in range(ROUNDS):
            traced, plain = ns_a_call(*perf), ns_a_call(loop)
            if traced is None or plain is None:
                print(f"bench {NAME} skip perf may not trace raw_syscalls here")
                return
            theirs.append((traced - plain) / 2)
            mine.append(ours())
            print(f"# close(-1): {plain:.0f} ns, traced {traced:.0f} ns: {theirs[-1]:.0f} ns a record; "
                  f"ours {mine[-1]:.2f} ns")
    ratio = statistics.median(m / t for m, t in zip(mine, theirs))
    print(f"bench {NAME} {ratio:.4f} times-theirs goal {GOAL:g} {'ok' if ratio <= GOAL else 'short'}")


sys.exit(main())
