# SPDX-License-Identifier: MIT
perf_data_fuzz_SRCS := tests/fuzz/perf_data_phases.c
