# SPDX-License-Identifier: MIT
hosted_gates_test_SRCS := arch/x86_64/hosted/hosted_gates.c
hosted_gates_test_CFLAGS := -include tests/unit/arch/x86_64/hosted/hosted_gates_test.h
