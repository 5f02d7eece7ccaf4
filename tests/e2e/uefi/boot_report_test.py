#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf report --boot`: a recorded boot in 30 lines, as JSON, and on the HTML page.

check-spare: no claim is about time
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import browser as browsers
import perf_file
import tap

TOOL = pathlib.Path(__file__).resolve().parents[3] / "build/host/bareperf"
IMAGES = {"worker.efi": 0x10000, "Metronome": 0x20000, "DiskDxe": 0x30000, "Keys": 0x40000}
MS = 1_000_000
NS = {"type": "integer"}
COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}


def members(**kinds):
    return {"type": "object", "properties": kinds, "required": list(kinds), "additionalProperties": False}


def rows_of(**kinds):
    return {"type": "array", "items": members(
        work=COUNT, waiting=COUNT, samples=COUNT, first_ns=COUNT, last_ns=COUNT, **kinds)}


NAME = {"type": ["string", "null"]}
SCHEMA = members(
    file=TEXT, event=TEXT, unit={"enum": ["ns", "count"]}, samples=COUNT, first_ns=COUNT, last_ns=COUNT,
    work=COUNT, waiting=COUNT,
    before=members(counter_ns={"type": ["integer", "null"]}, sources={"type": "array", "items": members(
        source={"enum": ["FPDT", "coreboot", "bootstage"]}, error=NAME,
        times={"type": "array", "items": members(ns=NS, what=TEXT, at={"type": ["integer", "null"]})})}),
    phases=rows_of(phase=TEXT), modules=rows_of(module=TEXT),
    waits=rows_of(module=TEXT, function=NAME, **{"in": TEXT}, devices={"type": "array", "items": TEXT}),
    functions=rows_of(module=TEXT, function=NAME), ledger=members(text=TEXT, whole={"type": "boolean"}))


def report(path, *options):
    return subprocess.run([TOOL, "report", "--boot", *options, path], capture_output=True, text=True)


def boot_file(clock=True):
    """Samples of 1 ms; ns."""
    event = ("cpu-clock", perf_file.SOFTWARE, 0) if clock else ("cycles", perf_file.HARDWARE, 0)
    file = perf_file.PerfFile((event, ("marks", perf_file.SOFTWARE, perf_file.BPF_OUTPUT)))
    file.command("boot")
    for name, address in IMAGES.items():
        file.image(name, address, 0x1000, 0)
    return file


def work(file, time, image="worker.efi"):
    file.sample(IMAGES[image] + 16, time, period=MS)


def wait(file, time, image="DiskDxe"):
    file.sample(IMAGES["Metronome"] + 16, time, period=MS, chain=(IMAGES[image] + 32,))


def a_boot(path, *marks, clock=True):
    """5 ms of work and 3 ms of waiting; the marks' records come at 9 s, because the machine reports
    them at the end."""
    file = boot_file(clock)
    work(file, 1 * MS)
    file.mark("phase one", 2 * MS, event=1)
    for time in (2, 3, 5):
        work(file, time * MS)
    for time in (4, 6):
        wait(file, time * MS)
    file.mark("phase two", 7 * MS, event=1)
    work(file, 7 * MS)
    wait(file, 8 * MS, "Keys")
    for mark in marks:
        file.mark(mark, 9_000_000_000, event=1)
    file.write(path)


def lines_of(path, *options):
    done = report(path, *options)
    assert not done.stderr and not done.returncode, done
    return done.stdout.splitlines()


def tells_it(path):
    a_boot(path, "boot counter 3.200000000 s: the recording's 0",
           "coreboot 0.100000000 s: bootblock begins", "coreboot 0.900000000 s: ramstage begins",
           "coreboot 0.400000000 s: romstage begins", "coreboot 0.950000000 s: jump to the payload",
           "error FPDT: it has a wrong length",
           "boot device DiskDxe.efi: PciRoot(0x0)/Pci(0x3,0x0)", "boot device DiskDxe.efi: PciRoot(0x0)/Pci(0x3,0x0)",
           "boot device Keys: PciRoot(0x0)/Pci(0x1F,0x0)/Serial(0x0)",
           "boot device Keys: PciRoot(0x0)/Pci(0x1F,0x0)/Serial(0x1)", "boot device KeysToo: Pci(0x7,0x0)")
    tap.equal(lines_of(path), [
        "Boot     0.007 s, 8 samples of cpu-clock: 0.005 s work, 0.003 s waiting",
        "Before   first sample 3.201 s after the CPU's counter was 0, as after a reset",
        "         coreboot: 0.950 s jump to the payload; longest: 0.500 s to ramstage begins, 0.300 s to romstage be...",
        "         no times of: FPDT: it has a wrong length, bootstage",
        "Phases    62.5% 0.005 s from 0.002: one",
        "          25.0% 0.002 s from 0.007: two",
        "          12.5% 0.001 s from 0.001: [before the first]",
        "Modules  worker.efi 62.5%, DiskDxe 25.0%, Keys 12.5%",
        "Waits     25.0% 0.002 s from 0.004 to 0.006: DiskDxe [no name] in Stall(), PciRoot(0x0)/Pci(0x3,0x0)",
        "          12.5% 0.001 s from 0.008 to 0.008: Keys [no name] in Stall(), PciRoot(0x0)/Pci(0x1F,0x0)/Serial(0...",
        "Work      62.5% 0.005 s: worker.efi [no name]",
        "Ledger   none in this file: what is missing is unknown"],
        "a boot is told by its times before, phases, modules, waits with their devices, work, and ledger")


def without_sources(path):
    a_boot(path)
    tap.equal(lines_of(path)[1:3], ["Before   the CPU's counter at the first sample is not recorded",
                                    "         no times of: FPDT, coreboot, bootstage"],
              "sources that a machine does not have share one line")
    a_boot(path, "bootstage 0.300000000 s: board_init_f", "bootstage 9.000000000 s: dm_r (in all)",
           "FPDT 1.000000000 s: reset ends", "coreboot 2.000000000 s: x")
    tap.equal(lines_of(path)[2:5], ["         FPDT: 1.000 s reset ends", "         coreboot: 2.000 s x",
                                    "         bootstage: 0.300 s board_init_f"],
              "those that it has take a line each, and a sum of U-Boot's is no moment")
    a_boot(path, clock=False)
    tap.ok("5000000 work, 3000000 waiting" in lines_of(path)[0], "of a counter the weights are counts")


def is_short(path):
    """More entries of each kind than the report has room for."""
    file = boot_file()
    for i in range(40):
        file.image(f"A{i}" * 60, 0x100000 + i * 0x1000, 0x1000, 0)
        file.mark(f"phase {i}" + "x" * 90, i * 10 * MS, event=1)
        work_at = 0x100000 + i * 0x1000
        file.sample(work_at, (i * 10 + 1) * MS, period=MS)
        file.sample(IMAGES["Metronome"], (i * 10 + 2) * MS, period=MS, chain=(work_at,))
        file.mark(f"boot device {'A' + str(i)}: " + "Pci(0x0,0x0)/" * 9, i * 10 * MS, event=1)
    for source in ("FPDT", "coreboot", "bootstage"):
        for i in range(100):
            file.mark(f"{source} {i}.000000000 s: {'y' * 60}", 9_000_000_000_000, event=1)
    file.write(path)
    lines = lines_of(path)
    tap.ok(len(lines) == 30 and max(map(len, lines)) == 110,
           "the longest text has 30 lines of at most 110 characters", (len(lines), lines))


def as_json(path):
    a_boot(path, "boot counter 3.200000000 s: the recording's 0", "FPDT 1.000000000 s: reset ends",
           "boot device DiskDxe: Pci(3,0)", "boot device DiskDxe: Pci(4,0)")
    said = json.loads(report(path, "--json").stdout)
    jsonschema.validate(said, SCHEMA)
    tap.equal((said["before"]["counter_ns"], said["before"]["sources"][0]),
              (3_200_000_000, {"source": "FPDT", "error": None, "times": [
                  {"ns": 1_000_000_000, "what": "reset ends", "at": -2_200_000_000}]}),
              "as JSON, by a schema, the times before the recording are in ns and have their place in it")
    tap.equal([(row["module"], row["waiting"], row["in"], row["devices"]) for row in said["waits"]],
              [("DiskDxe", 2 * MS, "Stall()", ["Pci(3,0)", "Pci(4,0)"]), ("Keys", MS, "Stall()", [])],
              "and waits have all devices of their driver")
    tap.equal({key: sum(row["work"] + row["waiting"] for row in said[key]) for key in ("phases", "modules")},
              {"phases": 8 * MS, "modules": 8 * MS}, "the sums over phases and over modules are the whole")
    tap.ok(said["ledger"]["whole"] is False, "a file without a ledger is not called whole", said["ledger"])


def refusals(path):
    for words, message in ((("--modules",), "--boot cannot be combined with --modules"),
                           (("--html",), "--boot cannot be combined with --html: the page contains it"),
                           (("-t", ","), "--boot cannot be combined with -t"),
                           (("--calls",), "--boot cannot be combined with --calls")):
        done = report(path, *words)
        tap.ok(done.returncode == 2 and message in done.stderr, f"wrong usage is refused: {' '.join(words)}", done)
    file = boot_file()
    work(file, MS)
    file.write(path)
    done = report(path)
    tap.ok(done.returncode == 1 and "record --boot has them" in done.stderr and not done.stdout,
           "a recording without phases is no boot", done)
    a_boot(path)
    done = report(path, "-e", "marks")
    tap.ok(report(path, "-e", "nothing").returncode == 1, "nor is an event that it does not have", done)


def on_the_page(path, page):
    a_boot(path, "boot counter 3.200000000 s: the recording's 0", "coreboot 0.900000000 s: <b>ramstage begins",
           "boot device DiskDxe: Pci(3,0)")
    subprocess.run([TOOL, "report", "--html", "-o", page, path], check=True)
    with browsers.Browser() as browser:
        browser.open(page)
        texts = browser.value("[...document.querySelectorAll('#boot li, #boot td')].map((one) => one.textContent)")
        tap.ok(not browser.value("document.getElementById('boot').hidden") and
               "coreboot: 900.0 ms <b>ramstage begins" in texts and "No times of: FPDT, bootstage" in texts,
               "the page has the times before the boot's recording, as text", texts)
        waits = browser.value("[...document.querySelectorAll('#boot-waits tbody tr')].map((one) => one.textContent)")
        tap.ok(len(waits) == 2 and waits[0].startswith("25.00 %2.000 ms4.000 ms6.000 msDiskDxe [no name]Stall()Pci(3,0)"),
               "and the longest waits with their devices", waits)
        a_boot(path)
        subprocess.run([TOOL, "report", "--html", "-o", page, path], check=True)
        browser.open(page)
        tap.ok(browser.value("document.getElementById('boot').hidden"),
               "other recordings with phases have no such section")


with tempfile.TemporaryDirectory(prefix="bareperf-boot-report-") as directory:
    data = pathlib.Path(directory) / "perf.data"
    tells_it(data)
    without_sources(data)
    is_short(data)
    as_json(data)
    refusals(data)
    on_the_page(data, pathlib.Path(directory) / "page.html")
tap.finish()
