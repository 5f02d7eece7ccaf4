/* SPDX-License-Identifier: MIT */
/* A session: requests from standard input, one a line, to a machine that stays connected. */
#ifndef HOST_TOOLS_BENCH_BENCH_SERVE_H
#define HOST_TOOLS_BENCH_BENCH_SERVE_H

#include "host-tools/bench/bench_link.h"

/*
 * Answer lines until standard input ends. A line is a JSON array of options (["-asm", "nop"]) or
 * the string "about". The answer is one line, an object: output, nanoBench's text; with "--json" as
 * the first word, result as bench_json() describes it; or error, and fatal if the machine is gone.
 * The exit status.
 * options: of the command line, of which limit_ms counts.
 */
int bench_serve(struct bench_link *link, const struct bench_options *options);

#endif
