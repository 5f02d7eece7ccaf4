/* SPDX-License-Identifier: MIT */
/* The ports of fw_cfg on a PC in QEMU. */
#ifndef TESTS_FW_CFG_H
#define TESTS_FW_CFG_H

#include "arch/arch.h"

#define FW_CFG_DMA 0x514U

/* Let QEMU carry out the structure at this address: write the high word first; the low word starts
 * it. */
static inline void fw_cfg_dma(uint64_t address)
{
	arch_port_write_wide(FW_CFG_DMA, __builtin_bswap32((uint32_t)(address >> 32)), 4);
	arch_port_write_wide(FW_CFG_DMA + 4, __builtin_bswap32((uint32_t)address), 4);
}

#endif
