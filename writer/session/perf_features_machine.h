/* SPDX-License-Identifier: MIT */
/*
 * The sections of a perf.data file that describe the machine. Each function appends the contents to
 * an empty blob, or nothing if they are not known. Formats: Linux,
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef WRITER_SESSION_PERF_FEATURES_MACHINE_H
#define WRITER_SESSION_PERF_FEATURES_MACHINE_H

#include "writer/session/perf_features.h"

void perf_feature_nrcpus(struct blob *blob, const struct perf_features_input *in);
void perf_feature_cpudesc(struct blob *blob, const struct perf_features_input *in);
void perf_feature_cpuid(struct blob *blob, const struct perf_features_input *in);
void perf_feature_total_mem(struct blob *blob, const struct perf_features_input *in);
void perf_feature_cpu_topology(struct blob *blob, const struct perf_features_input *in);
void perf_feature_numa_topology(struct blob *blob, const struct perf_features_input *in);
void perf_feature_mem_topology(struct blob *blob, const struct perf_features_input *in);
void perf_feature_pmu_mappings(struct blob *blob, const struct perf_features_input *in);
void perf_feature_clockid(struct blob *blob, const struct perf_features_input *in);
void perf_feature_clock_data(struct blob *blob, const struct perf_features_input *in);

#endif
