# SPDX-License-Identifier: MIT
clock_cpuid_test_SRCS := arch/x86_64/clock_cpuid.c
