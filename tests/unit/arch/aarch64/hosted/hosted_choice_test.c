/* SPDX-License-Identifier: MIT */
/* Which timer bareperf uses beside a firmware, and whether its interrupts come as FIQ: on registers
 * in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/hosted/hosted_choice.h"
#include "arch/aarch64/interrupt/gicv3.h"
#include "arch/aarch64/sysreg.h"

#define IMASK (1UL << 1) /* of CNTx_CTL: the timer counts, and does not interrupt */

static uint8_t gicd[0x1000];
static struct hosted_controller controller;

/* AAVMF's state on QEMU's virt, where FIQ is free. */
static int set_up(void **state)
{
	(void)state;
	controller = (struct hosted_controller){ gicd, true, true, true };
	gic_write(gicd, GICD_CTLR, GICD_CTLR_DS | GICD_CTLR_ARE | GICD_CTLR_GRP1);
	return 0;
}

static void a_controller_of_one_security_state_lends_its_group_0(void **state)
{
	(void)state;
	assert_null(hosted_refuse_fiq(&controller));
}

static void refused(const char *reason)
{
	const char *why = hosted_refuse_fiq(&controller);

	assert_non_null(why);
	assert_non_null(strstr(why, reason));
	assert_non_null(strstr(why, "as IRQ, which TPL_HIGH_LEVEL masks"));
	set_up(NULL);
}

static void a_refusal_is_reported_with_its_reason_and_its_gaps(void **state)
{
	(void)state;
	controller.gicd = NULL;
	refused("is no GICv3");
	controller.is_gicv3 = false;
	refused("is no GICv3");
	/* the non-secure view of a GIC with two security states: IHI 0069, 12.9.4 */
	gic_write(gicd, GICD_CTLR, GICD_CTLR_ARE | GICD_CTLR_GRP1);
	refused("two security states");
	gic_write(gicd, GICD_CTLR, GICD_CTLR_DS | GICD_CTLR_GRP1);
	refused("as a GICv2");
	controller.has_system_registers = false;
	refused("as a GICv2");
	gic_write(gicd, GICD_CTLR, GICD_CTLR_DS | GICD_CTLR_ARE | GICD_CTLR_GRP0);
	refused("uses FIQ itself");
	controller.has_redistributor = false;
	refused("no redistributor");
	assert_non_null(strstr(hosted_no_fiq_handed_on, "as IRQ, which TPL_HIGH_LEVEL masks"));
}

/* control: the values of CNTHP, CNTP and CNTV. */
static int timer_at(unsigned el, uint64_t cnthp, uint64_t cntp, uint64_t cntv)
{
	const uint64_t control[] = { cnthp, cntp, cntv };
	enum arm_timer timer;

	return hosted_choose_timer(el, control, &timer) ? -1 : (int)timer;
}

static void at_el1_the_timer_is_the_one_that_the_firmware_does_not_tick_by(void **state)
{
	const uint64_t on = CNT_CTL_ENABLE, masked = CNT_CTL_ENABLE | IMASK;

	(void)state;
	assert_int_equal(timer_at(1, 0, 0, on), ARM_TIMER_PHYSICAL);
	assert_int_equal(timer_at(1, 0, 0, 0), ARM_TIMER_PHYSICAL);
	assert_int_equal(timer_at(1, 0, IMASK, on), ARM_TIMER_PHYSICAL);
	assert_int_equal(timer_at(1, 0, on, 0), ARM_TIMER_VIRTUAL);
	assert_int_equal(timer_at(1, 0, masked, 0), ARM_TIMER_VIRTUAL);
	assert_int_equal(timer_at(1, 0, on, masked), -1);
}

static void at_el2_it_is_the_hypervisors_whatever_the_others_do(void **state)
{
	const uint64_t on = CNT_CTL_ENABLE;

	(void)state;
	assert_int_equal(timer_at(2, 0, on, on), ARM_TIMER_HYPERVISOR);
	assert_int_equal(timer_at(2, IMASK, 0, 0), ARM_TIMER_HYPERVISOR);
	assert_int_equal(timer_at(2, on, 0, 0), -1);
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_controller_of_one_security_state_lends_its_group_0),
		CASE(a_refusal_is_reported_with_its_reason_and_its_gaps),
		CASE(at_el1_the_timer_is_the_one_that_the_firmware_does_not_tick_by),
		CASE(at_el2_it_is_the_hypervisors_whatever_the_others_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
