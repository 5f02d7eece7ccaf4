/* SPDX-License-Identifier: MIT */
/* SPIs that are routed to one CPU each, on a distributor in memory: nothing else changes in it, and
 * everything is restored. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/interrupt/gic_spi.h"
#include "arch/aarch64/interrupt/gicd.h"

#define SIZE     0x8000U
#define TARGETS  0x800U
#define MODIFIER 0xd00U
#define ROUTER   0x6000U
#define LINES    160U /* INTIDs below it exist */

static uint8_t *gicd, before[SIZE];
static struct gic_spis spis;

static int set_up(void **state)
{
	(void)state;
	gicd = malloc(SIZE);
	for (unsigned i = 0; i < SIZE; i++)
		gicd[i] = before[i] = (uint8_t)(i * 37 + i / 256 + 5);
	gic_write(gicd, GICD_CTLR, 0x12);
	gic_write(gicd, GICD_TYPER, LINES / 32 - 1);
	/* reads of these registers give the enabled, pending, active state, which this test leaves
	 * out */
	memset(gicd + GICD_ISENABLER, 0, GICD_IPRIORITYR - GICD_ISENABLER);
	memcpy(before, gicd, SIZE);
	spis = (struct gic_spis){ .gicd = gicd };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(gicd);
	return 0;
}

static uint32_t word_of(unsigned offset, unsigned intid, unsigned bits)
{
	return gic_read(gicd, offset + intid * bits / 32 * 4) >> intid * bits % 32 &
	       ((1U << bits) - 1);
}

/* Changes outside of the part of a register for one of these INTIDs. Bits that act when they are
 * written are not compared. */
static unsigned changed_for_others(unsigned first, unsigned last)
{
	unsigned changed = 0;

	for (unsigned intid = 0; intid < LINES; intid++) {
		if (intid >= first && intid <= last)
			continue;
		changed += gicd[GICD_IPRIORITYR + intid] != before[GICD_IPRIORITYR + intid];
		changed += gicd[TARGETS + intid] != before[TARGETS + intid];
		changed += !!memcmp(gicd + ROUTER + 8 * intid, before + ROUTER + 8 * intid, 8);
		changed += (gicd[GICD_ICFGR + intid / 4] ^ before[GICD_ICFGR + intid / 4]) >>
		                       intid % 4 * 2 &
		                   3
		               ? 1
		               : 0;
		changed += (gicd[GICD_IGROUPR + intid / 8] ^ before[GICD_IGROUPR + intid / 8]) >>
		               intid % 8 &
		           1;
		changed +=
		    (gicd[MODIFIER + intid / 8] ^ before[MODIFIER + intid / 8]) >> intid % 8 & 1;
	}
	return changed;
}

static void on_a_gicv2_an_spi_goes_to_one_cpu_interface(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		assert_int_equal(gic_spi_lead(&spis, 48 + cpu, 1U << cpu, 0xa0, cpu == 2), 0);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		assert_int_equal(gicd[TARGETS + 48 + cpu], 1U << cpu);
		assert_int_equal(gicd[GICD_IPRIORITYR + 48 + cpu], 0xa0);
		assert_int_equal(word_of(GICD_ICFGR, 48 + cpu, 2), cpu == 2 ? 2 : 0);
	}
	assert_int_equal(gic_read(gicd, GICD_ISENABLER + 4), 1U << 19);
	assert_int_equal(changed_for_others(48, 51), 0);
	assert_memory_equal(gicd + GICD_IGROUPR, before + GICD_IGROUPR, 64);
	assert_memory_equal(gicd + MODIFIER, before + MODIFIER, 64);
	assert_memory_equal(gicd + ROUTER, before + ROUTER, 1024);
}

static void on_a_gicv3_it_goes_to_one_affinity_and_to_our_group(void **state)
{
	uint64_t route;

	(void)state;
	spis.affinity = true;
	assert_int_equal(gic_spi_lead(&spis, 77, 0x1000000203, 0x20, false), 0);
	memcpy(&route, gicd + ROUTER + 8 * 77, sizeof(route));
	assert_int_equal(route, 0x1000000203);
	assert_int_equal(gicd[GICD_IPRIORITYR + 77], 0x20);
	assert_int_equal(word_of(GICD_ICFGR, 77, 2), 0);
	assert_int_equal(word_of(GICD_IGROUPR, 77, 1), 1);
	assert_int_equal(word_of(MODIFIER, 77, 1), 0);
	assert_int_equal(gic_read(gicd, GICD_ISENABLER + 8), 1U << 13);
	assert_int_equal(changed_for_others(77, 77), 0);
	assert_memory_equal(gicd + TARGETS, before + TARGETS, LINES);
}

static void the_firmwares_settings_of_spis_are_restored(void **state)
{
	(void)state;
	for (unsigned affinity = 0; affinity < 2; affinity++) {
		spis.affinity = affinity;
		for (unsigned turn = 0; turn < 2;
		     turn++) /* the second turn finds the values that we have written */
			for (unsigned intid = 40; intid < 90; intid += 7)
				assert_int_equal(
				    gic_spi_lead(&spis, intid, turn + 1, 0x80, intid & 1), 0);
		assert_int_equal(spis.count, 8);
		gic_spis_restore(&spis);
		assert_int_equal(spis.count, 0);
		assert_int_equal(changed_for_others(1, 0), 0);
		/* the last writes: it is disabled, and no interrupt of ours is pending */
		assert_int_equal(gic_read(gicd, GICD_ICENABLER + 8), 1U << 25);
		assert_int_equal(gic_read(gicd, GICD_ICPENDR + 8), 1U << 25);
		assert_int_equal(gic_read(gicd, GICD_ICACTIVER + 8), 1U << 25);
	}
}

static void a_disabled_spi_does_not_come_until_it_is_routed_again(void **state)
{
	(void)state;
	gic_spi_disable(&spis, 48); /* SPI 48 is not one of ours yet */
	assert_memory_equal(gicd, before, SIZE);
	assert_int_equal(gic_spi_lead(&spis, 48, 1, 0xa0, false), 0);
	assert_int_equal(gic_spi_lead(&spis, 50, 1, 0xa0, false), 0);
	gic_write(gicd, GICD_ISENABLER + 4, 0);
	gic_spi_disable(&spis, 48);
	assert_int_equal(gic_read(gicd, GICD_ICENABLER + 4), 1U << 16);
	assert_int_equal(gic_read(gicd, GICD_ISENABLER + 4), 0);
	assert_int_equal(gicd[TARGETS + 48], 1);
	assert_int_equal(gic_spi_lead(&spis, 48, 1, 0xa0, false), 0);
	assert_int_equal(gic_read(gicd, GICD_ISENABLER + 4), 1U << 16);
	gic_spis_restore(&spis);
	assert_int_equal(changed_for_others(1, 0), 0);
}

static void an_spi_that_the_distributor_lacks_is_refused(void **state)
{
	(void)state;
	memcpy(before, gicd, SIZE);
	assert_int_equal(gic_spi_lead(&spis, 31, 1, 0xa0, false), -EINVAL);
	assert_int_equal(gic_spi_lead(&spis, LINES, 1, 0xa0, false), -EINVAL);
	assert_memory_equal(gicd, before, SIZE);
	assert_int_equal(gic_spi_lead(&spis, LINES - 1, 1, 0xa0, false), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(on_a_gicv2_an_spi_goes_to_one_cpu_interface),
		CASE(on_a_gicv3_it_goes_to_one_affinity_and_to_our_group),
		CASE(the_firmwares_settings_of_spis_are_restored),
		CASE(a_disabled_spi_does_not_come_until_it_is_routed_again),
		CASE(an_spi_that_the_distributor_lacks_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
