#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The objects that the host tool and the images are linked from, by their symbols. The host tool
drives no hardware, real or faked; of the target's rooms it links those that CONTRIBUTING.md lists
as linked by both sides (tests/e2e/house/walls_test.py reads that list, too). An image has the
drivers of its own architecture only. Before a test claims that a symbol is absent, it checks that
nm finds the symbols that must be there, because nm lists nothing for a stripped program.

check-spare: programs are built
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
HOST = TOP / "build/host"
BOTH = re.search(r"^Both sides link (.*?)\.",
                 (TOP / "CONTRIBUTING.md").read_text(), re.MULTILINE)
SHARED = tuple(re.findall(r"`([\w/-]+/)`", BOTH.group(1)))
# Symbols that each program must have, for each side.
TOOL_RESIDENTS = {"ring_reader_take", "region_open", "command_parse", "main"}
IMAGE_RESIDENTS = {"ring_reader_take", "region_open", "command_parse", "event_init", "efi_main"}


def defined(path, *options):
    """The symbols that a file defines."""
    command = ["nm", "--defined-only", "--format=just-symbols", *options, str(path)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def global_symbols(objects):
    """The symbols that objects define for others, by object."""
    return {path: defined(path, "--extern-only") for path in objects}


def intruders(program, residents, objects):
    """The names, {path: names}, that the objects define and the program contains; or the required
    symbols that the program lacks."""
    inside = defined(program)
    if not residents <= inside:
        return {"not found": sorted(residents - inside)}
    return {str(path.relative_to(TOP)): sorted(names & inside)[:3]
            for path, names in objects.items() if names & inside}


def objects_below(top, *directories):
    """The objects of the target only, without those of removed sources."""
    found = [path for name in directories for path in (top / name).rglob("*.o")]
    return [path for path in found if not str(path.relative_to(top)).startswith(SHARED)
            and (TOP / path.relative_to(top)).with_suffix(".c").exists()]


target = objects_below(HOST / "plain", "pmu", "arch", "ringbuf", "channel", "lib")
names = set().union(*global_symbols(target).values())
tap.ok({"fake_cpu_run", "event_init", "ring_publish", "pmu_intel_bts", "pmu_arm_spe", "line_request",
        "uart_open"} <= names,
       "drivers, fake CPU, the rings' writing half, lines and UARTs are built for the tests",
       f"{len(target)} objects, {len(names)} symbols")
tap.equal(intruders(HOST / "bareperf", TOOL_RESIDENTS, global_symbols(target)), {},
          "the host tool links no driver, no fake register, no writing half of a ring, no line")
host = [path for path in (HOST / "plain/host-tools").rglob("*.o")
        if (TOP / path.relative_to(HOST / "plain")).with_suffix(".c").exists()]
host_only = {path: names - {"main"} for path, names in global_symbols(host).items()}
tap.ok({"reader_process_start", "buildid_cache_add", "channel_open_file", "output_open"} <=
       set().union(*host_only.values()), "the host tool has processes, caches, channels and files")
for arch, own, other in (("x86_64", "x86", "arm"), ("aarch64", "arm", "x86")):
    image = TOP / "build" / arch / "bareperf.elf"
    drivers = {isa: global_symbols(objects_below(HOST / "plain", f"pmu/{isa}"))
               for isa in (own, other)}
    tap.equal(intruders(image, IMAGE_RESIDENTS, drivers[other]), {},
              f"the {arch} image has no driver of pmu/{other}/")
    writer = TOP / "build" / arch / "tests/volume.elf"
    tap.equal(intruders(writer, IMAGE_RESIDENTS, host_only), {},
              f"an {arch} image that writes a perf.data has nothing that only the host tool has")
    tap.ok({"session_begin", "perf_writer_finish", "ledger_store", "perf_synth_start"} <=
           defined(writer), f"the {arch} image has the host tool's writer")
    seen = intruders(image, IMAGE_RESIDENTS, drivers[own])
    tap.ok(len(seen) == len(drivers[own]), f"the {arch} image has the drivers of pmu/{own}/", seen)

# Check that these claims can fail.
with tempfile.TemporaryDirectory() as directory:
    for name, program, residents in (("the host tool", HOST / "bareperf", TOOL_RESIDENTS),
                                     ("an image", TOP / "build/x86_64/bareperf.elf",
                                      IMAGE_RESIDENTS)):
        stripped = pathlib.Path(directory) / program.name
        subprocess.run(["strip", "-o", stripped, program], check=True)
        tap.equal(intruders(stripped, residents, {}), {"not found": sorted(residents)},
                  f"of {name} that is stripped, nothing is claimed")
tap.finish()
