#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf merge`: recordings of several machines in one file, as stock perf and the ledger see
them. The machines are fake.

check-spare: files are read
"""

import collections
import json
import pathlib
import re
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import tap

TOOL = fake_run.TOOL
RIG = fake_run.Rig()
HERE = RIG.here
IDS = {"pc": "11" * 20, "board": "11" * 20, "rack": "22" * 20}
NOT_CONSERVED = 3
SAMPLE = struct.pack("<IHH", 9, 2, 80)  # the fake machines' samples, with -g


def record(name, *guest, **environment):
    path = HERE / f"{name}.data"
    done = RIG.command(*RIG.words("record", *guest, out=path), **environment)
    assert done.returncode == 0, done.stderr
    return path


def merge(*words, **more):
    done = RIG.command(TOOL, "merge", *words, **more)
    return done.returncode, done.stderr


def perf(*words):
    """Stock perf's output and its messages."""
    done = RIG.command("perf", *words)
    return done.stdout, done.stderr


def sums(path):
    """{command: (samples, sum of periods)} for a file."""
    found = collections.defaultdict(lambda: [0, 0])
    for line in perf("script", "-i", path, "-F", "comm,period", "-G")[0].splitlines():
        comm, period = line.rsplit(maxsplit=1)
        found[comm.strip()][0] += 1
        found[comm.strip()][1] += int(period)
    return {comm: tuple(sum_) for comm, sum_ in found.items()}


def fields(path, what):
    return perf("script", "-i", path, "-F", what, "-G")[0].splitlines()


def is_refused(claim, why, *words, left=False, **more):
    status, said = merge("-o", "refused.data", *words, **more)
    tap.ok(status == 1 and why in said and said.count("\n") == 1 and
           (HERE / "refused.data").exists() == left, claim, said)


def whole(boards):
    """The parts of the merged file that equal those of the single files."""
    status, said = merge("-o", "farm.data", *boards)
    tap.ok(status == 0 and "(3 machines, 2619 samples)" in said, "three recordings become one", said)
    each = {f"{path.stem}:{comm}": sum_ for path in boards for comm, sum_ in sums(path).items()}
    tap.equal(sums("farm.data"), each,
              "perf script has each board's samples and PERIODs under the board's name, and no other")
    report, complaints = perf("report", "--stdio", "-i", "farm.data", "--sort", "comm", "-g", "none")
    tap.ok(all(re.search(rf"\d%\s.*{comm}", report) for comm in each) and
           "Samples: 2K of event 'cpu-clock'" in report and report.count("of event") == 1,
           "perf report --sort comm separates them, in one event", report)
    alone = perf("report", "--stdio", "-i", "rack.data")[1]
    quiet = perf("report", "--stdio", "-i", "two.data")[1]
    tap.ok("lost" in alone and "lost" in complaints and not quiet,
           "perf warns of the losses, and of nothing else", quiet or complaints)
    tasks = {tuple(line.split()) for line in fields("farm.data", "comm,pid,tid,cpu")}
    tap.equal({(comm, task, cpu) for comm, task, cpu in tasks},
              {("pc:test", "1/1", "[000]"), ("board:test", "2/2", "[001]"),
               ("rack:test", "3/3", "[002]")}, "each has processes and CPUs of its own")


def times(boards):
    """Each board's clock starts at its own entry."""
    first = {name: min(float(line.strip(" :")) for line in fields(path, "time"))
             for name, path in (("merged", "farm.data"), ("pc", boards[0]), ("late", boards[2]))}
    starts = {line.split()[0]: float(line.split()[1].strip(":"))
              for line in reversed(fields("farm.data", "comm,time"))}
    tap.ok(first["late"] > first["pc"] + 4 and len(set(starts.values())) == 1 and
           set(starts.values()) == {first["pc"]},
           "all begin at the moment at which the first one does", (first, starts))


def ledgers(boards):
    status, said, whole = RIG.dump(HERE / "farm.data")
    single = [RIG.dump(path)[2]["events"][0] for path in boards]
    kept = ("generated", "written", "delivered", "lost", "period", "period_delivered")
    tap.equal([[event[what] for what in kept] for event in whole["events"]],
              [[event[what] for what in kept] for event in single],
              "the merged ledger has each board's account as it was")
    tap.ok(status == 0 and whole["conserved"] and not whole["broken"] and
           [event["name"] for event in whole["events"]] ==
           ["pc:cpu-clock", "board:cpu-clock", "rack:cpu-clock"],
           "names it, and is checked against the records anew", whole)
    tap.equal([(one["event"], one["count"]) for one in whole["missing"]],
              [("rack:cpu-clock", single[2]["lost"])], "each board's loss is reported")
    text = RIG.command(TOOL, "dump", "-s", "farm.data").stdout
    tap.ok("merged recordings, ended as complete" in text, "dump reports that it is a merge", text)
    report = RIG.command(TOOL, "report", "farm.data")
    tap.ok(report.returncode == 0 and "rack:cpu-clock" in report.stderr, "bareperf report reads it",
           report.stderr)
    # change the id of the second board's sample to one of the third board's events
    data = bytearray((HERE / "farm.data").read_bytes())
    at = data.index(SAMPLE + struct.pack("<Q", 2)) + len(SAMPLE)
    data[at:at + 8] = struct.pack("<Q", 3)
    (HERE / "wrong.data").write_bytes(data)
    status, _, wrong = RIG.dump(HERE / "wrong.data")
    tap.ok(status == 3 and any("board:cpu-clock" in line for line in wrong["broken"]) and
           any("rack:cpu-clock" in line for line in wrong["broken"]),
           "a record that is booked to another board does not balance", wrong["broken"])


def models(boards):
    """perf 6.1's conversion crashes if a file has no CPUDESC."""
    other = record("other", "-g", "fake", "complete", "50", FAKE_MODEL="Other CPU")
    assert merge("-o", "models.data", boards[0], other, boards[1])[0] == 0
    head = perf("report", "--header-only", "-i", "models.data")[0]
    tap.equal((re.findall("^# cpudesc : (.*)", head, re.M), "cpuid" in head),
              (["Test CPU, Other CPU"], False),
              "CPUDESC has each model once, and different CPUs have no CPUID")
    done = RIG.command("perf", "data", "convert", "--force", "--to-json", "models.json", "-i", "models.data")
    tap.ok(done.returncode == 0 and
           len(json.loads((HERE / "models.json").read_text())["samples"]) == 1750,
           "perf data convert --to-json has the samples of machines whose CPUs differ",
           (done.returncode, done.stderr))


def images():
    """One path on the host, with two builds."""
    text = perf("buildid-list", "-i", "farm.data")[0]
    names = {line.split()[1]: line.split()[0] for line in text.splitlines()}
    tap.equal(names, {"bareperf.efi": IDS["pc"], "bareperf.efi#rack": IDS["rack"]},
              "a file that two boards have in different builds is two files")
    mapped = {tuple(line.split()) for line in fields("farm.data", "comm,ip,dso")}
    tap.equal({(words[0], words[-1]) for words in mapped},
              {("pc:test", "(bareperf.efi)"), ("board:test", "(bareperf.efi)"),
               ("rack:test", "(bareperf.efi#rack)")}, "and each board's samples are in its own")


def events():
    """Recordings of different commands."""
    other = record("other", "fake", "complete", "50")  # without -g: the attributes differ
    merge("-o", "mixed.data", HERE / "pc.data", other)
    names = [line.split()[0] for line in perf("evlist", "-i", "mixed.data")[0].splitlines()]
    tap.equal(names[:2], ["cpu-clock", "cpu-clock#2"], "events that are not the same stay apart")
    _, said, summary = RIG.dump(HERE / "mixed.data")
    tap.ok(summary["conserved"], "and their records too", said)


def refusals(boards):
    pc, board, _ = boards
    shutil.copytree(HERE, HERE.parent / f"{HERE.name}-twin")
    twin = HERE.parent / f"{HERE.name}-twin/pc.data"
    is_refused("two of one name", "would both be called pc: say NAME=FILE", pc, twin)
    tap.equal(merge("-o", "named.data", f"first={pc}", f"second={twin}")[0], 0,
              "which get others by NAME=FILE")
    tap.equal(set(sums("named.data")), {"first:test", "second:test"}, "and are called so")
    shutil.rmtree(twin.parent)
    for name in ("a:b", "x" * 25):
        is_refused(f"a name that is none: {name}", "say NAME=FILE", pc, f"{name}={board}")
    data = board.read_bytes()
    (HERE / "arm.data").write_bytes(data.replace(b"x86_64\0\0", b"aarch64\0"))
    is_refused("machines of two architectures", "a perf.data has one architecture", pc, "arm.data")
    for size, why in ((40, "too few for a header"), (len(data) // 2, "cut off at offset"),
                      (len(data) - 8, "cut off at offset")):
        (HERE / "cut.data").write_bytes(data[:size])
        is_refused(f"a file of {size} bytes of {len(data)}", why, pc, "cut.data")
    (HERE / "foreign.data").write_bytes(data[:56] + bytes(16) + data[72:])
    is_refused("one without its ledger", "left bareperf's ledger out", pc, "foreign.data")
    is_refused("one that is not there", "No such file", pc, "nowhere.data")
    is_refused("one that is merged itself", "name those", pc, "farm.data")
    trace = record("trace", "fake", "branches", "100", FAKE_IPS="0x101000,0x101010")
    is_refused("one with a trace", "has a trace (AUX data)", pc, trace)
    broken = bytearray(data)
    at = broken.index(SAMPLE)
    broken[at + 24:at + 28] = struct.pack("<I", 77)
    (HERE / "stranger.data").write_bytes(broken)
    is_refused("a record of an unknown thread", f"stranger.data: record at offset {at:#x}: "
               "its thread is none of the machine's", pc, "stranger.data")
    tap.equal(RIG.command(TOOL, "merge", pc).returncode, 2, "one alone is no use")


def full_disk(boards):
    """A merge on a full disk reports the loss and leaves a valid file."""
    farm = " ".join(f"b{i}={boards[0]}" for i in range(20))
    script = f"trap '' XFSZ; ulimit -f 2500; exec {TOOL} merge -o full.data {farm}"
    done = RIG.command("sh", "-c", script)
    tap.ok(done.returncode == 1 and "writing" in done.stderr and "full.data" in done.stderr and
           "File too large" in done.stderr, "a disk that is full is reported", done.stderr)
    text, complaints = perf("script", "-i", "full.data", "-F", "comm", "-G")
    tap.ok(len(text.split()) > 10000 and RIG.dump(HERE / "full.data")[0] == NOT_CONSERVED,
           "the records that found room are there, and dump reports that some are missing", complaints)
    (HERE / "before.data").write_text("precious")
    status, _ = merge("-o", "before.data", boards[0], "stranger.data")
    tap.equal((status, (HERE / "before.data").read_text()), (1, "precious"),
              "a merge that fails leaves the old file")


BOARDS = [record("pc", "-g", "fake", "complete", "900", FAKE_BUILD_ID=IDS["pc"]),
          record("board", "-g", "fake", "complete", "800", FAKE_BUILD_ID=IDS["board"]),
          record("rack", "-g", "fake", "lossy", "5000", FAKE_BUILD_ID=IDS["rack"],
                 FAKE_TIME="5000000000")]
merge("-o", "two.data", *BOARDS[:2])
whole(BOARDS)
times(BOARDS)
ledgers(BOARDS)
models(BOARDS)
images()
events()
refusals(BOARDS)
full_disk(BOARDS)
tap.finish()
