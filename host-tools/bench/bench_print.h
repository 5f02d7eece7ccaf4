/* SPDX-License-Identifier: MIT */
/* A measurement as nanoBench's text, and as JSON. */
#ifndef HOST_TOOLS_BENCH_BENCH_PRINT_H
#define HOST_TOOLS_BENCH_BENCH_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "host-tools/bench/bench_measure.h"

/* Print a line for each event; with -verbose, the counts of all runs before them. */
void bench_print(const struct bench_measurement *measurement, const struct bench_options *options,
                 FILE *out);

/* The same and the machine's properties as an object; NULL: no memory. */
json_t *bench_json(const struct bench_measurement *measurement,
                   const struct bench_options *options);

/* Print a line for each reason that makes figures void, with their names. Returns whether there was
 * any. */
bool bench_print_noise(const struct bench_measurement *measurement, FILE *out);

#endif
