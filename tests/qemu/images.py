# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds and runs the bare-metal conformance images of tests/firmware/model/."""

import dataclasses
import pathlib
import re
import subprocess
import tempfile
import threading

import guests

SOURCE = guests.HERE.parent / "firmware" / "model"
FLAGS = ["-ffreestanding", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-fno-stack-protector",
         "-fno-asynchronous-unwind-tables", "-mgeneral-regs-only", "-O2", "-Wall", "-Wextra",
         "-Wundef", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes",
         "-Wold-style-definition", "-Wvla", "-Werror", "-Wl,--build-id=none",
         "-Wl,--no-warn-rwx-segments"]
BUILD = {
    "x86_64": (["gcc", "-m32", "-march=i686", "-fcf-protection=none"], "x86"),
    "aarch64": (["aarch64-linux-gnu-gcc", "-mstrict-align"], "aarch64"),
}
EXIT = {"x86_64": ["-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-vga", "none"],
        "aarch64": ["-semihosting-config", "enable=on"]}
# Three times ten turns with three branches, except for the last jump, plus the call and the return:
# into a save area, a buffer and a page that are not writable
DS_FAULTS = 3 * (3 * 10 - 1 + 2)
PASSED = {"x86_64": 33, "aarch64": 0}
# An image's notes ("# name: n"), checked here because this file knows the machine
NOTES = {
    "x86_64": {"counters that run at entry": 0},
    "aarch64": {"registers of SPE that are set at entry": 0, "counters that run at entry": 0,
                "bytes of the last record after a fault": 0, "waited for PSB CSYNC": 0,
                "lost by disabling the buffer first": 0, "lost at the limit, as DL says": 0},
}
DELAYED = {"waited for PSB CSYNC": 8, "lost by disabling the buffer first": 8,
           "lost at the limit, as DL says": 1}
# ... notes that do not apply at EL3
EL3_NOTES = dict.fromkeys(["bytes of the last record after a fault", *DELAYED])
ARM_LEFTOVERS = {"registers of SPE that are set at entry": 6, "counters that run at entry": 3}
X86, V = "Skylake-Client,pmu=on", ",pmu-version="
ARM, EL1, EL2 = "cortex-a76,spe=on", "virt,gic-version=3", "virt,gic-version=3,virtualization=on"
EL3 = "virt,gic-version=3,secure=on"


@dataclasses.dataclass
class Run:
    """An image on one machine."""

    name: str
    isa: str
    machine: str
    cpu: str
    # ... notes that differ from NOTES; None: not printed
    notes: dict = dataclasses.field(default_factory=dict)
    off: bool = False                                       # without the model
    extra: tuple = ()                                       # QEMU's further arguments


RUNS = [
    Run("x86, -cpu max", "x86_64", "q35", "max", off=True),
    Run("x86, model off", "x86_64", "q35", "Skylake-Client", off=True),
    Run("x86 version 2", "x86_64", "q35", X86 + V + "2"),
    Run("x86 version 2, no full-width writes", "x86_64", "q35", X86 + V + "2,pmu-full-width=off"),
    Run("x86 version 3, two processors", "x86_64", "q35", X86 + V + "3", extra=("-smp", "2")),
    Run("x86 version 4, 8 counters", "x86_64", "q35", X86 + V + "4,pmu-counters=8"),
    Run("x86 version 4, PEBS, 32 LBRs", "x86_64", "q35", X86 + V + "4,pmu-pebs=on,pmu-lbr=32"),
    Run("x86 version 3, PEBS, 16 LBRs", "x86_64", "q35", X86 + V + "3,pmu-pebs=on,pmu-lbr=16"),
    Run("x86 version 5", "x86_64", "q35", X86 + V + "5"),
    Run("x86 version 5, 4 fixed counters", "x86_64", "q35", X86 + V + "5,pmu-fixed=4"),
    Run("x86 after firmware's leftovers", "x86_64", "q35", X86 + V + "4,pmu-leftovers=on",
        {"counters that run at entry": 3}),
    Run("x86, PMIs 10 s late, a reset before the first", "x86_64", "q35",
        X86 + V + "2,pmi-delay=10000000000", extra=guests.ICOUNT),
    Run("arm, model off", "aarch64", EL1, "cortex-a76", off=True),
    Run("arm EL1", "aarch64", EL1, ARM),
    Run("arm EL1, records delayed", "aarch64", EL1, ARM + ",spe-delay=8", DELAYED),
    Run("arm EL1, after firmware's leftovers", "aarch64", EL1,
        ARM + ",spe-leftovers=on,pmu-leftovers=on", ARM_LEFTOVERS),
    Run("arm EL1, a fault between two records", "aarch64", EL1, ARM + ",spe-fault-after=10",
        {"bytes of the last record after a fault": 64}),
    Run("arm EL1, a fault in a record", "aarch64", EL1,
        ARM + ",spe-fault-after=10,spe-fault-partial=20",
        {"bytes of the last record after a fault": 20}),
    Run("arm EL2", "aarch64", EL2, ARM),
    Run("arm EL2, records delayed", "aarch64", EL2, ARM + ",spe-delay=8", DELAYED),
    Run("arm EL1, -icount, records delayed, then a fault", "aarch64", EL1,
        ARM + ",spe-delay=8,spe-fault-after=45",
        DELAYED | {"bytes of the last record after a fault": 64}, extra=guests.ICOUNT),
    Run("arm EL1, instructions counted", "aarch64", EL1, ARM + ",pmu-instructions=on"),
    Run("arm EL2, instructions counted", "aarch64", EL2, ARM + ",pmu-instructions=on"),
    Run("arm EL2, with pointer authentication, instructions counted", "aarch64", EL2,
        "max,spe=on,pmu-instructions=on"),
    Run("arm EL3", "aarch64", EL3, ARM, EL3_NOTES),
    Run("arm EL3 and EL2", "aarch64", EL3 + ",virtualization=on", ARM, EL3_NOTES),
]
RUNS_OFF = {r.isa: r for r in RUNS if r.off}


def build(isa, directory):
    """The image's path."""
    compiler, name = BUILD[isa]
    image = pathlib.Path(directory) / name
    subprocess.run([*compiler, *FLAGS, f"-Wl,-T,{SOURCE / name}.ld", f"{SOURCE / name}.S",
                    *sorted(SOURCE.glob(f"{name}*.c")), SOURCE / "tap.c", "-o", image], check=True)
    return image


def command(binary, isa, machine, cpu, image):
    return [binary, *(option for path in guests.FIRMWARE for option in ("-L", path)),
            "-machine", machine, "-cpu", cpu, "-display", "none", "-serial", "stdio",
            "-nic", "none", *EXIT[isa], "-kernel", image]


def run(binary, r, image):
    """(exit status, output)"""
    done = subprocess.run([*command(binary, r.isa, r.machine, r.cpu, image), *r.extra], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, timeout=guests.LIMIT, check=False)
    return done.returncode, done.stdout.replace("\r", "")


def lost_records(binary, image):
    """The property ds-faults after the x86 image has finished: it cannot end QEMU, so it waits."""
    with tempfile.TemporaryDirectory(prefix="check-model-") as directory:
        monitor = f"{directory}/qmp"
        line = command(binary, "x86_64", "q35", X86, image)
        line = [word for word in line if word not in EXIT["x86_64"][:2]]
        with subprocess.Popen([*line, "-qmp", f"unix:{monitor},server=on,wait=off"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            timer = threading.Timer(guests.LIMIT, process.kill)
            timer.start()
            qmp = guests.Qmp(monitor)
            for line in process.stdout:
                if line.startswith("1.."):
                    break
            found = qmp.get_cpu("ds-faults")
            process.kill()
            timer.cancel()
            qmp.close()
    return found


def judge(tap, run_, status, text):
    """Its claims, and the notes that this file checks."""
    claims = re.findall(r"^(not )?ok \d+ - (.*)$", text, re.MULTILINE)
    for bad, claim in claims:
        tap.claim(f"{run_.name}: {claim}", not bad, text)
    tap.claim(f"{run_.name}: the image came to its end and says so",
              f"1..{len(claims)}" in text.splitlines() and
              (status == PASSED[run_.isa]) == ("not ok" not in text), status, text)
    notes = {what: int(n) for what, n in re.findall(r"^# (.*): (\d+)$", text, re.MULTILINE)}
    for what, wanted in ({} if run_.off else NOTES[run_.isa] | run_.notes).items():
        if wanted is None:
            continue
        tap.equal(f"{run_.name}: {what}", notes.pop(what, None), wanted)
    tap.equal(f"{run_.name}: and notes nothing else", notes, {})


def check(tap, binaries):
    """Each claim of each image on each machine."""
    with tempfile.TemporaryDirectory(prefix="check-model-") as directory:
        built = {isa: build(isa, directory) for isa in BUILD}
        for r in RUNS:
            judge(tap, r, *run(binaries[r.isa], r, built[r.isa]))
        tap.equal("x86: ds-faults counts the records that were lost",
                  lost_records(binaries["x86_64"], built["x86_64"]), DS_FAULTS)
