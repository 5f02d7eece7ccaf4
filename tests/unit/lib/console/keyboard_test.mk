# SPDX-License-Identifier: MIT
keyboard_test_SRCS := lib/console/keyboard.c
