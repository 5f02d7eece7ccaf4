# SPDX-License-Identifier: MIT
hosted_irq_test_SRCS := arch/aarch64/hosted/hosted_irq.c
