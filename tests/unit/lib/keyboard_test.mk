# SPDX-License-Identifier: MIT
keyboard_test_SRCS := lib/keyboard.c
