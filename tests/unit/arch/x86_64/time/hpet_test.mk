# SPDX-License-Identifier: MIT
hpet_test_SRCS := arch/x86_64/time/hpet.c
