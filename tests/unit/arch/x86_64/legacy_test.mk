# SPDX-License-Identifier: MIT
legacy_test_SRCS := arch/x86_64/legacy.c
