#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf report --calls`: the calls of a branch trace and their instructions agree with
callgrind (valgrind) and gcov for the same machine code: recursion, tail calls, longjmp(), C++
exceptions. Made-up traces add interrupts, gaps, and a trace that begins and ends within functions.

check-spare: machines count instructions
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import made_trace
import perf_file
import tap

SOURCE = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define SEEN __attribute__((noipa))
static long room[64]; /* a jmp_buf of newlib or of glibc */
#define out (*(jmp_buf *)room)
volatile int sink;
int even(int n);

SEEN int leaf(int x)
{
	int sum = 0;

	for (int i = 0; i < x; i++)
		sum += i * x;
	return sum;
}

SEEN int tail(int x)
{
	sink++;
	return leaf(x + 1);
}

SEEN int depth(int n)
{
	return n ? depth(n - 1) + leaf(n) : 0;
}

SEEN void deep(int n)
{
	if (!n)
		longjmp(out, 1);
	deep(n - 1);
	sink++;
}

SEEN int tries(int n)
{
	if (setjmp(out))
		return leaf(3);
	deep(n);
	return 0;
}

SEEN int odd(int n)
{
	sink++;
	return n ? even(n - 1) : 0;
}

SEEN int even(int n)
{
	sink--;
	return n ? odd(n - 1) : 1;
}

SEEN int rare(int n)
{
	if (__builtin_expect(n % 10 == 7, 0)) {
		sink += leaf(n);
		sink ^= n;
	}
	return n + sink;
}

SEEN int work(int n)
{
	return rare(n) + leaf(2);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 5; i++)
		sum += tail(i);
	sum += depth(7);
	for (int i = 0; i < 3; i++)
		sum += tries(10 + i);
	sum += even(20);
	for (int i = 0; i < 30; i++)
		sum += work(i);
	printf("%d\n", sum);
	return 0;
}
"""
# The functions whose instructions, with and without callees, are the same on both sides.
OURS = ("leaf", "tail", "depth", "even", "odd", "rare", "work")
BY_LONGJMP = ("deep", "tries")
THROWS = r"""
#include <cstdio>
#define SEEN __attribute__((noipa))
volatile int sink;

SEEN int leaf(int x) { sink += x; return x * sink; }
SEEN int thrower(int n) { if (n % 3 == 0) throw n; return leaf(n); }
SEEN int between(int n) { int r = thrower(n); sink++; return r; }
SEEN int catcher(int n)
{
	try {
		return between(n) + 1;
	} catch (int caught) {
		return leaf(caught) + 2;
	}
}

int main()
{
	int sum = 0;

	for (int i = 0; i < 12; i++)
		sum += catcher(i) + leaf(i);
	std::printf("%d\n", sum);
	return 0;
}
"""
WORK = tempfile.TemporaryDirectory(prefix="bareperf-calls-")
HERE = pathlib.Path(WORK.name)


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=300, check=False, **more)


def rows(path):
    """{function: its row} in `report --calls --json`."""
    done = run(machine.TOOL, "report", "--calls", "--json", path)
    if done.returncode:
        raise AssertionError(done.stderr)
    return {row["function"] or "[unknown]": row for row in json.loads(done.stdout)["functions"]}


# ---- Against callgrind ----

def callgrind(program):
    """valgrind's {function: its own instructions} and {(caller, callee): (calls, instructions)}."""
    out = HERE / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
                    f"--callgrind-out-file={out}", program], check=True, capture_output=True)
    selves, calls, function, callee, times = collections.Counter(), {}, None, None, None
    for line in out.read_text().splitlines():
        key, _, rest = line.partition("=")
        if key in ("fn", "cfn"):
            rest = rest.split("'")[0]  # "depth'2": a recursion's second level
        if key == "fn":
            function = rest
        elif key == "cfn":
            callee = rest
        elif key == "calls":
            times = int(rest.split()[0])
        elif re.match(r"[0-9]", line):
            cost = int(line.split()[1])
            if times is None:
                selves[function] += cost
            else:
                before = calls.get((function, callee), (0, 0))
                calls[function, callee] = before[0] + times, before[1] + cost
                times = None
    return selves, calls


def by_callee(calls):
    found = collections.Counter()
    for (_, callee), (count, _) in calls.items():
        found[callee] += count
    return found


def built(language, source, cc):
    """The program as a payload, and the same object file as a program for this machine."""
    (HERE / source[0]).write_text(source[1])
    compiler = machine.TOP / "build/x86_64/sdk/bin" / cc
    made, elf, hosted = HERE / "program.o", HERE / f"{language}.elf", HERE / f"{language}-hosted"
    subprocess.run([compiler, "-O2", "-g", "-c", "-o", made, HERE / source[0]], check=True)
    subprocess.run([compiler, "-o", elf, made], check=True)
    subprocess.run(["g++" if language == "c++" else "gcc", "-static", "-o", hosted, made], check=True)
    return elf, hosted


def recorded(elf, *options):
    recording = machine.Recording("record -e branch-step// -m ,4096 -- payload", *options, "--payload", elf,
                                  qemu=machine.EXACT)
    if not tap.equal(recording.status, 0, f"{elf.name} is recorded"):
        tap.note(recording.text)
    return recording


def as_callgrind():
    elf, hosted = built("c", ("calls.c", SOURCE), "bareperf-cc")
    recording = recorded(elf)
    found = rows(recording.file)
    selves, calls = callgrind(hosted)
    counts = by_callee(calls)
    ours = (*OURS, *BY_LONGJMP)
    tap.equal({name: found[name]["calls"] for name in ours}, {name: counts[name] for name in ours},
              "each function was called as often as callgrind says")
    tap.equal({name: found[name]["instructions"] for name in ours}, {name: selves[name] for name in ours},
              "its own instructions are callgrind's: recursion, tail calls, longjmp() and a cold part")
    plain = {"leaf": selves["leaf"], "rare": calls["work", "rare"][1], "work": calls["main", "work"][1],
             "tail": calls["main", "tail"][1]}
    tap.equal({name: found[name]["with_callees"]["sum"] for name in plain}, plain,
              "so are those with the calls that it made")
    tap.equal([found["tail"]["with_callees"]["sum"], found["main"]["calls"]],
              [selves["tail"] + sum(cost for call, (_, cost) in calls.items() if call == ("tail", "leaf")), 1],
              "a jump to a function is a call within the jumping one")
    ranges = [(found[name][part]["least"], found[name][part]["mean"], found[name][part]["most"],
               found[name][part]["sum"]) for name in ours for part in ("self", "with_callees")]
    tap.ok(all(least <= mean <= most <= total for least, mean, most, total in ranges),
           "least, mean and most are in this order", ranges)
    cold, hot = found["rare"]["self"]["most"], found["rare"]["self"]["least"]
    tap.ok(hot < cold and "rare.cold" not in found, "a function's cold part is the function's", (hot, cold))
    tap.equal([row["cut"] for row in found.values()], [0] * len(found), "the trace has every call whole")
    text = run(machine.TOOL, "report", "--calls", recording.file).stdout
    row = next(line.split() for line in text.splitlines() if re.search(r" tail, c\.elf$", line))
    wanted = found["tail"]
    tap.equal(row[1:9], [str(wanted["calls"]), "0", *(
        f"{wanted[part][key]:.1f}" if key == "mean" else str(wanted[part][key])
        for part in ("self", "with_callees") for key in ("least", "mean", "most"))],
        "the table has the same numbers as the JSON")
    exported(recording, found)
    as_gcov(found)


def exported(recording, found):
    out = HERE / "out.callgrind"
    run(machine.TOOL, "export", "-f", "callgrind", "-o", out, recording.file)
    text = run("callgrind_annotate", "--threshold=100", "--inclusive=yes", "--tree=caller", out).stdout
    calls = collections.Counter()
    for name, times in _callers(text):
        calls[name] += times
    tap.equal({name: calls[name] for name in OURS}, {name: found[name]["calls"] for name in OURS},
              "our export for callgrind_annotate has the same calls")


def _callers(text):
    """(function, calls) for each caller in a tree of callers; the line of the called function
    follows."""
    waiting = []
    for line in text.splitlines():
        arc = re.match(r" *[\d,]+ \([ .\d%]*\) +< +\S+ \(([\d,]+)x\)", line)
        head = re.match(r" *[\d,]+ \([ .\d%]*\) +\* +\?\?\?:(\S+)", line)
        if arc:
            waiting.append(int(arc.group(1).replace(",", "")))
        elif head:
            yield from ((head.group(1), times) for times in waiting)
            waiting = []


def as_gcov(found, isa="x86_64"):
    subprocess.run(["gcc", "-O0", "--coverage", "-o", HERE / "counted", HERE / "calls.c"], check=True, cwd=HERE)
    (HERE / "counted-calls.gcda").unlink(missing_ok=True)
    subprocess.run([HERE / "counted"], check=True, cwd=HERE, stdout=subprocess.DEVNULL)
    text = run("gcov", "--stdout", "--json-format", "counted-calls.gcda", cwd=HERE).stdout
    functions = {function["name"]: function["execution_count"]
                 for function in json.loads(text)["files"][0]["functions"]}
    tap.equal({name: found[name]["calls"] for name in functions}, functions,
              f"{isa}: gcov counts the same calls")


def on_aarch64():
    """The same program by single-step on aarch64, whose branches, calls and returns are other
    instructions."""
    compiler, elf = machine.TOP / "build/aarch64/sdk/bin/bareperf-cc", HERE / "arm.elf"
    reason = machine.missing("qemu-system-aarch64") or (
        None if compiler.exists() else "the SDK of aarch64 is not built (make ARCH=aarch64 sdk)")
    if reason:
        tap.skip("aarch64: calls by single-step", reason)
        return
    (HERE / "calls.c").write_text(SOURCE)
    subprocess.run([compiler, "-O2", "-g", "-o", elf, HERE / "calls.c"], check=True)
    recording = recorded(elf, "--arch", "aarch64")
    found = rows(recording.file)
    as_gcov(found, "aarch64")
    tap.equal(found["even"]["with_callees"]["most"], sum(found[name]["instructions"] for name in ("even", "odd")),
              "aarch64: a call's instructions contain those of the calls below it")
    tap.equal([found[name]["cut"] for name in OURS], [0] * len(OURS), "aarch64: the trace has every call whole")
    cold, hot = found["rare"]["self"]["most"], found["rare"]["self"]["least"]
    tap.ok(hot < cold and "rare.cold" not in found, "aarch64: a function's cold part is the function's", (hot, cold))


def exceptions():
    if not (machine.TOP / "build/x86_64/sdk/bin/bareperf-c++").exists():
        tap.skip("calls that an exception ends", "the C++ SDK is not built (make sdk-c++)")
        return
    elf, hosted = built("c++", ("throws.cc", THROWS), "bareperf-c++")
    recording = recorded(elf)
    found = rows(recording.file)
    selves, calls = callgrind(hosted)
    # callgrind counts a jump to a function's cold part as a call
    counts = by_callee({(a.split("(")[0], b.split("(")[0]): value for (a, b), value in calls.items()
                        if "cold" not in b})
    plain = collections.Counter()
    for name, cost in selves.items():
        plain[name.split("(")[0]] += cost
    names = ("leaf", "thrower", "between", "catcher")
    tap.equal({name: found[name]["calls"] for name in names}, {name: counts[name] for name in names},
              "C++: each function was called as often as callgrind says")
    tap.equal({name: found[name]["instructions"] for name in names}, {name: plain[name] for name in names},
              "C++: its own instructions are callgrind's, in the handlers of exceptions too")
    tap.equal([found[name]["cut"] for name in names], [0] * 4, "C++: each call has an end")
    quiet = [call for call in (found["catcher"]["with_callees"]["least"],) if call < 60]
    tap.ok(len(quiet) == 1 and found["catcher"]["with_callees"]["most"] > 1000,
           "C++: only calls with an exception have the unwinder's instructions", found["catcher"])


# ---- By hand ----

def short(path):
    """{function: (calls, cut, own instructions, [least, most] with callees)}"""
    found = {}
    for name, row in rows(path).items():
        total = row["with_callees"]
        found[name] = (row["calls"], row["cut"], row["instructions"],
                       [total["least"], total["most"]] if total else None)
    return found


WHOLE = {"main": (1, 0, 4, [11, 11]), "work": (1, 0, 5, [7, 7]), "leaf": (1, 0, 2, [2, 2]),
         "_start": (0, 1, 2, None)}


def by_hand():
    made = made_trace.Made(HERE)
    found = short(made.file((made_trace.CALLS, 0, 0)))
    tap.equal({name: found.get(name) for name in WHOLE}, WHOLE, "a call has its own instructions, and those with "
              "the calls that it made; a function that the trace begins in is cut")
    interrupted = made_trace.CALLS.replace("here+1>leaf", "here>handler handler+1>next next>inner inner+2>hback "
                                           "hback>here here+1>leaf")
    found = short(made.file((interrupted, 0, 0)))
    tap.equal({name: found.get(name) for name in ("main", "work", "leaf")},
              {name: WHOLE[name] for name in ("main", "work", "leaf")},
              "an interrupt in the middle of a call adds nothing to it, nor to its callers")
    tap.equal([found["handler"][:2], found["inner"][:3]], [(1, 0), (1, 0, 3)], "its handler is a call of its own")
    for place in ("work", "leaf"):
        after = {"work": "here+1>leaf", "leaf": "lret>wback"}[place]
        found = short(made.file((made_trace.CALLS.replace(
            after, f"{place}>handler handler+1>next next>inner inner+2>hback hback>{place} {after}"), 0, 0)))
        tap.equal([{name: found.get(name) for name in WHOLE}, found["handler"]], [WHOLE, (1, 0, 2, [5, 5])],
                  f"so does an interrupt before the first instruction of a call ({place})")
    for reason, flags in (("TRUNCATED", (0, 1, 0)), ("PARTIAL", (0, 4, 0)), ("no AUX record", (0, None, 0)),
                          ("OVERWRITE, at its beginning", (0, 0, 2))):
        found = short(made.file(("outside>_start", flags[0], 0), ("_start>main main+1>work", flags[1], 0),
                                ("lret>wback wback>back back+1>after after>outside", flags[2], 0)))
        tap.equal({name: value[:2] for name, value in found.items() if name in WHOLE},
                  {"main": (0, 2), "work": (0, 2), "leaf": (0, 1), "_start": (0, 2)},
                  f"a gap of the trace ({reason}) cuts the calls around it: they are in no least, mean or most")
    found = short(made.file(("outside>hot hot+1>rare rare+1>on on>outside", 0, 0)))
    tap.equal({"hot": found["hot"][:3], "hot.cold": found.get("hot.cold")}, {"hot": (0, 1, 5), "hot.cold": None},
              "a jump into the middle of a cold part stays in its function")
    refused()


def refused():
    empty = perf_file.PerfFile()
    empty.sample(0x1000, 1)
    empty.write(HERE / "empty.data")
    done = run(machine.TOOL, "report", "--calls", HERE / "empty.data")
    tap.ok(done.returncode == 1 and "has no trace of branches: record -e branch-trace//" in done.stderr,
           "a recording without a trace of branches is refused", done.stderr)
    for words, message in ((("--calls", "--html"), "--calls cannot be combined with --html"),
                           (("--calls", "--modules"), "--calls cannot be combined with --modules"),
                           (("--calls", "-s", "comm"), "--calls cannot be combined with --sort"),
                           (("--calls", "-e", "x"), "--calls cannot be combined with -e"),
                           (("--json",), "--json needs --calls")):
        done = run(machine.TOOL, "report", *words, HERE / "empty.data")
        tap.ok(done.returncode == 2 and message in done.stderr, message, done.stderr)


def main():
    by_hand()
    reason = machine.missing()
    if not reason and not shutil.which("valgrind"):
        reason = "valgrind is not installed"
    if reason:
        tap.skip("calls against callgrind", reason)
        return
    as_callgrind()
    exceptions()
    on_aarch64()


main()
tap.finish()
