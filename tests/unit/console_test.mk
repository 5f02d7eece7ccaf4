# SPDX-License-Identifier: MIT
console_test_SRCS := boot/console.c boot/print.c
