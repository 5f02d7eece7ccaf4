# SPDX-License-Identifier: MIT
typed_test_SRCS := agent/input/typed.c
