#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`-o -`: perf reads the same from a pipe, while the machine runs, as from the file; and two
machines that count their time in instructions give the same recording."""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import region as tr
import tap

TOOL = machine.TOOL
REGION_FILE = machine.TOP / "build/host/region-file"
DIRECTORY = tempfile.TemporaryDirectory(prefix="bareperf-test-")
HERE = pathlib.Path(DIRECTORY.name)
SCRIPT = ("perf", "script", "--ns", "-i")
FULL = ("-F", "comm,pid,tid,cpu,time,event,period,ip,sym,dso")
BROKEN_PIPE = 125


def run(*words, stdin=subprocess.DEVNULL):
    return subprocess.run([str(word) for word in words], stdin=stdin, capture_output=True,
                          cwd=HERE, check=False, timeout=300)


def piped(path, *words):
    """Read a stream through a pipe: in a file perf seeks, and with AUX data it seeks back."""
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as source:
        return run(*words, stdin=source.stdout)


def filtered(done):
    """A command's output and its exit status."""
    text = re.sub(r"^# \(.*\n", "", done.stdout.decode(errors="replace"), flags=re.M)  # perf's tip
    return text, done.stderr.decode(errors="replace"), done.returncode


def imported(kind, *count):
    """A region of two CPUs, as file and as stream."""
    run(REGION_FILE, kind, HERE / "region", *count)
    file = run(TOOL, "import", "-o", HERE / f"{kind}.data", HERE / "region")
    stream = run(TOOL, "import", "-o", "-", HERE / "region")
    (HERE / f"{kind}.stream").write_bytes(stream.stdout)
    left, right = (re.sub(r"wrote .* \(", "wrote (", done.stderr.decode()) for done in (file, stream))
    tap.ok(stream.returncode == file.returncode == 0 and left == right and
           stream.stdout[:16] == b"PERFILE2" + (16).to_bytes(8, "little"),
           f"{kind}: nothing but the stream is on standard output, and what is said of a file is on "
           "the other", (stream.returncode, stream.stdout[:16], left, right))
    return HERE / f"{kind}.data", HERE / f"{kind}.stream"


def same_as_file():
    file, stream = imported("plain")
    for claim, words in {
            "samples": ("perf", "script", "--ns", "-i", None),
            "fields": ("perf", "script", "--ns", "-i", None, *FULL),
            "every record": ("perf", "script", "--show-lost-events", "--show-task-events",
                             "--show-mmap-events", "-i", None),
            "a report": ("perf", "report", "--stdio", "--no-children", "-g", "none", "-i", None)}.items():
        left = filtered(run(*(word or file for word in words)))
        right = filtered(piped(stream, *(word or "-" for word in words)))
        tap.ok(left == right and left[2] == 0 and len(left[0].splitlines()) > 100,
               f"perf reads {claim} from the pipe as from the file, in order",
               f"file {left[1:]} {left[0][:2000]}\nstream {right[1:]} {right[0][:2000]}")
    header = piped(stream, "perf", "report", "--stdio", "--header-only", "-i", "-")
    tap.ok(b"# cmdline : " in header.stdout and b"# event : name = second" in header.stdout,
           "the stream says who recorded what where", header)
    injected = piped(stream, "perf", "inject", "-b", "-i", "-", "-o", HERE / "injected")
    again = piped(HERE / "injected", "perf", "script", "--ns", "-i", "-", *FULL)
    tap.equal((injected.returncode, again.stdout),
              (0, run("perf", "script", "--ns", "-i", file, *FULL).stdout),
              "perf inject passes it on")


def branches():
    """The samples of a decoded trace, which perf inserts between the records."""
    file, stream = imported("make", "20000")
    words = ("perf", "script", "--itrace=b", "-F", "tid,event,ip,sym", "-i")
    left, right = ([line for line in filtered(done)[0].splitlines() if " branches: " in line]
                   for done in (run(*words, file), piped(stream, *words, "-")))
    tap.ok(left == right and len(left) > 10000,
           "perf decodes branch traces from the pipe as from the file", (len(left), len(right)))


def refusals():
    done = run(TOOL, "import", "-o", "-", "--preallocate", "1M", HERE / "region")
    tap.ok(done.returncode == 1 and b"--preallocate" in done.stderr and not done.stdout,
           "a stream reserves no disk, and says so", done)
    done = run(TOOL, "merge", "-o", "-", HERE / "plain.data", HERE / "plain.data")
    tap.ok(done.returncode == 2 and not done.stdout, "merge writes no stream", done)


def kept_streams():
    """A stream that was saved to a file, in bareperf's own views."""
    views = [run(TOOL, "export", "-f", "csv", HERE / f"plain.{form}").stdout for form in ("data", "stream")]
    tap.ok(views[0] == views[1] and views[0].count(b"\n") > 10000,
           "bareperf's own views read a kept stream, and have the file's samples",
           [view[:200] for view in views])
    done = run(TOOL, "dump", "-s", HERE / "plain.stream")
    tap.ok(done.returncode == 0 and b"No ledger in this file" in done.stdout,
           "dump says that a stream has no ledger", (done.returncode, done.stdout[-300:], done.stderr))


def sampled(text):
    return int(re.search(r"\((\d+) samples", text).group(1))


def while_it_runs():
    """perf shows samples of a machine that has not ended; then the machine is stopped."""
    region = HERE / "live"
    with subprocess.Popen(
            [*machine.run_words("-o", "-", "--region", region), "-smp", "2", "--", "record", "-a",
             "-e", "cpu-clock", "-F", "1000", "-m", "256", "--", "noploop", "1000"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as recorder, \
            subprocess.Popen(["perf", "script", "--ns", "-i", "-", "-F", "cpu,time,event"],
                             stdin=recorder.stdout, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE) as perf:
        recorder.stdout.close()
        first = perf.stdout.readline()
        state = struct.unpack_from(tr.HEADER["state"][1], region.read_bytes(), tr.HEADER["state"][0])[0]
        recorder.send_signal(signal.SIGINT)
        shown = [first, *perf.stdout]
        text = recorder.stderr.read().decode()
        complaints = perf.stderr.read().decode()
        recorder.wait(), perf.wait()
    tap.ok(b"cpu-clock" in first and state == tr.RECORDING,
           "perf shows samples while the machine is recording", (first, state, text))
    tap.ok(recorder.returncode == 130 and perf.returncode == 0 and not complaints,
           "the stream ends as it should when the recording is ended: perf complains of nothing",
           (recorder.returncode, perf.returncode, complaints, text))
    tap.equal(len(shown), sampled(text), "every sample came through the pipe")
    times = [float(re.search(rb"([\d.]+):", line).group(1)) for line in shown]
    cpus = {re.search(rb"\[(\d+)\]", line).group(1) for line in shown}
    tap.ok(times == sorted(times) and len(cpus) == 2, "in the order of time, of both CPUs", cpus)


def reader_goes():
    with subprocess.Popen(
            [*machine.run_words("-o", "-"), "--", "record", "-e", "cpu-clock", "-F", "1000", "--",
             "noploop", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as recorder:
        recorder.stdout.read(4096)
        recorder.stdout.close()
        text = recorder.stderr.read().decode()
        recorder.wait()
    tap.ok(recorder.returncode == BROKEN_PIPE and "Broken pipe" in text,
           "a reader that goes away ends the recording, with a reason", (recorder.returncode, text))


def recorded(name, options, command):
    """perf script's output for a recording: from a file, or through a pipe."""
    out = "-" if name == "-" else HERE / name
    with subprocess.Popen([*machine.run_words("-o", out), *machine.EXACT, *options, "--",
                           *command.split()], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE) as recorder:
        shown = run(*SCRIPT, "-", stdin=recorder.stdout) if name == "-" else None
        recorder.stdout.close()
        text = recorder.stderr.read().decode()
        recorder.wait()
    shown = shown or run(*SCRIPT, out)
    assert recorder.returncode == 0, text
    return shown.stdout, shown.stderr.decode()


def exact(claim, options, command, tries):
    """Record once to a file and several times through pipes, until one of these is equal. A busy
    host can change a recording (docs/sampling.md, "Limits of recording in QEMU"): the machine waits
    longer for a late reader, and QEMU gives several CPUs other turns."""
    file, complaints = recorded("exact", options, command)
    seen = [file]
    while len(seen) < tries and len(set(seen)) == len(seen):
        stream, more = recorded("-", options, command)
        complaints += more
        seen.append(stream)
    tap.ok(len(set(seen)) < len(seen) and len(file) > 30000,
           f"two recordings under -icount are the same to the byte, {claim}",
           "\n".join(f"{len(text)} {text[:100]}" for text in seen))
    tap.equal(complaints, "", "and perf complains of nothing")


os.environ.setdefault("LC_ALL", "C.UTF-8")
same_as_file()
branches()
refusals()
kept_streams()
while_it_runs()
reader_goes()
exact("one to a file and one through a pipe", (), "record -e cpu-clock -F 1000 -g -- calltree 1", 10)
exact("on two CPUs as well", ("-smp", "2"), "record -a -e cpu-clock -F 1000 -g -- calltree 1", 60)
tap.finish()
