#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf export`: each format, read by the tool that it is made for, has the same sums as stock
perf's report of the same recording.

check-spare: files are read
"""

import collections
import csv
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import browser as browsers
import fake_run
import perf_file
import speedscope
import tap

TOOL = fake_run.TOOL
SOURCE = """
int leaf(volatile int *p) { for (int i = 0; i < 9; i++) *p += i; return *p; }
int other(volatile int *p) { return *p * 3; }
int middle(volatile int *p) { return leaf(p) + other(p); }
int main(void) { int x = 0; return middle(&x); }
"""
UNKNOWN = "[unknown]"
HOSTILE = 'a "b", c;\n d'
EVENTS = (("cycles", perf_file.HARDWARE, 0), ("cpu-clock", perf_file.SOFTWARE, 0))
ADDRESS, START, SAMPLES = 0x40000000, 5_000_000_123, 3000
directory = tempfile.TemporaryDirectory(prefix="bareperf-export-")
HERE = pathlib.Path(directory.name)
DATA = HERE / "perf.data"


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=300, check=False, cwd=HERE, errors="replace", **more)


def make():
    """Samples of two events on two CPUs, in known functions and outside."""
    (HERE / "t.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-no-pie", "-o",
                    HERE / "image", HERE / "t.c"], check=True)
    places = dict(line.split()[::2][::-1] for line in run("nm", HERE / "image").stdout.splitlines()
                  if len(line.split()) == 3)
    at = {name: ADDRESS + int(value, 16) - 0x400000 for name, value in places.items()}
    file = perf_file.PerfFile(EVENTS, cpus=2)
    file.image(HERE / "image", ADDRESS, 0x10000, 0)
    file.command("test", 1)
    file.command(HOSTILE, 2)
    chance = random.Random(1)
    samples, times = [], [START, START]
    for i in range(SAMPLES):
        cpu, event = i % 2, i // 2 % 2
        name = chance.choice(("leaf", "leaf", "other", None))
        ip = at[name] + chance.choice((0, 2)) if name else 0x1000
        period = chance.randint(900, 1100)
        chain = [at["middle"] + 6, at["main"] + 6] if name else []
        file.sample(ip, times[cpu], cpu, period, chain, event=event)
        samples.append((times[cpu], cpu, EVENTS[event][0], period, ip, name))
        times[cpu] += chance.randint(400_000, 600_000)
    file.write(DATA)
    return samples


def sums(rows):
    """{(event, function): (samples, periods)} from (event, function, period)"""
    found = collections.defaultdict(lambda: (0, 0))
    for event, function, period in rows:
        count, weight = found[event, function]
        found[event, function] = (count + 1, weight + period)
    return dict(found)


def of_perf():
    """The same from stock perf, by the index of the event, because perf names events
    differently."""
    done = run("perf", "script", "-i", DATA, "-F", "event,period,ip,sym", "-G")
    rows = []
    for line in done.stdout.splitlines():
        period, event, _, symbol = line.split()
        rows.append((event.split(":")[0], symbol if symbol != UNKNOWN else None, int(period)))
    return sums(rows)


def export(form, out=None, *options):
    out = out or HERE / f"out.{form}"
    shutil.rmtree(out, ignore_errors=True)
    done = run(TOOL, "export", "--format", form, "-o", out, *options, DATA)
    if done.returncode:
        tap.note(done.stderr)
    return out


def as_csv(samples):
    with open(export("csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tap.equal(sums((row["event"], row["symbol"] or None, int(row["period"])) for row in rows),
              of_perf(), "csv: events, functions and periods are stock perf's")
    tap.equal([(int(row["time_ns"]), int(row["cpu"]), row["event"], int(row["period"]),
                int(row["ip"], 16)) for row in rows], [sample[:5] for sample in samples],
              "csv: every sample is there, in its order, to the nanosecond")
    tap.equal({row["comm"] for row in rows}, {"test", HOSTILE},
              "csv: quotes, commas and line ends in a name are the name's")


def as_folded():
    lines = export("folded", None, "-e", "cycles").read_text().splitlines()
    found = collections.Counter()
    for line in lines:
        stack, weight = line.rsplit(" ", 1)
        found[stack.split(";")[-1]] += int(weight)
    tap.equal(dict(found), {function or UNKNOWN: total for (event, function), (_, total) in
                            of_perf().items() if event == "cycles"},
              "folded: the last frames' weights are stock perf's periods")
    tap.ok(any(line.startswith("main;middle;leaf ") for line in lines),
           "folded: stacks stand with the outermost first", lines)


def as_speedscope(samples):
    file = json.loads(export("speedscope").read_text())
    names = [frame["name"] for frame in file["shared"]["frames"]]
    rows = [(profile["name"].split(",")[0], names[stack[-1]], weight) for profile in
            file["profiles"] for stack, weight in zip(profile["samples"], profile["weights"])]
    tap.equal({(event, None if function == UNKNOWN else function): total for
               (event, function), total in sums(rows).items()}, of_perf(),
              "speedscope: functions and weights are stock perf's")
    tap.ok(len(file["profiles"]) == 4 and
           all(profile["endValue"] == sum(profile["weights"]) and
               len(profile["samples"]) == len(profile["weights"]) for profile in file["profiles"]),
           "speedscope: a profile for each event and CPU, as long as its weights")
    second = next(p for p in file["profiles"] if p["name"] == "cpu-clock, CPU 1")
    tap.equal((second["unit"], second["weights"]),
              ("nanoseconds", [s[3] for s in samples if s[1:3] == (1, "cpu-clock")]),
              "speedscope: a CPU's samples stand in their order, the clock's in nanoseconds")


def as_pprof():
    claims = ("pprof: flat sums are stock perf's", "pprof: callers include their callees",
              "pprof: a place has its address and its file")
    if not shutil.which("go"):
        for claim in claims:
            tap.skip(claim, "no go (golang-go)")
        return
    out, wanted = export("pprof"), of_perf()
    environment = {**os.environ, "HOME": str(HERE), "GOFLAGS": "-mod=mod"}
    flat, cumulative = {}, {}
    for event in ("cycles", "cpu-clock"):
        for index in (event, f"{event} samples"):
            text = run("go", "tool", "pprof", "-top", "-unit=ns" if index == "cpu-clock" else
                       "-unit=count", "-nodecount=100", "-nodefraction=0",
                       f"-sample_index={index}", out, env=environment).stdout
            for number, whole, name in re.findall(
                    r"^ *(\d+)\w* +\S+ +\S+ +(\d+)\w* +\S+ +(\S+)", text, re.MULTILINE):
                flat[index, name], cumulative[index, name] = int(number), int(whole)
    tap.equal({key: value for key, value in flat.items() if value},
              {(event + tail, function or UNKNOWN): total[which] for (event, function), total in
               wanted.items() for tail, which in (("", 1), (" samples", 0))}, claims[0])
    named = sum(total for (event, function), (_, total) in wanted.items()
                if function and event == "cycles")
    tap.equal((cumulative.get(("cycles", "main")), cumulative.get(("cycles", "middle"))),
              (named, named), claims[1])
    raw = run("go", "tool", "pprof", "-raw", out, env=environment).stdout
    tap.ok(re.search(r"\d+: 0x40001\w+ M=1 leaf image", raw) and
           re.search(r"^1: 0x0/0x0/0x0 image +\[FN\]$", raw, re.MULTILINE), claims[2], raw)


def as_callgrind():
    claims = ("callgrind: self costs are stock perf's",
              "callgrind: a callee's cost is in its caller's")
    if not shutil.which("callgrind_annotate"):
        for claim in claims:
            tap.skip(claim, "no callgrind_annotate (valgrind)")
        return
    out = export("callgrind")

    def annotated(*options):
        text = run("callgrind_annotate", "--threshold=100", "--show=cycles,cpu-clock", *options,
                   out).stdout
        return {name: (int(a.replace(",", "")), int(b.replace(",", ""))) for a, b, name in
                re.findall(r"^ *([\d,.]+) \([ .\d%]*\) +([\d,.]+) \([ .\d%]*\) +\?\?\?:(\S+)", text,
                           re.MULTILINE)}

    wanted = of_perf()
    tap.equal(annotated(), {function or UNKNOWN: tuple(
        wanted[event, function][1] for event in ("cycles", "cpu-clock")) for function in
        ("leaf", "other", None)}, claims[0])
    named = tuple(sum(wanted[event, function][1] for function in ("leaf", "other"))
                  for event in ("cycles", "cpu-clock"))
    whole = annotated("--inclusive=yes")
    tap.equal((whole.get("main"), whole.get("middle")), (named, named), claims[1])


def as_ctf(samples):
    claim = "ctf: babeltrace2 reads every sample, each CPU's and each event's, to the nanosecond"
    if not shutil.which("babeltrace2"):
        tap.skip(claim, "no babeltrace2")
        return
    done = run("babeltrace2", "--clock-cycles", export("ctf"))
    rows = re.findall(r"^\[0*(\d+)\] .*?(\S+): { cpu_id = (\d+) }, { pid = \d+, tid = \d+, "
                      r"comm = \"(.*?)\", period = (\d+), ip = 0x(\w+), .*?symbol = \"(\S*)\", "
                      r"depth = (\d+)", done.stdout,
                      re.MULTILINE)
    tap.equal(sorted((int(time), int(cpu), event, int(period), int(ip, 16), None if symbol == UNKNOWN else symbol)
                     for time, event, cpu, _, period, ip, symbol, _ in rows),
              sorted(samples, key=lambda s: (*s[:5], s[5] or "")), claim)
    tap.equal({depth for *_, symbol, depth in rows if symbol != UNKNOWN}, {"3"},
              "ctf: with their callchains")


def as_firefox(samples):
    file = json.loads(export("firefox").read_text())
    rows, good = [], True
    for thread in file["threads"]:
        for name in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable", "markers"):
            table = thread[name]
            good &= {len(column) for column in table.values() if isinstance(column, list)} == \
                {table["length"]}
        stacks, strings = thread["stackTable"], thread["stringArray"]
        good &= all(prefix is None or prefix < i for i, prefix in enumerate(stacks["prefix"]))
        functions = [strings[thread["funcTable"]["name"][thread["frameTable"]["func"][frame]]]
                     for frame in stacks["frame"]]
        event = thread["name"].split(",")[0]
        scale = 10**6 if thread["samples"]["weightType"] == "tracing-ms" else 1
        rows += [(event, None if functions[stack] == UNKNOWN else functions[stack],
                  round(weight * scale))
                 for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"])]
    tap.equal(sums(rows), of_perf(), "firefox: functions and weights are stock perf's")
    tap.ok(good and len(file["threads"]) == 4 and file["meta"]["preprocessedProfileVersion"] == 54,
           "firefox: a thread for each event and CPU, whose tables fit together")
    last = next(t for t in file["threads"] if t["name"] == "cycles, CPU 1")
    times, now = [], 0
    for delta in last["samples"]["timeDeltas"]:
        now += round(delta * 10**6)
        times.append(now)
    tap.equal(times, [s[0] for s in samples if s[1:3] == (1, "cycles")],
              "firefox: times are there to the nanosecond")
    tap.equal(len([i for i, prefix in enumerate(last["stackTable"]["prefix"]) if prefix is None]), 2,
              "firefox: stacks begin with main() and with unknown code")


def slices(samples):
    """{(event, function): us of its slices without the slices of its callees}, by the rule in the
    manual."""
    found, until = collections.Counter(), {}
    for time, cpu, event, period, _, name in samples:
        key = event, cpu
        start = time - period if event == "cpu-clock" else until.get(key, time)
        start = max(start, until.get(key, 0))
        found[event, name] += max(time - start, 0)
        until[key] = max(time, start)
    return found


def in_speedscope(samples):
    """speedscope's importer reads the other tools' formats as well."""
    claim = "speedscope imports %s: functions and weights are stock perf's"
    forms = ("speedscope", "folded", "pprof", "callgrind", "chrome")
    if speedscope.missing():
        for form in forms:
            tap.skip(claim % form, speedscope.missing())
        return
    wanted = collections.Counter()
    for (event, function), (_, total) in of_perf().items():
        wanted[event, function or UNKNOWN] += total
    cycles = {name: total for (event, name), total in wanted.items() if event == "cycles"}
    with browsers.Browser() as page:
        for form in forms:
            found = collections.Counter()
            alone = ("-e", "cycles") if form in ("folded", "pprof", "callgrind") else ()
            for (profile, name), total in speedscope.imported(
                    page, export(form, None, *alone)).items():
                event = re.match(r"[\w-]*", profile).group() if not alone else "cycles"
                if total:
                    found[event, name] += total
            expected = wanted if not alone else {("cycles", name): total
                                                 for name, total in cycles.items()}
            if form == "chrome":
                expected = {(event, name or UNKNOWN): total for (event, name), total in
                            slices(samples).items()}
                found = {key: round(1000 * total) for key, total in found.items()}
            tap.equal({key: round(total) for key, total in found.items()}, dict(expected),
                      claim % form if form != "chrome" else
                      "speedscope imports chrome: every slice is as long as its samples say")


def in_chrome(samples):
    """The reader of Chrome's own performance panel, which replaced chrome://tracing."""
    claims = ("chrome's own reader: every slice is as long as its samples say",
              "chrome's own reader: a process for each event, a thread for each CPU")
    engine = speedscope.npm("trace_engine") / "@paulirish/trace_engine/models/trace/trace.js"
    if not speedscope.node() or not engine.exists():
        for claim in claims:
            tap.skip(claim, "not to be had: trace_engine, by npm (make deps)")
        return
    done = run(speedscope.node(), pathlib.Path(__file__).with_name("trace_engine.js"), engine, export("chrome"))
    threads = json.loads(done.stdout or "[]")
    found = collections.Counter()
    for event, _, times in threads:
        for name, total in times.items():
            found[event, name] += total if total is not None else float("nan")
    tap.equal({key: round(1000 * total) for key, total in found.items() if total},
              {(event, name or UNKNOWN): total for (event, name), total in slices(samples).items()},
              claims[0])
    tap.equal(sorted(thread[:2] for thread in threads),
              sorted([event, f"CPU {cpu}"] for event, _, _ in EVENTS for cpu in (0, 1)), claims[1])


def marks_for_chrome():
    """Regions and moments that nest, with regions of another CPU at overlapping times."""
    file = perf_file.PerfFile((("marks", perf_file.SOFTWARE, perf_file.BPF_OUTPUT),), cpus=2)
    for time, cpu, text in ((1000, 0, "begin outer"), (2000, 1, "begin outer"), (3000, 0, "begin inner"),
                            (4001, 0, "moment"), (5000, 1, "end outer"), (6500, 0, "end inner"),
                            (8000, 0, "end outer"), (9000, 1, "begin open"), (9250, 0, "end nothing")):
        file.mark(text, time, cpu)
    file.write(HERE / "marks.data")
    done = run(TOOL, "export", "-f", "chrome", HERE / "marks.data")
    events = [event for event in json.loads(done.stdout)["traceEvents"] if event["ph"] != "M"]
    tap.equal(sorted((event["tid"], event["ts"], event["ph"], event["name"], event.get("dur"))
                     for event in events),
              [(0, 1.0, "X", "outer", 7.0), (0, 3.0, "X", "inner", 3.5), (0, 4.001, "i", "moment", None),
               (0, 9.25, "i", "nothing", None), (1, 2.0, "X", "outer", 3.0), (1, 9.0, "X", "open", 0.25)],
              "chrome: a region is a complete event, of its CPU")


def control_characters():
    """No text contains characters that control a terminal: ASCII's, DEL, and C1, as UTF-8 and as
    bytes."""
    hostile = "a\x7fb\x1b[2Jc\td\u009b31me\u009d0;f\u009cgé"
    shutil.copy(HERE / "image", HERE / hostile)
    file = perf_file.PerfFile(((hostile, perf_file.HARDWARE, 0),
                               ("marks", perf_file.SOFTWARE, perf_file.BPF_OUTPUT)))
    file.image(HERE / hostile, ADDRESS, 0x10000, 0)
    file.command(hostile)
    main = int(next(line for line in run("nm", HERE / "image").stdout.splitlines()
                    if line.endswith(" main")).split()[0], 16)
    for i, place in enumerate((main - 0x400000, main - 0x400000, 16)):
        file.sample(ADDRESS + place, 1000 + i)
    file.mark("mark " + hostile, 2000, event=1)
    file.write(HERE / "hostile.data")
    for words in (("report",), ("report", "--sort", "comm,dso,cpu", "-t", "|"), ("report", "--modules"),
                  ("annotate", "-i"), ("diff", HERE / "hostile.data"), ("dump",), ("export", "-f", "folded"),
                  ("export", "-f", "callgrind"), ("export", "-f", "csv"), ("export", "-f", "speedscope"),
                  ("export", "-f", "firefox"), ("export", "-f", "chrome"), ("flamegraph",),
                  ("flamegraph", "--folded"), ("report", "--html"),
                  ("export", "-f", "ctf", "-o", HERE / "hostile.ctf")):
        done = run(TOOL, *words, HERE / "hostile.data")
        text = done.stdout + done.stderr
        if "ctf" in words:
            text = (HERE / "hostile.ctf/metadata").read_text()
        found = set(re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text))
        tap.ok(len(text) > 16 and "b" in text and not found,
               f"{' '.join(word for word in words if isinstance(word, str))}: control characters are not printed",
               (found, text[:2000]))
    done = run(TOOL, "report", "--symbols", HERE / "no\u009bwhere", HERE / "no\u009b31m.data")
    tap.ok(done.returncode == 1 and "no?31m.data" in done.stderr, "nor are they in errors", done.stderr)


def formulas():
    """A spreadsheet does not read a name as a formula."""
    names = ("=1+1", "+1", "-1", "@SUM(1)", '=HYPERLINK("a","b")', "a=b", "\t=1")
    file = perf_file.PerfFile(tuple((name, perf_file.HARDWARE, i) for i, name in enumerate(names)))
    for i in range(len(names)):
        file.sample(16, 1000 + i, event=i)
    file.write(HERE / "formulas.data")
    rows = csv.DictReader(run(TOOL, "export", "-f", "csv", HERE / "formulas.data").stdout.splitlines())
    tap.equal([row["event"] for row in rows], [name if name == "a=b" else "'" + name for name in names],
              "csv: cells that begin as a formula are text behind an apostrophe")


def in_firefox_profiler():
    """The Firefox Profiler's own code for a terminal: a process that loads the profile answers
    questions."""
    claim = "the Firefox Profiler: functions and weights are stock perf's"
    script = speedscope.npm("profiler_cli") / "@firefox-devtools/profiler-cli/dist/profiler-cli.js"
    if not speedscope.node() or not script.exists():
        tap.skip(claim, "not to be had: profiler-cli, by npm (make deps)")
        return

    def ask(*words):
        return subprocess.run([speedscope.node(), script, *words], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "HOME": str(HERE)}).stdout

    found = collections.Counter()
    said = ask("load", export("firefox"))
    for i in range(4):
        table = json.loads(ask("thread", "functions", "--thread", f"t-{i}", "--include-idle",
                               "--limit", "0", "--json") or "{}")
        scale = 10**6 if table.get("weightType") == "tracing-ms" else 1
        event = table.get("friendlyThreadName", said).split(",")[0]
        for row in table.get("functions", ()):
            found[event, row["name"]] += round(row["selfSamples"] * scale)
    ask("stop", "--all")
    tap.equal({key: total for key, total in found.items() if total},
              {(event, name or UNKNOWN): total for (event, name), (_, total) in of_perf().items()},
              claim)


def refusals():
    def refused(claim, text, *words, status=1):
        done = run(TOOL, "export", *words)
        tap.ok(done.returncode == status and text in done.stderr, claim,
               (done.returncode, done.stderr))

    refused("a format is named", "--format FORMAT: which?", DATA, status=2)
    refused("one that there is not is refused", "--format svg: there is no such format", "-f", "svg",
            DATA, status=2)
    refused("a folder needs a name", "ctf is a folder: which? (-o)", "-f", "ctf", DATA, status=2)
    refused("a folder that is there is another's", "creating the folder", "-f", "ctf", "-o", HERE,
            DATA)
    refused("the recording is not written over", "is the recording itself", "-f", "csv", "-o", DATA,
            DATA)
    refused("an event that is not there is reported", "has no event bogus with samples", "-f", "csv",
            "-e", "bogus", DATA)
    for form in ("csv", "folded", "speedscope", "firefox", "chrome", "pprof", "callgrind"):
        refused(f"{form}: a full disk is reported", "/dev/full" if form != "pprof" else "disk full",
                "-f", form, "-o", "/dev/full", DATA)
    cut = HERE / "cut.data"
    cut.write_bytes(DATA.read_bytes()[:-60000])
    done = run(TOOL, "export", "-f", "csv", cut)
    tap.ok(done.returncode == 1 and len(done.stdout.splitlines()) > 1000 and
           str(cut) in done.stderr, "of a file that is cut off, the rest is exported; exit status 1",
           done.stderr)
    listed = run(TOOL, "export", "--help").stdout
    tap.ok(all(form in listed for form in ("csv", "folded", "speedscope", "firefox", "chrome", "pprof",
                                           "callgrind", "ctf", "lcov")), "--help lists the formats",
           listed)


SEEN = make()
as_csv(SEEN)
as_folded()
as_speedscope(SEEN)
as_firefox(SEEN)
in_firefox_profiler()
as_pprof()
as_callgrind()
as_ctf(SEEN)
in_speedscope(SEEN)
in_chrome(SEEN)
marks_for_chrome()
control_characters()
formulas()
refusals()
tap.finish()
