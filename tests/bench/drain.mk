# SPDX-License-Identifier: MIT
drain_SRCS := tests/unit/host-tools/region_fixture.c
drain_CFLAGS := -DFIXTURE_SIZE='(32U << 20)' -DFIXTURE_PAGES='512U' -DFIXTURE_AUX='(8U << 20)'
