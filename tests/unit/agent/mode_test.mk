# SPDX-License-Identifier: MIT
mode_test_SRCS := agent/mode.c
