/* SPDX-License-Identifier: MIT */
/* Where a PC of QEMU's has fw_cfg. */
#ifndef TESTS_FW_CFG_H
#define TESTS_FW_CFG_H

#include "arch/arch.h"

#define FW_CFG_DMA 0x514U

/* Have the structure at this address carried out: high word first, the low one starts it. */
static inline void fw_cfg_dma(uint64_t address)
{
	arch_port_write_wide(FW_CFG_DMA, __builtin_bswap32((uint32_t)(address >> 32)), 4);
	arch_port_write_wide(FW_CFG_DMA + 4, __builtin_bswap32((uint32_t)address), 4);
}

#endif
