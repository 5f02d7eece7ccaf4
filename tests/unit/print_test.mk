# SPDX-License-Identifier: MIT
print_test_SRCS := boot/print.c
