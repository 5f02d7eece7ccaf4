# SPDX-License-Identifier: MIT
mailbox_test_SRCS += agent/input/mailbox.c
