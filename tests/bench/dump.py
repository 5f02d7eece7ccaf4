#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The speed of `bareperf dump`, printing a recording and counting its records, compared with `perf
script` and `perf report --stats` on the same file."""

import pathlib
import re
import resource
import statistics
import struct
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
TOOL = TOP / "build/host/bareperf"
FAKE = TOP / "tests/e2e/lib/fake_qemu.py"
SAMPLES = 2000  # samples in the recording
COPIES = 500    # copies of the samples in the measured file
REPEATS = 5
SCRIPTS = 2      # copies of the samples for perf script, which is slow
DATA = 40  # place of the records' offset and size in perf.data's header
UNFINISHED = 4  # dump's exit status for a file without features
FOOTER = 56  # size of the ledger's footer, which is left out together with the features behind it


def make_file(path):
    """A recording of SAMPLES samples by a fake machine, with its records repeated COPIES times."""
    image = path.parent / "image.efi"
    image.write_bytes(b"MZ")
    subprocess.run([TOOL, "run", "--qemu", FAKE, "-i", image, "-o", path, "--", "record", "fake",
                    "complete", str(SAMPLES)], check=True, capture_output=True)
    file = bytearray(path.read_bytes())
    offset, size = struct.unpack_from("<QQ", file, DATA)
    records = bytes(file[offset : offset + size])
    at = 0
    while struct.unpack_from("<I", records, at)[0] != 9:  # skip the records before the samples
        at += struct.unpack_from("<H", records, at + 6)[0]
    records = records[:at] + records[at:] * COPIES
    struct.pack_into("<QQ", file, DATA, offset, len(records))
    struct.pack_into("<QQQQQQ", file, FOOTER, 0, 0, 0, 0, 0, 0)
    path.write_bytes(bytes(file[:offset]) + records)


def cost(*command):
    """CPU seconds of a command whose output is discarded."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, UNFINISHED):
        done.check_returncode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def spread(seconds):
    """Median, minimum and maximum as text."""
    return f"{statistics.median(seconds):.3f} [{min(seconds):.3f}-{max(seconds):.3f}]"


def main():
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        path = pathlib.Path(directory) / "perf.data"
        make_file(path)
        text, count, script, stats = [], [], [], []
        for turn in range(REPEATS):
            text.append(cost(TOOL, "dump", path))
            count.append(cost(TOOL, "dump", "--summary", path))
            stats.append(cost("perf", "report", "--stats", "-i", path))
            if turn < SCRIPTS:
                script.append(cost("perf", "script", "-i", path))
        print(f"# {SAMPLES * COPIES} samples, {path.stat().st_size / 1e6:.0f} MB")
        for name, ours, theirs, goal in (
            ("dump-text-against-perf-script", text, script, 100),
            ("dump-count-against-perf-report-stats", count, stats, 3),
        ):
            print(f"# CPU seconds: ours {spread(ours)}, perf's {spread(theirs)}")
            ratio = statistics.median(theirs) / statistics.median(ours)
            print(f"bench {name} {ratio:.1f} times goal {goal} {'ok' if ratio >= goal else 'short'}")


if __name__ == "__main__":
    if not re.search("perf version", subprocess.run(["perf", "--version"], capture_output=True,
                                                    text=True).stdout):
        print("bench dump-text skip there is no perf here")
        sys.exit(0)
    main()
