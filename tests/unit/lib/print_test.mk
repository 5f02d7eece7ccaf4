# SPDX-License-Identifier: MIT
print_test_SRCS := lib/print.c
