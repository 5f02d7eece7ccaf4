#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Symbols: stock perf and `bareperf flamegraph` name the functions of an image at any load address.

check-spare: files are read
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tap

TOP = pathlib.Path(__file__).resolve().parents[3]
TOOL = TOP / "build/host/bareperf"
FAKE = pathlib.Path(__file__).resolve().parents[1] / "lib/fake_qemu.py"
SOURCE = """
int leaf(volatile int *p) { for (int i = 0; i < 9; i++) *p += i; return *p; }
int middle(volatile int *p) { return leaf(p) + 1; }
int main(void) { int x = 0; return middle(&x); }
"""
LOADED = 0x40000000
directory = tempfile.TemporaryDirectory(prefix="bareperf-flamegraph-test-")
HERE = pathlib.Path(directory.name)
DATA = HERE / "perf.data"


def out(*command, **kw):
    return subprocess.run(command, capture_output=True, text=True, check=True, **kw).stdout


def build():
    """An ELF file with known functions; returns its symbols, build-id, and the link address and
    size of its text."""
    (HERE / "t.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-fno-inline", "-Wl,--build-id=sha1", "-o", HERE / "image.sym",
                    HERE / "t.c"], check=True)
    (HERE / "image.efi").write_bytes(b"MZ")
    names = {line.split()[2]: int(line.split()[0], 16)
             for line in out("nm", "--defined-only", HERE / "image.sym").splitlines()}
    build_id = re.search(r"Build ID: (\w+)", out("readelf", "-n", HERE / "image.sym")).group(1)
    text = re.search(r"LOAD\s+0x\w+ 0x(\w+) 0x\w+ 0x\w+ 0x(\w+) R E",
                     out("readelf", "-lW", HERE / "image.sym"))
    size = (int(text.group(2), 16) + 4095) // 4096 * 4096
    return names, build_id, int(text.group(1), 16), size


def record(ips, samples, build_id, link, size, scenario="complete"):
    """Samples with this callchain, innermost first, from the fake machine."""
    environment = dict(os.environ, FAKE_BUILD_ID=build_id, FAKE_IMAGE=f"{LOADED},{size},{link}",
                       FAKE_IPS=",".join(str(LOADED + ip - link) for ip in ips))
    done = subprocess.run([TOOL, "run", "--qemu", FAKE, "-i", HERE / "image.efi", "-o", DATA, "--",
                           "record", "-g", "fake", scenario, str(samples)],
                          capture_output=True, text=True, env=environment, timeout=300)
    return done.stderr


symbols, BUILD_ID, LINK, SIZE = build()
chain = [symbols["leaf"], symbols["middle"] + 6, symbols["main"] + 10]
said = record(chain, 700, BUILD_ID, LINK, SIZE)
tap.ok("no ELF" not in said, "the ELF beside the image is found by its build-id", said)

report = subprocess.run(["perf", "report", "-i", DATA, "--stdio", "--no-children"],
                        capture_output=True, text=True)
tap.ok("100.00%  test     image.sym" in report.stdout and "---leaf" in report.stdout
       and report.stdout.index("---leaf") < report.stdout.index("middle")
       < report.stdout.index("main"),
       "perf report names the functions and their callers", report.stdout)
tap.equal(report.stderr, "", "perf report has nothing to complain about")
annotated = subprocess.run(["perf", "annotate", "-i", DATA, "--stdio", "-s", "leaf"],
                           capture_output=True, text=True)
tap.ok(re.search(r"100\.00 .*:\s+%x:" % chain[0], annotated.stdout),
       "perf annotate puts all samples on the sampled instruction",
       annotated.stdout + annotated.stderr)
header = subprocess.run(["perf", "report", "-i", DATA, "--header-only"], capture_output=True,
                        text=True)
tap.ok(not header.stderr and "arch : x86_64" in header.stdout
       and "event : name = cpu-clock" in header.stdout,
       "perf report --header shows machine and event", header.stdout + header.stderr)
tap.ok(BUILD_ID in out("perf", "buildid-list", "-i", DATA), "perf knows the image's build-id")

REPORTS = [[line for line in out(*command, DATA).splitlines() if "%" in line and line[0] != "#"] for command in (
    ("perf", "report", "--stdio", "--no-children", "-g", "none", "-n", "-i"),
    (TOOL, "report", "-n"))]
tap.equal(REPORTS[1], REPORTS[0], "bareperf report names the functions that perf report does")
folded = out(TOOL, "flamegraph", "--folded", DATA)
tap.equal(folded, "main;middle;leaf 700000\n", "folded stacks carry the sum of the periods")
SVG = HERE / "flame.svg"
out(TOOL, "flamegraph", "-o", SVG, DATA)
root = xml.etree.ElementTree.parse(SVG).getroot()
texts = ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]
titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
tap.ok("cpu-clock" in texts and "700 samples, 700000 ns" in texts,
       "the picture is titled with event and counts", texts)
tap.equal(titles, [f"{n} (700000 ns, 100.00%)" for n in ("all", "main", "middle", "leaf")],
          "every frame says its function, weight and share")
tap.ok("http" not in SVG.read_text().replace("http://www.w3.org/2000/svg", ""),
       "the picture needs nothing from anywhere else")

if shutil.which("node"):
    script = pathlib.Path(__file__).resolve().parent / "flame_script.js"
    tap.equal(json.loads(out("node", script, SVG)),
              {"zoomed": ["all", "main", "middle", "leaf"], "width": 1180, "matched": "Matched: 100.0%",
               "hits": ["leaf"], "reset": ["all", "main", "middle", "leaf"]},
              "the picture's script zooms, searches and resets")
else:
    tap.skip("the picture's script zooms, searches and resets", "there is no node here")

injected = subprocess.run(["perf", "inject", "-b", "-i", DATA, "-o", HERE / "injected"],
                          capture_output=True, text=True)
tap.equal((injected.returncode, out("perf", "script", "-i", HERE / "injected")),
          (0, out("perf", "script", "-i", DATA)), "perf inject rewrites the file and keeps its samples")
dumped = subprocess.run([TOOL, "dump", "-s", HERE / "injected"], capture_output=True, text=True)
tap.ok(dumped.returncode == 0 and "Another tool has rewritten this file" in dumped.stdout,
       "and dump says that the ledger was left out by it", dumped.stdout + dumped.stderr)
(HERE / "cut").write_bytes(DATA.read_bytes()[:-300])
dumped = subprocess.run([TOOL, "dump", "-s", HERE / "cut"], capture_output=True, text=True)
tap.ok(dumped.returncode == 1 and
       f"cut off at offset {DATA.stat().st_size - 300:#x};" in dumped.stderr and
       re.search(r"SAMPLE +700\n", dumped.stdout),
       "a file that is cut behind its records is an error with the offset; they are shown",
       dumped.stdout + dumped.stderr)

said = record(chain, 10, "00" * 20, LINK, SIZE)
tap.ok("no ELF" in said and "--symbols" in said,
       "an ELF with another build-id is not taken, and the tool gives advice", said)
tap.equal(out(TOOL, "flamegraph", "--folded", DATA).split(";")[2].split()[0],
          f"bareperf.efi+{hex(chain[0] - LINK)}",
          "without symbols a frame is named by file and offset")
record([symbols["leaf"] + 17, symbols["leaf"] + 5], 5000, BUILD_ID, LINK, SIZE, "branches")
done = subprocess.run(["perf", "script", "-i", DATA, "--itrace=b", "-F", "ip,addr"],
                      capture_output=True, text=True)
seen = collections.Counter(done.stdout.splitlines())
tap.ok(len(seen) == 1 and sum(seen.values()) == 5000 and not done.stderr,
       "stock perf decodes every branch of an AUX area, the last of each piece included",
       f"{seen.most_common(3)}\n{done.stderr}")
summary = json.loads(out(TOOL, "dump", "--json", DATA))
tap.equal((summary["conserved"], summary["aux"][0]["written"], summary["aux"][0]["delivered"]),
          (True, 24 * 5000, 24 * 5000), "and every byte of it is conserved")

done = subprocess.run([TOOL, "flamegraph", "-e", "cycles", DATA], capture_output=True, text=True)
tap.ok(done.returncode == 1 and "no event cycles" in done.stderr,
       "an event that is not in the file is an error", done.stderr)
tap.finish()
