/* SPDX-License-Identifier: MIT */
/*
 * A microbenchmark's request and result, for host and target (docs/bench.md). The host assembles
 * the snippets and chooses the counters of one run; the target builds the measured code, runs it,
 * and returns each measurement's raw differences. The host computes all aggregates.
 *
 *	host	request ──▶ bytes ──▶ base64, in pieces that fit a command	bench N M TEXT
 *	target	result  ──▶ bytes, behind a struct tr_file in TR_STREAM_FILES
 */
#ifndef LIB_BENCH_BENCH_H
#define LIB_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_COUNTERS     8U       /* values that one run reads */
#define BENCH_WRITES       32U      /* registers that one run sets */
#define BENCH_VALUES       65536U   /* values of one result */
#define BENCH_MEASUREMENTS 100000U  /* of one run, warm-up runs too */
#define BENCH_REQUEST      262144U  /* bytes of an encoded request */
#define BENCH_AREAS        5U       /* memory areas that registers point into */
#define BENCH_AREA         1048576U /* bytes of each; the register points to its middle */

/* The pieces of a snippet, each machine code. */
enum bench_part {
	BENCH_CODE,
	BENCH_INIT,          /* before each run, not measured */
	BENCH_LATE_INIT,     /* after the first reading, before the code */
	BENCH_ONE_TIME_INIT, /* once, before the first run */
	BENCH_PARTS,
};

/* A value that is read before and after the measured code. */
enum bench_kind {
	BENCH_CLOCK,    /* TSC; CNTVCT_EL0 */
	BENCH_FIXED,    /* x86: fixed counter `index`; Arm: the cycle counter */
	BENCH_GENERAL,  /* general counter `index`, which counts `config` */
	BENCH_REGISTER, /* x86: the MSR with the number `config` */
	BENCH_KINDS,
};

struct bench_counter {
	uint32_t kind, index;
	uint64_t config; /* PERFEVTSELx or PERF_CTLx without EN and INT; PMEVTYPER's event number */
};

/* A register that is set before the counters start, and gets its former value afterwards. */
struct bench_write {
	uint32_t reg;
	uint64_t value;
};

#define BENCH_NO_MEM (1U << 0) /* counters are read into registers, without memory accesses */
#define BENCH_BASIC  (1U << 1) /* the first run has no copies, the second one unroll copies */
#define BENCH_DRAIN  (1U << 2) /* long NOPs drain the front end's buffers */
#define BENCH_ABOUT  (1U << 3) /* run nothing: only describe the machine */
#define BENCH_USER   (1U << 4) /* run, and count, at the user level: ring 3, EL0 */
#define BENCH_CYCLE  (1U << 5) /* the counters freeze after `cycle` core cycles */
#define BENCH_FLAGS  63U

struct bench_request {
	uint32_t flags; /* BENCH_NO_MEM and so on */
	uint32_t cpu;
	uint32_t measurements, warm_up, initial_warm_up; /* runs */
	uint32_t unroll;                                 /* copies of the code */
	uint32_t loop;      /* iterations of the copies; 0: no loop instructions */
	uint32_t alignment; /* bytes behind a 64-byte boundary at which the copies begin */
	uint32_t bound_ms;  /* limit of the first run of each generated code */
	uint32_t offset;    /* bytes behind a page's start at which the generated code begins */
	uint32_t cycle;     /* of BENCH_CYCLE; UINT32_MAX: they count to the end */
	unsigned nr_counters, nr_writes;
	struct bench_counter counters[BENCH_COUNTERS];
	struct bench_write writes[BENCH_WRITES];
	struct {
		const uint8_t *bytes;
		uint32_t size;
	} parts[BENCH_PARTS];
};

/* The vendor decides how an event becomes a counter's configuration. */
enum bench_vendor { BENCH_OTHER, BENCH_INTEL, BENCH_AMD, BENCH_ARM, BENCH_VENDORS };

/* The CPU that runs snippets. */
struct bench_hardware {
	uint32_t vendor;    /* enum bench_vendor */
	uint32_t general;   /* number of general counters */
	uint32_t fixed;     /* fixed counters, one bit each; Arm: bit 0, the cycle counter */
	uint32_t aperf;     /* 1: MPERF and APERF can be read */
	uint32_t signature; /* CPUID.01H:EAX; MIDR_EL1 */
	uint64_t frequency; /* of the clock, Hz */
	uint64_t areas[BENCH_AREAS]; /* the addresses in R14, RDI, RSI, RBP, RSP */
	uint64_t code, code_size;    /* where generated code lies, and its room in bytes */
};

/* Events on the machine during the measured calls that do not come from the snippet.
 * BENCH_UNKNOWN: the machine does not report this one. */
struct bench_noise {
	uint64_t smis;           /* system management interrupts */
	uint64_t interrupts;     /* that had no cause */
	uint64_t hit;            /* measurements during which one of these came */
	uint64_t stolen;         /* ns that the hypervisor took */
	uint64_t machine_checks; /* banks whose status changed */
	uint64_t throttled;      /* 1: the CPU was slowed down: heat, power, current */
	uint64_t frozen;         /* 1: the counters did not count during the SMIs */
	/* APERF / MPERF of each run, in 1/BENCH_RATIO; 0: unknown, or the run was too short */
	uint64_t ratio[2];
};
#define BENCH_UNKNOWN UINT64_MAX
#define BENCH_RATIO   10000U

struct bench_result {
	int32_t status; /* 0 or a negative errno */
	char text[224]; /* the reason, if status is negative */
	struct bench_hardware hardware;
	struct bench_noise noise;
	uint32_t counters, measurements;
	/* [run][counter][measurement], run 0: n copies, run 1: 2n copies; of the caller */
	int64_t *values;
};

/* The value's place in bench_result.values. */
static inline size_t bench_value(const struct bench_result *result, unsigned run, unsigned counter,
                                 uint32_t measurement)
{
	return ((size_t)run * result->counters + counter) * result->measurements + measurement;
}

#endif
