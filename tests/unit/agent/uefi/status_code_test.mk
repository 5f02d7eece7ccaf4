# SPDX-License-Identifier: MIT
status_code_test_SRCS := agent/uefi/status_code.c lib/print.c
