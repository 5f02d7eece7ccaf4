#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf run -- record --boot`: the firmware's boot in QEMU, recorded by one command, on OVMF and
AAVMF as Debian has them, with counted instructions.

check-spare: machines count instructions
check-timeout: 900
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
import tap

EXACT = list(machine.EXACT)
RECORD = ["record", "--boot", "-e", "cpu-clock", "-F", "1000", "-g", "--until", "ready-to-boot"]
WORK = tempfile.TemporaryDirectory(prefix="bareperf-run-boot-")
HERE = pathlib.Path(WORK.name)


def run(isa, name, *options, command=RECORD):
    return subprocess.run(
        [machine.TOOL, "run", "--arch", isa, "--timeout", "300", "--no-buildid-cache", "-o", HERE / name, *options,
         "--", *command],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=600)


def boot_of(name):
    done = subprocess.run([machine.TOOL, "report", "--boot", "--json", HERE / name], capture_output=True, text=True,
                          check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def seconds(boot, module):
    row = next((row for row in boot.get("modules", ()) if row["module"] == module), {})
    return (row.get("work", 0) + row.get("waiting", 0)) / 1e9


def boots(isa, module, *expected):
    done = run(isa, f"{isa}.data", *EXACT)
    tap.ok(done.returncode == 0, f"{isa}: one command records the firmware's boot", done.stderr)
    boot = boot_of(f"{isa}.data")
    tap.ok(boot.get("ledger", {}).get("whole"), f"{isa}: all its records are in the file", boot.get("ledger"))
    names = {row["module"] for row in boot.get("modules", ())}
    tap.ok({"DxeCore", module} <= names, f"{isa}: its modules have names", names)
    phases = {row["phase"] for row in boot.get("phases", ())}
    tap.ok(set(expected) <= phases, f"{isa}: it begins when PCI is enumerated, and ends at ReadyToBoot", phases)
    return boot


def other_ends():
    done = run("x86_64", "refused.data", command=["record", "--boot", "-e", "ext4:nothing", "--until", "1s"])
    tap.ok(done.returncode == 126, "a wrong event is refused before the start", done.stderr)
    done = run("x86_64", "refused.data", command=["record", "--boot", "-e", "INST_RETIRED.ANY"])
    tap.ok(done.returncode not in (0, 253) and "use perf's names" in done.stderr,
           "an event that needs the CPU's model is refused with the reason", done.stderr)
    alone = HERE / "alone.efi"
    shutil.copy(machine.TOP / "build/x86_64/bareperf.efi", alone)
    done = run("x86_64", "refused.data", "--image", alone)
    tap.ok(done.returncode == 125 and f"{HERE}/alone-dxe.efi: No such file" in done.stderr,
           "an image without its driver is refused with the driver's path", done.stderr)
    done = run("aarch64", "again.data", *EXACT, "-boot", "menu=on,splash-time=0")
    tap.ok(done.returncode == 0, "QEMU's own options reach the machine", done.stderr)
    return boot_of("again.data")


def main():
    arm = boots("aarch64", "BdsDxe", "DXE BS driver: attempt boot order event")
    tap.ok(4.9 < seconds(arm, "BdsDxe") < 5.1, "AAVMF's boot manager waits 5 s for a key",
           seconds(arm, "BdsDxe"))
    hurried = other_ends()
    tap.ok(seconds(hurried, "BdsDxe") < 0.1, "but not if QEMU's menu has no time",
           seconds(hurried, "BdsDxe"))
    pc = boots("x86_64", "Ps2KeyboardDxe", "serial port: presence detect", "DXE BS driver: attempt boot order event")
    tap.ok(seconds(pc, "AtaAtapiPassThruDxe") > 0.09,
           "OVMF's disk driver waits 15 ms for each empty port", seconds(pc, "AtaAtapiPassThruDxe"))
    total = sum(row["work"] + row["waiting"] for row in pc.get("modules", ()))
    tap.ok(total and 0.6 * total / 1e9 < seconds(pc, "DxeCore"),
           "most of OVMF's boot is DxeCore's, as docs/examples/ovmf.md explains", pc.get("modules"))
    run("x86_64", "x86_64-again.data", *EXACT)
    again = boot_of("x86_64-again.data")
    tap.equal({**again, "file": ""}, {**pc, "file": ""}, "two recordings of the same boot are equal")


if machine.missing():
    tap.skip("the firmware's boot is recorded by one command", machine.missing())
else:
    main()
tap.finish()
