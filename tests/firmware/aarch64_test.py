#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 1200
"""The machine layer on AArch64: entered at EL2 and at EL1, with GICv2 and GICv3, on old and new
CPUs. Guest time counts instructions, so the host's load does not change the results."""

import pathlib
import re
import shutil
import subprocess
import sys
import threading

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "tests/e2e/lib"))
import qemu  # noqa: E402
import tap  # noqa: E402

QEMU = "qemu-system-aarch64"
FIRMWARE = ["/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"]
PATIENCE = 240  # seconds until a boot counts as hung; the host may be very busy

# name, QEMU's machine, CPU, words for the image that describe the machine
MACHINES = [
    ("EL2, GICv3", "virt,virtualization=on,gic-version=3", "max", "below urgent"),
    ("EL2, GICv2", "virt,virtualization=on,gic-version=2", "cortex-a57", "below"),
    ("EL1, GICv3", "virt,gic-version=3", "cortex-a57", "urgent"),
    ("EL1, GICv2", "virt,gic-version=2", "max", ""),
]


def missing():
    """The reason why no machine can be booted here, or None."""
    if not shutil.which(QEMU):
        return f"there is no {QEMU}"
    if not any(pathlib.Path(path).exists() for path in FIRMWARE):
        return "there is no AAVMF"
    return None


def boot(image, machine, cpu, words="", cpus=1, stop=None, exact=True):
    """The console's text and QEMU's exit status; None if the test ended QEMU, by the pattern or by
    the time limit."""
    exact_options = ["-icount", "shift=3,sleep=off"] if exact else []
    firmware = next(path for path in FIRMWARE if pathlib.Path(path).exists())
    # several images allocate 64 MiB in one piece; vhe.c maps 256
    memory = "256" if cpus == 1 else "320"
    process = subprocess.Popen(
        [qemu.parked(QEMU), "-machine", machine, "-cpu", cpu, "-smp", str(cpus), "-m", memory, "-nodefaults",
         *exact_options, "-display", "none", "-serial", "stdio", "-no-reboot",
         "-bios", firmware, "-kernel", TOP / f"build/aarch64/tests/{image}.efi",
         "-append", words or "nothing"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    text = ""
    try:
        for line in process.stdout:
            line = line.decode("ascii", "replace").replace("\r", "")
            text += re.sub(r"\x1b\[[0-9;=]*[A-Za-z]", "", line)
            if stop and re.search(stop, text):
                return text, None
        return text, process.wait()
    finally:
        patience.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


def relay(name, text, status):
    """The image's claims become claims of this test."""
    for passed, claim in re.findall(r"^(not ok|ok) \d+ - (.*)$", text, re.MULTILINE):
        tap.ok(passed == "ok", f"{name}: {claim}", "\n".join(re.findall("# .*", text)))
    plan = re.search(r"^1\.\.(\d+)$", text, re.MULTILINE)
    results = len(re.findall(r"^(?:not ok|ok) ", text, re.MULTILINE))
    tap.ok(plan and int(plan.group(1)) == results, f"{name}: the image comes to its end", text)
    tap.equal(status, 0, f"{name}: the firmware's ResetSystem() works after us")


# ---- Faults: name on the command line, the message, the function that faulted, or that
# it may be inlined into (empty: no code)
TRANSLATION = "translation fault at"
PERMISSION = "permission fault at"
FAULTS = [
    ("trap", r"CPU 0: BRK instruction at 0x", "trap"),
    ("read-null", f"data abort, read, {TRANSLATION}", "read_null"),
    ("write-null", f"data abort, write, {TRANSLATION}", "write_null"),
    ("write-text", f"data abort, write, {PERMISSION}", "write_text"),
    ("write-rodata", f"data abort, write, {PERMISSION}", "write_rodata"),
    ("write-header", f"data abort, write, {PERMISSION}", "write_header"),
    ("execute-data", f"instruction abort, {PERMISSION}", ""),
    ("execute-heap", f"instruction abort, {PERMISSION}", ""),
    ("overflow-stack", f"data abort, write, {TRANSLATION}", "recurse"),
    ("in-interrupt", f"data abort, write, {TRANSLATION}", "write_null fault_in_interrupt"),
    ("other-cpu", r"CPU 1: BRK instruction at 0x", "trap run_trap"),
    ("wild-frame", r"CPU 0: interrupt at 0x", "arch_spin_with_frame_pointer"),
]


def functions(image):
    """(address, size, name) of the image's functions."""
    command = ["readelf", "-sW", str(TOP / f"build/aarch64/tests/{image}.elf")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in lines]
    return [
        (int(f[1], 16), int(f[2], 0), f[7].split(".")[0])
        for f in found
        if len(f) == 8 and f[3] == "FUNC"
    ]


def fault_function(image, text):
    """The function that contains the report's first address, or None."""
    offset = re.search(r"at 0x[0-9a-f]+ \(bareperf.elf\+0x([0-9a-f]+)\)", text)
    if not offset:
        return "no address"
    address = int(offset.group(1), 16)
    names = [n for start, size, n in functions(image) if start <= address < start + size]
    return names[0] if names else None


def try_fault(name, message, names):
    machine = MACHINES[0] if len(name) % 2 else MACHINES[2]  # alternate between EL2 and EL1
    where = f"{name} at {machine[0]}"
    text, _ = boot("faults", machine[1], machine[2], name, 2, r"backtrace:\n(  0x.*\n)+")
    tap.ok(re.search(message, text), f"{where}: the report has the fault", text)
    function = fault_function("faults", text)
    tap.ok(function in (names.split() or [None]), f"{where}: and where", function)
    tap.ok(re.search(r"x29 [0-9a-f]{16}|x30 [0-9a-f]{16}", text), f"{where}: with registers", text)


def try_crash(name, machine, cpu, words):
    text, _ = boot("aarch64/payload", machine, cpu, f"{words} crash", 1, r"backtrace:\n(  0x.*\n)+")
    inside = "data abort, write, translation fault" + (", in the payload" if "below" in words else "")
    tap.ok(f"{inside} at" in text, f"{name}: a payload that crashes is reported", text)
    tap.equal(fault_function("aarch64/payload", text), "crash", f"{name}: and where it crashed")
    tap.ok("far 0000000000000008" in text, f"{name}: with the address that it touched", text)


if missing():
    tap.skip("the machine layer works on AArch64", missing())
    tap.finish()
for machine in MACHINES:
    relay(machine[0], *boot("aarch64/payload", *machine[1:], 2))
    try_crash(*machine)
for machine in MACHINES:
    # a GICv2 delivers no masked signal
    words = "nothing" if "GICv3" in machine[0] else "signals-wait"
    relay(f"{machine[0]}, 4 CPUs", *boot("machine", *machine[1:3], words, 4))
    # without icount, because there QEMU starves CPUs whose timer has always expired
    relay(f"{machine[0]}, storm", *boot("storm", *machine[1:3], "", 4, exact=False))
relay("firmware with E2H = 1", *boot("aarch64/vhe", *MACHINES[0][1:]))
for fault in FAULTS:
    try_fault(*fault)
tap.finish()
