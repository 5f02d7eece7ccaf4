#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast `bareperf dump` prints a recording, beside `perf script` on the same file."""

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
FAKE = TOP / "tests/e2e/fake_qemu.py"
SAMPLES = 2000  # that are recorded
COPIES = 500    # of those, in the file that is measured
REPEATS = 5
DATA = 40  # in perf.data's header: offset and size of the records
FEATURES = 72


def make_file(path):
    """A recording of SAMPLES samples by a stand-in machine, its records COPIES times over."""
    image = path.parent / "image.efi"
    image.write_bytes(b"MZ")
    subprocess.run([TOOL, "run", "--qemu", FAKE, "-i", image, "-o", path, "--", "record", "fake",
                    "complete", str(SAMPLES)], check=True, capture_output=True)
    file = bytearray(path.read_bytes())
    offset, size = struct.unpack_from("<QQ", file, DATA)
    records = bytes(file[offset : offset + size])
    at = 0
    while struct.unpack_from("<I", records, at)[0] != 9:  # what stands before the samples
        at += struct.unpack_from("<H", records, at + 6)[0]
    records = records[:at] + records[at:] * COPIES
    struct.pack_into("<QQ", file, DATA, offset, len(records))
    struct.pack_into("<QQQQ", file, FEATURES, 0, 0, 0, 0)
    path.write_bytes(bytes(file[:offset]) + records)


def cost(*command):
    """CPU seconds of a command, its output thrown away."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        path = pathlib.Path(directory) / "perf.data"
        make_file(path)
        text, count, script = [], [], []
        for _ in range(REPEATS):
            text.append(cost(TOOL, "dump", path))
            count.append(cost(TOOL, "dump", "--summary", path))
        for _ in range(2):
            script.append(cost("perf", "script", "-i", path))
        total = SAMPLES * COPIES
        ours, passing, perfs = (statistics.median(s) for s in (text, count, script))
        print(f"# {total} samples, {path.stat().st_size / 1e6:.0f} MB; CPU seconds, medians:")
        print(f"# dump {ours:.3f} [{min(text):.3f}-{max(text):.3f}], dump --summary {passing:.3f}, "
              f"perf script {perfs:.2f}")
        for name, value, unit, goal in (
            ("dump-text-against-perf-script", perfs / ours, "times", 10),
            ("dump-text", total / ours / 1e6, "M/s", 10),
            ("dump-count", total / passing / 1e6, "M/s", 50),
        ):
            print(f"bench {name} {value:.1f} {unit} goal {goal} {'ok' if value >= goal else 'short'}")


if __name__ == "__main__":
    if not re.search("perf version", subprocess.run(["perf", "--version"], capture_output=True,
                                                    text=True).stdout):
        print("bench dump-text skip there is no perf here")
        sys.exit(0)
    main()
