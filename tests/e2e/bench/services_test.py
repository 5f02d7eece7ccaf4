#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bench --uefi`: the firmware's services are measured and left as they were, and `diff` finds the
services that cost another firmware more.

check-timeout: 900
check-spare: machines count instructions, or no claim is about time
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import shell
import stick
import tap

ISAS = ("x86_64", "aarch64")
CALLS = 20
WITHOUT_DISK = {"BlockIo.ReadBlocks (1 block)", "BlockIo.ReadBlocks (64 KiB)"}
SMM = ["-machine", "smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"]
# Long calls without REP, which is one instruction and takes QEMU's time for each repetition.
PLAIN = ("GetMemoryMap", "CalculateCrc32 (4 KiB)", "LocateHandle (AllHandles)", "LocateDevicePath",
         "GetVariable (not found)")
# Calls whose instructions do not depend on the machine's state.
CONSTANT = ("RaiseTPL (to TPL_NOTIFY)", "RestoreTPL (from TPL_NOTIFY)", "CreateEvent", "CloseEvent", "HandleProtocol",
            "AllocatePool (64 B)", "CheckEvent (not signaled)", "LocateProtocol")


def rows(report):
    """{name: row} of a report."""
    return {row["service"] + (f" ({row['detail']})" if row["detail"] else ""): row for row in report["services"]}


def order(figures):
    return (figures["min"] <= figures["p25"] <= figures["median"] <= figures["p75"] <= figures["p99"] <=
            figures["max"] and figures["min"] <= figures["mean"] <= figures["max"])


def bench(isa, *options, qemu=(), program=()):
    words = machine.run_words("--arch", isa, *program)
    done = subprocess.run([words[0], "bench", "--uefi", *options, *words[2:], "--", *machine.EXACT, *qemu],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def diff(*words):
    done = subprocess.run([machine.TOOL, "diff", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


# ---- By the host's command ----


def counted(isa, directory, program=(), qemu=()):
    """Instructions, on QEMU's exact clock: two boots give the same report."""
    reports = []
    for name in ("one", "other"):
        status, out, said = bench(isa, "--calls", str(CALLS), "--json", qemu=qemu, program=program)
        if not tap.ok(status == 0 and out.count("\n") == 1, f"{isa}: --json prints one line of JSON", (status, said)):
            return
        (directory / f"{isa}-{name}.json").write_text(out)
        reports.append(out)
    report = json.loads(reports[0])
    all_rows = rows(report)
    measured = {name: row for name, row in all_rows.items() if "error" not in row}
    tap.equal(reports[0], reports[1], f"{isa}: with -icount two boots' reports are equal to the byte")
    tap.ok(len(measured) >= 50 and all_rows.keys() - measured.keys() <= WITHOUT_DISK,
           f"{isa}: every service but those of a missing disk is measured", all_rows.keys() - measured.keys())
    tap.ok(report["counts_instructions"] and all(row["calls"] == CALLS and order(row["ns"]) and
                                                 order(row["instructions"]) for row in measured.values()),
           f"{isa}: each has its calls, and quantiles of time and instructions in their order", report)
    wrong = [name for name in CONSTANT if measured[name]["instructions"]["p25"] !=
             measured[name]["instructions"]["median"] or not measured[name]["instructions"]["min"]]
    tap.equal(wrong, [], f"{isa}: a call that does the same work each time has the same instructions")
    each = {name: measured[name]["ns"]["median"] / measured[name]["instructions"]["median"] for name in PLAIN}
    tap.ok(all(15.9 < ns < 16.5 for ns in each.values()),
           f"{isa}: the time of a call is that of its instructions, 16 ns each", each)
    tap.ok(1000 <= measured["Stall (1 us)"]["ns"]["min"] < 20000, f"{isa}: Stall() takes its time",
           measured["Stall (1 us)"])
    status, out, said = diff(*(directory / f"{isa}-{name}.json" for name in ("one", "other")))
    tap.ok(status == 0 and f"chance: {len(measured)} of {len(measured)} services" in out and "instructions" in out,
           f"{isa}: diff finds no difference between two boots of one firmware", out + said)


def texts():
    status, out, said = bench("x86_64", "--calls", "10", "--console")
    tap.ok(status == 0 and "instructions: the CPU has no counter of instructions" in out,
           "a CPU without counters has times alone, and the reason is printed", out + said)
    tap.ok(re.search(r"^ConOut.OutputString \(5 letters\) +10( +\d+\.\d){5}$", out, re.MULTILINE),
           "--console measures the console too", out)
    tap.ok("BlockIo.ReadBlocks (1 block)           not measured: the firmware reports error 12\n" in out,
           "a service that cannot be measured is named with the firmware's error", out)


def refusals():
    for words, text in ((["--channel", "serial:/dev/null"], "has left its firmware"),
                        (["--calls", "0"], "number is too small")):
        done = subprocess.run([machine.TOOL, "bench", "--uefi", *words], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 126 and text in done.stderr + done.stdout, f"bench --uefi {' '.join(words)}: {text}",
               done.stdout + done.stderr)


# ---- On a stick ----


def leaves_nothing(isa, directory):
    """In the firmware's shell, which counts pages, handles and variables itself."""
    disk = shell.make_disk(directory, isa)
    with shell.Shell(isa, disk) as sh:
        sh.open()
        sh.type("bareperf.efi bench --uefi --calls 3")
        variables = sh.type("dmpstore -all").count("\nVariable ")
        handles = len(re.findall(r"^ *[0-9A-F]+: ", sh.type("dh"), re.MULTILINE))
        said, left = shell.leak(sh, *["bareperf.efi bench --uefi --calls 30"] * 2)
        after = (sh.type("dmpstore -all").count("\nVariable "),
                 len(re.findall(r"^ *[0-9A-F]+: ", sh.type("dh"), re.MULTILINE)))
    tap.ok(said.count(r"written: \bareperf") == 2, f"{isa}: on a volume the report becomes two files", said)
    tap.ok(not left and variables > 10 and handles > 50 and after == (variables, handles),
           f"{isa}: no page, handle or variable is left behind", (left, variables, handles, after))
    tap.ok(said.count("the firmware has the same number of handles and pages as before") == 2,
           f"{isa}: the report confirms it", said)
    read = subprocess.run(["mtype", "-i", f"{disk}@@1M", "::/bareperf/0001-uefi.json"], capture_output=True,
                          check=False).stdout
    tap.ok(rows(json.loads(read))["BlockIo.ReadBlocks (64 KiB)"].get("calls"), f"{isa}: the volume's disk is read", read)


def on_stick(directory, name, firmware=None, *qemu):
    volume = stick.Volume(directory / name, 40, "x86_64", machine.TOP / "build/x86_64/bareperf.efi",
                          {"bareperf.cfg": f"bench --uefi --calls {CALLS} --then poweroff\n".encode()})
    said = stick.boot("x86_64", volume, *machine.EXACT, *qemu, firmware=firmware)
    report = volume.read("bareperf/0001-uefi.json")
    text = volume.read("bareperf/0001-uefi.txt")
    tap.ok(report and text and text.decode().splitlines()[3] in said.replace("\r", ""),
           f"{name}: \\bareperf.cfg measures at boot, and the text is that of the screen", said)
    path = directory / f"{name}.json"
    path.write_bytes(report or b"")
    return path


def two_firmwares(directory):
    """OVMF, and OVMF whose variables are in system management mode."""
    shutil.copy("/usr/share/OVMF/OVMF_VARS_4M.fd", directory / "vars.fd")
    flash = ["-drive", "if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd",
             "-drive", f"if=pflash,unit=1,format=raw,file={directory}/vars.fd"]
    plain, smm = on_stick(directory, "OVMF"), on_stick(directory, "SMM", flash, *SMM)
    status, out, said = diff(plain, smm)
    ratios = {name: float(ratio) for ratio, name in
              re.findall(r"^ +[\d.]+ +[\d.]+ +([\d.]+) +\[.*?\] +(\S.*)$", out.split("# No difference")[0], re.MULTILINE)}
    tap.ok(status == 0 and ratios.get("GetNextVariableName (first)", 0) > 20 and
           ratios.get("GetVariable (volatile, 64 B)", 0) > 5,
           "diff shows that reading a variable costs more where system management mode does it", out + said)
    tap.ok("CopyMem (4 KiB)" in out and "CopyMem (4 KiB)" not in ratios,
           "diff finds no difference of a service that is the same code in both firmwares", out)
    status, out, said = diff("--fail-above", "400%", plain, smm)
    tap.ok(status == 5 and "GetVariable (volatile, 64 B) has grown from" in said and "CopyMem" not in said,
           "diff --fail-above ends with 5, and names the services that have grown by more", said)
    status, out, said = diff(plain, machine.TOP / "Makefile")
    tap.ok(status == 1 and "no JSON" in said, "diff refuses a file that is no report", said)


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for isa in machine.repeats(ISAS):
            leaves_nothing(isa, directory)
        counted("aarch64", directory)
        model, why = machine.model("x86_64")
        if model:
            counted("x86_64", directory, ("--qemu", model), ("-cpu", "Skylake-Client,pmu=on"))
        else:
            tap.skip("x86_64: instructions of the services", why)
        texts()
        refusals()
        two_firmwares(directory)
    tap.finish()


main()
