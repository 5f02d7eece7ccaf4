# SPDX-License-Identifier: MIT
payload_output_test_SRCS := agent/payload_output.c
