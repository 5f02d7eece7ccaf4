# SPDX-License-Identifier: MIT
local_apic_test_SRCS := arch/x86_64/apic.c arch/x86_64/timer.c
local_apic_test_CFLAGS := -include tests/unit/arch/x86_64/local_apic_test.h
