#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of docs/payloads.md for a unikernel are sufficient: a program with its own start-up
code, without the SDK's library and linker script, with its own stacks and thread pointer."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine
import tap

FUNCTIONS = ("_start", "spin", "say", "work", "thread", "end", "on_own_stack", "set_thread_pointer", "at_thread_pointer")
COMPILER = {"x86_64": "gcc", "aarch64": "aarch64-linux-gnu-gcc"}
SOURCE = r"""
#include <bareperf/system.h>

#if __x86_64__
#define SWITCH "mov %%rsp, %%rbx\n mov %1, %%rsp\n call *%2\n mov %%rbx, %%rsp"
#define SAVED  "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "cc"
#define FIRST  "D"
static void set_thread_pointer(uint64_t at)
{
	__asm__ volatile("wrmsr" : : "c"(0xc0000100), "a"((uint32_t)at), "d"((uint32_t)(at >> 32)));
}
static uint64_t at_thread_pointer(void)
{
	uint64_t value;

	__asm__ volatile("mov %%fs:0, %0" : "=r"(value));
	return value;
}
#else
#define SWITCH "mov x19, sp\n mov sp, %1\n blr %2\n mov sp, x19"
static void set_thread_pointer(uint64_t at)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(at));
}
static uint64_t at_thread_pointer(void)
{
	uint64_t at;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(at));
	return *(volatile uint64_t *)at;
}
#endif

static const struct bareperf_system *system;
static uint64_t control[256][8]; /* a thread pointer's, for each CPU */
static volatile uint64_t results[256];
static const char *volatile names[] = { "relocated", "bytes" };

static void say(const char *text)
{
	uint64_t size = 0;

	while (text[size])
		size++;
	system->write_to(BAREPERF_STDOUT, text, size);
}

static __attribute__((noinline)) uint64_t spin(uint64_t ns)
{
	uint64_t end = system->clock() + ns, turns = 0;

	while (system->clock() < end)
		for (volatile unsigned i = 0; i < 1000; i++)
			turns++;
	return turns;
}

static __attribute__((noinline)) int work(void)
{
	uint32_t cpu = system->cpu();

	control[cpu][0] = 1000 + cpu;
	set_thread_pointer((uint64_t)control[cpu]);
	results[cpu] = spin(150000000) != 0 ? at_thread_pointer() : 0;
	return 7;
}

/* On a stack of its own, as unikernels have for their threads. */
static int on_own_stack(char *top, int (*fn)(void))
{
	int result;

#if __x86_64__
	__asm__ volatile(SWITCH : "=a"(result), "+d"(top) : "r"(fn) : SAVED, "rdi", "memory");
#else
	register uint64_t first __asm__("x0");

	__asm__ volatile(SWITCH
	                 : "=r"(first), "+r"(top)
	                 : "r"(fn)
	                 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
	                   "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "memory", "cc");
	result = (int)first;
#endif
	return result;
}

static int thread(void *top)
{
	return on_own_stack(top, work);
}

static int end(void)
{
	system->end(43);
	return 0;
}

int _start(const struct bareperf_system *given)
{
	char *heap = given->heap;
	int cpu, result = 0;

	if (given->version != BAREPERF_SYSTEM_VERSION || given->size < sizeof(*given))
		return -88;
	system = given;
	say(names[0]);
	say(system->argc == 2 && system->argv[1][0] == 'w' ? " word\n" : " no word\n");
	cpu = system->thread_start(BAREPERF_ANY_CPU, thread, heap + 65536);
	if (cpu < 0 || on_own_stack(heap + 131072, work) != 7)
		return 1;
	if (system->thread_join(cpu, &result) || result != 7)
		return 2;
	if (results[0] != 1000 || results[cpu] != 1000 + (uint64_t)cpu)
		return 3;
	if (system->write_to(BAREPERF_STDOUT, (void *)0x10, 8) != -14)
		return 4;
	spin(100000000);
	say("done\n");
	if (system->argv[1][1] == 'r')
		return 42;
	return on_own_stack(heap + 131072, end);
}
"""


def build(isa, where):
    """Compiled as docs/payloads.md describes."""
    subprocess.run([COMPILER[isa], "-O2", "-Wall", "-Werror", "-ffreestanding", "-fpie", "-static-pie",
                    "-nostdlib", "-mgeneral-regs-only", "-fno-stack-protector", "-fno-omit-frame-pointer", "-Wl,--build-id",
                    "-Wl,-z,separate-code,-z,noexecstack", "-I", machine.TOP / "workload/sdk/include",
                    "-o", where, "-xc", "-"], input=SOURCE, text=True, check=True)
    return where


def boot(isa, where, word, status):
    run = machine.Recording(f"record -a -e cpu-clock -c 100000 -g -- payload {word}", "--arch", isa,
                            "--payload", where, qemu=("-smp", "2"))
    tap.ok(run.status == status and run.out == "relocated word\ndone\n" and run.summary()["conserved"],
           f"{isa}: it runs with a start-up of its own, prints, has two CPUs, and ends with {status}",
           run.text)
    return run


def main():
    for isa in COMPILER:
        if not shutil.which(f"qemu-system-{isa}"):
            tap.skip(f"{isa}: a program without the SDK", f"qemu-system-{isa} is not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="bareperf-test-") as directory:
            elf = build(isa, pathlib.Path(directory) / "bare.elf")
            boot(isa, elf, "wr", 42)
            run = boot(isa, elf, "we", 43)
            chains = [chain for _, _, chain in run.chains()]
            own = {name: share for name, share in machine.shares(run.chains()).items() if name in FUNCTIONS}
            # the rest of the time it waits, and that depends on the host
            tap.ok(own.get("spin", 0) > 0.9 * sum(own.values()) > 5,
                   f"{isa}: stock perf names its functions", machine.shares(run.chains()))
            tap.ok(any(chain[:2] == ("spin", "_start") for chain in chains) and
                   any(chain[0] == "spin" and "_start" not in chain for chain in chains),
                   f"{isa}: samples on its own stacks are there too; callers are followed on ours", chains[-9:])
            text, _, _ = run.perf("report", "--stdio", "-g", "none", "--no-children", "--sort",
                                  "cpu,symbol")
            tap.equal(set(re.findall(r"%\s+(\d+)\s+\[\.\] spin\b", text)), {"000", "001"},
                      f"{isa}: on both CPUs")

main()
tap.finish()
