#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/machines/: each file is a self-test's JSON without anything that identifies one machine, and
the page's table is made from the files. tests/e2e/house/measured_machines_test.py --write writes
the table.

check-spare: files are read
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
FOLDER = TOP / "docs/machines"
PAGE = FOLDER / "README.md"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"
NUMBER, TEXT = "number", "text"
SPREAD = dict.fromkeys(("min", "p10", "median", "p90", "max"), NUMBER)
SCHEMA = {
    "selftest": NUMBER, "bareperf": TEXT, "architecture": TEXT, "pass": NUMBER, "fail": NUMBER, "absent": NUMBER,
    "checks": [{"check": TEXT, "verdict": TEXT, "text": TEXT, "figures": {"*": NUMBER}}],
    "survey": {
        "vendor": TEXT, "model": TEXT, "firmware": TEXT, "?hypervisor": TEXT, "?emulator": TEXT, "signature": NUMBER,
        "hz": NUMBER, "cpus": NUMBER, "core_to_core_ps": [[NUMBER]],
        "levels": [{"pairs": NUMBER, "min_ps": NUMBER, "median_ps": NUMBER, "max_ps": NUMBER}],
        "ladder": [{"bytes": NUMBER, "ps": NUMBER}], "steps": [{"bytes": NUMBER, "ps": NUMBER}],
        "read_mbs": [NUMBER], "all_read_mbs": NUMBER,
        "clocks": [{"offset_ns": NUMBER, "error_ns": NUMBER, "drift_ppb": NUMBER}],
        "interrupts": {"count": NUMBER, "skid_events": SPREAD, "late_ns": SPREAD, "histogram": [NUMBER]},
        "noise": {"threshold_ns": NUMBER, "period_ns": NUMBER, "has_smi": NUMBER,
                  "cpus": [dict.fromkeys(("periods", "runtime_ns", "noise_ns", "max_noise_ns", "max_single_ns",
                                          "hw", "nmi", "smi", "max_smi_ns"), NUMBER)]},
    },
}
PERSONAL = {
    "a MAC address": re.compile(r"\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b", re.IGNORECASE),
    "a UUID": re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE),
    "a serial number": re.compile(r"serial|asset tag|s/n", re.IGNORECASE),
    "a disk's name": re.compile(r"/dev/|\bnvme|\bata-|\bwwn", re.IGNORECASE),
    "a mail address": re.compile(r"\S@\S+\.\w"),
}


def breaches(value, schema, where=""):
    """Each place where the value does not match the schema."""
    if schema in (NUMBER, TEXT):
        kinds = (int, bool) if schema == NUMBER else (str,)
        if not isinstance(value, kinds):
            yield f"{where}: no {schema}"
    elif isinstance(schema, list):
        if not isinstance(value, list):
            yield f"{where}: no array"
            return
        for i, each in enumerate(value):
            yield from breaches(each, schema[0], f"{where}[{i}]")
    elif not isinstance(value, dict):
        yield f"{where}: no object"
    elif "*" in schema:
        for name, each in value.items():
            yield from breaches(each, schema["*"], f"{where}.{name}")
    else:
        known = {name.lstrip("?"): each for name, each in schema.items()}
        yield from (f"{where}.{name}: unknown" for name in value if name not in known)
        yield from (f"{where}.{name}: missing" for name in schema
                    if not name.startswith("?") and name not in value)
        for name in value.keys() & known.keys():
            yield from breaches(value[name], known[name], f"{where}.{name}")


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def personal(report):
    return [what for text in texts(report) for what, pattern in PERSONAL.items() if pattern.search(text)]


def ns(picoseconds):
    return f"{picoseconds / 1000:.1f}"


def size(count):
    return f"{count >> 20} MiB" if count % (1 << 20) == 0 else f"{count >> 10} KiB"


def row(path, report):
    survey = report["survey"]
    cpu = survey["model"] or f"{survey['vendor']} 0x{survey['signature']:x}"
    steps, cpus = survey["steps"], survey["noise"]["cpus"]
    cells = [f"[{path.stem}]({path.name})", cpu, str(survey["cpus"])]
    if "emulator" in survey:
        return cells + [f"emulated by {survey['emulator']}: figures mean nothing", *[""] * 4]
    return cells + [", ".join(ns(level["median_ps"]) for level in survey["levels"]),
                    ", ".join(f"{size(step['bytes'])} {ns(step['ps'])}" for step in steps[:-1]),
                    ns(steps[-1]["ps"]) if steps else "",
                    f"{max(survey['read_mbs'], default=0) / 1000:.1f}, {survey['all_read_mbs'] / 1000:.1f}",
                    f"{max((each['max_single_ns'] for each in cpus), default=0) / 1000:.1f}"]


def table(reports):
    head = ["machine", "CPU", "CPUs", "core to core, ns", "caches, ns", "memory, ns", "GB/s: one, all",
            "longest gap, us"]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in
                   [head, ["---"] * len(head), *(row(*each) for each in sorted(reports.items()))])


REPORTS = {path: json.loads(path.read_text()) for path in FOLDER.glob("*.json")}
TEXT_OF_PAGE = PAGE.read_text()
if sys.argv[1:] == ["--write"]:
    before, _, rest = TEXT_OF_PAGE.partition(BEGIN)
    PAGE.write_text(before + BEGIN + table(REPORTS) + END + rest.partition(END)[2])
    sys.exit(0)
tap.ok(len(REPORTS) >= 2, "docs/machines/ has machines", list(REPORTS))
for PATH, REPORT in sorted(REPORTS.items()):
    tap.equal(list(breaches(REPORT, SCHEMA)), [], f"{PATH.name} has the fields of a self-test, and no others")
    tap.equal(personal(REPORT), [], f"{PATH.name} has nothing personal in it")
    DONE = subprocess.run([TOP / "build/host/bareperf", "selftest", "--read", PATH], capture_output=True, text=True,
                          check=False)
    tap.ok(DONE.returncode == 0 and DONE.stdout.count("\n") <= 40, f"{PATH.name} is shown by bareperf selftest --read",
           DONE.stderr)
tap.equal(TEXT_OF_PAGE.partition(BEGIN)[2].partition(END)[0], table(REPORTS),
          "the page's table is made of them (--write writes it)")
SPOILT = copy.deepcopy(next(iter(REPORTS.values())))
SPOILT["survey"]["model"] = "A CPU of 52:54:00:12:34:56"
SPOILT["survey"]["ladder"][0]["ps"] = "1"
SPOILT["survey"]["owner"] = "x"
del SPOILT["survey"]["hz"]
tap.equal(personal(SPOILT), ["a MAC address"], "a MAC address in a text is found")
tap.equal(sorted(breaches(SPOILT, SCHEMA)), [".survey.hz: missing", ".survey.ladder[0].ps: no number",
                                             ".survey.owner: unknown"],
          "and so is a field that is missing, unknown or of another kind")
REAL = copy.deepcopy(next(iter(REPORTS.values())))
del REAL["survey"]["emulator"]
tap.ok(row(FOLDER / "x.json", REAL)[7] and "mean nothing" not in "".join(row(FOLDER / "x.json", REAL)),
       "a machine that no emulator runs has its figures in the table")
tap.finish()
