# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds and runs the bare-metal conformance images of tests/firmware/model/."""

import pathlib
import re
import subprocess
import tempfile

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
PASSED = {"x86_64": 33, "aarch64": 0}
X86 = "Skylake-Client,pmu=on,pmu-version={}"
ARM = "cortex-a76,spe=on,spe-delay={}"
RUNS = [
    ("x86 version 2", "x86_64", "q35", X86.format(2)),
    ("x86 version 3", "x86_64", "q35", X86.format(3)),
    ("x86 version 4, 8 counters", "x86_64", "q35", X86.format(4) + ",pmu-counters=8"),
    ("x86 version 4, PEBS, 32 LBRs", "x86_64", "q35", X86.format(4) + ",pmu-pebs=on,pmu-lbr=32"),
    ("x86 version 3, PEBS, 16 LBRs", "x86_64", "q35", X86.format(3) + ",pmu-pebs=on,pmu-lbr=16"),
    ("x86 version 5", "x86_64", "q35", X86.format(5)),
    ("x86 version 5, 4 fixed counters", "x86_64", "q35", X86.format(5) + ",pmu-fixed=4"),
    ("x86 after firmware's leftovers", "x86_64", "q35", X86.format(4) + ",pmu-leftovers=on"),
    ("arm EL1", "aarch64", "virt,gic-version=3", ARM.format(0)),
    ("arm EL1, records delayed", "aarch64", "virt,gic-version=3", ARM.format(8)),
    ("arm EL2", "aarch64", "virt,gic-version=3,virtualization=on", ARM.format(0)),
    ("arm EL2, records delayed", "aarch64", "virt,gic-version=3,virtualization=on",
     ARM.format(8)),
]


def build(isa, directory):
    """The image's path."""
    compiler, name = BUILD[isa]
    image = pathlib.Path(directory) / name
    subprocess.run([*compiler, *FLAGS, f"-Wl,-T,{SOURCE / name}.ld", f"{SOURCE / name}.S",
                    *sorted(SOURCE.glob(f"{name}*.c")), SOURCE / "tap.c", "-o", image], check=True)
    return image


def run(binary, isa, machine, cpu, image):
    """(exit status, what it printed)"""
    command = [binary]
    for path in guests.FIRMWARE:
        command += ["-L", path]
    command += ["-machine", machine, "-cpu", cpu, "-display", "none", "-serial", "stdio",
                "-nic", "none", *EXIT[isa], "-kernel", image]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, timeout=120, check=False)
    return done.returncode, done.stdout.replace("\r", "")


def check(tap, binaries):
    """Each claim of each image on each machine, and what spe-delay holds back."""
    with tempfile.TemporaryDirectory(prefix="check-model-") as directory:
        built = {isa: build(isa, directory) for isa in BUILD}
        for name, isa, machine, cpu in RUNS:
            status, text = run(binaries[isa], isa, machine, cpu, built[isa])
            claims = re.findall(r"^(not )?ok \d+ - (.*)$", text, re.MULTILINE)
            for bad, claim in claims:
                tap.claim(f"{name}: {claim}", not bad, text)
            tap.claim(f"{name}: the image came to its end and says so",
                      f"1..{len(claims)}" in text.splitlines() and
                      (status == PASSED[isa]) == ("not ok" not in text), status, text)
            if isa == "aarch64":
                held = 8 if "spe-delay=8" in cpu else 0
                tap.equal(f"{name}: so many records waited for PSB CSYNC, and are lost without",
                          re.findall(r"^# .*: (\d+)$", text, re.MULTILINE), [str(held)] * 2)
