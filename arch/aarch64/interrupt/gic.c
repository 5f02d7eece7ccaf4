/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/interrupt/gic.h"

#include <errno.h>

#define GICD_SIZE        0x10000U
#define GICC_SIZE        0x2000U
#define GICR_SINGLE_SIZE 0x40000U /* room for GICv4's frames */

const struct gic_ops *gic;

int gic_discover(const struct arch_platform *platform)
{
	bool v3 = platform->gic_version >= 3 || (!platform->gic_version && platform->gicr_count);
	int code;

	if (!platform->gicd)
		return -ENODEV;
	code = v3 ? gicv3_discover(platform) : gicv2_discover(platform);
	if (!code)
		gic = v3 ? &gicv3_ops : &gicv2_ops;
	return code;
}

int gic_map_devices(const struct arch_platform *platform,
                    int (*map)(void *context, uint64_t address, uint64_t size), void *context)
{
	int code = map(context, platform->gicd, GICD_SIZE);

	if (!code && gic == &gicv2_ops)
		return map(context, platform->gicc, GICC_SIZE);
	for (unsigned i = 0; !code && i < platform->gicr_count; i++) {
		uint64_t size = platform->gicr[i].size;

		code = map(context, platform->gicr[i].address, size ? size : GICR_SINGLE_SIZE);
	}
	return code;
}

static unsigned gic_spi_words(volatile uint8_t *gicd)
{
	unsigned words = gic_read(gicd, GICD_TYPER) & GICD_TYPER_LINES;

	return words < GIC_MAX_SPI_WORDS ? words : GIC_MAX_SPI_WORDS;
}

void gic_take_spis(volatile uint8_t *gicd, struct gic_saved *saved)
{
	for (unsigned i = 0; i < gic_spi_words(gicd); i++) {
		saved->spis[i] = gic_read(gicd, GICD_ISENABLER + 4 * (i + 1));
		gic_write(gicd, GICD_ICENABLER + 4 * (i + 1), ~0U);
	}
}

void gic_give_spis(volatile uint8_t *gicd, const struct gic_saved *saved)
{
	for (unsigned i = 0; i < gic_spi_words(gicd); i++)
		gic_write(gicd, GICD_ISENABLER + 4 * (i + 1), saved->spis[i]);
}
