# SPDX-License-Identifier: MIT
typed_test_SRCS := agent/typed.c
