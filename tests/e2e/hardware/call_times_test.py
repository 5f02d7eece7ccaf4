#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The calls of a branch trace over time, in Chrome's format, in the Firefox Profiler's, and on the HTML page. Each
call is a slice within its caller's slice. Times between two stamps of the trace are interpolated by
instructions. Tested with made-up traces of known times and instructions, and with the formats' own
readers."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import browser as browsers
import fake_run
import made_trace
import speedscope
import tap

WORK = tempfile.TemporaryDirectory(prefix="bareperf-call-times-")
HERE = pathlib.Path(WORK.name)
MADE = made_trace.Made(HERE)
NOTE = "calls; times between the trace's time stamps are interpolated by instructions"
# The last branch of a piece is processed when the next branch is known, so its instructions belong
# to the next piece: 3 instructions before the first stamp, 9 between both: 4 in work, 2 in leaf, 1
# for work's return, 2 in main.
PIECES = (("outside>_start _start>main main+1>work here+1>leaf", 0, 1000),
          ("lret>wback wback>back back+1>after after>outside", 0, 9000))


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300,
                          check=False, **more)


def export(form, file):
    out = file.with_suffix(f".{form}")
    done = run(fake_run.TOOL, "export", "-f", form, "-o", out, file)
    tap.ok(done.returncode == 0, f"{form}: {file.name} is exported", done.stderr)
    return out


def slices(out):
    """(name, begin, end) in ns, in the order of the begins."""
    events = json.loads(out.read_text())["traceEvents"]
    return sorted(((event["name"], round(1000 * event["ts"], 3), round(1000 * (event["ts"] + event["dur"]), 3))
                   for event in events if event["ph"] == "X"), key=lambda one: (one[1], -one[2]))


def in_chrome_format():
    file = MADE.file(*PIECES, name="whole.data")
    out = export("chrome", file)
    found = slices(out)
    names = [name for name, _, _ in found]
    tap.equal(names, ["_start", "main", "work", "leaf"], "chrome: each call is a slice, the callers first")
    tap.ok(all(outer[1] < inner[1] and inner[2] <= outer[2] for outer, inner in zip(found, found[1:])),
           "chrome: a call lies within its caller's", found)
    events = json.loads(out.read_text())["traceEvents"]
    told = [event["args"]["name"] for event in events if event["ph"] == "M"]
    tap.equal(told, [NOTE, "CPU 0"], "chrome: the process says that times are interpolated")
    tap.ok(not [event for event in events if event["ph"] == "i"], "chrome: the trace's end is no gap")
    return out, found


def interpolated(found):
    times = {name: (begin, end) for name, begin, end in found}
    step = (9000 - 1000) / 9
    tap.ok(abs(times["leaf"][0] - (1000 + 4 * step)) < 0.01 and
           abs(times["leaf"][1] - (1000 + 6 * step)) < 0.01,
           "between two stamps, each instruction takes the same time", (times, step))
    tap.ok(times["_start"][0] < times["main"][0] < 1000 and times["_start"][1] <= 9000,
           "without a ledger, instructions before the first stamp take 1 ns each", times)


    found = slices(export("chrome", MADE.file((made_trace.CALLS, 0, 0), name="timeless.data")))
    tap.equal(found[1:], [("main", 1, 12), ("work", 3, 10), ("leaf", 7, 9)],
              "without any stamp, each instruction takes 1 ns")


def gaps():
    file = MADE.file((PIECES[0][0], made_trace.TRUNCATED, 1000), (PIECES[1][0], 0, 9000), name="gap.data")
    out = export("chrome", file)
    events = json.loads(out.read_text())["traceEvents"]
    tap.equal([(event["name"], event["ts"]) for event in events if event["ph"] == "i"],
              [("gap in the trace", 1.0)], "chrome: a gap of the trace is an instant")
    tap.ok(all(end <= 1000 or begin >= 1000 for _, begin, end in slices(out)),
           "chrome: no call lasts over a gap", slices(out))


def in_chromes_reader(out, found):
    claim = "chrome's own reader: each call has the time of its own instructions"
    engine = speedscope.npm("trace_engine") / "@paulirish/trace_engine/models/trace/trace.js"
    if not speedscope.node() or not engine.exists():
        tap.skip(claim, "not to be had: trace_engine, by npm (make deps)")
        return
    done = run(speedscope.node(), pathlib.Path(__file__).parents[1] / "report/trace_engine.js", engine, out)
    threads = json.loads(done.stdout or "[]")
    own, inner = {}, None
    for name, begin, end in reversed(found):
        own[name] = end - begin - (inner[1] - inner[0] if inner else 0)
        inner = begin, end
    tap.ok(len(threads) == 1 and threads[0][:2] == [NOTE, "CPU 0"] and
           all(abs(1000 * threads[0][2][name] - time) < 0.01 for name, time in own.items()), claim,
           (threads, own, done.stderr))


CHART = "charts[0].calls.map((one) => [one.name, one.depth, one.from, one.to, one.left, one.right])"


def on_the_page(found):
    page = HERE / "whole.html"
    done = run(fake_run.TOOL, "report", "--html", "-o", page, HERE / "whole.data")
    tap.ok(done.returncode == 0, "page: it is made", done.stderr)
    with browsers.Browser() as browser:
        browser.open(page)
        browser.wait("charts[0]?.calls.length === 4")
        start = int(browser.value("String(recording.start)"))
        drawn = browser.value(CHART)
        tap.equal(sorted([name, depth, start + begin, start + end] for name, depth, begin, end, _, _ in drawn),
                  sorted([name, depth, int(begin), int(end)] for depth, (name, begin, end) in enumerate(found)),
                  "page: each call has its time, below its caller")
        lefts = {name: (left, right) for name, _, _, _, left, right in drawn}
        tap.ok(all(lefts[outer][0] <= lefts[inner][0] < lefts[inner][1] <= lefts[outer][1]
                   for outer, inner in zip(("_start", "main", "work"), ("main", "work", "leaf"))),
               "page: and is drawn within its caller's place", lefts)
        note = browser.value("document.getElementById('calls-note').textContent")
        tap.ok(NOTE.removeprefix("calls; ") in note and not browser.value("document.getElementById('calls').hidden"),
               "page: it says that times are interpolated", note)
        left, right = lefts["leaf"]
        told = browser.value(f"callAt(charts[0], {(left + right) / 2}, 3 * CALL_HEIGHT + 5)")
        tap.ok(told.startswith("leaf: "), "page: a call under the pointer has its name and time", told)
        frames = browser.value("[...document.querySelectorAll('.frame')].map((one) => one.frame.name)")
        tap.ok({"_start", "main", "work", "leaf"} <= set(frames), "page: the flame graph has the calls, too", frames)
        run(fake_run.TOOL, "report", "--html", "-o", page, MADE.file(
            (PIECES[0][0], made_trace.TRUNCATED, 1000), (PIECES[1][0], 0, 9000), name="gap.data"))
        browser.open(page)
        browser.wait("charts[0]?.calls.length > 0")
        start = int(browser.value("String(recording.start)"))
        over = [one for one in browser.value(CHART) if start + one[2] < 1000 < start + one[3]]
        tap.equal(over, [], "page: no call lasts over a gap")


def in_firefox_format(found):
    out = export("firefox", HERE / "whole.data")
    thread = json.loads(out.read_text())["threads"][0]
    names = [thread["stringArray"][name] for name in thread["funcTable"]["name"]]
    stacks = []
    for i in range(thread["stackTable"]["length"]):
        prefix = thread["stackTable"]["prefix"][i]
        stacks.append((stacks[prefix] if prefix is not None else []) + [names[thread["stackTable"]["frame"][i]]])
    seen = [stacks[stack] for stack in thread["samples"]["stack"]]
    chain = ["_start", "main", "work", "leaf"]
    tap.equal(seen, [chain[:n] for n in (1, 2, 3, 4, 3, 2)], "firefox: a sample for each change of the stack")
    times = [0.0]
    for delta in thread["samples"]["timeDeltas"]:
        times.append(times[-1] + delta)
    leaf = next((begin, end) for name, begin, end in found if name == "leaf")
    tap.ok(abs(1e6 * times[4] - leaf[0]) < 2 and abs(1e6 * thread["samples"]["weight"][3] -
                                                     (leaf[1] - leaf[0])) < 2,
           "firefox: with its time, and its length as weight", (times, leaf))
    tap.ok(thread["name"].startswith(NOTE), "firefox: the thread says that times are interpolated", thread["name"])
    in_firefox_profiler(out, found)


def in_firefox_profiler(out, found):
    claim = "the Firefox Profiler: each function has the time of its own instructions"
    script = speedscope.npm("profiler_cli") / "@firefox-devtools/profiler-cli/dist/profiler-cli.js"
    if not speedscope.node() or not script.exists():
        tap.skip(claim, "not to be had: profiler-cli, by npm (make deps)")
        return

    def ask(*words):
        return run(speedscope.node(), script, *words, stdin=subprocess.DEVNULL,
                   env={**os.environ, "HOME": str(HERE)}).stdout

    ask("load", out)
    table = json.loads(ask("thread", "functions", "--thread", "t-0", "--include-idle", "--limit", "0", "--json")
                       or "{}")
    ask("stop", "--all")
    own = {row["name"]: row["selfSamples"] * 1e6 for row in table.get("functions", ())}
    leaf = next(end - begin for name, begin, end in found if name == "leaf")
    tap.ok(set(own) == {"_start", "main", "work", "leaf"} and abs(own["leaf"] - leaf) < 2, claim, (own, table))


def main():
    out, found = in_chrome_format()
    interpolated(found)
    gaps()
    in_chromes_reader(out, found)
    on_the_page(found)
    in_firefox_format(found)


main()
tap.finish()
