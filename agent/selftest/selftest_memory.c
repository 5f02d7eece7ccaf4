/* SPDX-License-Identifier: MIT */
/* Latency and bandwidth of memory: loads that depend on each other, and loads that do not. */
#include <stdlib.h>

#include "agent/selftest/selftest_survey.h"
#include "arch/arch.h"
#include "lib/memory/memory.h"
#include "lib/survey/survey_machine.h"
#include "pmu/clock/clock.h"

#define LINE  64U           /* bytes from load to load: a cache line of most CPUs */
#define CHUNK (64U * 1024U) /* bytes read between two looks at the clock */

/* Each line's first word is the address of the next line. */
struct memory_line {
	union {
		struct memory_line *next;
		uint64_t index;
	};
	uint8_t rest[LINE - sizeof(uint64_t)];
};

static struct {
	void *heap;
	struct memory_line *lines; /* a page's begin in heap */
	uint64_t bytes;
	struct memory_line *volatile at; /* volatile: the compiler must keep the loads */
	volatile uint64_t sum;
} memory;

uint64_t selftest_memory_open(uint64_t most)
{
	if (most > memory_size() / 4)
		most = memory_size() / 4;
	for (memory.bytes = SURVEY_LEAST; memory.bytes * 2 <= most;)
		memory.bytes *= 2;
	while (memory.bytes >= SURVEY_LEAST && !(memory.heap = malloc(memory.bytes + ARCH_PAGE)))
		memory.bytes /= 2;
	if (!memory.heap)
		return 0;
	memory.lines = (void *)(((uintptr_t)memory.heap + ARCH_PAGE - 1) & ~(ARCH_PAGE - 1));
	return memory.bytes;
}

void selftest_memory_close(void)
{
	free(memory.heap);
	memory.heap = NULL;
	memory.lines = NULL;
}

/* ---- Latency ---- */

/* xorshift64: the same order in each run. */
static uint64_t memory_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Make one cycle of all lines in random order, by Sattolo's shuffle, so that no CPU can guess the
 * next line. */
static void memory_link(uint64_t count)
{
	struct memory_line *lines = memory.lines;
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	for (uint64_t i = 0; i < count; i++)
		lines[i].index = i;
	for (uint64_t i = count - 1; i > 0; i--) {
		uint64_t other = (memory_random(&state) >> 32) * i >> 32, index = lines[i].index;

		lines[i].index = lines[other].index;
		lines[other].index = index;
	}
	for (uint64_t i = 0; i < count; i++)
		lines[i].next = &lines[lines[i].index];
}

static struct memory_line *memory_follow(struct memory_line *at, uint64_t loads)
{
	while (loads--)
		at = __atomic_load_n(&at->next, __ATOMIC_RELAXED);
	return at;
}

unsigned selftest_chase(uint64_t bytes, uint64_t loads, uint64_t *cycles, unsigned batches)
{
	uint64_t count = bytes / LINE;
	struct memory_line *at = memory.lines;

	if (!at || bytes > memory.bytes)
		return 0;
	memory_link(count);
	at = memory_follow(at, count); /* the first pass fills the caches */
	for (unsigned i = 0; i < batches; i++) {
		uint64_t start = arch_cycles_in_order();

		memory.at = at = memory_follow(at, loads);
		cycles[i] = arch_cycles_in_order() - start;
	}
	return batches;
}

/* ---- Bandwidth ---- */

static struct {
	unsigned readers;                              /* CPUs that read at once */
	uint64_t cycles;                               /* how long */
	uint64_t read[TR_MAX_CPUS], took[TR_MAX_CPUS]; /* bytes, cycles */
} reads;

static uint64_t memory_sum(const struct memory_line *line, const struct memory_line *end)
{
	uint64_t sum = 0;

	for (; line < end; line++)
		sum += __atomic_load_n(&line->index, __ATOMIC_RELAXED);
	return sum;
}

/* Each CPU begins at another place of the memory, so that none finds a line that another one has
 * just fetched. */
static void memory_read(void *unused)
{
	unsigned cpu = arch_cpu();
	uint64_t chunk = CHUNK < memory.bytes ? CHUNK : memory.bytes, sum = 0;
	uint64_t at = memory.bytes / reads.readers * (cpu % reads.readers) / chunk * chunk;
	uint64_t start = arch_cycles();

	(void)unused;
	for (reads.read[cpu] = 0; arch_cycles() - start < reads.cycles; reads.read[cpu] += chunk) {
		sum += memory_sum(memory.lines + at / LINE, memory.lines + (at + chunk) / LINE);
		at = (at + chunk) % memory.bytes;
	}
	memory.sum = sum;
	reads.took[cpu] = arch_cycles() - start;
}

static uint64_t memory_mbs(unsigned cpu)
{
	return reads.took[cpu] ? (uint64_t)((unsigned __int128)reads.read[cpu] *
	                                    machine_clock.frequency / reads.took[cpu] / 1000000)
	                       : 0;
}

/* Let CPUs first to last read for ns, and return the sum of their MB/s. The others start before the
 * boot CPU, which is in the range only as its first. */
static uint64_t memory_read_on(unsigned first, unsigned last, uint64_t ns)
{
	uint64_t sum = 0;

	reads.readers = last - first + 1;
	reads.cycles = clock_span_to_cycles(&machine_clock, ns);
	for (unsigned cpu = first; cpu <= last; cpu++) {
		reads.took[cpu] = 0;
		if (cpu)
			arch_cpu_run(cpu, memory_read, NULL);
	}
	if (!first)
		memory_read(NULL);
	for (unsigned cpu = first; cpu <= last; cpu++) {
		while (cpu && !arch_cpu_idle(cpu))
			arch_relax();
		sum += memory_mbs(cpu);
	}
	return sum;
}

void selftest_bandwidth(struct survey *s, uint64_t ns, void (*beat)(void))
{
	if (!memory.lines)
		return;
	for (unsigned cpu = 0; cpu < s->cpus; cpu++) {
		s->cpu[cpu].read_mbs = (uint32_t)memory_read_on(cpu, cpu, ns);
		beat();
	}
	s->all_mbs = (uint32_t)memory_read_on(0, s->cpus - 1, ns);
}
