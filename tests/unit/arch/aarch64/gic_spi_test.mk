# SPDX-License-Identifier: MIT
gic_spi_test_SRCS := arch/aarch64/gic_spi.c
