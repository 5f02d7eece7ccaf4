# SPDX-License-Identifier: MIT
arguments_test_SRCS := workload/sdk/arguments.c
