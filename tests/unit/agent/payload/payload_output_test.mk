# SPDX-License-Identifier: MIT
payload_output_test_SRCS := agent/payload/payload_output.c
