/* SPDX-License-Identifier: MIT */
/* IHI 0048, 4.3; IHI 0069, 12.9 */
#include "arch/aarch64/interrupt/gic_spi.h"

#include <errno.h>

#include "arch/aarch64/interrupt/gicd.h"

#define GICD_ITARGETSR 0x800 /* one byte per interrupt: a mask of CPU interfaces */
#define GICD_IGRPMODR  0xd00
#define GICD_IROUTER   0x6000U    /* 64 bits per interrupt: an affinity */
#define GICD_CTLR_RWP  (1U << 31) /* GICv3; reserved and 0 in GICv2 */
#define FIRST_SPI      32U
#define CONFIG_EDGE    2U
#define POLLS          1000000U

static bool spi_get_bit(const struct gic_spis *spis, unsigned offset, uint32_t intid)
{
	return gic_read(spis->gicd, offset + intid / 32 * 4) >> intid % 32 & 1;
}

static void spi_set_bit(const struct gic_spis *spis, unsigned offset, uint32_t intid, bool bit)
{
	uint32_t word = gic_read(spis->gicd, offset + intid / 32 * 4) & ~(1U << intid % 32);

	gic_write(spis->gicd, offset + intid / 32 * 4, word | (uint32_t)bit << intid % 32);
}

/* Write to a register with one bit per interrupt, where 1 acts and 0 has no effect. */
static void spi_do(const struct gic_spis *spis, unsigned offset, uint32_t intid)
{
	gic_write(spis->gicd, offset + intid / 32 * 4, 1U << intid % 32);
}

static uint8_t spi_get_config(const struct gic_spis *spis, uint32_t intid)
{
	return gic_read(spis->gicd, GICD_ICFGR + intid / 16 * 4) >> intid % 16 * 2 & 3;
}

static void spi_set_config(const struct gic_spis *spis, uint32_t intid, uint32_t config)
{
	unsigned offset = GICD_ICFGR + intid / 16 * 4, shift = intid % 16 * 2;
	uint32_t word = gic_read(spis->gicd, offset) & ~(3U << shift);

	gic_write(spis->gicd, offset, word | config << shift);
}

static uint64_t spi_get_route(const struct gic_spis *spis, uint32_t intid)
{
	if (spis->affinity)
		return *(volatile uint64_t *)(spis->gicd + GICD_IROUTER + 8 * intid);
	return spis->gicd[GICD_ITARGETSR + intid];
}

static void spi_set_route(const struct gic_spis *spis, uint32_t intid, uint64_t route)
{
	if (spis->affinity)
		*(volatile uint64_t *)(spis->gicd + GICD_IROUTER + 8 * intid) = route;
	else
		spis->gicd[GICD_ITARGETSR + intid] = (uint8_t)route;
}

/* The configuration may be changed only while the interrupt is off, which takes effect with a
 * delay. */
static void spi_switch_off(const struct gic_spis *spis, uint32_t intid)
{
	spi_do(spis, GICD_ICENABLER, intid);
	for (unsigned i = 0; i < POLLS && gic_read(spis->gicd, GICD_CTLR) & GICD_CTLR_RWP; i++)
		;
}

static bool spi_is_led(const struct gic_spis *spis, uint32_t intid)
{
	for (unsigned i = 0; i < spis->count; i++)
		if (spis->saved[i].intid == intid)
			return true;
	return false;
}

static void spi_save(struct gic_spis *spis, uint32_t intid)
{
	spis->saved[spis->count++] = (struct gic_spi_saved){
		.intid = intid,
		.route = spi_get_route(spis, intid),
		.priority = spis->gicd[GICD_IPRIORITYR + intid],
		.config = spi_get_config(spis, intid),
		.group = spi_get_bit(spis, GICD_IGROUPR, intid),
		.modifier = spis->affinity && spi_get_bit(spis, GICD_IGRPMODR, intid),
	};
}

int gic_spi_lead(struct gic_spis *spis, uint32_t intid, uint64_t route, uint8_t priority, bool edge)
{
	uint32_t lines = 32 * ((gic_read(spis->gicd, GICD_TYPER) & GICD_TYPER_LINES) + 1);

	if (intid < FIRST_SPI || intid >= lines)
		return -EINVAL;
	if (!spi_is_led(spis, intid) && spis->count == GIC_MAX_SPIS_LED)
		return -ENOSPC;
	spi_switch_off(spis, intid);
	if (!spi_is_led(spis, intid))
		spi_save(spis, intid);
	if (spis->affinity) {
		spi_set_bit(spis, GICD_IGROUPR, intid, true);
		spi_set_bit(spis, GICD_IGRPMODR, intid, false);
	}
	spi_set_config(spis, intid, edge ? CONFIG_EDGE : 0);
	spis->gicd[GICD_IPRIORITYR + intid] = priority;
	spi_set_route(spis, intid, route);
	spi_do(spis, GICD_ICACTIVER, intid);
	spi_do(spis, GICD_ICPENDR, intid);
	spi_do(spis, GICD_ISENABLER, intid);
	return 0;
}

void gic_spi_disable(const struct gic_spis *spis, uint32_t intid)
{
	if (spi_is_led(spis, intid))
		spi_switch_off(spis, intid);
}

void gic_spis_restore(struct gic_spis *spis)
{
	for (unsigned i = 0; i < spis->count; i++) {
		const struct gic_spi_saved *saved = &spis->saved[i];

		spi_switch_off(spis, saved->intid);
		spi_do(spis, GICD_ICACTIVER, saved->intid);
		spi_set_config(spis, saved->intid, saved->config);
		spis->gicd[GICD_IPRIORITYR + saved->intid] = saved->priority;
		spi_set_route(spis, saved->intid, saved->route);
		spi_set_bit(spis, GICD_IGROUPR, saved->intid, saved->group);
		if (spis->affinity)
			spi_set_bit(spis, GICD_IGRPMODR, saved->intid, saved->modifier);
		spi_do(spis, GICD_ICPENDR, saved->intid);
	}
	spis->count = 0;
}
