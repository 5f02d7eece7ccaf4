/* SPDX-License-Identifier: MIT */
/* Registers of GICv3 that both of its files use: IHI 0069H, 12.9 and 12.11. */
#ifndef ARCH_AARCH64_INTERRUPT_GICV3_H
#define ARCH_AARCH64_INTERRUPT_GICV3_H

#include <stdbool.h>

#include "arch/aarch64/interrupt/gicd.h"

#define GICD_CTLR_GRP0 (1U << 0)
#define GICD_CTLR_GRP1 (1U << 1) /* EnableGrp1, EnableGrp1A: the same bit in both views */
#define GICD_CTLR_ARE  (1U << 4)
#define GICD_CTLR_DS   (1U << 6) /* one security state */
#define GICD_CTLR_RWP  (1U << 31)

/* offsets from RD_base; those of SGI_base follow */
#define GICR_CTLR       0x0000
#define GICR_CTLR_RWP   (1U << 3)
#define GICR_SGI        0x10000
#define GICR_IGROUPR0   (GICR_SGI + 0x080)
#define GICR_ISENABLER0 (GICR_SGI + 0x100)
#define GICR_ICENABLER0 (GICR_SGI + 0x180)
#define GICR_ISPENDR0   (GICR_SGI + 0x200)
#define GICR_ICPENDR0   (GICR_SGI + 0x280)
#define GICR_ISACTIVER0 (GICR_SGI + 0x300)
#define GICR_ICACTIVER0 (GICR_SGI + 0x380)
#define GICR_IPRIORITYR (GICR_SGI + 0x400) /* a byte for each of 32 */
#define GICR_IGRPMODR0  (GICR_SGI + 0xd00)

#define ICC_SRE_SRE 1UL /* bit of ICC_SRE_EL1 and ICC_SRE_EL2 */

/* The redistributor frame of the CPU with this affinity; NULL: the tables name none. After
 * gicv3_discover(). */
volatile uint8_t *gicv3_redistributor(uint64_t mpidr);

/* Wait, bounded, for the bit to clear; returns whether it has. */
bool gicv3_clears(volatile uint8_t *base, unsigned offset, uint32_t bit);

#endif
