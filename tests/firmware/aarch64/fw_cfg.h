/* SPDX-License-Identifier: MIT */
/* Where QEMU's virt machine has fw_cfg. */
#ifndef TESTS_FW_CFG_H
#define TESTS_FW_CFG_H

#include <stdint.h>

#define FW_CFG_DMA 0x09020010U

/* Have the structure at this address carried out. */
static inline void fw_cfg_dma(uint64_t address)
{
	__asm__ volatile("dsb sy" : : : "memory");
	*(volatile uint64_t *)(uintptr_t)FW_CFG_DMA = __builtin_bswap64(address);
	__asm__ volatile("dsb sy" : : : "memory");
}

#endif
