# SPDX-License-Identifier: MIT
"""Recordings on an emulated machine, and their output."""

import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/firmware"))
import qemu as boots  # noqa: E402
import tap  # noqa: E402

TOOL = TOP / "build/host/bareperf"

# `make soak` runs the rows that repeat another ISA's claims; `make check` has no time for them.
SOAK = os.environ.get("SOAK") == "1"


def repeats(isas):
    """Of ISAs that make the same claims about the same code: the first one; all of them in `make
    soak`."""
    return list(isas) if SOAK else list(isas)[:1]


# The guest's time counts instructions, so it does not depend on the host's load.
EXACT = ("-icount", "shift=4,sleep=off")
EXACT_NS = 16  # ns of guest time for an instruction under EXACT

# The guest's time counts instructions here as well, but never runs ahead of the host's clock: a
# woken reader has as much time as on a real machine. On a busy host the machine's time is slower.
PACED = ("-icount", "shift=3,align=on")

Sample = collections.namedtuple("Sample", "id ip pid tid time cpu reserved period")


def run_words(*options, quick=True):
    """The words of a `bareperf run` with these options. By default the machine continues from the
    saved state of a similar machine whose firmware has already started, which is quick; `quick` can
    disable that."""
    if not quick:
        return [TOOL, "run", *options]
    isa = "aarch64" if "aarch64" in options else "x86_64"
    words = [word for option in options for word in str(option).split("=", 1)]
    chosen = dict(zip(words, words[1:]))
    qemu = boots.parked(chosen.get("--qemu", f"qemu-system-{isa}"), chosen.get("--region-size", 64))
    firmware = isa == "x86_64" and "--firmware" not in options and boots.quick_firmware()
    return [TOOL, "run", *(["--firmware", firmware] if firmware else []), *options,
            *(["--qemu", qemu] if qemu else [])]


class Recording:
    """One run of `bareperf run`: its exit status, its output, and the file that it wrote."""

    def __init__(self, command, *options, qemu=(), timeout=boots.PATIENCE, quick=True, cwd=None):
        self.directory = tempfile.TemporaryDirectory(prefix="bareperf-test-")
        self.file = pathlib.Path(self.directory.name) / "perf.data"
        done = subprocess.run(
            [*run_words("-o", self.file, *options, quick=quick), *qemu, "--", *shlex.split(command)],
            capture_output=True, text=True, timeout=timeout, check=False,
            stdin=subprocess.DEVNULL, cwd=cwd)
        self.status = done.returncode
        self.out, self.said = done.stdout, done.stderr
        self.text = done.stdout + done.stderr
        tap.last(f"{command}: exit status {self.status}\n{self.text[-2000:]}")
        # No run of any test may end with a ledger that does not balance.
        assert self.status != 254, f"{command}: not conserved:\n{self.text}"

    def summary(self):
        """`dump --json`, with its exit status as "status"."""
        done = subprocess.run([TOOL, "dump", "--json", self.file], capture_output=True, text=True,
                              check=False)
        summary = json.loads(done.stdout)
        summary["status"] = done.returncode
        return summary

    def perf(self, *arguments):
        """Stock perf's output, its messages, and its exit status."""
        done = subprocess.run(["perf", *arguments, "-i", self.file], capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL,
                              cwd=self.directory.name)
        return done.stdout, done.stderr, done.returncode

    def chains(self):
        """perf script's samples as [(event, period, (function, its caller, …)), …]."""
        text, _, _ = self.perf("script", "-F", "event,period,ip,sym")
        samples = []
        for line in text.splitlines():
            head = re.match(r"\s*(\d+)\s+(\S+):\s*(.*)", line)
            if head:
                samples.append((head.group(2), int(head.group(1)), ()))
                line = head.group(3)
            words = line.split()
            if len(words) > 1:  # an address and its symbol
                event, period, chain = samples[-1]
                samples[-1] = (event, period, (*chain, words[1].split(".")[0]))
        return samples

    def raw_samples(self):
        """The usual samples as stock perf dumps their words: [Sample, …]. IDENTIFIER and CPU are
        separate words, so they can be compared with each other."""
        text, _, _ = self.perf("script", "-D")
        samples, record = [], bytearray()
        for offset, line in re.findall(r"^\.  ([0-9a-f]{4}):  ((?:[0-9a-f]{2} )+)", text,
                                       re.MULTILINE):
            if offset == "0000":
                record = bytearray()
            record += bytes.fromhex(line)
            if len(record) == 56 and record[0] == 9:  # PERF_RECORD_SAMPLE, without a callchain
                samples.append(Sample(*struct.unpack("<QQIIQIIQ", record[8:])))
        return samples


def strangers(run, summary):
    """The raw_samples() whose CPU or thread differs from that of their event."""
    cpus = {event["id"]: event["cpu"] for event in summary["events"]}
    return [s for s in run.raw_samples()
            if (s.cpu, s.reserved, s.pid, s.tid) != (cpus.get(s.id), 0, 1, 1 + s.cpu)]


def shares(samples, depth=0):
    """Each function's share of the samples' periods, in percent: as the leaf (depth 0), or anywhere
    in the callchain (depth None)."""
    weights = collections.Counter()
    for _, period, chain in samples:
        for function in set(chain if depth is None else chain[depth:depth + 1]):
            weights[function] += period
    total = sum(period for _, period, _ in samples)
    return {function: 100 * weight / total for function, weight in weights.items()}


def payload(isa, path, source, *flags):
    """Compile a program with the SDK; returns its path."""
    subprocess.run([TOP / f"build/{isa}/sdk/bin/bareperf-cc", "-O2", "-Wall", *flags, "-xc", "-",
                    "-xnone", "-o", path], input=source, text=True, check=True)
    return path


def scaled(event):
    """The count of an event in summary(), scaled as if the event had had a counter all the time."""
    return event["count"] * event["time_enabled"] / event["time_running"]


def missing(program="qemu-system-x86_64"):
    """The reason why nothing can be recorded here, or None."""
    return None if shutil.which(program) else f"{program} is not installed"


def model(isa):
    """(QEMU with the hardware model for this ISA, None), or (None, the reason why there is
    none)."""
    done = subprocess.run([TOP / "tests/qemu/build.sh"], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        return None, "no hardware model: tests/qemu/build.sh says why"
    x86, arm = done.stdout.split()
    return {"x86_64": x86, "aarch64": arm}[isa], None
