# SPDX-License-Identifier: MIT
# Sources and flags that a benchmark needs beside its own file and the two libraries.
drain_SRCS := tests/unit/host-tools/region_fixture.c
drain_CFLAGS := -DFIXTURE_SIZE='(32U << 20)' -DFIXTURE_PAGES='512U' -DFIXTURE_AUX='(8U << 20)'
line_SRCS := tests/unit/channel/line_rig.c tests/unit/lib/uart/uart_model.c
line_LIBS := -lcmocka
