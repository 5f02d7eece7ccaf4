#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every kind of recording by every reader: the file opens without a warning, and the reader's sums
agree with bareperf's. The test's results are the table in docs/perf-data.md;
`tests/e2e/house/matrix_test.py --write` writes it. The kinds of x86_64 are recorded in one boot,
over --channel shm:. HOTSPOT_PARSER in the environment is the path of Hotspot's parser if it is not
installed.

check-spare: no claim is about time
"""

import functools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import browser as browsers
import machine
import mailbox
import region as tr
import speedscope
import spe
import tap

PAGE = machine.TOP / "docs/perf-data.md"
BEGIN, END = "<!-- matrix: begin -->\n", "<!-- matrix: end -->\n"
KINDS = {  # of x86_64
    "timer": "record -e cpu-clock -F 1000 -g -- calltree 1",
    "counters": "record -e cycles,instructions -c 1000000 -g -- calltree 1",
    "groups": "record -e {cycles,instructions}:S -c 1000000 -- noploop 1",
    "all CPUs": "record -a -e cpu-clock -F 500 -g -- calltree 1",
    "branch trace store": "record -e bts// -m ,1024 -- branches 1000",
    "single-step": "record -e branch-step// -m ,1024 -- branches 1000",
    "newest records": "record --overwrite -m 4 -e cpu-clock -F 4000 -- noploop 1",
    "records lost": "record -e instructions -c 2000 -m 1 --max-sample-rate 1000000 -- noploop 1",
    "throttled": "record -e instructions -c 2000 -m 512 --max-sample-rate 10000 -- noploop 1",
}
SPE = {
    "SPE": "record -e arm_spe/ts_enable=1/ -c 1024 -m ,64 -- qsort 3000",
    "snapshot of SPE": "record -S -e arm_spe/ts_enable=1/ -c 1024 -m ,16 -- noploop 1",
}
HOTSPOT = os.environ.get("HOTSPOT_PARSER") or \
    next(iter(pathlib.Path("/usr/lib").glob("*/libexec/hotspot-perfparser")), None)
WORK = tempfile.TemporaryDirectory(prefix="bareperf-matrix-")
HERE = pathlib.Path(WORK.name)
# messages of a reader that are not the file's fault; the index is the number of the note in the
# table
NOTES = [
    (r".*Only instruction-based sampling period is currently supported by Arm SPE.*",
     "perf reports its own default as the only one"),
    (r"unwind: target platform=arm64 is not supported", "perf reports its architecture"),
    (r"Warning:|Processed \d+ (events and lost \d+ chunks|samples and lost [\d.]+%)!|"
     r"Check IO/CPU overload!", "perf reports the loss"),
    (r"bareperf: LOST .*", "bareperf reports the loss"),
    (r"bareperf: \S*cut.data: .*", "everything before the cut, and a report of the cut"),
    (r"bareperf: \d+ sources are not here, and left out", ""),
    (None, "perf makes a sample of each member's count, bareperf only of the leader's"),
]
GROUPS = len(NOTES) - 1


def run(*words, cwd=HERE, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                          check=False, cwd=cwd, errors="replace", **more)


def record():
    """{kind: file}; failed recordings are reported and left out."""
    files = {}
    binary, reason = machine.model("x86_64")
    if reason:
        tap.skip("recordings of x86_64", reason)
    else:
        files.update(record_x86(binary))
    binary, reason = machine.model("aarch64")
    if reason or not shutil.which("qemu-system-aarch64"):
        tap.skip("a recording of SPE", reason or "qemu-system-aarch64 is not installed")
    else:
        for kind, command in SPE.items():
            one = spe.record(binary, command)
            tap.equal(one.status, 0, f"{kind} is recorded")
            files[kind] = shutil.copy(one.file, HERE / f"{kind}.data")
    return files


def record_x86(binary):
    files = {}
    agent = mailbox.Agent(HERE, "x86_64", "-smp", "2", "-cpu", "Skylake-Client,pmu=on", "-kernel",
                          str(machine.TOP / "build/x86_64/bareperf.efi"), program=binary, mib=64)
    try:
        agent.until(lambda: agent.state() == tr.IDLE)
        for kind, command in KINDS.items():
            verb, *words = command.split()
            name = HERE / (kind.replace(" ", "-") + ".data")
            done = run(machine.TOOL, verb, "--channel", f"shm:{agent.path}", "-o", name, *words)
            if tap.ok(done.returncode == 0 and "not conserved" not in done.stderr,
                      f"{kind} is recorded", done.stdout + done.stderr):
                files[kind] = name
    finally:
        agent.process.kill()
        agent.process.wait()
    files["cut off"] = HERE / "cut.data"
    files["cut off"].write_bytes(in_the_middle(files["timer"].read_bytes()))
    return files


def in_the_middle(data):
    """Cut the file in the middle of its records: struct perf_file_header has the place of their
    section."""
    offset, size = struct.unpack_from("<QQ", data, 40)
    return data[:offset + size // 2]


class Recording:
    """The tool's result for a file."""

    def __init__(self, kind, path):
        self.kind, self.path = kind, path
        self.dump = json.loads(run(machine.TOOL, "dump", "--json", path).stdout)
        report = run(machine.TOOL, "report", path).stdout
        self.events = re.findall(r"of event '([^']*)'\n# Event count \(approx.\): (\d+)", report)
        traces = [event.get("branches") for event in self.dump["events"] if event.get("branches")]
        self.branches = sum(trace["recorded"] for trace in traces) if traces else 0
        self.spe = kind in SPE and len(re.findall(
            r"^\. spe ", run(machine.TOOL, "dump", path).stdout, re.MULTILINE))
        # nothing is exported for a file without samples, not even the first line of csv
        self.samples = max(0, len(run(machine.TOOL, "export", "-f", "csv", path).stdout.splitlines()) - 1)

    def itrace(self):
        return ("--itrace=b",) if self.branches else ("--itrace=i1i",) if self.spe else ()

    def heaviest(self):
        return max(self.events, key=lambda event: int(event[1])) if self.events else None


def perfs():
    """{version: perf, or None where it is not here}"""
    script = machine.TOP / "deps/linux-perf"
    versions = run(script, "--versions").stdout.split()
    paths = {version: run(script, "--path", version).stdout.strip() for version in versions}
    return {version: path if os.access(path, os.X_OK) else None for version, path in paths.items()}


def perf_report(recording, perf):
    if not perf:
        return None
    done = run(perf, "report", "--stdio", "-g", "none", *recording.itrace(), "-i", recording.path)
    counts = [int(count) for count in re.findall(r"Event count \(approx.\): (\d+)", done.stdout)]
    wanted = [recording.branches or recording.spe] if not recording.events else \
        [int(count) for _, count in recording.events]
    return done.stderr, [c for c in counts if c], wanted


def perf_script(recording, perf):
    if not perf:
        return None
    done = run(perf, "script", "-F", "event,ip", "-G", *recording.itrace(), "-i", recording.path)
    return done.stderr, len(done.stdout.split("\n")) - 1, \
        recording.branches or recording.spe or recording.samples


def hotspot(recording):
    if not HOTSPOT:
        return None
    if recording.branches or recording.spe:
        return "–"  # this reader does not read AUX areas
    done = run(HOTSPOT, "--input", recording.path, "--output", HERE / "parsed")
    return "", done.returncode, 0


def exported(recording, form, name, *options):
    out = HERE / name
    shutil.rmtree(out, ignore_errors=True)
    done = run(machine.TOOL, "export", "-f", form, "-o", out, *options, recording.path)
    return out, done.stderr


def babeltrace(recording):
    if not shutil.which("babeltrace2"):
        return None
    if not recording.samples:
        return "–"
    out, said = exported(recording, "ctf", "trace")
    done = run("babeltrace2", out)
    return said + done.stderr, len(done.stdout.splitlines()), recording.samples


def folding(recording):
    if not recording.samples:
        return "–"
    event, _ = recording.heaviest()
    done = run(machine.TOOL, "flamegraph", "--folded", "-e", event, recording.path)
    total = sum(int(line.rsplit(" ", 1)[1]) for line in done.stdout.splitlines())
    return done.stderr, total, int(recording.heaviest()[1])


def pprof(recording):
    if not shutil.which("go"):
        return None
    if not recording.samples:
        return "–"
    event, count = recording.heaviest()
    out, said = exported(recording, "pprof", "profile.pb.gz", "-e", event)
    done = run("go", "tool", "pprof", "-raw", out, env={**os.environ, "HOME": str(HERE)})
    rows = re.findall(r"^ +\d+ +(\d+): ", done.stdout, re.MULTILINE)
    return said, sum(map(int, rows)), int(count)


def in_speedscope(recording):
    if speedscope.missing():
        return None
    if not recording.samples:
        return "–"
    out, said = exported(recording, "speedscope", "profile.json")
    return said, round(sum(speedscope.imported(PAGES, out).values())), \
        sum(int(count) for _, count in recording.events)


def genhtml(recording):
    if not shutil.which("genhtml"):
        return None
    if not recording.branches:
        return "–"
    # bareperf's own sources have paths relative to the tree's top
    out = HERE / "coverage.info"
    said = run(machine.TOOL, "export", "-f", "lcov", "-o", out, recording.path, cwd=machine.TOP).stderr
    found = re.findall(r"^DA:\d+,(\d+)$", out.read_text(), re.MULTILINE)
    done = run("genhtml", "-o", HERE / "html", out, cwd=machine.TOP)
    seen = re.search(r"(\d+) of (\d+) lines", done.stdout)
    return said + done.stderr, seen and seen.groups(), \
        (str(sum(count != "0" for count in found)), str(len(found)))


READERS = {f"perf {version} {view.__name__.removeprefix('perf_')}": functools.partial(view, perf=perf)
           for version, perf in perfs().items() for view in (perf_report, perf_script)}
READERS |= {"Hotspot": hotspot, "babeltrace2": babeltrace, "speedscope": in_speedscope, "folding": folding,
            "go tool pprof": pprof, "genhtml": genhtml}


def cell(recording, name, used):
    """"yes", with the numbers of the notes for its messages; "–": not applicable; None: the reader
    is not installed."""
    seen = READERS[name](recording)
    if seen is None or isinstance(seen, str):
        return seen
    said, found, expected = seen
    notes = set()
    if recording.kind == "cut off" and (name.startswith("perf") or name == "Hotspot"):
        tap.ok(found != expected, f"cut off: {name} does not get through it", seen)
        return "no"
    if recording.kind == "groups" and name.startswith("perf"):
        expected = [2 * count for count in expected] if isinstance(expected, list) else 2 * expected
        notes.add(GROUPS)
    for line in filter(None, map(str.strip, said.splitlines())):
        number = next((i for i, (pattern, _) in enumerate(NOTES[:GROUPS])
                       if re.fullmatch(pattern, line)), None)
        if number is None:
            tap.ok(False, f"{recording.kind}: {name} opens it without a warning", line)
        elif NOTES[number][1]:
            notes.add(number)
    tap.equal(found, expected, f"{recording.kind}: {name} adds up to bareperf's figures")
    used |= notes
    return notes


def table(cells, used):
    numbers = {note: i + 1 for i, note in enumerate(sorted(used))}
    lines = ["| | " + " | ".join(READERS) + " |", "|---" * (len(READERS) + 1) + "|"]
    for kind, row in cells.items():
        shown = [cell if isinstance(cell, str) else
                 "yes" + "".join(f" ({numbers[note]})" for note in sorted(cell)) for cell in row]
        lines.append(f"| {kind} | " + " | ".join(shown) + " |")
    lines.append("")
    lines.append("; ".join(f"({numbers[note]}) {NOTES[note][1]}" for note in sorted(used)) + ".")
    return "\n".join(lines) + "\n"


def held(cells, used):
    """Columns whose reader is not installed are copied from the page."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    there, after = rest.split(END)
    rows = {words[1].strip(): [word.strip() for word in words[2:-1]] for words in
            (line.split("|") for line in there.splitlines() if line.startswith("| "))}
    for kind, row in cells.items():
        for i, one in enumerate(row):
            if one is None:
                tap.skip(f"{kind}: {list(READERS)[i]}",
                         speedscope.missing() if list(READERS)[i] == "speedscope" else
                         "not to be had: it is not installed")
                row[i] = rows[kind][i] if len(rows.get(kind, ())) > i else "?"
    now = table(cells, used)
    if "--write" in sys.argv:
        PAGE.write_text(before + BEGIN + now + END + after)
    elif set(cells) >= {*KINDS, *SPE}:
        tap.equal(now, there, "the table in docs/perf-data.md is this one")


PAGES = None if speedscope.missing() else browsers.Browser()
try:
    USED = set()
    CELLS = {kind: [cell(one, name, USED) for name in READERS] for kind, one in
             ((kind, Recording(kind, path)) for kind, path in record().items())}
    held(CELLS, USED)
finally:
    if PAGES:
        PAGES.__exit__()
tap.finish()
