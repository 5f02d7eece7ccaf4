# SPDX-License-Identifier: MIT
mailbox_test_SRCS += boot/mailbox.c
