# SPDX-License-Identifier: MIT
record_lossless_test_SRCS := agent/record_lossless.c lib/print.c
