#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf export --format lcov`: from a trace of all branches come the same counts of lines,
functions and branches as gcov counts in the same program and QEMU logs. `--format callgrind` is
compared by callgrind_annotate. Traces come from single-step on both ISAs and from the branch trace
store of the hardware model. QEMU's log is compared on x86_64.

check-spare: machines count instructions
"""

import collections
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import branches
import machine
import perf_file
import tap

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>

static int never(int x)
{
	return x * 3;
}

static int odd(int x)
{
	if (x & 1)
		return 1;
	return 0;
}

static int fibonacci(int n)
{
	if (n < 2)
		return n;
	return fibonacci(n - 1) + fibonacci(n - 2);
}

static const char *name(int x)
{
	switch (x % 4) {
	case 0:
		return "zero";
	case 1:
		return "one";
	case 2:
		if (x > 100)
			return "many";
		return "two";
	default:
		return "more";
	}
}

static int collatz(unsigned long x)
{
	int steps = 0;

	while (x != 1) {
		if (x % 2 == 0)
			x /= 2;
		else
			x = 3 * x + 1;
		steps++;
	}
	return steps;
}

static int pick(int a, int b, int c)
{
	int found = a > b && b > c ? a : c;

	do {
		found--;
		if (found == 17)
			goto out;
		if (found % 5 == 0)
			continue;
		found--;
	} while (found > 3);
out:
	return found || a == 99;
}

static int compare(const int *a, const int *b)
{
	return *a - *b;
}

static void sort(int *numbers, int count, int (*order)(const int *, const int *))
{
	for (int i = 1; i < count; i++) {
		int one = numbers[i], at = i;

		for (; at > 0 && order(&numbers[at - 1], &one) > 0; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = one;
	}
}

/* What compilers make of a function that is split, and of calls at functions' ends. */
void hops(int times), ping(int times), sizeless(void);
#ifdef __aarch64__
__asm__(".text\n.type hops, @function\nhops: b hops.cold\n"
        ".Lon: subs w0, w0, #1\nb.ne hops\nret\n.size hops, . - hops\n"
        ".type hops.cold, @function\nhops.cold: b .Lon\n.size hops.cold, . - hops.cold\n"
        ".type ping, @function\nping: subs w0, w0, #1\nb.mi .Ldone\nb pong\n.Ldone: ret\n"
        ".size ping, . - ping\n.type pong, @function\npong: b ping\n.size pong, . - pong\n"
        ".type sizeless, @function\nsizeless: nop\nnop\nret\n");
#else
__asm__(".text\n.type hops, @function\nhops: jmp hops.cold\n"
        ".Lon: dec %edi\njnz hops\nret\n.size hops, . - hops\n"
        ".type hops.cold, @function\nhops.cold: jmp .Lon\n.size hops.cold, . - hops.cold\n"
        ".type ping, @function\nping: dec %edi\njs .Ldone\njmp pong\n.Ldone: ret\n.size ping, . - ping\n"
        ".type pong, @function\npong: jmp ping\n.size pong, . - pong\n"
        ".type sizeless, @function\nsizeless: nop\nnop\nret\n");
#endif

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	int numbers[40], sum = 0;

	for (int i = 0; i < 40; i++)
		numbers[i] = (i * 7919) % 101;
	sort(numbers, 40, compare);
	for (int i = 0; i < rounds; i++) {
		for (int j = i; j < 40; j += 3)
			sum += odd(numbers[j]) ? collatz(numbers[j] + 1) : pick(numbers[j], i, 20 - i);
		sum += name(i)[0];
	}
	sum += fibonacci(rounds);
	if (sum == 1)
		sum = never(sum);
	hops(50);
	ping(100);
	sizeless();
	printf("%d\n", sum);
	return 0;
}
"""
ASSEMBLY = """	.globl _start, again, count, turn, leave, end, handler, never
	.text
_start: start:
	mov $3, %ecx	# once
again:	nop	# again
count:	dec %ecx	# count
turn:	jnz again	# turn
leave:	jmp *%rax	# leave
end:	ret	# end
handler: iretq	# handler
never:	jz never	# never
	ret	# never2
"""
WORK = tempfile.TemporaryDirectory(prefix="bareperf-coverage-")
TRUNCATED = 1
Row = collections.namedtuple("Row", "lines functions branches sums")
# The event of a trace; the program's argument; options of QEMU, and of `bareperf run`.
Source = collections.namedtuple("Source", "event rounds qemu options isa", defaults=("x86_64",))
STEP = Source("branch-step", 7, machine.EXACT, ())
ARM_STEP = Source("branch-step", 7, machine.EXACT, ("--arch", "aarch64"), "aarch64")


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=300, check=False, **more)


def record(source, elf, *qemu):
    return machine.Recording(f"record -e {source.event}// -m ,2048 -- payload {source.rounds}", "--payload", elf,
                             *source.options, qemu=(*source.qemu, *qemu))


def build(here, level, isa="x86_64"):
    source = here / "program.c"
    source.write_text(SOURCE)
    elf = here / f"program{level}-{isa}.elf"
    subprocess.run([machine.TOP / f"build/{isa}/sdk/bin/bareperf-cc", level, "-Wall", "-o", elf,
                    source], check=True)
    return elf


def export(recording, *options):
    out = recording.file.with_suffix(".info")
    done = run(machine.TOOL, "export", "-f", "lcov", "-o", out, *options, recording.file)
    return done, out


def read_info(path):
    """{source: Row} of an lcov tracefile."""
    files, row = {}, None
    for line in path.read_text().splitlines():
        key, _, rest = line.partition(":")
        words = rest.split(",")
        if key == "SF":
            row = files.setdefault(rest, Row({}, {}, {}, {}))
        elif key == "DA":
            row.lines[int(words[0])] = int(words[1])
        elif key == "FNDA":
            row.functions[rest.partition(",")[2]] = int(words[0])
        elif key == "BRDA":
            row.branches.setdefault((int(words[0]), int(words[1])), []).append(
                None if words[3] == "-" else int(words[3]))
        elif key in ("LF", "LH", "FNF", "FNH", "BRF", "BRH"):
            row.sums[key] = int(rest)
    return files


def of_program(path):
    return next((row for source, row in read_info(path).items() if source.endswith("program.c")), None)


def of_gcov(source, here):
    """{line: count} and {function: count} of the same program on this machine."""
    (here / "hosted-program.gcda").unlink(missing_ok=True)  # gcov adds to existing counts
    subprocess.run(["gcc", "-O0", "--coverage", "-o", here / "hosted", here / "program.c"],
                   check=True, cwd=here)
    subprocess.run([here / "hosted", str(source.rounds)], check=True, cwd=here, stdout=subprocess.DEVNULL)
    text = run("gcov", "--stdout", "--json-format", "hosted-program.gcda", cwd=here).stdout
    found = json.loads(text)["files"][0]
    return ({line["line_number"]: line["count"] for line in found["lines"]},
            {function["name"]: function["execution_count"] for function in found["functions"]})


def as_gcov(source, recording, here):
    level = f"{source.event}, {source.isa}, -O0"
    done, out = export(recording)
    tap.ok(done.returncode == 0 and
           re.fullmatch(r"(bareperf: \d+ sources are not here, and left out\n)?", done.stderr),
           f"{level}: coverage comes of a whole trace", done.stderr)
    row = of_program(out)
    lines, functions = of_gcov(source, here)
    text = dict(enumerate(SOURCE.splitlines(), 1))
    # gcov counts a function at the line of its name, DWARF at its begin; a label has no code
    heads = {line for line in lines if text.get(line + 1) == "{" or
             re.match(r"\s*(case .*|default|out):$", text[line])}
    coded = {line: count for line, count in lines.items() if line not in heads}
    tap.equal({line: row.lines.get(line) for line in coded}, coded,
              f"{level}: every line that has code was carried out as often as gcov says")
    heads = {line: count for line, count in lines.items() if text.get(line + 1) == "{"}
    tap.equal({line: row.lines.get(line + 1) for line in heads}, heads,
              f"{level}: so was each function's beginning")
    tap.ok(len(coded) > 40 and 0 in lines.values() and max(lines.values()) > 100,
           f"{level}: of lines that were never, once, and often carried out", lines)
    tap.equal({name: row.functions.get(name) for name in functions}, functions,
              f"{level}: so was every function")
    called_as_gcov(level, recording, functions)
    jumps_are_calls(level, recording)
    tap.equal({text[line] for line in row.lines if line not in lines}, {"{", "}"},
              f"{level}: no other line has code but where functions begin and end")
    return out


def of_callgrind(recording):
    """{function: its own instructions} and {(caller, callee): (calls, instructions)} as
    callgrind_annotate reads them. It cannot distinguish functions of the same name."""
    out = recording.file.with_suffix(".callgrind")
    run(machine.TOOL, "export", "-f", "callgrind", "-o", out, recording.file)
    selves = {name: int(count.replace(",", "")) for count, name in re.findall(
        r"^ *([\d,]+) \([ .\d%]*\) +\?\?\?:(\S+)", run(
            "callgrind_annotate", "--threshold=100", out).stdout, re.MULTILINE)}
    calls, caller = {}, None
    for count, arrow, name, times in re.findall(
            r"^ *([\d,]+) \([ .\d%]*\) +([*>]) +\?\?\?:(\S+)(?: \((\d[\d,]*)x\))?", run(
                "callgrind_annotate", "--threshold=100", "--inclusive=yes", "--tree=calling", out).stdout,
            re.MULTILINE):
        if arrow == "*":
            caller = name
        else:
            calls[caller, name] = int(times.replace(",", "")), int(count.replace(",", ""))
    return selves, calls


def called_as_gcov(level, recording, functions):
    if not shutil.which("callgrind_annotate"):
        tap.skip(f"{level}: callgrind_annotate", "it is not installed (valgrind)")
        return
    selves, calls = of_callgrind(recording)
    found = collections.Counter()
    for (_, callee), (count, _) in calls.items():
        found[callee] += count
    tap.equal({name: found[name] for name in functions}, functions,
              f"{level}: callgrind_annotate has every function called as often as gcov says")
    inner = {("main", name): selves[name] for name in ("odd", "name", "collatz", "pick", "fibonacci")}
    inner["main", "sort"] = selves["sort"] + selves["compare"]
    inner["sort", "compare"] = selves["compare"]
    tap.equal({call: calls[call][1] for call in inner}, inner,
              f"{level}: a call's cost is the work from there to its return")


def jumps_are_calls(level, recording):
    if not shutil.which("callgrind_annotate"):
        return
    selves, calls = of_callgrind(recording)
    tap.equal([selves.get("hops.cold"), calls.get(("hops", "hops.cold")), calls.get(("main", "hops"))],
              [None, None, (1, selves["hops"])],
              f"{level}: a part of a function that the compiler moved away is the function's")
    both = selves["ping"] + selves["pong"]
    tap.equal([calls.get(("ping", "pong")), calls.get(("pong", "ping"), (0,))[0],
               calls.get(("main", "ping"))], [(100, both - 3), 100, (1, both)],
              f"{level}: functions that jump to each other return once, where the first would have")
    tap.equal(selves.get("sizeless"), 3, f"{level}: a function without a size reaches to the next")


def costs_as_qemu(level, recording, text, times):
    """text: the program's disassembly; times: execution counts by offset in its file."""
    if not shutil.which("callgrind_annotate"):
        return
    costs, name = collections.Counter(), None
    for line in text.splitlines():
        head, code = re.match(r"[0-9a-f]+ <(\S+)>:$", line), re.match(r" *([0-9a-f]+):\t", line)
        name = head.group(1) if head else name
        if code:
            costs[name] += times(int(code.group(1), 16))
    selves, calls = of_callgrind(recording)
    wanted = {name: costs[name] for name in ("main", "fibonacci", "printf", "exit", "atoi")}
    tap.equal({name: selves.get(name) for name in wanted}, wanted,
              f"{level}: callgrind_annotate has a function's own instructions as often as QEMU")
    tap.ok(min(wanted.values()) > 0 and calls["main", "printf"][0] == 1 and
           calls["main", "printf"][1] > 10 * wanted["printf"], f"{level}: and what it calls beside", wanted)


def genhtml_reads(out):
    if not shutil.which("genhtml"):
        tap.skip("genhtml reads it", "genhtml is not installed (lcov)")
        return
    done = run("genhtml", "--branch-coverage", "-o", out.parent / "html", out)
    rows = read_info(out).values()
    told = {key: sum(row.sums.get(key, 0) for row in rows) for key in
            ("LH", "LF", "FNH", "FNF", "BRH", "BRF")}
    seen = re.findall(r"(\d+) of (\d+) (?:lines|functions|branches)", done.stdout)
    tap.equal((done.returncode, done.stderr, [int(n) for pair in seen for n in pair]),
              (0, "", list(told.values())), "genhtml reads it without a warning, and counts the same")
    counted = [sum(count > 0 for row in rows for count in row.lines.values()),
               sum(len(row.lines) for row in rows)]
    tap.equal([told["LH"], told["LF"]], counted, "its sums are its lines'")


def refused(recording, whole):
    """A file that does not report its losses, or that is cut off."""
    cut = recording.file.with_name("cut.data")
    run("perf", "inject", "-b", "-i", recording.file, "-o", cut)
    done = run(machine.TOOL, "export", "-f", "lcov", cut)
    tap.ok(done.returncode == 1 and "it has no ledger" in done.stderr and not done.stdout,
           "a file that does not report its losses is refused", done.stderr)
    out = cut.with_suffix(".info")
    done = run(machine.TOOL, "export", "-f", "lcov", "--partial", "-o", out, cut)
    tap.equal((done.returncode, out.read_text().replace("TN:at_least", "TN:")), (0, whole.read_text()),
              "--partial counts the recorded part, and marks it")


def made():
    """A made-up trace of a program in assembly, in which every line is an instruction."""
    here = pathlib.Path(WORK.name)
    (here / "made.S").write_text(ASSEMBLY)
    subprocess.run(["gcc", "-g", "-nostdlib", "-static", "-Wl,-Ttext-segment=0x400000,--build-id=sha1",
                    "-o", here / "made", here / "made.S"], check=True)
    at = {name: int(value, 16) - 0x400000 + 0x40000000 for value, _, name in
          re.findall(r"^([0-9a-f]+) (\w) (\w+)$", run("nm", here / "made").stdout, re.MULTILINE)}
    outside = 0x1000
    whole = [(outside, at["start"]), (at["turn"], at["again"]),
             (at["count"], at["handler"]), (at["handler"], at["count"]),
             (at["turn"], at["again"]),
             (at["leave"], at["handler"]), (at["handler"], at["leave"]),
             (at["leave"], at["end"]), (at["end"], outside)]
    lines = {number: text.split()[-1] for number, text in enumerate(ASSEMBLY.splitlines(), 1)
             if "#" in text}

    def coverage(pieces, *options):
        file = perf_file.PerfFile()
        file.image(here / "made", 0x40000000, 0x10000, 0)
        file.records.append(perf_file.record(70, struct.pack("<8Q", 2, 1, 0, 1, 0, 0, 0, 0)))
        offset = 0
        for branches_, flags in pieces:
            data = b"".join(struct.pack("<QQQ", *pair, 16) for pair in branches_)
            file.add(perf_file.AUX, struct.pack("<QQQ", offset, len(data), flags))
            file.records.append(perf_file.record(71, struct.pack("<QQQIIII", len(data), offset, 0, 0, 1,
                                                                 0, 0)) + data)
            offset += len(data)
        file.write(here / "made.data")
        done = run(machine.TOOL, "export", "-f", "lcov", "--partial", "-o", here / "made.info", *options,
                   here / "made.data")
        found = next(iter(read_info(here / "made.info").values()), None) if not done.returncode else None
        return done, found and {lines[line]: count for line, count in found.lines.items()}, found

    done, counts, found = coverage([(whole, 0)])
    expected = {"once": 1, "again": 3, "count": 3, "turn": 3, "leave": 1, "end": 1, "handler": 0,
                "never": 0, "never2": 0}
    tap.equal((done.returncode, done.stderr, counts), (0, "", expected), "an interrupt's delivery, before "
              "a jump as well, leaves what it came before to be carried out once, afterwards")
    tap.equal(list(found.branches.values()), [[2, 1], [None, None]],
              "a branch has both its ways; one that was never come to has none")
    done, counts, _ = coverage([(whole[:2], TRUNCATED), (whole[4:], 0)])
    tap.equal((done.returncode, done.stderr, counts),
              (0, "", {**expected, "once": 1, "again": 2, "count": 2, "turn": 3}),
              "behind a gap without a report only branches count as carried out")
    done, counts, _ = coverage([(whole[:2] + whole[-1:], 0)])
    tap.ok(counts == {**expected, "again": 1, "count": 1, "turn": 1, "leave": 0} and
           "made: 1 times the trace has a gap" in done.stderr,
           "an unreported gap is noticed where the next branch cannot follow", (counts, done.stderr))
    done, _, _ = coverage([])
    tap.ok(done.returncode == 1 and "has no trace of branches" in done.stderr,
           "a recording without a trace of branches is refused", done.stderr)


def carried_out(log):
    """How often QEMU executed each address. The log has the bytes of a block before its first
    execution, disassembled or not. Execution may leave a block before its first instruction, but
    not in its middle."""
    entered, blocks, size = collections.Counter(), {}, 0
    for line in log.read_text().splitlines():
        code = re.match(r"(?:OBJD-T: |0x[0-9a-f]+:  | {13})([0-9a-f]{2,}(?: [0-9a-f]{2})*)(?: |$)", line)
        block = re.match(r"(?:Trace \d+:|Stopped execution of TB chain before) (\S+) "
                         r"\[(?:[0-9a-f]+/)?([0-9a-f]+)", line)
        if line.startswith("IN:"):
            size = 0
        elif code:
            size += len(code.group(1).replace(" ", "")) // 2
        elif block and line.startswith("Trace"):
            if size:
                blocks[block.group(1)] = int(block.group(2), 16), size
            entered[block.group(1)] += 1
            size = 0
        elif block:
            entered[block.group(1)] -= 1
    times = collections.Counter()
    for name, count in entered.items():
        start, length = blocks[name]
        for address in range(start, start + length):
            times[address] += count
    return times


def statements(elf):
    """{line of program.c: addresses of its statements}, by objdump."""
    rows = collections.defaultdict(set)
    for line in run("objdump", "--dwarf=decodedline", elf).stdout.splitlines():
        found = re.match(r"program\.c\s+(\d+)\s+(?:0x)?([0-9a-f]+)\s+(?:\d+\s+)?.*x\s*$", line)
        if found:
            rows[int(found.group(1))].add(int(found.group(2), 16))
    return rows


APART = 0x50000  # from one run to the next a program's place differs by at most this
# For each ISA, a program, and its conditional branches.
DISASSEMBLERS = {"x86_64": ("objdump", r"j(?!mp)\w+"),
                 "aarch64": ("aarch64-linux-gnu-objdump", r"(?:b\.\w+|cbn?z|tbn?z)")}


def as_qemu(source, here, mapping):
    """Compiled with optimization; the log covers the program's address range and its
    surroundings."""
    level = f"{source.event}, {source.isa}, -O2"
    elf, log = build(here, "-O2", source.isa), here / "qemu.log"
    recording = record(
        source, elf, "-d", "exec,nochain,in_asm", "-D", log, "-dfilter",
        f"{mapping.address - APART:#x}..{mapping.address + mapping.size + APART:#x}")
    done, out = export(recording)
    if not tap.equal((recording.status, done.returncode), (0, 0),
                     f"{level}: coverage comes of a whole trace"):
        tap.note(recording.text)
        return
    now = branches.Trace(recording.file).mappings[1]
    times = carried_out(log)
    base = now.address - now.file_offset
    row = of_program(out)
    tap.ok(abs(now.address - mapping.address) <= APART and
           sum(times[address] for address in times if 0 <= address - now.address < now.size) > 10000,
           f"{level}: QEMU logs what it carries out of the program", (now, mapping, len(times)))
    objdump, jump = DISASSEMBLERS[source.isa]
    text = run(objdump, "-d", "--no-show-raw-insn", elf).stdout
    jumps = {int(at, 16) for at in re.findall(rf"^ *([0-9a-f]+):\s+{jump}\s", text, re.MULTILINE)}
    everywhere = {block: ways for row in read_info(out).values()
                  for (_, block), ways in row.branches.items()}
    tap.ok(len(everywhere) > 30 and everywhere.keys() <= jumps and
           any(None in ways for ways in everywhere.values()), f"{level}: its branches are the program's")
    tap.equal({block: sum(way or 0 for way in ways) for block, ways in everywhere.items()},
              {block: times[base + block] for block in everywhere},
              f"{level}: each block with a branch at its end was carried out as often as QEMU did")
    costs_as_qemu(level, recording, text, lambda offset: times[base + offset])
    symbols = {name: int(at, 16) for at, kind, name in
               re.findall(r"^([0-9a-f]+) (\w) (\S+)$", run("nm", elf).stdout, re.MULTILINE)}
    tap.equal(row.functions, {name: times[base + symbols[name]] for name in row.functions},
              f"{level}: so was each function")
    lines = {line: max(times[base + at] for at in places)
             for line, places in statements(elf).items()}
    tap.ok(len(lines) > 25, f"{level}: there are lines", lines)
    tap.equal(row.lines, lines, f"{level}: and each line as often as the one of its statements that was "
              "so most often")


def held(source, here):
    """Compare with gcov and QEMU's log; returns the recording at -O0 and its tracefile."""
    recording = record(source, build(here, "-O0", source.isa))
    if not tap.equal(recording.status, 0, f"{source.event}, {source.isa}, -O0: the program is recorded"):
        tap.note(recording.text)
        return None
    out = as_gcov(source, recording, here)
    as_qemu(source, here, branches.Trace(recording.file).mappings[1])
    return recording, out


def main():
    reason = machine.missing()
    if reason:
        tap.skip("coverage of branch traces", reason)
        return
    here = pathlib.Path(WORK.name)
    stepped = held(STEP, here)
    if stepped:
        genhtml_reads(stepped[1])
        refused(*stepped)
    reason = machine.missing("qemu-system-aarch64")
    if reason:
        tap.skip("coverage by single-step on aarch64", reason)
    else:
        held(ARM_STEP, here)
    binary, reason = machine.model("x86_64")
    if reason:
        tap.skip("coverage of the branch trace store", reason)
        return
    stored = held(Source("bts", 20, ("-cpu", "Skylake-Client,pmu=on", *machine.EXACT),
                         ("--qemu", binary)), here)
    if stored:
        accounts = [event["branches"] for event in stored[0].summary()["events"] if "branches" in event]
        tap.ok(accounts[0]["interrupts"] > 3, "bts: with interrupts in between", accounts)


made()
main()
tap.finish()
