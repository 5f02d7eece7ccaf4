# SPDX-License-Identifier: MIT
keyboard_line_test_SRCS := agent/input/keyboard_line.c
