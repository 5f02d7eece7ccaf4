# SPDX-License-Identifier: MIT
console_test_SRCS := lib/console/console.c lib/print.c
