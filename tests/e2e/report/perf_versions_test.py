#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each version of perf (deps/linux-perf) has every sample of our files, with its CPU, and every other record.
Newer versions drop a record that they doubt without a word: perf 7 moves a sample to CPU 0 if its CPU is
not below the header's number of CPUs.

check-spare: files are read
"""

import collections
import csv
import io
import json
import os
import re
import struct
import subprocess
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import tap

TOP, TOOL = fake_run.TOP, fake_run.TOOL
RIG = fake_run.Rig()
HERE = RIG.here
NUMBER_OF_CPUS = "WARNING: perf.data is missing HEADER_NRCPUS, "
COUNTED = ("SAMPLE", "LOST", "LOST_SAMPLES", "THROTTLE", "UNTHROTTLE", "MMAP", "MMAP2", "COMM", "FORK", "AUX",
           "AUXTRACE", "AUXTRACE_INFO")
FEATURES = 72  # struct perf_file_header


def run(*words, stdin=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, cwd=HERE, check=False, timeout=300,
                          stdin=subprocess.DEVNULL if stdin is None else open(stdin, "rb"))
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def perfs():
    """{version: path} of those that are here; the others are skipped."""
    script, found = TOP / "deps/linux-perf", {}
    for version in run(script, "--versions")[1].split():
        path = run(script, "--path", version)[1].strip()
        if os.access(path, os.X_OK):
            found[version] = path
        else:
            tap.skip(f"perf {version} has every sample, with its CPU", "not to be had: deps/linux-perf --build says why")
    return found


def without_end(path):
    """As a recorder leaves it that was killed: there are no features yet, and nothing behind the records."""
    data = bytearray(path.read_bytes())
    offset, size = struct.unpack_from("<QQ", data, 40)
    data[FEATURES - 16:FEATURES + 32] = bytes(48)
    killed = path.with_name("killed.data")
    killed.write_bytes(data[:offset + size])
    return killed


def files():
    """{name: file}; two CPUs, or six."""
    assert run(TOP / "build/host/region-file", "plain", "region")[0] == 0
    assert run(TOP / "build/host/region-file", "make", "traced", "4000")[0] == 0
    for name, *words in (("plain", "region"), ("traced", "traced"), ("newest", "--e-machine", "region")):
        status, _, said = run(TOOL, "import", "-o", f"{name}.data", *words)
        assert status == 0, said
    stream = subprocess.run([TOOL, "import", "-o", "-", "region"], cwd=HERE, capture_output=True, check=True).stdout
    (HERE / "stream").write_bytes(stream)
    status, _, said = run(TOOL, "merge", "-o", "merged.data", *(f"{name}=plain.data" for name in ("pc", "board", "rack")))
    assert status == 0, said
    return {name: HERE / name for name in ("plain.data", "traced.data", "newest.data", "merged.data", "stream")} | {
        "killed.data": without_end(HERE / "plain.data")}


def ours(path):
    rows = csv.DictReader(io.StringIO(run(TOOL, "export", "-f", "csv", path)[1]))
    return collections.Counter((int(row["time_ns"]), int(row["cpu"]), int(row["period"])) for row in rows)


def theirs(text):
    found = re.findall(r"^\s*\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\d+)\s+\S+:", text, re.MULTILINE)
    return collections.Counter((int(seconds + ns), int(cpu), int(period)) for cpu, seconds, ns, period in found)


def records(perf, path):
    text = run(perf, "report", "--stats", "-i", path)[1].split("Aggregated stats:")[-1].split(" stats:")[0]
    return {kind: int(count) for kind, count in re.findall(r"^\s*(\w+) events:\s+(\d+)", text, re.MULTILINE) if kind in COUNTED}


def judge(version, perf, name, path):
    through_a_pipe = name == "stream"
    status, text, said = run(perf, "script", "--ns", "-i", "-" if through_a_pipe else path, "--no-itrace", "-F",
                             "cpu,time,event,period", "-G",
                             stdin=path if through_a_pipe else None)
    if name == "killed.data":
        said = "\n".join(line for line in said.splitlines() if not line.startswith(NUMBER_OF_CPUS))
    expected, found = ours(path), theirs(text)
    tap.ok(status == 0 and not said.strip() and found == expected and sum(expected.values()) > 1000,
           f"perf {version}: {name}: each sample has its time, CPU and PERIOD, and perf has nothing to say",
           (status, said, sum(found.values()), sum(expected.values()), list((found - expected).items())[:3]))


def main():
    made = files()
    tap.equal([len({cpu for _, cpu, _ in ours(made[name])}) for name in ("plain.data", "merged.data")], [2, 6],
              "a recording of two CPUs is merged with itself to one of six")
    here, counts = perfs(), {}
    for version, perf in here.items():
        for name, path in made.items():
            judge(version, perf, name, path)
        if float(version) >= 7:
            header = run(perf, "report", "--header-only", "-i", "newest.data")[1]
            tap.ok("# cacheline size: 64\n" in header and "# e_machine : 62\n" in header,
                   f"perf {version}: with --e-machine it knows the machine's ISA and its cache line", header)
        counts[version] = {name: records(perf, path) for name, path in made.items() if name != "stream"}
        tap.ok(counts[version]["traced.data"].get("AUXTRACE") and counts[version]["plain.data"].get("LOST_SAMPLES"),
               f"perf {version}: it counts records of traces and losses", counts[version])
    if counts:
        first = next(iter(counts))
        tap.ok(all(one == counts[first] for one in counts.values()), "every version has the same number of each kind of record",
               json.dumps(counts, indent=1))


main()
tap.finish()
