/* SPDX-License-Identifier: MIT */
/* Distributor registers that GICv2 (IHI 0048, 4.3) and GICv3 (IHI 0069, 12.9) share. */
#ifndef ARCH_AARCH64_INTERRUPT_GICD_H
#define ARCH_AARCH64_INTERRUPT_GICD_H

#include <stdint.h>

#define GICD_CTLR        0x000
#define GICD_TYPER       0x004
#define GICD_IGROUPR     0x080
#define GICD_ISENABLER   0x100
#define GICD_ICENABLER   0x180
#define GICD_ISPENDR     0x200
#define GICD_ICPENDR     0x280
#define GICD_ISACTIVER   0x300
#define GICD_ICACTIVER   0x380
#define GICD_IPRIORITYR  0x400 /* a byte for each */
#define GICD_ICFGR       0xc00 /* two bits for each */
#define GICD_TYPER_LINES 0x1f  /* SPI words in use */

static inline uint32_t gic_read(volatile uint8_t *base, unsigned offset)
{
	return *(volatile uint32_t *)(base + offset);
}

static inline void gic_write(volatile uint8_t *base, unsigned offset, uint32_t value)
{
	*(volatile uint32_t *)(base + offset) = value;
}

#endif
