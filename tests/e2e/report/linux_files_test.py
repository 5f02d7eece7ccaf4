#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that Linux's perf has recorded here: several events, compressed, through a pipe, by a
recorder that was killed. The samples are those of `perf script`; a view without samples is an
error.

check-spare: files are read
"""

import csv
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

DIRECTORY = tempfile.TemporaryDirectory(prefix="bareperf-test-")
HERE = pathlib.Path(DIRECTORY.name)
PROGRAM = HERE / "busy"
SOURCE = """
volatile double sum;
__attribute__((noinline)) void busy_inner(void) { for (int i = 0; i < 40000000; i++) sum += i; }
int main(void) { busy_inner(); return 0; }
"""
EVENTS = "cpu-clock,task-clock,page-faults"
RECORDED = {
    "one.data": ("-e", "cpu-clock"),
    "several.data": ("-g", "-e", EVENTS),
    "with-addresses.data": ("-d", "--phys-data", "-e", EVENTS),
    "cpus.data": ("-a", "-e", "cpu-clock,task-clock"),
    "packed.data": ("-z", "-g", "-e", EVENTS),
    "piped.data": ("-g", "-e", EVENTS, "-o", "-"),
    "packed-and-piped.data": ("-z", "-g", "-e", EVENTS, "-o", "-"),
}
# Functions with several names each: [(name, binding, whether it has a size)].
GROUPS = (
    (("sized_longer_local_a", "", True), ("weak_sized_longest_of_all_b", "weak", True), ("sized_c", "globl", True)),
    (("first_a", "globl", False), ("a_longer_name_b", "globl", False)),
    (("__underscores_a", "globl", True), ("without_b", "globl", True), ("longest_without_c", "globl", True)),
    (("has_size_a", "globl", True), ("has_no_size_but_is_local_b", "", False),
     ("has_no_size_c", "globl", False)),
)
ALIASES = ".text\n" + "".join(
    "".join((f".{bind} {name}\n" if bind else "") + f".type {name},@function\n{name}:\n" for name, bind, _ in group) +
    "\tmov $60000000,%ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n" +
    "".join(f".size {name},.-{name}\n" for name, _, sized in group if sized)
    for group in GROUPS) + ".globl main\n.type main,@function\nmain:\n\tsub $8,%rsp\n" + "".join(
        f"\tcall {group[0][0]}\n" for group in GROUPS) + """
\tadd $8,%rsp
\txor %eax,%eax
\tret
.size main,.-main
.section .note.GNU-stack
"""


def perfs():
    """Those of deps/linux-perf that are here."""
    script = machine.TOP / "deps/linux-perf"
    ask = lambda *words: subprocess.run([script, *words], capture_output=True, text=True, check=True).stdout.split()
    return [path for version in ask("--versions") for path in ask("--path", version) if os.access(path, os.X_OK)]


PERFS = perfs()


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, check=False, cwd=HERE,
                          stdin=subprocess.DEVNULL, timeout=120, **more)


def record(perf, name, options):
    done = run(perf, "record", "-q", "-F", "999", "-o", name, *options, "--", PROGRAM)
    if "-" in options:
        (HERE / name).write_bytes(done.stdout)
    return done


def theirs(perf, name):
    """[(time, tid, event, period)] as perf prints them."""
    text = run(perf, "script", "-i", name, "-G", "--ns", "-F", "event,time,tid,period").stdout.decode()
    found = re.findall(r"^\s*(-?\d+)\s+(\d+)\.(\d{9}):\s+(\d+)\s+(\S+):", text, re.M)
    return sorted((int(seconds + nanoseconds), int(tid), event, int(period))
                  for tid, seconds, nanoseconds, period, event in found)


def ours(name):
    done = run(machine.TOOL, "export", "-f", "csv", name)
    rows = csv.DictReader(io.StringIO(done.stdout.decode()))
    return done, sorted((int(row["time_ns"]), int(row["tid"]), row["event"], int(row["period"]))
                        for row in rows)


def compare(perf, version, names):
    for name in names:
        options = RECORDED[name]
        claim = f"perf {version}: {name} has the samples that perf script shows, by event"
        done = record(perf, name, options)
        expected = theirs(perf, name)
        if not expected:
            tap.skip(claim, f"perf record: {done.stderr.decode()[-100:].strip()!r}")
            continue
        export, seen = ours(name)
        tap.ok(seen == expected and export.returncode == 0, claim,
               (len(seen), len(expected), export.returncode, export.stderr))
        events = {event for _, _, event, _ in expected}
        report = run(machine.TOOL, "report", name).stdout.decode()
        tap.ok(set(re.findall(r"of event '(.*)'", report)) == events and "busy_inner" in report,
               f"perf {version}: {name}: a table for each event, and the function is named", report)


def aliases(perf, version):
    """If an address has several names, our reports show the name that perf chooses."""
    claim = f"perf {version}: of several names of one function each report shows the same"
    if platform.machine() != "x86_64":
        tap.skip(claim, "its assembly is x86's")
        return
    program = HERE / "aliases"
    subprocess.run(["gcc", "-o", program, "-xassembler", "-"], input=ALIASES, text=True, check=True)
    run(perf, "record", "-q", "-F", "999", "-e", "task-clock:u", "-o", "aliases.data", "--", program)
    if not (HERE / "aliases.data").exists():
        tap.skip(claim, "perf record does not record here")
        return
    told, seen = (set(re.findall(r"\[\.\] (\w+_[abc])", run(*words, "aliases.data").stdout.decode()))
                  for words in ((perf, "report", "--stdio", "-i"), (machine.TOOL, "report")))
    tap.equal(seen, told, claim)
    tap.equal(len(told), len(GROUPS), f"perf {version}: there is one name for each of the functions")


def killed(perf, version):
    """The file of a killed perf record has the samples that were written before."""
    claim = f"perf {version}: a file whose recorder was killed has the written samples, and an error"
    file = HERE / "killed.data"
    with subprocess.Popen([perf, "record", "-q", "-m", "4", "-F", "5000", "-g", "-e", "cpu-clock", "-o",
                           file, "--", "sh", "-c", f"while :; do {PROGRAM}; done"],
                          stderr=subprocess.DEVNULL, cwd=HERE, start_new_session=True) as process:
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until and \
                not (file.exists() and file.stat().st_size > 1 << 17):
            time.sleep(0.05)
        os.killpg(process.pid, 9)
    if not file.exists() or file.stat().st_size < 1 << 17:
        tap.skip(claim, "perf record does not record here")
        return
    done, seen = ours("killed.data")
    tap.ok(len(seen) > 50 and done.returncode == 1 and b"its writer was killed" in done.stderr, claim,
           (len(seen), done.returncode, done.stderr))


def empty(perf):
    """No samples: every view is an error, and leaves no file."""
    record(perf, "none.data", ("-e", "dummy"))
    if not (HERE / "none.data").exists():
        tap.skip("a recording without samples is an error in every view", "perf record does not record here")
        return
    views = [("report",), ("report", "--html"), ("flamegraph",)] + [
        ("export", "--format", name) for name in
        ("csv", "folded", "speedscope", "firefox", "chrome", "pprof", "callgrind", "ctf", "lcov")]
    wrong = []
    for view in views:
        out = HERE / "view"
        words = view if view == ("report",) else (*view, "-o", out)
        done = run(machine.TOOL, *words, "none.data")
        made = out.exists() and (out.is_dir() or out.stat().st_size)
        if done.returncode != 1 or b"none.data" not in done.stderr or made:
            wrong.append((view, done.returncode, done.stderr, made))
        if out.exists():
            shutil.rmtree(out) if out.is_dir() else out.unlink()
    tap.ok(not wrong, "a recording without samples is an error in every view", wrong)


subprocess.run(["gcc", "-O1", "-o", PROGRAM, "-xc", "-"], input=SOURCE, text=True, check=True)
if not PERFS:
    tap.skip("files of Linux's perf are read", "perf is not installed")
for one, which in zip(PERFS, (RECORDED, ("several.data", "packed.data", "packed-and-piped.data"))):
    number = re.search(r"\d+\.\d+|$", run(one, "--version").stdout.decode()).group()
    compare(one, number, which)
    killed(one, number)
    aliases(one, number)
if PERFS:
    empty(PERFS[0])
tap.finish()
