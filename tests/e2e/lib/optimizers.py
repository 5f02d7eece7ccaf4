# SPDX-License-Identifier: MIT
"""Profile-guided optimizers, called as docs/optimize.md calls them: our export, then perf2bolt and
llvm-bolt, or create_gcov and gcc."""

import glob
import json
import pathlib
import shutil
import subprocess

import machine
import tap

CC = machine.TOP / "build/x86_64/sdk/bin/bareperf-cc"
AFDO = machine.TOP / "build/x86_64/sdk/bin/bareperf-afdo"
LAYOUT = ("-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-split-all-cold",
          "-no-huge-pages", "-align-text=4096")


def run(*words, timeout=300, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout,
                          check=False, **more)


def llvm(name):
    """The path of an LLVM program with this name; of several the newest one."""
    return next(iter(sorted(glob.glob(f"/usr/lib/llvm-*/bin/{name}"), reverse=True)), None)


def missing():
    """The reason why a program cannot be optimized here, or None."""
    wanted = [name for name, found in (("perf2bolt (bolt-16)", llvm("perf2bolt")),
                                       ("create_gcov (autofdo)", shutil.which("create_gcov"))) if not found]
    return f"not to be had: {', '.join(wanted)}" if wanted else None


def export(form, file, *options):
    """Export a recording; returns how the export ended, and its file."""
    out = file.with_suffix(f".{form}")
    return run(machine.TOOL, "export", "-f", form, "-o", out, *options, file), out


def taken(profile):
    """The taken branches of a profile in BOLT's format."""
    return sum(int(line.split()[3]) for line in profile.read_text().splitlines() if line.startswith("B"))


def converted(elf, text):
    """gcc's profile of the program, made of our text."""
    afdo = elf.with_suffix(".afdo")
    run("create_gcov", f"--binary={elf}", f"--profile={text}", "--profiler=text", f"--gcov={afdo}",
        "--gcov_version=2")
    done = run(AFDO, afdo)
    tap.equal((done.returncode, done.stderr), (0, ""), f"{elf.name}: bareperf-afdo converts the profile")
    return afdo


def laid_out(elf, profile, layout=LAYOUT):
    """The program that llvm-bolt makes with this profile."""
    fdata, out = elf.with_suffix(".fdata"), elf.with_name(f"{elf.stem}.bolt{elf.suffix}")
    done = run(llvm("perf2bolt"), "-pa", "-p", profile, "-o", fdata, elf)
    tap.ok(done.returncode == 0 and "mismatching disassembled function contents: 0" in done.stdout + done.stderr,
           f"{elf.name}: perf2bolt: every branch and line fits the program's code", done.stderr)
    done = run(llvm("llvm-bolt"), elf, "-o", out, "-data", fdata, *layout)
    tap.ok(done.returncode == 0, f"{elf.name}: llvm-bolt rewrites the program", done.stderr)
    return out


class Run:
    """The run of a payload with a trace of all its branches: its output, instructions and taken
    branches, without those of bareperf."""

    def __init__(self, elf, arguments, *options, event="branch-step//", lossless=False, qemu=machine.EXACT,
                 timeout=600):
        command = (f"record {'--lossless ' if lossless else ''}-e {event} -m ,8192 -- payload {arguments}")
        self.recording = machine.Recording(command, "--payload", elf, *options, qemu=qemu, timeout=timeout)
        self.file, self.out = self.recording.file, self.recording.out
        tap.ok(self.recording.status == 0 and self.out, f"{pathlib.Path(elf).name} runs", self.recording.text)
        calls = run(machine.TOOL, "report", "--calls", "--json", self.file)
        self.instructions = json.loads(calls.stdout)["instructions"]
        self.profile = export("bolt", self.file)[1]
        self.taken = taken(self.profile)

    def better(self, before, how, same=lambda text: text):
        tap.ok(same(self.out) == same(before.out) and self.taken < 0.95 * before.taken and
               self.instructions < before.instructions,
               f"{how}: the same output, fewer taken branches, fewer instructions",
               (self.out, before.out, self.taken, before.taken, self.instructions, before.instructions))
