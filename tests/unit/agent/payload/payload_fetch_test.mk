# SPDX-License-Identifier: MIT
payload_fetch_test_SRCS := agent/payload/payload_fetch.c
