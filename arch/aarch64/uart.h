/* SPDX-License-Identifier: MIT */
#ifndef ARCH_AARCH64_UART_H
#define ARCH_AARCH64_UART_H

#include <stdint.h>

#define ARM_UART_SIZE 0x1000U

/* Where arch_uart_init() found the UART; 0: nowhere. For the page tables. */
uint64_t arm_uart_address(void);

#endif
