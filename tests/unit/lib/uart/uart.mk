# SPDX-License-Identifier: MIT
uart_test_SRCS := tests/unit/lib/uart/uart_model.c
