#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`noise`: the table of rtla's hwnoise, from the host's command and from the image's.

check-timeout: 600
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bench
import live
import machine
import mailbox
import ram
import smi
import tap

HEAD = "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single      HW     NMI     "
ROW = re.compile(r"^ *(\d+) #(\d+) +(\d+) +(\d+) +([\d.]+) +\d+ +\d+ +(\d+) +(\d+) +(\d+|-)$", re.MULTILINE)


def noise(*options, isa="x86_64", qemu=()):
    words = machine.run_words("--arch", isa)
    done = subprocess.run([words[0], "noise", *options, *words[2:], "--", *machine.EXACT, *qemu],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def table(isa, last, dash):
    status, out, said = noise("-d", "1", isa=isa, qemu=("-smp", "2"))
    rows = ROW.findall(out)
    tap.ok(status == 0 and HEAD + last in out, f"{isa}: the table is hwnoise's, with the column {last}",
           (status, out, said))
    tap.ok([(cpu, periods) for cpu, periods, *_ in rows] == [("0", "10"), ("1", "10")] and
           all(1000000 <= int(row[2]) < 1000100 for row in rows), f"{isa}: a second is 10 periods on each CPU", out)
    # QEMU executes both CPUs in turn on one thread. An event of the host can make it change earlier: a gap.
    tap.ok(len(rows) == 2 and all(int(row[3]) <= 5 and float(row[4]) > 99.999 and int(row[5]) <= 2 and
                                  row[6] == "0" and row[7] in (dash, row[5]) for row in rows),
           f"{isa}: nothing takes time from an emulated CPU", out)


def options():
    status, out, said = noise("-d", "2", "-p", "250000", "-T", "5", "-C", "1", "--json", qemu=("-smp", "2"))
    report = json.loads(out) if status == 0 else {"noise": {"cpus": []}}
    tap.ok(report.get("architecture") == "x86_64" and report["noise"].get("threshold_ns") == 5000 and
           report["noise"].get("period_ns") == 250000000 and report["noise"]["has_smi"] is False,
           "--json: threshold and period are in ns, and the CPU has no count of SMIs", (status, out, said))
    tap.equal([cpu["periods"] for cpu in report["noise"]["cpus"]], [0, 8], "-C: only these CPUs are watched")
    run = machine.Recording("noise -d 1 -C 1", qemu=("-smp", "2", *machine.EXACT))
    tap.ok(run.status == 0 and [row[0] for row in ROW.findall(run.out)] == ["1"],
           "the image's own command prints the same table", run.text)
    status, out, said = noise("-C", "0,2", qemu=("-smp", "2"))
    tap.ok(status == 126 and "noise: there is no CPU 2: CPUs are 0 to 1" in said, "a CPU that is not there is named",
           (status, said))
    status, out, said = noise("-d", "1 --then poweroff")
    tap.ok(status == 126 and "want numbers" in said, "an option's value adds no further words", (status, said))
    for command, text in (("noise -d 0", "number is too small"), ("noise -e cycles", "unknown option"),
                          ("noise -p 10", "number is too small")):
        run = machine.Recording(command, qemu=machine.EXACT)
        tap.ok(run.status == 126 and text in run.text, f"{command}: {text}", run.text)


def of_a_timer():
    """A running machine, in which a snippet has started a timer of SMIs of known length."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "machine"
        memory = ram.Ram("x86_64", pathlib.Path(directory), 512)
        option, board, *rest = mailbox.MACHINES["x86_64"]
        process = subprocess.Popen(
            ["qemu-system-x86_64", option, board + memory.machine, *rest, *memory.options, "-cpu", "Skylake-Client",
             "-nodefaults", "-display", "none", "-no-reboot", "-chardev",
             f"socket,id=line,path={path},server=on,wait=off", "-serial", "chardev:line", "-kernel",
             machine.TOP / "build/x86_64/bareperf.efi", "-append", "", *bench.ICOUNT],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            live.until(path.exists, process=process)
            live.until(lambda: memory.find() and memory.word("state") == 1, process=process)
            words = ["--channel", f"unix:{path}", "--timeout", str(live.PATIENCE)]
            done = subprocess.run([machine.TOOL, "bench", *words, "-asm", "nop", "-asm_one_time_init", smi.TIMER,
                                   "-fixed_counters"], capture_output=True, text=True, check=False)
            tap.ok(done.returncode == 0, "a snippet starts the timer", (done.returncode, done.stdout, done.stderr))
            done = subprocess.run([machine.TOOL, "noise", *words, "-d", "10", "--json"], capture_output=True,
                                  text=True, check=False)
            seen = json.loads(done.stdout)["noise"]["cpus"][0] if done.returncode == 0 else {}
            length = smi.INSTRUCTIONS * machine.EXACT_NS
            tap.ok(seen.get("smi", 0) >= 3 and seen["hw"] == 0, "over a line: each SMI is counted, and has its cause",
                   (seen, done.stderr))
            tap.ok(length <= seen.get("max_smi_ns", 0) < length + 1000 and
                   seen["noise_ns"] // length == seen["smi"], f"each took {length} ns, within 1 us", seen)
        finally:
            process.kill()
            process.wait()


table("x86_64", "SMI", "-")
options()
of_a_timer()
if machine.missing("qemu-system-aarch64"):
    tap.skip("aarch64", machine.missing("qemu-system-aarch64"))
else:
    table("aarch64", "GAP", "0")
tap.finish()
