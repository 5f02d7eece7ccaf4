# SPDX-License-Identifier: MIT
xcr0_test_SRCS := arch/x86_64/xcr0.c
