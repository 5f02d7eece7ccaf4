#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The CPU time and memory that `bareperf report` and each format of `bareperf export` take for ten
million samples with callchains, compared with `perf report` and `perf script` on the same file,
which tests/bench/html.py makes."""

import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOOL = HERE.parents[1] / "build/host/bareperf"
REPEATS = 3
FORMATS = ("csv", "folded", "speedscope", "firefox", "chrome", "pprof", "callgrind", "ctf")


def html():
    """Load the page's benchmark by its path, because a module of Python has the same name."""
    spec = importlib.util.spec_from_file_location("bench_html", HERE / "html.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cost(*command):
    """CPU seconds, and peak memory in bytes, which includes the mapped part of the file."""
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def median(*command, repeats=REPEATS):
    seconds, memory = zip(*(cost(*command) for _ in range(repeats)))
    return statistics.median(seconds), max(memory)


def figures(name, ours, theirs, what, samples):
    rate = samples / ours[0] / 1e6
    print(f"# {name}: {ours[0]:.1f} s of CPU, {rate:.2f} M samples/s, {ours[1] / 1e6:.0f} MB; {what}: "
          f"{theirs[0]:.1f} s, {samples / theirs[0] / 1e6:.2f} M samples/s, {theirs[1] / 1e6:.0f} MB")
    for figure, value, goal in ((f"{name}-against-{what}", theirs[0] / ours[0], 1),
                                (f"{name}-memory", theirs[1] / ours[1], 1)):
        print(f"bench {figure} {value:.2f} times goal {goal} {'ok' if value >= goal else 'short'}")


def main():
    if not shutil.which("perf"):
        print("bench report skip there is no perf here")
        return
    with tempfile.TemporaryDirectory(prefix="bareperf-bench-") as directory:
        data, out = pathlib.Path(directory) / "perf.data", pathlib.Path(directory) / "out"
        samples = html().make_file(data)
        print(f"# {samples} samples, {data.stat().st_size / 1e6:.0f} MB")
        perf = median("perf", "report", "--stdio", "--no-children", "-g", "none", "-i", data, repeats=1)
        script = median("perf", "script", "-i", data, repeats=1)
        figures("report", median(TOOL, "report", data), perf, "perf-report", samples)
        for form in FORMATS:
            ours = []
            for _ in range(REPEATS):
                shutil.rmtree(out, ignore_errors=True)
                ours.append(cost(TOOL, "export", "-f", form, "-o", out, data))
                if out.is_file():
                    out.unlink()
            seconds, memory = zip(*ours)
            figures(f"export-{form}", (statistics.median(seconds), max(memory)), script,
                    "perf-script", samples)


if __name__ == "__main__":
    main()
