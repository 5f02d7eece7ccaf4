# SPDX-License-Identifier: MIT
local_apic_test_SRCS := arch/x86_64/interrupt/apic.c arch/x86_64/time/timer.c
local_apic_test_CFLAGS := -include tests/unit/arch/x86_64/interrupt/local_apic_test.h
