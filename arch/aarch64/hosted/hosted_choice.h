/* SPDX-License-Identifier: MIT */
/*
 * What the firmware leaves to us, by the registers of timers and interrupt controller. Pure, but
 * for a look at the distributor.
 */
#ifndef ARCH_AARCH64_HOSTED_HOSTED_CHOICE_H
#define ARCH_AARCH64_HOSTED_HOSTED_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* Whose interrupt is whose: DDI 0487, D11.2.4. */
enum arm_timer {
	ARM_TIMER_HYPERVISOR, /* CNTHP */
	ARM_TIMER_PHYSICAL,   /* CNTP */
	ARM_TIMER_VIRTUAL     /* CNTV */
};

/* Their CNTx_CTL, by enum arm_timer, of which the first is read at EL2 only; what el may use and
 * is not enabled becomes *timer. NULL; or why there is none, a phrase. */
const char *hosted_choose_timer(unsigned el, const uint64_t control[3], enum arm_timer *timer);

/* The controller, as the tables and the CPU have it. */
struct hosted_controller {
	volatile uint8_t *gicd; /* NULL: the tables name none that we know */
	bool is_gicv3;
	bool has_redistributor;    /* of this CPU */
	bool has_system_registers; /* ICC_SRE_ELx.SRE: the CPU interface is one of those */
};

/* Why our interrupts cannot be Group 0, which comes as FIQ (IHI 0069, 4.6), and come as IRQ: a
 * phrase that says what that misses; NULL: they can. */
const char *hosted_refuse_fiq(const struct hosted_controller *controller);

/* The same where the controller can, and the firmware does not hand them on. */
extern const char hosted_no_fiq_handed_on[];

#endif
