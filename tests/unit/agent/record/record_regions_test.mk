# SPDX-License-Identifier: MIT
record_regions_test_SRCS := agent/record/record_regions.c lib/print.c
