#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that imports nanoBench's Python module runs unchanged; and snippets over each channel to a
machine that the tool did not start.

check-timeout: 900
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bench
import live
import machine
import mailbox
import ram
import tap

MODULE = machine.TOP / "host-tools/nanobench"
PROGRAM = pathlib.Path(__file__).resolve().parent / "nanobench_tool.py"
EXPECTED = """\
{'INST': 2.0, 'BRANCH': 0.0}
{'INST': (2.0, 2.0, 2.0), 'BRANCH': (1.0, 1.0, 1.0)}
{'INST': 10.0, 'BRANCH': 0.0}
"""
IDLE = 1  # TR_IDLE


def python_module(binary):
    words = machine.run_words("--qemu", binary)
    options = [str(word) for word in (*words[2:], "--", "-cpu", "Skylake-Client,pmu=on", *bench.ICOUNT)]
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory, "cfg.txt").write_text("C0.00 INST\n")
        done = subprocess.run(
            [sys.executable, "-P", PROGRAM, directory], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(MODULE), "BAREPERF": str(machine.TOOL),
                 "BAREPERF_BENCH": shlex.join(options)})
    lines = done.stdout.splitlines()
    tap.equal("".join(line + "\n" for line in lines[:3]), EXPECTED, "runNanoBench() returns each event's count")
    tap.ok(len(lines) > 3 and lines[3].startswith("True True") and "'BRANCH': 0.0" in lines[3],
           "getR14Size(), getAddress(), a one-time init and paused counters", (lines, done.stderr))
    fixed = "{'RDTSC': 48.0, 'Instructions retired': 3.0, 'Core cycles': 3.0, 'Reference cycles': 48.0, 'INST': 3.0}"
    tap.equal(lines[4:6], [fixed, fixed], "object files, binary files, a configuration's file, fixed counters")
    tap.equal(lines[6:9], ["ValueError"] * 3, "wrong arguments are refused")
    tap.equal(lines[9:11], ["{'INST_RETIRED': (526, [], []), 'TAKEN_RETIRED': (1, [], [])} 527", "True"],
              "runNanoBenchCycleByCycle() returns each event's count after each cycle, with range also the least "
              "and the greatest")
    tap.equal(lines[11:], ["None", "{'INST_RETIRED': 2.0, 'TAKEN_RETIRED': 0.0}"],
              "a CPU without events of microcode: None, as nanoBench's; detP23 changes no count")
    tap.ok(done.returncode == 1 and "#UD" in done.stderr, "a snippet that fails ends the program, with its reason",
           done.stderr)


def overhead():
    """Series as an Intel CPU gives them: two instructions, the fence, and what precedes them."""
    sys.path.insert(0, str(MODULE))
    import kernelNanoBench as module
    lines = {"INST_RETIRED_internal": "5,6,1,3,5,6,7,7,8", "IDQ.MS_UOPS_internal": "0,4,0,0,2,2,2,4,4",
             "UOPS_RETIRED.ALL": "5,8,1,3,5,6,8,8,11", "UOPS_ISSUED": "6,8,4,5,6,7,8,9,9", "IDQ.DSB_UOPS": "9,9,2,3,4,5,6,7,8",
             "UOPS_DISPATCHED": "2,2,2,2,3,4,4,4,4"}
    table = {name: module._Series(line.split(","), False) for name, line in lines.items()}
    seen = module._without_overhead(table)
    tap.equal({name: counts for name, (counts, _, _) in seen.items()},
              {"UOPS_RETIRED.ALL": [0, 0, 0, 1, 3], "UOPS_ISSUED": [0, 1, 1, 1, 1],
               "IDQ.DSB_UOPS": [0, 1, 2, 2, 2], "UOPS_DISPATCHED": [0, 0, 1, 2, 2]},
              "without endToEnd, the counts of the code before and behind are taken off by the events' names")
    for name, line in (("INST_RETIRED_internal", "5,6,1,2,3,4"), ("IDQ.MS_UOPS_internal", "0,0,0,0,0,0,0,0,0")):
        broken = {**table, name: module._Series(line.split(","), False)}
        tap.equal(module._without_overhead(broken), None, f"{name} without the fence's step: None")


def over_serial(arch, code):
    """A machine whose only cable is a serial line: the same session."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "machine"
        memory = ram.Ram(arch, pathlib.Path(directory), 512)
        option, board, *rest = mailbox.MACHINES[arch]
        process = subprocess.Popen(
            [f"qemu-system-{arch}", option, board + memory.machine, *rest, *memory.options, "-nodefaults", "-display",
             "none", "-no-reboot", "-chardev", f"socket,id=line,path={path},server=on,wait=off", "-serial",
             "chardev:line", "-kernel", machine.TOP / f"build/{arch}/bareperf.efi", "-append", "", *bench.ICOUNT],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            live.until(path.exists, process=process)
            live.until(lambda: memory.find() and memory.word("state") == IDLE, process=process)
            words = [machine.TOOL, "bench", "--channel", f"unix:{path}", "-asm", code, "-fixed_counters"]
            for turn in ("first", "next"):
                done = subprocess.run([*words, "-unroll_count", "100"], capture_output=True, text=True, check=False,
                                      timeout=live.PATIENCE)
                name = "RDTSC: 32.00" if arch == "x86_64" else "CNTVCT: 2.00"
                tap.ok(done.returncode == 0 and name in done.stdout, f"{arch}: the {turn} call over a serial line",
                       (done.returncode, done.stdout, done.stderr))
            many = subprocess.run([*words, "-verbose", "-n_measurements", "10000", "-unroll_count", "1", "-warm", "0"],
                                  capture_output=True, text=True, check=False, timeout=live.PATIENCE)
            tap.ok(many.returncode == 0 and many.stdout.count("run ") == 20000,
                   f"{arch}: a result that is larger than the stream comes whole",
                   (many.returncode, many.stdout[-200:], many.stderr))
        finally:
            process.kill()
            process.wait()


overhead()
MODEL, WHY = machine.model("x86_64")
if WHY:
    tap.skip("nanoBench's module on the model of Intel's PMU", WHY)
else:
    python_module(MODEL)
for ISA in ("x86_64", "aarch64"):
    if machine.missing(f"qemu-system-{ISA}"):
        tap.skip(f"{ISA}: snippets over a serial line", machine.missing(f"qemu-system-{ISA}"))
    else:
        over_serial(ISA, "nop; nop")
tap.finish()
