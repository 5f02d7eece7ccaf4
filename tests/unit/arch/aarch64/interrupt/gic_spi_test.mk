# SPDX-License-Identifier: MIT
gic_spi_test_SRCS := arch/aarch64/interrupt/gic_spi.c
