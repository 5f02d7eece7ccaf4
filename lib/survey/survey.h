/* SPDX-License-Identifier: MIT */
/*
 * A survey: a machine's figures that `selftest` takes, as one value. The machine fills it in,
 * prints it as text, JSON and QR code; the host reads it back and shows it again. Pure data:
 * everything that is derived from it (levels, steps, tables) is computed from these fields on
 * either side.
 *
 * It holds nothing that identifies one machine among others of its kind: no serial numbers, no
 * network addresses, no names of disks.
 */
#ifndef LIB_SURVEY_SURVEY_H
#define LIB_SURVEY_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#define SURVEY_CPUS     256U
#define SURVEY_SIZES    40U /* points of the latency ladder */
#define SURVEY_FAILURES 8U  /* kept texts of failed checks; the count may be larger */
#define SURVEY_BUCKETS  20U /* number of buckets: [2^(i-1), 2^i); the first is for 0 */

/* Quantiles of a number of values; all 0 if count is 0. */
struct survey_spread {
	unsigned count;
	uint64_t min, p10, median, p90, max;
};

/* A point of the ladder: dependent loads over so many bytes take so many picoseconds each. */
struct survey_point {
	uint64_t bytes;
	uint64_t ps;
};

/* The time that something else took from a CPU, as `rtla hwnoise` counts it; ns. */
struct survey_noise {
	uint32_t periods;
	uint64_t runtime, noise;        /* watched; taken away */
	uint64_t max_noise, max_single; /* the most noise in one period; the longest single gap */
	uint32_t hw, nmi, smi;          /* gaps without a known cause; NMIs; SMIs */
	uint64_t max_smi;               /* the longest gap with an SMI in it */
};

struct survey_cpu {
	uint32_t read_mbs; /* MB/s (10^6) that this CPU alone reads from memory */
	int64_t offset;    /* ns to add to its clock for the boot CPU's */
	uint64_t error;    /* ns: the largest possible error of offset */
	int64_t drift;     /* parts per billion */
	struct survey_noise noise;
};

struct survey_failure {
	char check[40], text[160];
};

struct survey {
	char producer[24];     /* bareperf's version */
	char architecture[12]; /* the name that uname -m prints */
	char vendor[16], model[64], firmware[64];
	char hypervisor[24]; /* its name; "": none is known */
	char
	    emulator[32]; /* the emulator under which no figure means anything; "": none is known */
	uint64_t signature; /* CPUID.01H:EAX; MIDR_EL1 */
	uint64_t hz;        /* frequency of the clock */
	unsigned cpus;
	unsigned passed, failed, absent; /* checks */
	unsigned nr_failures;
	struct survey_failure failures[SURVEY_FAILURES];
	unsigned nr_points;
	struct survey_point points[SURVEY_SIZES]; /* ascending sizes */
	uint32_t all_mbs;                         /* MB/s when all CPUs read at once */
	struct survey_spread skid;          /* events from a counter's overflow to its interrupt */
	struct survey_spread late;          /* the same as a time, ns */
	uint32_t histogram[SURVEY_BUCKETS]; /* of skid */
	uint64_t threshold, period;         /* threshold and period of the noise measurement, ns */
	bool has_smi;                       /* the CPUs count system management interrupts */
	struct survey_cpu cpu[SURVEY_CPUS];
	/* Round trips of a cache line between two CPUs, ps, at survey_pair(); 0: not measured */
	uint64_t pairs[SURVEY_CPUS * (SURVEY_CPUS - 1) / 2];
};

/* The index in pairs of two different CPUs, in either order. */
static inline unsigned survey_pair(unsigned a, unsigned b)
{
	return a > b ? a * (a - 1) / 2 + b : b * (b - 1) / 2 + a;
}

static inline unsigned survey_nr_pairs(const struct survey *s)
{
	return s->cpus ? s->cpus * (s->cpus - 1) / 2 : 0;
}

/* Formats as printf does; the conversions that both sides' printers know are those of
 * lib/print.h. */
typedef void (*survey_print_fn)(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
