# SPDX-License-Identifier: MIT
cpio_fuzz_SRCS := lib/cpio.c
