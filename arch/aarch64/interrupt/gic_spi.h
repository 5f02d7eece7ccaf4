/* SPDX-License-Identifier: MIT */
/*
 * Shared peripheral interrupts that are led to one CPU each, as boards have them for performance
 * monitors without PPIs, and back to what the firmware had them be. By accesses to the distributor
 * alone, so that the unit tests run it on memory. Thread; not on two CPUs at a time.
 */
#ifndef ARCH_AARCH64_INTERRUPT_GIC_SPI_H
#define ARCH_AARCH64_INTERRUPT_GIC_SPI_H

#include <stdbool.h>
#include <stdint.h>

#define GIC_MAX_SPIS_LED 256U /* one a CPU */

/* What the firmware had one be. */
struct gic_spi_saved {
	uint32_t intid;
	uint64_t route;
	uint8_t priority, config;
	bool group, modifier;
};

struct gic_spis {
	volatile uint8_t *gicd;
	bool affinity; /* routed by IROUTER (GICv3 with ARE), to group 1; else by ITARGETSR */
	unsigned count;
	struct gic_spi_saved saved[GIC_MAX_SPIS_LED];
};

/* Lead it to route, an MPIDR's affinity or a mask of CPU interfaces, and enable it. 0; -ENOSPC;
 * -EINVAL: the distributor has no such SPI. */
int gic_spi_lead(struct gic_spis *spis, uint32_t intid, uint64_t route, uint8_t priority,
                 bool edge);

/* One that was led comes no more; gic_spi_lead() has it come again. No effect on others. Any
 * context, of the CPU that it was led to. */
void gic_spi_disable(const struct gic_spis *spis, uint32_t intid);

/* All of them off, none pending for us, and as they were but for their enable bits. */
void gic_spis_restore(struct gic_spis *spis);

#endif
