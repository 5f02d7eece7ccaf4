# SPDX-License-Identifier: MIT
line_SRCS := tests/unit/channel/line_rig.c tests/unit/lib/uart/uart_model.c
line_LIBS := -lcmocka
