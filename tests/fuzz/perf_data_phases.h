/* SPDX-License-Identifier: MIT */
/* For perf_data_fuzz: marks, and `bareperf report --phases` and `--boot`. */
#ifndef TESTS_FUZZ_PERF_DATA_PHASES_H
#define TESTS_FUZZ_PERF_DATA_PHASES_H

#include "tests/unit/host-tools/region_fixture.h"

/* The second event of each ring is one of marks; write a mark to ring 0. */
void perf_data_have_marks(struct fixture *fixture);
void perf_data_put_mark(struct fixture *fixture, const char *text);

/* Sum up the file by phases: the sum equals the total. Returns the number of phases. */
size_t perf_data_sum_phases(const char *path);

/* `bareperf report --boot` of the file: at most 30 lines. */
void perf_data_explain_boot(const char *path);

#endif
