# SPDX-License-Identifier: MIT
trace_step_test_SRCS := arch/x86_64/pmu/trace_step.c
