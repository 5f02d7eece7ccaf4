# SPDX-License-Identifier: MIT
record_progress_test_SRCS := agent/record_progress.c lib/print.c
