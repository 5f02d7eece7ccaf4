/* SPDX-License-Identifier: MIT */
/*
 * Routes shared peripheral interrupts to one CPU each, for performance monitors without PPIs, and
 * restores the firmware's settings. Uses only the distributor, so the unit tests run it on plain
 * memory. Thread; not on two CPUs at once.
 */
#ifndef ARCH_AARCH64_INTERRUPT_GIC_SPI_H
#define ARCH_AARCH64_INTERRUPT_GIC_SPI_H

#include <stdbool.h>
#include <stdint.h>

#define GIC_MAX_SPIS_LED 256U /* one per CPU */

/* The firmware's settings of one SPI. */
struct gic_spi_saved {
	uint32_t intid;
	uint64_t route;
	uint8_t priority, config;
	bool group, modifier;
};

struct gic_spis {
	volatile uint8_t *gicd;
	bool affinity; /* routed by IROUTER (GICv3 with ARE), in group 1; else by ITARGETSR */
	unsigned count;
	struct gic_spi_saved saved[GIC_MAX_SPIS_LED];
};

/* Route the SPI to route (an MPIDR's affinity, or a mask of CPU interfaces), and enable it. Returns
 * 0; -ENOSPC; -EINVAL: the distributor has no such SPI. */
int gic_spi_lead(struct gic_spis *spis, uint32_t intid, uint64_t route, uint8_t priority,
                 bool edge);

/* Disable an SPI that was routed; gic_spi_lead() enables it again. No effect on others. Any
 * context, on the CPU that it was routed to. */
void gic_spi_disable(const struct gic_spis *spis, uint32_t intid);

/* Disable all of them, clear pending ones, and restore everything but their enable bits. */
void gic_spis_restore(struct gic_spis *spis);

#endif
