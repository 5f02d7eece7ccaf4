/* SPDX-License-Identifier: MIT */
/* `bareperf bench --exegesis`: runs llvm-exegesis's benchmarks on a bare machine. */
#ifndef HOST_TOOLS_BENCH_EXEGESIS_EXEGESIS_H
#define HOST_TOOLS_BENCH_EXEGESIS_EXEGESIS_H

#include "host-tools/bench/bench_link.h"
#include "host-tools/bench/bench_options.h"
#include "host-tools/bench/exegesis/exegesis_file.h"
#include "writer/util/error.h"

/* Run all benchmarks of a file and write it, with their measurements, to options->output (NULL:
 * standard output). A benchmark whose snippet fails gets the reason as its `error`; *failed is
 * their number. 0; -EINVAL: the file does not fit the machine or the options; other negative
 * errnos: the machine does not answer any more, or the output cannot be written. May be called
 * once for a file. Thread: main. */
int exegesis_run(struct exegesis_file *file, struct bench_link *link,
                 const struct bench_options *options, unsigned *failed, struct error *error);

#endif
