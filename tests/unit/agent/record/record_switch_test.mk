# SPDX-License-Identifier: MIT
record_switch_test_SRCS := agent/record/record_switch.c
