# SPDX-License-Identifier: MIT
saved_perfmon_test_SRCS := arch/x86_64/pmu/saved_perfmon.c
