#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check-timeout: 1200
"""Reports of faults: faults.c causes them, the console and the screen show the reports."""

import bisect
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e/lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import qemu  # noqa: E402
import tap  # noqa: E402

ELF = qemu.TOP / "build/x86_64/tests/faults.elf"
CALLERS = ["fault_inner", "fault_middle", "fault_outer"]
WAITS = "676e6974696177"  # wait_masked()'s value in a register
STOPPED = r"CPU \d+ stopped\n|no fault happened\n"

# name on the command line, the message, the backtrace's innermost functions (None: any address)
FAULTS = [
    ("trap", r"CPU 0: #UD invalid opcode at 0x", ["trap", *CALLERS]),
    ("read-null", r"CPU 0: #PF page fault, read of an unmapped page", ["read_null", *CALLERS]),
    ("write-null", r"CPU 0: #PF page fault, write to an unmapped page", ["write_null", *CALLERS]),
    ("write-text", r"#PF page fault, write to a read-only page", ["write_text", *CALLERS]),
    ("write-rodata", r"#PF page fault, write to a read-only page", ["write_rodata", *CALLERS]),
    ("write-header", r"#PF page fault, write to a read-only page", ["write_header", *CALLERS]),
    ("execute-data", r"#PF page fault, execution of data", [None, "fault_inner"]),
    ("execute-heap", r"#PF page fault, execution of data", [None, "execute_heap", "fault_inner"]),
    ("divide", r"#DE divide error", ["divide", *CALLERS]),
    ("overflow-stack", r"#DF double fault, most likely a stack overflow", ["recurse"] * 3),
    ("call-panic", r"panic: the answer is 42\n", ["call_panic", *CALLERS]),
    ("wild-frame", r"timer|unexpected exception", ["arch_spin_with_frame_pointer"]),
    ("in-interrupt", r"write to an unmapped page", ["write_null", "fault_in_interrupt"]),
    ("other-cpu", r"CPU 1: #UD invalid opcode at 0x", ["trap", "run_trap"]),
    ("exit-outside", r"panic: exit\(3\) outside a payload\n", ["_exit", "exit_outside", *CALLERS]),
]


def load_functions():
    """(address, size, name) of the image's functions, ascending."""
    command = ["readelf", "-sW", str(ELF)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split() for line in lines]
    return sorted(
        (int(f[1], 16), int(f[2], 0), f[7].split(".")[0])
        for f in found
        if len(f) == 8 and f[3] == "FUNC"
    )


FUNCTIONS = load_functions()


def function_at(line, behind_call):
    """The function that contains a backtrace line's address, or whose call ends there; else
    None."""
    offset = re.search(r"\+0x([0-9a-f]+)", line)
    if not offset:
        return None
    address = int(offset.group(1), 16) - behind_call
    at = bisect.bisect_right(FUNCTIONS, (address, 1 << 64, "")) - 1
    start, size, name = FUNCTIONS[at]
    return name if at >= 0 and address < start + size else None


def backtrace(text):
    """Names, innermost first. The first address is the fault's, the others follow calls; if panic()
    was called, all follow calls."""
    part = text.split("backtrace:\n", 1)[-1]
    lines = re.match(r"(?:  .*\n)*", part).group(0).splitlines()
    fault = "\nrip " in text
    return [function_at(line, not (fault and i == 0)) for i, line in enumerate(lines)]


def try_fault(name, message, functions):
    with qemu.Machine("faults", name, "-smp", "2") as machine:
        text = machine.read_until(STOPPED)
    tap.ok(re.search(message, text), f"{name}: the report has the fault", text)
    seen = backtrace(text)
    tap.equal(seen[: len(functions)], functions, f"{name}: the backtrace names the callers")
    if "panic" not in name and "exit" not in name:
        tap.ok(re.search(r"rip [0-9a-f]{16} .*\n(.*\n)*r13 ", text), f"{name}: with registers", text)
    tap.ok("stopped" in text, f"{name}: and the CPU stops", text)


def try_registers():
    """CR2 and RIP of a known fault."""
    with qemu.Machine("faults", "write-null") as machine:
        text = machine.read_until(STOPPED)
    tap.ok("cr2 0000000000000008" in text, "the address that faulted is reported", text)
    rip = int(re.search(r"rip ([0-9a-f]{16})", text).group(1), 16)
    at = re.search(r"at (0x[0-9a-f]+) \(bareperf.elf\+(0x[0-9a-f]+)\)", text)
    tap.equal(rip, int(at.group(1), 16), "the message names the same address as the registers")


def try_wild_frame():
    with qemu.Machine("faults", "wild-frame") as machine:
        text = machine.read_until(STOPPED)
    tap.ok("rbp 4141414141414141" in text, "a frame pointer that is no address is reported", text)
    tap.equal(len(backtrace(text)), 1, "and ends the backtrace without a fault")


def try_nmi():
    """A spurious NMI, while interrupts are masked."""
    with qemu.Machine("faults", "wait-masked") as machine:
        settled(lambda: WAITS not in machine.monitor.line("info registers"))
        machine.monitor.ask("inject-nmi")
        text = machine.read_until(STOPPED)
    tap.ok("NMI without a handler" in text, "an NMI without a handler is reported", text)
    tap.equal(backtrace(text)[:4], ["wait_masked", *CALLERS], "with the interrupted place")


def try_panic_twice():
    with qemu.Machine("faults", "panic-twice") as machine:
        text = machine.read_until(STOPPED)
    tap.ok("panic: first\n" in text and "panic while reporting a panic" in text,
           "a fault while panicking is said, and ends", text)  # fmt: skip


def cells(machine, columns, rows):
    """{(column, row): the pixels of a character cell}, in OVMF's 8 by 19 font."""
    _, _, lines = machine.screen()
    found = {}
    for row in range(rows):
        for column in range(columns):
            found[column, row] = b"".join(
                lines[row * 19 + y][column * 24 : (column + 1) * 24] for y in range(19)
            )
    return found


def settled(look):
    """The first result of look() that is not empty: the machine reports on its serial line that it
    has stopped, and draws that line afterwards."""
    deadline = time.monotonic() + qemu.PATIENCE
    while (wrong := look()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return wrong


def unlike(pictures, shown, lines):
    """Characters of a report that look different than before, or like no known character; fills in
    pictures."""
    pictures.clear()
    wrong = []
    for row, line in enumerate(lines):
        for column, char in enumerate(line[:100].ljust(100)):
            picture = shown[column, row]
            if pictures.setdefault(char, picture) != picture or (char != " " and not any(picture)):
                wrong.append((column, row, char))
    return wrong


def try_screen():
    """The report is on the screen as well: equal characters have equal pictures."""
    pictures = {}
    with qemu.Machine("faults", "trap") as machine:
        text = machine.read_until(STOPPED)
        at = text.find("\npanic: ")
        if "no text on the screen" in text:
            return tap.skip("the screen shows the report", "the firmware has no font or screen")
        lines = text[at:].split("\n")[:-1]
        wrong = settled(lambda: unlike(pictures, cells(machine, 100, len(lines)), lines))
    tap.equal(wrong, [], "every character of the report can be seen, and looks the same everywhere")
    tap.equal(len(set(pictures.values())), len(pictures), "different characters look different")
    return tap.ok(len(pictures) > 30, "a whole report was compared", f"{len(pictures)} characters")


def unscrolled(machine):
    """Rows of the screen that differ from the row below in more than the number."""
    _, height, _ = machine.screen()
    rows = height // 19
    shown = cells(machine, 30, rows)
    fixed = [(c, char) for c, char in enumerate("line 100 of 200 AAAA BBB") if not char.isdigit()]
    return [row for row in range(rows - 12)
            if any(shown[c, row] != shown[c, row + 1] or any(shown[c, row]) != (char != " ")
                   for c, char in fixed)]  # fmt: skip


def try_scrolling():
    """After 200 lines the last lines are at the bottom."""
    with qemu.Machine("faults", "fill-screen") as machine:
        machine.read_until(STOPPED)
        tap.equal(settled(lambda: unscrolled(machine)), [], "a full screen scrolls line by line")


if qemu.missing():
    tap.skip("faults are reported", qemu.missing())
    tap.finish()
for fault in FAULTS:
    try_fault(*fault)
try_registers()
try_wild_frame()
try_nmi()
try_panic_twice()
try_screen()
try_scrolling()
tap.finish()
