# SPDX-License-Identifier: MIT
watchdog_test_SRCS := lib/watchdog.c
