/* SPDX-License-Identifier: MIT */
/* The address of fw_cfg on QEMU's virt machine. */
#ifndef TESTS_FW_CFG_H
#define TESTS_FW_CFG_H

#include <stdint.h>

#define FW_CFG_DMA 0x09020010U

/* Let QEMU carry out the structure at this address. */
static inline void fw_cfg_dma(uint64_t address)
{
	__asm__ volatile("dsb sy" : : : "memory");
	*(volatile uint64_t *)(uintptr_t)FW_CFG_DMA = __builtin_bswap64(address);
	__asm__ volatile("dsb sy" : : : "memory");
}

#endif
