#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OVMF's own boot, as `make demo-uefi` records it: its modules, and its functions' names from the
files that `make ovmf-symbols` has built. That build takes some ten minutes and is not done here.

check-timeout: 600
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

BOOTS = 4  # tries until our driver is the top module


def boot(directory):
    """The recording; None: there is none."""
    done = subprocess.run([machine.TOP / "boot/demo-uefi", directory], cwd=machine.TOP,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return directory / "uefi.data"
    print(f"# the boot was not recorded: {done.stderr.strip()}")
    print("# " + "\n# ".join((directory / "uefi.log").read_text(errors="replace").splitlines()[-5:]))
    return None


def report(data, *options):
    """[(image, symbol, samples)] without files from perf's cache."""
    done = subprocess.run([machine.TOOL, "report", "-n", "-t", "|", "--sort", "dso,sym", "-e", "cpu-clock",
                           *options, data],
                          capture_output=True, text=True,
                          env=os.environ | {"PERF_BUILDID_DIR": str(data.parent / "cache")})
    rows = [line.split("|") for line in done.stdout.splitlines() if line.count("|") == 3]
    return [(row[2], row[3].split("] ", 1)[-1], int(row[1])) for row in rows if row[1].strip().isdigit()]


def modules(data):
    said = subprocess.run([machine.TOOL, "report", "--modules", data], capture_output=True, text=True).stdout
    counts = [(name, int(count)) for count, name in re.findall(r"% +(\d+)  (\S.*)$", said, re.MULTILINE)]
    sums = {name: count for name, count in counts if name in ("[work]", "[waiting]", "[all]")}
    return sum(count for name, count in counts if name not in sums), sums


def in_images(data):
    rows = report(data)
    total = sum(count for _, _, count in rows)
    script = subprocess.run(["perf", "script", "-F", "event", "-G", "-i", data], capture_output=True, text=True)
    tap.equal(script.stdout.count("cpu-clock"), total, "the sum over images equals the samples")
    known = sum(count for image, _, count in rows if image != "[unknown]")
    tap.ok(known > 0.95 * total > 500, "over 95 % of the samples are in an image", (known, total))
    listed, sums = modules(data)
    tap.ok(listed == sums.get("[all]") == total == sums.get("[work]", 0) + sums.get("[waiting]", 0),
           "the summary's modules are all of them, and so are work and waiting", (listed, sums, total))


def printed(data):
    """[(depth, name)] of working modules, in the demonstration's order; the waiting modules; the
    output."""
    done = subprocess.run([machine.TOOL, "report", "--modules", f"--symbols={machine.TOP / 'build/x86_64'}", data],
                          capture_output=True, text=True,
                          env=os.environ | {"PERF_BUILDID_DIR": str(data.parent / "cache-of-ours")})
    work, waits = done.stdout.split("Module that waits")
    rows = [(len(depth), name) for depth, name in re.findall(r"% +\d+  ( *)(\S.*)$", work, re.MULTILINE)]
    return rows, waits, done.stdout


def is_first(data):
    return printed(data)[0][:1] == [(0, "spinner-dxe")]


def as_printed(data):
    rows, waits, said = printed(data)
    tap.ok(is_first(data), "the driver that takes longest is first among the working ones", said)
    at = rows.index((0, "spinner-dxe")) if (0, "spinner-dxe") in rows else 0
    tap.equal({name for _, name in rows[at + 1:at + 3]}, {"spin_at_application", "spin_at_high_level"},
              "its functions have names, at TPL_HIGH_LEVEL too")
    tap.ok(" stall_at_application in Stall()" in waits, "and the function that it waits in", said)
    picture = data.with_suffix(".svg")
    subprocess.run([machine.TOOL, "flamegraph", "-o", picture, data], check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"PERF_BUILDID_DIR": str(data.parent / "cache-of-ours")})
    tap.ok(re.search(r"efi_main.*spin_at_high_level", picture.read_text(), re.DOTALL),
           "the flame graph has them, with their callers")


def with_names(data, symbols):
    own = {path.name for path in symbols.glob("*.efi")}
    rows = [row for row in report(data, f"--symbols={symbols}") if row[0] in own]
    nameless = {}
    for image, symbol, count in rows:
        if re.search(r"\+0x[0-9a-f]+$|^0x", symbol):
            nameless[image] = nameless.get(image, 0) + count
    for what, kept in (("", rows), (", but for Stall()'s", [row for row in rows if row[0] != "Metronome.efi"])):
        total = sum(count for _, _, count in kept)
        without = sum(nameless.get(image, 0) for image in {row[0] for row in kept})
        tap.ok(total > 100 and without < 0.05 * total,
               f"over 95 % of the samples of OVMF's own images{what} have functions", (total, nameless))


def main():
    where = subprocess.run([machine.TOP / "deps/ovmf", "--path"], capture_output=True, text=True, check=True)
    symbols = pathlib.Path(where.stdout.strip())
    with tempfile.TemporaryDirectory(prefix="bareperf-ovmf-") as directory:
        # By the host's clock: if the host has no time for the machine, all the firmware's work
        # takes longer.
        for _ in range(BOOTS):
            data = boot(pathlib.Path(directory))
            if data and is_first(data):
                break
        if not tap.ok(data, "the boot is recorded"):
            return
        in_images(data)
        as_printed(data)
        if symbols.is_dir():
            with_names(data, symbols)
        else:
            tap.skip("over 95 % of the samples of OVMF's own images have functions",
                     f"not to be had: {symbols} (make ovmf-symbols, some ten minutes)")


if machine.missing():
    tap.skip("OVMF's own boot has its modules' names", machine.missing())
else:
    main()
tap.finish()
