# SPDX-License-Identifier: MIT
status_code_test_SRCS := agent/status_code.c lib/print.c
