/* SPDX-License-Identifier: MIT */
/* The options of `bareperf bench`: nanoBench's, with one dash, and those about the machine. */
#ifndef HOST_TOOLS_BENCH_BENCH_OPTIONS_H
#define HOST_TOOLS_BENCH_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host-tools/bench/machine_options.h"
#include "lib/bench/bench.h"
#include "writer/util/error.h"

enum bench_aggregate { BENCH_AVG, BENCH_MEDIAN, BENCH_MIN, BENCH_MAX };

/* A measurement, as nanoBench's options describe it. The texts belong to the caller. */
struct bench_options {
	const char *assembly[BENCH_PARTS]; /* -asm, -asm_init and so on; NULL: not given */
	const char *files[BENCH_PARTS];    /* -code and so on */
	struct {
		const uint8_t *bytes; /* NULL: not given */
		size_t size;
	} raw[BENCH_PARTS];                        /* machine code, instead of the other two */
	const char *config, *msr_config;           /* files */
	const char *config_text, *msr_config_text; /* the same as text; of a session */
	uint32_t measurements, unroll, loop, warm_up, initial_warm_up, alignment, offset, cpu;
	uint32_t limit_ms; /* of the first run of a snippet */
	enum bench_aggregate aggregate;
	bool fixed_counters, range, basic, no_mem, no_normalization, remove_empty, drain, verbose;
	bool user;                 /* at ring 3 or EL0 */
	bool by_cycle, end_to_end; /* bench_cycle.h */
	bool frozen;               /* of one of its measurements: the counters freeze ... */
	uint32_t cycle;            /* ... after so many core cycles; UINT32_MAX: never */
	bool json;
	const char *exegesis, *output; /* YAML files of llvm-exegesis; NULL: not given */
};

/* nanoBench's defaults. */
void bench_options_init(struct bench_options *options);

/* Read nanoBench's options from words; unique prefixes are accepted. Words that are no option of
 * nanoBench are kept, in their order, in rest (room for count + 1 words; NULL: they are refused).
 * *kept: their number. 0; -EINVAL: the error says why. */
int bench_options_parse(struct bench_options *options, int count, char **words, char **rest,
                        int *kept, struct error *error);

/* Read the whole command line. Returns whether --serve was given. Does not return for --help or a
 * wrong command line. */
bool bench_options_parse_all(struct bench_options *options, struct machine_options *machine,
                             int argc, char **argv);

#endif
