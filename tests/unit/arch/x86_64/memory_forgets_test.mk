# SPDX-License-Identifier: MIT
memory_forgets_test_SRCS := arch/x86_64/memory_forgets.c
