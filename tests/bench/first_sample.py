#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The time until the machine's first sample: guest time from our entry point, by the samples' own
clock, whose zero is the entry. It includes the sampling period of 100 us. It leaves out the time
for which the machine waits for its reader, because that is the host's time."""

import pathlib
import statistics
import struct
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
GOAL_MS = 30
RUNS = 5
READER_WAIT = 272  # offset in the trace region's header; ns


def first_sample(*qemu):
    """Milliseconds from the entry to the first sample of one boot."""
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory) / "perf.data"
        region = pathlib.Path(directory) / "region"
        subprocess.run([TOP / "build/host/bareperf", "run", "-o", data, "--region", region, *qemu,
                        "--", "record", "-e", "cpu-clock", "-c", "100000", "--", "noploop", "1"],
                       check=True, capture_output=True, stdin=subprocess.DEVNULL)
        waited, = struct.unpack_from("<Q", region.read_bytes(), READER_WAIT)
        text = subprocess.run(["perf", "script", "-i", data, "-F", "time", "--ns"], check=True,
                              capture_output=True, text=True).stdout
    return 1000 * float(text.split(":", 1)[0]) - waited / 1e6


times = [first_sample() for _ in range(RUNS)]
print(f"# ms of guest time that follows the host's, {RUNS} boots: "
      f"{' '.join(f'{t:.1f}' for t in times)}, median {statistics.median(times):.1f}")
# -icount at 250 million instructions a second: the result does not depend on the host's load.
counted = first_sample("-icount", "shift=2,sleep=off")
print(f"bench entry-to-first-sample {counted:.2f} ms goal {GOAL_MS} "
      f"{'ok' if counted <= GOAL_MS else 'short'}")
