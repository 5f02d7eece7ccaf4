#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions' names in every view: C++ and Rust names as in the sources, inlined functions, lines of
sources.

check-spare: files are read
"""

import collections
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import fake_run
import perf_file
import tap

TOOL = fake_run.TOOL
ADDRESS, LINKED = 0x40000000, 0x400000
SOURCE = """\
#define MANGLED(name) __asm__(name)
int method(volatile int *p) MANGLED("_ZN5outer5inner6methodEPVi");
int generic(volatile int *p) MANGLED("_ZNSt6vectorIiSaIiEE9push_backERKi");
int legacy(volatile int *p) MANGLED("_ZN4core3fmt5write17h0123456789abcdefE");
int modern(volatile int *p) MANGLED("_RNvCs1234_7mycrate3foo");
int odd(volatile int *p) MANGLED("_Znotamangledname");
static inline __attribute__((always_inline)) int deepest(volatile int *p)
{
	return *p * 7;
}
static inline __attribute__((always_inline)) int deeper(volatile int *p)
{
	*p += 3;
	return deepest(p) + 1;
}
int method(volatile int *p) { return *p + 1; }
int generic(volatile int *p) { return *p + 2; }
int legacy(volatile int *p) { return *p + 3; }
int modern(volatile int *p) { return *p + 4; }
int odd(volatile int *p) { return *p + 5; }
int caller(volatile int *p)
{
	int x = deeper(p);
	return x + *p;
}
int main(void)
{
	int x = 0;
	return method(&x) + generic(&x) + legacy(&x) + modern(&x) + odd(&x) + caller(&x);
}
"""
PLAIN = {
    "_ZN5outer5inner6methodEPVi": "outer::inner::method",
    "_ZNSt6vectorIiSaIiEE9push_backERKi": "std::vector<int, std::allocator<int> >::push_back",
    "_ZN4core3fmt5write17h0123456789abcdefE": "core::fmt::write",
    "_RNvCs1234_7mycrate3foo": "mycrate::foo",
    "_Znotamangledname": "_Znotamangledname",
}
directory = tempfile.TemporaryDirectory(prefix="bareperf-names-")
HERE = pathlib.Path(directory.name)
DATA = HERE / "perf.data"


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                          check=False, cwd=HERE)


def build():
    """{symbol: address}; {address: (lines, functions, innermost first)}, from binutils."""
    (HERE / "t.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O2", "-g", "-fno-inline", "-no-pie", "-o", HERE / "image", HERE / "t.c"],
                   check=True)
    return {name: int(at, 16) for at, _, name in
            re.findall(r"^([0-9a-f]+) (\w) (\S+)$", run("nm", HERE / "image").stdout, re.MULTILINE)}


def instructions(symbols, name):
    text = run("objdump", "-d", "--no-show-raw-insn", f"--disassemble={name}", HERE / "image").stdout
    return [int(at, 16) for at in re.findall(r"^ +([0-9a-f]+):", text, re.MULTILINE)
            if int(at, 16) >= symbols[name]]


def addr2line(address):
    """[(function, line)], innermost first."""
    text = run("addr2line", "-fie", HERE / "image", f"{address:#x}").stdout.splitlines()
    return [(text[i], int(text[i + 1].rsplit(":", 1)[1].split()[0])) for i in range(0, len(text), 2)]


def record(symbols):
    """One sample at each mangled function, and one at each instruction of caller()."""
    file = perf_file.PerfFile()
    file.image(HERE / "image", ADDRESS, 0x10000, 0)
    file.command("test")
    places = [symbols[name] for name in PLAIN] + instructions(symbols, "caller")
    for i, place in enumerate(places):
        file.sample(place - LINKED + ADDRESS, 1000 + i, period=100 + i,
                    chain=[symbols["main"] + 8 - LINKED + ADDRESS])
    file.write(DATA)
    return {place: 100 + i for i, place in enumerate(places)}


def folded(*options):
    text = run(TOOL, *options, DATA).stdout
    return collections.Counter({stack: int(weight) for stack, weight in
                                (line.rsplit(" ", 1) for line in text.splitlines())})


def mangled():
    text = run(TOOL, "report", DATA).stdout
    tap.ok(all(f"[.] {plain}\n" in text for plain in PLAIN.values()),
           "report: C++ and Rust functions have their sources' names", text)
    done = run(TOOL, "export", "-f", "csv", DATA)
    names = {row["symbol"] for row in csv.DictReader(done.stdout.splitlines())}
    tap.equal(names, {*PLAIN.values(), "caller"}, "export: so they have")
    done = run(TOOL, "export", "-f", "speedscope", DATA)
    names = {frame["name"] for frame in json.loads(done.stdout)["shared"]["frames"]}
    tap.ok(names >= set(PLAIN.values()), "in speedscope's format as well", names)


def inlined(weights):
    """Compare with addr2line."""
    expected, plain = collections.Counter(), 0
    for place, weight in weights.items():
        functions = [name for name, _ in addr2line(place)]
        if functions[-1] != "caller":
            continue
        stack = ["main", "caller", *(f"{name} (inlined)" for name in functions[-2::-1])]
        expected[";".join(stack)] += weight
        plain += weight
    tap.ok({"main;caller;deeper (inlined);deepest (inlined)", "main;caller;deeper (inlined)",
            "main;caller"} == set(expected), "the compiler has inlined, to two levels", expected)
    of_flame = folded("flamegraph", "--folded")
    tap.equal({stack: of_flame[stack] for stack in of_flame if "caller" in stack}, dict(expected),
              "flamegraph: inlined functions stand on those that they are in, as addr2line has them")
    of_export = folded("export", "-f", "folded")
    tap.equal({stack: of_export[stack] for stack in of_export if "caller" in stack},
              {stack.replace(" ", "_"): weight for stack, weight in expected.items()},
              "export: so they do")
    for words in (("flamegraph", "--folded"), ("export", "-f", "folded")):
        tap.equal(folded(*words, "--no-inline")["main;caller"], plain,
                  f"{words[0]} --no-inline: they belong to the function that contains their code")
    in_ctf(expected)
    on_page(expected)


def in_ctf(expected):
    claim = "ctf: each sample's stack by name"
    if not shutil.which("babeltrace2"):
        tap.skip(claim, "no babeltrace2")
        return
    run(TOOL, "export", "-f", "ctf", "-o", HERE / "ctf", DATA)
    found = collections.Counter()
    for period, stack in re.findall(r"period = (\d+), .* stack = \"(.*?)\" }", run("babeltrace2", HERE / "ctf").stdout):
        found[stack] += int(period)
    tap.equal({stack: found[stack] for stack in found if "caller" in stack}, dict(expected), claim)


def functions_on_page(*options):
    page = run(TOOL, "report", "--html", *options, DATA).stdout
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page, re.S)[1])
    return {name for name, *_ in facts["functions"]}


def on_page(expected):
    names = {name for stack in expected for name in stack.split(";")}
    tap.ok(functions_on_page() >= names and functions_on_page("--no-inline") & names == {"main", "caller"},
           "the page has them, unless --no-inline says otherwise", functions_on_page())


def annotated(weights, symbols):
    """Compare with objdump's instructions, addr2line's lines, and perf annotate."""
    text = run(TOOL, "annotate", "-i", DATA, "caller").stdout
    places = instructions(symbols, "caller")
    total = sum(weights[place] for place in places)
    rows = [(float(share), int(address, 16)) for share, address in
            re.findall(r"^ +([\d.]+) : +([0-9a-f]+):  ", text, re.M)]
    tap.equal(rows, [(round(100 * weights[place] / total, 2), place - LINKED + ADDRESS)
                     for place in places], "annotate: every instruction with its share")
    source = SOURCE.splitlines()
    wanted = {addr2line(place)[0][1] for place in places}
    tap.ok(all(f"t.c:{line}\n{'':9} : {source[line - 1]}".replace("\t", " ") in text for line in wanted),
           "and the source's lines between", text)
    perf = run("perf", "annotate", "--stdio", "-i", DATA, "-s", "caller").stdout
    theirs = re.findall(r"^ +([\d.]+) [:|] +(?:[0-9a-f]+:|\w+ )", perf, re.M)
    tap.equal([f"{share:.2f}" for share, _ in rows], theirs, "as perf annotate has them")
    hot = re.findall(r"^ +: (.*)\(\):$", run(TOOL, "annotate", "-i", DATA).stdout, re.M)
    tap.ok(hot[0] == "caller" and set(hot) == {"caller", *PLAIN.values()},
           "without a name: every function with samples, the hottest first", hot)
    tap.equal(re.findall(r"^ +: (.*)\(\):$", run(TOOL, "annotate", "-i", DATA, "--percent-limit", "50").stdout,
                         re.M), ["caller"], "down to --percent-limit")
    tap.equal(run(TOOL, "report", "--stdio", "--annotate", DATA).stdout,
              run(TOOL, "report", DATA).stdout + run(TOOL, "annotate", "-i", DATA).stdout,
              "report --annotate: the same below its lines")
    done = run(TOOL, "report", "--html", "--annotate", DATA)
    tap.ok(done.returncode == 2 and "the page contains it" in done.stderr, "and not on the page", done)
    done = run(TOOL, "annotate", "-i", DATA, "nothing")
    tap.ok(done.returncode == 1 and "no samples in nothing" in done.stderr, "one without samples is an "
           "error", done.stderr)
    later = (HERE / "image").stat().st_mtime + 10
    os.utime(HERE / "t.c", (later, later))
    text = run(TOOL, "annotate", "-i", DATA, "caller").stdout
    tap.ok("t.c:" in text and "x + *p" not in text, "of a source that is newer the lines' numbers", text)


def lines(weights):
    expected = collections.Counter()
    for place, weight in weights.items():
        expected[f"t.c:{addr2line(place)[0][1]}"] += weight
    text = run(TOOL, "report", "--sort", "srcline", "-t", "|", DATA).stdout
    total = sum(weights.values())
    tap.equal({line.split("|")[1]: line.split("|")[0] for line in text.splitlines() if "|" in line},
              {line: f"{100 * weight / total:.2f}%" for line, weight in expected.items()},
              "report --sort srcline: lines as addr2line has them")
    tap.ok("Source:Line" in run(TOOL, "report", "--sort", "sym,srcline", DATA).stdout,
           "under perf's head")
    bare = perf_file.PerfFile()
    bare.image("/nowhere/gone", ADDRESS, 0x10000, 0x1000)
    bare.sample(ADDRESS + 0x234, 1000)
    bare.write(HERE / "bare.data")
    text = run(TOOL, "report", "--sort", "srcline", "-t", "|", HERE / "bare.data").stdout
    tap.ok("100.00%|gone[1234]\n" in text, "without a known name, the offset in the file", text)


SYMBOLS = build()
WEIGHTS = record(SYMBOLS)
mangled()
inlined(WEIGHTS)
lines(WEIGHTS)
annotated(WEIGHTS, SYMBOLS)
tap.finish()
