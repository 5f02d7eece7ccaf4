# SPDX-License-Identifier: MIT
record_progress_test_SRCS := agent/record/record_progress.c lib/print.c
