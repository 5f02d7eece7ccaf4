# SPDX-License-Identifier: MIT
clock_cpuid_test_SRCS := arch/x86_64/time/clock_cpuid.c
