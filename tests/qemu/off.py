#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""With the model off, does QEMU behave as without our patches?

    tests/qemu/off.py [x86_64|aarch64]...

The same guest runs on both, with -icount, so both execute the same instructions. The host's clock
has no influence.

Code: Linux boots, works a little (guest/work.test) and switches off. Both log each block that they
translate, as operations. The logs must be equal line by line, except for QEMU's own addresses.
Addresses in the code buffer are written as the distance from its first block, so the host code of
all blocks must be equally long as well.

Instructions: the conformance image changes the ring 400,000 times, by interrupts or exceptions,
where the model has its hooks. valgrind counts all instructions that QEMU executes, generated code
included.

Prints lines of tests/bench/run."""

import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import guests
import images

CPUS = {"x86_64": "Skylake-Client,-rdrand,-rdseed", "aarch64": "cortex-a76"}
LIMIT = 1500    # seconds for one image
COUNT = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         "--smc-check=all-non-file"]
EXIT_TB = re.compile(r"^ exit_tb \$0x([0-9a-f]{9,})$")
POINTER = re.compile(r"\$0x[567][0-9a-f]{11}\b")


def command(binary, isa, directory):
    return [*guests.command(binary, isa, directory, CPUS[isa], "work.test"), *guests.ICOUNT]


def comparable(log):
    """The lines of a log of operations, without QEMU's own addresses."""
    base = None
    for line in log:
        found = EXIT_TB.match(line)
        if found:
            address = int(found.group(1), 16)
            base = base or address & ~0xfff
            yield f" exit_tb {address - base:#x}\n"
        elif line.startswith(" call"):
            yield POINTER.sub("$pointer", line)
        else:
            yield line


def compare(logs):
    """(blocks, lines that differ, the first of these). Which CPU is switched off later depends on
    the host; that CPU may log some more blocks."""
    blocks, different, first = 0, 0, []
    for pair in itertools.zip_longest(*(comparable(log) for log in logs)):
        if None in pair:
            continue
        blocks += pair[0] == "OP:\n"
        if pair[0] != pair[1]:
            different += 1
            if len(first) < 5:
                first.append(pair)
    return blocks, different, first


def code(isa, binaries, directory):
    """Run both at the same time, and compare their logs as they come: (blocks, different, first,
    consoles)"""
    with tempfile.TemporaryDirectory(prefix="off-") as where, contextlib.ExitStack() as stack:
        pipes = [pathlib.Path(where) / f"log-{i}" for i in range(2)]
        processes = []
        for pipe, binary in zip(pipes, binaries):
            os.mkfifo(pipe)
            line = [*command(binary, isa, directory), "-d", "op", "-D", str(pipe)]
            processes.append(stack.enter_context(subprocess.Popen(
                line, stdin=subprocess.DEVNULL,
                stdout=stack.enter_context(open(f"{pipe}.console", "wb")),
                stderr=subprocess.DEVNULL)))
        logs = [stack.enter_context(open(pipe, encoding="ascii")) for pipe in pipes]
        found = compare(logs)
        for process in processes:
            process.wait()
        consoles = [pathlib.Path(f"{pipe}.console").read_text(errors="replace") for pipe in pipes]
    return *found, consoles


def instructions(isa, binary, image):
    """The number of instructions that QEMU executes for the conformance image, which has a mode for
    this."""
    command_line = images.command(binary, isa, images.RUNS_OFF[isa].machine, CPUS[isa], image)
    done = subprocess.run([*COUNT, *command_line, *guests.ICOUNT], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", timeout=LIMIT, check=False)
    total = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if not total or done.returncode != images.PASSED[isa]:
        raise SystemExit(f"off.py: {isa}: the image failed under valgrind\n"
                         f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return int(total.group(1).replace(",", ""))


def report_code(isa, binaries, directory):
    print(f"# {isa}: comparing the code of two boots", flush=True)
    blocks, different, first, consoles = code(isa, binaries, directory)
    if "@end" not in consoles[0]:
        raise SystemExit(f"off.py: {isa}: the guest did not come to its end\n{consoles[0][-2000:]}")
    for pair in first:
        print(f"# {isa}: {pair[0]!r} / {pair[1]!r}")
    same = consoles[0] == consoles[1]
    print(f"# {isa}: {blocks} blocks translated; the guests {'say the same' if same else 'DIFFER'}")
    print(f"bench model-off-code-{isa} {different} lines-that-differ goal 0 "
          f"{'ok' if not different and same and blocks > 10000 else 'short'}", flush=True)


def report_instructions(isa, binaries):
    if not shutil.which("valgrind"):
        print(f"bench model-off-instructions-{isa} skip valgrind is missing (make deps)")
        return
    print(f"# {isa}: counting QEMU's instructions, both under valgrind", flush=True)
    with concurrent.futures.ThreadPoolExecutor() as pool, tempfile.TemporaryDirectory() as where:
        image = images.build(isa, where)
        stock, ours = pool.map(lambda binary: instructions(isa, binary, image), binaries)
    ratio = ours / stock
    print(f"# {isa}: {stock} instructions of QEMU's without the model, {ours} with it")
    print(f"bench model-off-instructions-{isa} {ratio:.5f} times-stock goal 1.01 "
          f"{'ok' if ratio <= 1.01 else 'short'}", flush=True)


def main():
    try:
        stock, ours = guests.qemu_binaries("--stock"), guests.qemu_binaries()
        for isa in sys.argv[1:] or CPUS:
            directory = guests.guest_directory(isa)
            report_code(isa, (stock[isa], ours[isa]), directory)
            report_instructions(isa, (stock[isa], ours[isa]))
    except guests.Unavailable as reason:
        print(f"bench model-off skip {reason}")


if __name__ == "__main__":
    main()
