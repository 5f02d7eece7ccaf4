/* SPDX-License-Identifier: MIT */
#include "lib/survey/survey_text.h"

#include <string.h>

#include "lib/survey/survey_shape.h"

/* The lines of each part; their sum is at most SURVEY_TEXT_LINES. */
#define MATRIX 8U  /* CPUs: larger maps are printed as levels only */
#define WRONG  3U  /* failed checks, and a line for all others */
#define LEVELS 3U  /* printed beside a matrix; without one SURVEY_LEVELS */
#define GROUPS 10U /* groups that a level lists */
#define A_LINE 11U /* points of the ladder in a line */
#define ROWS   6U  /* CPUs in the table of noise */
#define KIB    1024U
#define MIB    (1024U * 1024U)

/* ---- Numbers ---- */

/* Picoseconds as ns with one digit after the point. */
static void text_ns(uint64_t ps, survey_print_fn print)
{
	print("%lu.%lu", (unsigned long)((ps + 50) / 1000), (unsigned long)((ps + 50) / 100 % 10));
}

static void text_gbs(uint64_t mbs, survey_print_fn print)
{
	print("%lu.%lu", (unsigned long)((mbs + 50) / 1000),
	      (unsigned long)((mbs + 50) / 100 % 10));
}

static void text_size(uint64_t bytes, survey_print_fn print)
{
	if (bytes % MIB)
		print("%luK", (unsigned long)(bytes / KIB));
	else
		print("%luM", (unsigned long)(bytes / MIB));
}

/* ---- The machine ---- */

static void text_machine(const struct survey *s, survey_print_fn print)
{
	print("bareperf %s self-test, %s\n", s->producer, s->architecture);
	if (*s->emulator)
		print("emulated by %s: no figure below means anything for a real machine\n",
		      s->emulator);
	else if (*s->hypervisor)
		print("virtual, by %s: its host's work may be in these figures\n", s->hypervisor);
	print("CPU        %u of %s%s%s (0x%lx), clock %lu Hz\n", s->cpus, s->vendor,
	      *s->model ? ", " : "", s->model, (unsigned long)s->signature, (unsigned long)s->hz);
	print("firmware   %s\n", s->firmware);
	print("checks     %u good, %u wrong, %u not there\n", s->passed, s->failed, s->absent);
	for (unsigned i = 0; i < s->nr_failures && i < WRONG; i++)
		print("  wrong    %s: %s\n", s->failures[i].check, s->failures[i].text);
	if (s->failed > WRONG)
		print("  wrong    and %u more\n", s->failed - WRONG);
}

/* ---- The map ---- */

static void text_matrix(const struct survey *s, survey_print_fn print)
{
	print("  CPU");
	for (unsigned b = 0; b + 1 < s->cpus; b++)
		print("%9u", b);
	print("\n");
	for (unsigned a = 1; a < s->cpus; a++) {
		print("  %3u", a);
		for (unsigned b = 0; b < a; b++) {
			uint64_t ps = s->pairs[survey_pair(a, b)];

			print(" %6lu.%lu", (unsigned long)((ps + 50) / 1000),
			      (unsigned long)((ps + 50) / 100 % 10));
		}
		print("\n");
	}
}

/* The CPUs of a group, as ranges: 0-3,8. */
static void text_group(const struct survey *s, const uint16_t *groups, unsigned group,
                       survey_print_fn print)
{
	const char *separator = " ";

	for (unsigned i = group; i < s->cpus; i++) {
		unsigned first = i;

		if (groups[i] != group)
			continue;
		while (i + 1 < s->cpus && groups[i + 1] == group)
			i++;
		print(i > first ? "%s%u-%u" : "%s%u", separator, first, i);
		separator = ",";
	}
}

static void text_groups(const struct survey *s, uint64_t max, survey_print_fn print)
{
	uint16_t groups[SURVEY_CPUS];
	unsigned n = survey_groups(s, max, groups), printed = 0;

	print("; groups:");
	for (unsigned i = 0; i < s->cpus && printed < GROUPS; i++) {
		if (groups[i] != i)
			continue;
		text_group(s, groups, i, print);
		printed++;
	}
	if (n > printed)
		print(" and %u more", n - printed);
}

static void text_levels(const struct survey *s, survey_print_fn print)
{
	struct survey_level levels[SURVEY_LEVELS];
	unsigned n = survey_levels(s, levels);

	for (unsigned i = 0; i < n && (s->cpus > MATRIX || i < LEVELS); i++) {
		print("  %s", i ? "then  " : "near  ");
		text_ns(levels[i].median, print);
		print(" (");
		text_ns(levels[i].min, print);
		print(" to ");
		text_ns(levels[i].max, print);
		print("), %u pairs", levels[i].pairs);
		if (i + 1 < n)
			text_groups(s, levels[i].max, print);
		print("\n");
	}
}

static void text_map(const struct survey *s, survey_print_fn print)
{
	unsigned measured = 0;

	for (unsigned i = 0; i < survey_nr_pairs(s); i++)
		measured += s->pairs[i] != 0;
	if (!measured)
		return;
	print("core to core, ns for a cache line's round trip");
	if (measured < survey_nr_pairs(s))
		print(" (%u of %u pairs)", measured, survey_nr_pairs(s));
	print("\n");
	if (s->cpus <= MATRIX)
		text_matrix(s, print);
	text_levels(s, print);
}

/* ---- Memory ---- */

static void text_ladder(const struct survey *s, survey_print_fn print)
{
	struct survey_point steps[SURVEY_STEPS];
	unsigned n = survey_steps(s, steps);

	if (!s->nr_points)
		return;
	print("latency of dependent loads, ns\n");
	for (unsigned i = 0; i < s->nr_points; i++) {
		print(i % A_LINE ? " " : "  ");
		text_size(s->points[i].bytes, print);
		print(" ");
		text_ns(s->points[i].ps, print);
		if (i % A_LINE == A_LINE - 1 || i + 1 == s->nr_points)
			print("\n");
	}
	print("  steps:");
	for (unsigned i = 0; i < n; i++) {
		print(i ? ", up to " : " up to ");
		text_size(steps[i].bytes, print);
		print(" ");
		text_ns(steps[i].ps, print);
	}
	print("\n");
}

static void text_bandwidth(const struct survey *s, survey_print_fn print)
{
	uint32_t low = UINT32_MAX, high = 0;

	for (unsigned i = 0; i < s->cpus; i++) {
		low = s->cpu[i].read_mbs < low ? s->cpu[i].read_mbs : low;
		high = s->cpu[i].read_mbs > high ? s->cpu[i].read_mbs : high;
	}
	if (!high)
		return;
	print("reads from memory, GB/s: one CPU ");
	text_gbs(low, print);
	print(" to ");
	text_gbs(high, print);
	print(", all at once ");
	text_gbs(s->all_mbs, print);
	print("\n");
}

/* ---- Time ---- */

static uint64_t text_absolute(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void text_clocks(const struct survey *s, survey_print_fn print)
{
	unsigned far = 0, drifts = 0;
	uint64_t error = 0;

	for (unsigned i = 1; i < s->cpus; i++) {
		if (text_absolute(s->cpu[i].offset) > text_absolute(s->cpu[far].offset))
			far = i;
		if (text_absolute(s->cpu[i].drift) > text_absolute(s->cpu[drifts].drift))
			drifts = i;
		error = s->cpu[i].error > error ? s->cpu[i].error : error;
	}
	if (s->cpus < 2)
		return;
	print("clocks, to CPU 0's within %lu ns: ", (unsigned long)error);
	if (s->cpu[far].offset)
		print("CPU %u's is %ld ns off, the most; ", far, (long)s->cpu[far].offset);
	else
		print("all the same; ");
	if (s->cpu[drifts].drift)
		print("CPU %u's drifts most, %ld ppb\n", drifts, (long)s->cpu[drifts].drift);
	else
		print("no drift\n");
}

static void text_interrupts(const struct survey *s, survey_print_fn print)
{
	if (!s->skid.count)
		return;
	print(
	    "a counter's interrupt: %u, late by %lu, %lu, %lu events and %lu, %lu, %lu ns "
	    "(least, median, most)\n",
	    s->skid.count, (unsigned long)s->skid.min, (unsigned long)s->skid.median,
	    (unsigned long)s->skid.max, (unsigned long)s->late.min, (unsigned long)s->late.median,
	    (unsigned long)s->late.max);
}

/* ---- Noise ---- */

/* Arm's CPUs do not count what enters EL3: the last column has the gaps of every cause. */
static bool text_is_arm(const struct survey *s)
{
	return !strcmp(s->architecture, "aarch64");
}

static void text_noise_row(const struct survey *s, unsigned cpu, survey_print_fn print)
{
	const struct survey_noise *n = &s->cpu[cpu].noise;
	uint64_t free =
	    n->runtime > n->noise
	        ? (uint64_t)((unsigned __int128)(n->runtime - n->noise) * 10000000 / n->runtime)
	        : 0;

	print("%3u #%-6u %12lu %12lu   %3lu.%05lu %11lu %12lu %7u %7u ", cpu, n->periods,
	      (unsigned long)(n->runtime / 1000), (unsigned long)(n->noise / 1000),
	      (unsigned long)(free / 100000), (unsigned long)(free % 100000),
	      (unsigned long)(n->max_noise / 1000), (unsigned long)(n->max_single / 1000), n->hw,
	      n->nmi);
	if (text_is_arm(s))
		print("%7u\n", n->hw + n->nmi);
	else if (s->has_smi)
		print("%7u\n", n->smi);
	else
		print("%7s\n", "-");
}

/* Whether fewer than `rows` CPUs lost more time than this one. */
static bool text_is_noisy(const struct survey *s, unsigned rows, unsigned cpu)
{
	unsigned worse = 0;

	for (unsigned i = 0; i < s->cpus; i++)
		worse += s->cpu[i].noise.noise > s->cpu[cpu].noise.noise ||
		         (i < cpu && s->cpu[i].noise.noise == s->cpu[cpu].noise.noise);
	return worse < rows;
}

void survey_text_noise(const struct survey *s, unsigned rows, survey_print_fn print)
{
	uint64_t runtime = 0;
	unsigned watched = 0;

	for (unsigned i = 0; i < s->cpus; i++) {
		runtime += s->cpu[i].noise.runtime;
		watched += s->cpu[i].noise.periods != 0;
	}
	if (!runtime)
		return;
	runtime /= 1000000000;
	print("%50s%s\n", "", "Hardware-related Noise");
	print("duration: %3lu %02lu:%02lu:%02lu | time is in us\n",
	      (unsigned long)(runtime / 86400), (unsigned long)(runtime / 3600 % 24),
	      (unsigned long)(runtime / 60 % 60), (unsigned long)(runtime % 60));
	print(
	    "CPU Period       Runtime        Noise  %% CPU Aval   Max Noise   Max Single      HW "
	    "    NMI     %s\n",
	    text_is_arm(s) ? "GAP" : "SMI");
	for (unsigned i = 0; i < s->cpus; i++)
		if (s->cpu[i].noise.periods && (watched <= rows || text_is_noisy(s, rows - 1, i)))
			text_noise_row(s, i, print);
	if (watched > rows)
		print("    the other %u CPUs had less noise\n", watched - (rows - 1));
}

void survey_text(const struct survey *s, survey_print_fn print)
{
	text_machine(s, print);
	text_map(s, print);
	text_ladder(s, print);
	text_bandwidth(s, print);
	text_clocks(s, print);
	text_interrupts(s, print);
	survey_text_noise(s, ROWS, print);
}
