#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The user's own program on both architectures: it is built with the SDK, runs, is traced, and may
crash."""

import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import live
import machine
import tap

ARCHES = ("x86_64", "aarch64")
EL2 = ("-machine", "virt,gic-version=3,virtualization=on")
WORK = tempfile.TemporaryDirectory(prefix="bareperf-payload-")
PAGE = 4096

HELLO = r"""
#include <bareperf/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int started = 1; /* .data, as it was linked */

#ifdef __x86_64__
/* Keep something in the red zone over so many turns of a loop; returns how many of its words are
 * not what they were. */
unsigned red_zone_changes(unsigned turns);
__asm__(".text\n"
	".type red_zone_changes, @function\n"
	"red_zone_changes:\n"
	"	mov $-16, %rcx\n"
	"1:	mov %rcx, (%rsp, %rcx, 8)\n"
	"	inc %rcx\n"
	"	jnz 1b\n"
	"2:	dec %edi\n"
	"	jnz 2b\n"
	"	xor %eax, %eax\n"
	"	mov $-16, %rcx\n"
	"3:	cmp %rcx, (%rsp, %rcx, 8)\n"
	"	je 4f\n"
	"	inc %eax\n"
	"4:	inc %rcx\n"
	"	jnz 3b\n"
	"	ret\n"
	".size red_zone_changes, . - red_zone_changes\n");

static void interrupt_for_nobody(void)
{
	__asm__ volatile("int $0x80");
}

#else
#define red_zone_changes(turns) 0 /* AAPCS64 has none */
static void interrupt_for_nobody(void)
{
}
#endif

struct result {
	int wrong, overwritten;
};

/* Every thread fills and checks blocks of its own, all at once. */
static int churn(void *argument)
{
	struct result *result = argument;
	unsigned char mark = (unsigned char)(1 + bareperf_cpu());
	unsigned char *blocks[64] = { 0 };

	for (unsigned i = 0; i < 20000; i++) {
		unsigned char **block = &blocks[i * 7919 % 64];
		size_t size = 1 + i * 31 % 700;

		result->wrong += *block && (**block != mark);
		free(*block);
		*block = malloc(size);
		memset(*block, mark, size);
	}
	for (int i = 0; i < 100; i++)
		result->overwritten += red_zone_changes(200000);
	return 40 + (int)bareperf_cpu();
}

int main(int argc, char **argv)
{
	struct result results[2] = { 0 };
	int result = -1, cpu = bareperf_thread_start(BAREPERF_ANY_CPU, churn, &results[1]);

	for (int i = 0; i < 3; i++)
		interrupt_for_nobody();
	churn(&results[0]);
	printf("join %d", bareperf_thread_join(cpu, &result));
	printf(" result %d wrong %d %d\n", result, results[0].wrong, results[1].wrong);
	printf("overwritten %d %d\n", results[0].overwritten, results[1].overwritten);
	printf("again %d none %d busy %d\n", bareperf_thread_join(cpu, &result),
	       bareperf_thread_join(9999, NULL), bareperf_thread_start(77, churn, NULL));
	for (int i = 0; i < argc; i++)
		printf("[%s]", argv[i]);
	printf(" end %d started %d\n", argv[argc] == NULL, started++);
	fprintf(stderr, "kept apart\n");
	exit(3);
}
"""

CRASH = r"""
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char code[64];
static volatile int sink;

static __attribute__((noinline)) void busy(unsigned ms)
{
	uint64_t end = bareperf_clock() + ms * 1000000ULL;

	while (bareperf_clock() < end)
		sink++;
}

static __attribute__((noinline)) void fall(const char *how)
{
	void (*volatile nowhere)(void) = NULL;
	volatile int *volatile unmapped = (int *)0x10;

	if (!strcmp(how, "write"))
		*unmapped = 1;
	if (!strcmp(how, "jump"))
		nowhere();
	if (!strcmp(how, "text"))
		*(volatile char *)(void *)fall = 0;
	if (!strcmp(how, "data"))
		((void (*)(void))(void *)code)();
	sink++;
}

static __attribute__((noinline)) int dig(int depth)
{
	volatile char hole[4096];

	hole[depth % 4096] = 1;
	return depth ? dig(depth + 1) + hole[0] : 0;
}

static int faller(void *how)
{
	busy(300);
	fall(how);
	return 0;
}

static int spinner(void *unused)
{
	for (;;)
		sink++;
	return unused != NULL;
}

int main(int argc, char **argv)
{
	const char *how = argv[1];

	FILE *log = fopen("log", "w");

	fprintf(log, "crash: %s\n", how);
	fclose(log);
	printf("before\n");
	fflush(stdout);
	if (!strcmp(how, "spin")) {
		printf("no end of a line");
		fflush(stdout);
		spinner(NULL);
	}
	if (!strcmp(how, "thread")) {
		bareperf_thread_start(1, faller, "write");
		spinner(NULL);
	}
	if (!strcmp(how, "leave")) {
		bareperf_thread_start(1, spinner, NULL);
		busy(500);
		return argc - 2;
	}
	busy(300);
	if (!strcmp(how, "stack"))
		return dig(1);
	if (!strcmp(how, "abort"))
		abort();
	fall(how);
	return 0;
}
"""


def example(arch):
    return machine.TOP / f"build/{arch}/sdk/example.elf"


def build(arch, name, source, *flags):
    return machine.payload(arch, pathlib.Path(WORK.name) / f"{arch}-{name}.elf", source, *flags)


def record(arch, payload, words, *options, frequency=1000):
    """On two CPUs; on Arm entered at EL2, so that the payload runs at EL1 alone."""
    return machine.Recording(f"record -a -e cpu-clock -F {frequency} -g -- payload {words}", "--arch",
                             arch, "--payload", payload, *options,
                             qemu=("-smp", "2", *(EL2 if arch == "aarch64" else ())))


IDLE = {("arch_irq_enable",), ("arch_wait",), ("cpu_idle",)}


def functions(run):
    return {name for _, _, chain in run.chains() for name in chain}


def traced(arch):
    # so often that a function with 4 % of the time has dozens of samples on each CPU
    run = record(arch, example(arch), "6000000", frequency=10000)
    tap.ok(run.status == 0 and "412849 primes below 6000000" in run.text,
           f"{arch}: the example counts primes with printf(), malloc() and threads", run.text)
    tap.ok("CPU 0: " in run.text and "CPU 1: " in run.text, f"{arch}: on both CPUs", run.text)
    summary = run.summary()
    tap.ok(summary["conserved"] and summary["status"] == 0, f"{arch}: its ledger is conserved",
           summary)
    chains = [chain for _, _, chain in run.chains()]
    # on a busy host a CPU is paused for long, and all of that time counts for one sample
    leaves = machine.shares([sample for sample in run.chains() if sample[2][:1] not in IDLE])
    tap.ok(leaves.get("cross_out", 0) + leaves.get("count_by_sieve", 0) > 30,
           f"{arch}: stock perf names its functions", leaves)
    # cross_out() is a leaf, whose caller is not in the chain; a busy host leaves few samples of the
    # others
    leaves_of_sieve = ("cross_out", "count_by_sieve")
    callers = {chain[:5] for chain in chains if "main" in chain}
    tap.ok(callers & {(leaf, "count_piece", "count_all", "main", "_start") for leaf in leaves_of_sieve},
           f"{arch}: and their callers up to main()", callers)
    callers = {chain[:3] for chain in chains if "main" not in chain}
    tap.ok(callers & {(leaf, "count_piece", "thread_enter") for leaf in leaves_of_sieve},
           f"{arch}: and those of a thread on another CPU", callers)
    text, complaints, status = run.perf("annotate", "--stdio", "-s", "cross_out")
    tap.ok(status == 0 and text.strip() and not complaints.strip(),
           f"{arch}: perf annotate shows its code without a warning", complaints)
    above_main(arch, run)


def stacks(run, command, *options):
    """The samples in the example's loops as `a;b;c`, from the outermost function on."""
    done = subprocess.run([machine.TOOL, *command, *options, run.file], capture_output=True, text=True,
                          check=False)
    return [line.rsplit(" ", 1)[0] for line in done.stdout.splitlines()
            if re.search(r";(count_by_sieve|cross_out)\b", line)] or [done.stderr]


def above_main(arch, run):
    """The functions of bareperf that call the program are left out of pictures and exports."""
    theirs = {"count_by_sieve", "cross_out"}  # a sample in a function's prologue lacks the caller
    for command in (("flamegraph", "--folded"), ("export", "-f", "folded")):
        name = " ".join(command)
        firsts = {stack.split(";")[0] for stack in stacks(run, command)}
        tap.ok({"main", "count_piece"} <= firsts <= {"main", "count_piece"} | theirs,
               f"{arch}: {name}: its stacks begin with main(), or with the thread's function", firsts)
        every = stacks(run, command, "--all-frames")
        tap.ok(any(";payload_run_call" in stack for stack in every) and
               not any(stack.startswith("main;") for stack in every),
               f"{arch}: {name} --all-frames: with their callers", every)


def program(arch):
    run = record(arch, build(arch, "hello", HELLO), "one two=3 --four 'five six' ''")
    tap.ok(run.status == 3 and "[payload][one][two=3][--four][five six][] end 1 started 1" in run.text,
           f"{arch}: it gets the words of the command line", run.text)
    tap.ok("join 0 result 41 wrong 0 0" in run.text,
           f"{arch}: malloc() serves two CPUs at once, join gives the thread's result", run.text)
    tap.ok("again -3 none -3 busy -19" in run.text,
           f"{arch}: failed joins and starts of threads return errors", run.text)
    tap.ok(run.out.startswith("join 0") and run.out.endswith("started 1\n") and
           run.out.count("\n") == 4 and "kept apart\n" in run.said and
           run.summary()["conserved"],
           f"{arch}: its standard output and error are ours, and its exit status; its recording is "
           "whole", run.text)
    if arch == "x86_64":
        tap.ok("overwritten 0 0" in run.text,
               "no tick overwrites the program's data below its stack pointer", run.text)
        tap.equal([cpu["spurious"] for cpu in run.summary()["cpus"]], [3, 0],
                  "interrupts without a handler are counted, and shown")


CRASHES = {  # action: (report, CPU, claim) for each crash
    "write": (r"write", 0, "a write to where nothing is"),
    "jump": (r"", 0, "a call of a null pointer"),
    "text": (r"write.*(read-only|permission)", 0, "a write to its own code"),
    "data": (r"execution of data|instruction abort, permission", 0, "a call into its own data"),
    "stack": (r"stack overflow|write", 0, "a recursion without end"),
    "thread": (r"write", 1, "a write to where nothing is, by a thread while main() spins"),
}


def line_of(text, nth=0):
    """The number of the line in CRASH that contains the text."""
    return [i for i, line in enumerate(CRASH.splitlines(), 1) if text in line][nth]


def backtraces(arch, how, run):
    """The host symbolises the backtrace, because it has the files of both programs."""
    frames = re.findall(r"^  #\d+ +(.*)$", run.said, re.M)
    end = f"main <stdin>:{line_of('fall(how);', 1)}"
    if how == "write":
        tap.equal(frames, [f"fall <stdin>:{line_of('*unmapped = 1')}", end],
                  f"{arch}: the host names functions and lines, up to main()")
    if how == "jump":
        tap.equal(frames, ["0x0", f"fall <stdin>:{line_of('nowhere();')}", end],
                  f"{arch}: and the caller of an address without code")
    if how == "thread":
        tap.ok(frames[:3] == [f"fall <stdin>:{line_of('*unmapped = 1')}",
                              f"faller <stdin>:{line_of('fall(how);')}", frames[2]] and
               frames[2].startswith("thread_enter thread.c:") and
               any(frame.startswith("payload_threads_enter payload_threads.c:") for frame in frames),
               f"{arch}: with --all-frames the callers of a thread's function as well", frames)


def crashes(arch):
    payload = build(arch, "crash", CRASH)
    for how, (what, cpu, claim) in CRASHES.items():
        log = pathlib.Path(WORK.name) / f"{arch}-{how}.log"
        run = record(arch, payload, how, *(["--all-frames"] if how == "thread" else []),
                     "--fetch", f"log={log}")
        backtraces(arch, how, run)
        tap.ok(log.read_text() == f"crash: {how}\n", f"{arch}: its files have been copied to the host")
        said = re.search(rf"the payload crashed: CPU {cpu}: .*{what}", run.text)
        tap.ok(run.status == 139 and said, f"{arch}: {claim} is reported, exit status 139",
               run.text)
        where = "outside" if how == "jump" else "payload.elf+0x"
        tap.ok(re.search(r"^(rip|x30) ", run.text, re.M) and "backtrace:" in run.text and
               where in run.text, f"{arch}: with registers and backtrace", run.text)
        tap.ok(run.summary()["conserved"] and "busy" in functions(run),
               f"{arch}: and the trace up to there is whole", (run.summary(), functions(run), run.text))
        tap.equal(run.out, "before\n", f"{arch}: so is its output")


def ends(arch):
    payload = build(arch, "crash", CRASH)
    nothing = pathlib.Path(WORK.name) / "nothing"
    run = record(arch, payload, "leave", "--fetch", f"a/b={nothing}")
    tap.ok(run.summary()["conserved"] and "spinner" in functions(run),
           f"{arch}: when main() returns, a thread that spins for ever is ended", run.text)
    tap.ok(run.status == 125 and not nothing.exists() and
           "--fetch: a/b: the program has written no file of this name" in run.said,
           f"{arch}: a file that it has not written is reported, exit status 125", run.text)
    run = record(arch, payload, "abort")
    tap.ok(run.status == 134 and run.out == "before\n", f"{arch}: abort() is exit status 134",
           run.text)


def interrupted(arch):
    """Send Ctrl-C after the program has printed something."""
    log = pathlib.Path(WORK.name) / "half.log"
    process = subprocess.Popen(
        [*machine.run_words("-o", pathlib.Path(WORK.name) / "spin.data", "--arch", arch, "--payload",
                            build(arch, "crash", CRASH), "--fetch", f"log={log}"),
         "--", "record", "-e", "cpu-clock", "--", "payload", "spin"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    first = process.stdout.readline()
    running = process.poll() is None
    # The program's later output is not read before Ctrl-C.
    process.send_signal(signal.SIGSTOP)
    qemu = live.child(process.pid, "qemu-system")
    end = live.cpu_time(qemu) + 0.5
    while live.cpu_time(qemu) < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    out, said = process.communicate(timeout=300)
    tap.ok(first == b"before\n" and running, f"{arch}: its output is there while it runs", said)
    tap.ok(out == b"no end of a line" and process.returncode == 130,
           f"{arch}: Ctrl-C keeps all that it had printed", (out, said))
    tap.equal([path.name for path in pathlib.Path(WORK.name).glob("half.log*")], [],
              f"{arch}: and leaves no half file")


def segment(elf, index):
    """The file offset of the program header with this index."""
    return struct.unpack_from("<Q", elf, 32)[0] + 56 * index


def damaged(arch):
    """[(name, bytes, expected reason)] of files that must not run."""
    good = example(arch).read_bytes()
    other = example(ARCHES[1 - ARCHES.index(arch)]).read_bytes()
    writable, overlapping = bytearray(good), bytearray(good)
    struct.pack_into("<I", writable, segment(good, 1) + 4, 7)
    struct.pack_into("<Q", overlapping, segment(good, 1) + 16, PAGE)
    wild = bytearray(good)
    text = subprocess.run(["readelf", "-SW", example(arch)], capture_output=True, text=True,
                          check=True).stdout
    at = int(re.search(r"\.rela\.dyn\s+RELA\s+\w+\s+(\w+)", text).group(1), 16)
    struct.pack_into("<Q", wild, at, 0x7000000)
    return [
        ("for the other architecture", other, "it is built for another machine"),
        ("cut short", good[: len(good) // 8], "it is cut short"),
        ("with a segment both writable and executable", writable, "both writable and executable"),
        ("with overlapping segments", overlapping, "two segments overlap"),
        ("with a relocation out of range", wild, "a relocation lies outside"),
        ("that is no ELF file", b"#!/bin/sh\n" * 99, "it is not an ELF file"),
    ]


def refusals(arch):
    for name, content, reason in damaged(arch):
        path = pathlib.Path(WORK.name) / "damaged.elf"
        path.write_bytes(content)
        run = record(arch, path, "")
        tap.ok(run.status == 126 and not run.file.exists() and
               re.search(f"payload .*damaged.elf cannot be loaded: .*{reason}", run.text),
               f"{arch}: a file {name} is refused before a machine boots", run.text)
    path.write_bytes(b"")
    run = record(arch, path, "")
    tap.ok(run.status == 126 and "damaged.elf is empty" in run.text, f"{arch}: so is an empty one",
           run.text)
    path.write_bytes(damaged(arch)[0][1])
    run = machine.Recording("record -- payload", "--arch", arch, qemu=("-initrd", path))
    tap.ok(run.status == 126 and not run.file.exists() and
           "payload: the initrd cannot be loaded: it is built for another machine" in run.text,
           f"{arch}: one that the machine finds otherwise is refused by the machine", run.text)


LINKED = r"""
#include <stdio.h>
#include <sys/stat.h>

int main(void)
{
	char text[20] = "", again[20] = "";
	struct stat one, other;
	FILE *file = fopen("b/data", "r+");

	if (!file || !fgets(text, sizeof(text), file))
		return 1;
	fputs(" and more", file);
	fclose(file);
	file = fopen("a", "r");
	printf("%s, %s", text, fgets(again, sizeof(again), file));
	stat("a", &one);
	stat("b/data", &other);
	printf(", %d, link %p\n", one.st_ino == other.st_ino, fopen("link", "r"));
	return 0;
}
"""


def by_cpio(arch):
    """An archive by another tool: several names for one file, names with "./", entries that are not
    files."""
    here = pathlib.Path(WORK.name) / f"files-{arch}"
    (here / "b").mkdir(parents=True)
    machine.payload(arch, here / "payload.elf", LINKED)
    (here / "a").write_text("one")
    (here / "b/data").hardlink_to(here / "a")
    (here / "link").symlink_to("a")
    raw = subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=here, capture_output=True, check=True,
                         input=b"a\nb\nb/data\nlink\n./payload.elf\n").stdout
    path = pathlib.Path(WORK.name) / "by.cpio"
    path.write_bytes(raw)
    run = machine.Recording("record -e cpu-clock -- payload", "--arch", arch, "-v", qemu=("-initrd", path))
    tap.ok(run.status == 0 and "one, one and more, 1, link 0x0\n" in run.text and
           "the initrd: entries that are neither file nor directory are ignored, 1 in number: link, a symbolic link" in run.text,
           f"{arch}: of an archive by cpio each name of a file works, and omitted entries are reported", run.text)


def absent(arch):
    run = machine.Recording("record -- payload", "--arch", arch)
    tap.ok(run.status == 126 and "payload: there is no payload: pass it" in run.text,
           f"{arch}: without a payload the command says how to hand one over", run.text)


for name in ARCHES:
    if not shutil.which(f"qemu-system-{name}"):
        tap.skip(f"{name}: payloads", f"qemu-system-{name} is not installed")
        continue
    traced(name)
    program(name)
    crashes(name)
    ends(name)
    interrupted(name)
    refusals(name)
    by_cpio(name)
    absent(name)
tap.finish()
