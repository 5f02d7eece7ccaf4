/* SPDX-License-Identifier: MIT */
/*
 * Chooses a timer and an interrupt type that the firmware does not use, from the registers of the
 * timers and the interrupt controller. Pure, except that it reads the distributor.
 */
#ifndef ARCH_AARCH64_HOSTED_HOSTED_CHOICE_H
#define ARCH_AARCH64_HOSTED_HOSTED_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* The timers, and the interrupt of each: DDI 0487, D11.2.4. */
enum arm_timer {
	ARM_TIMER_HYPERVISOR, /* CNTHP */
	ARM_TIMER_PHYSICAL,   /* CNTP */
	ARM_TIMER_VIRTUAL     /* CNTV */
};

/* control: CNTx_CTL of each timer, indexed by enum arm_timer; the first is valid at EL2 only.
 * *timer becomes a timer that exception level el may use and that is not enabled. Returns NULL; or
 * the reason why there is none, a phrase. */
const char *hosted_choose_timer(unsigned el, const uint64_t control[3], enum arm_timer *timer);

/* The interrupt controller as the tables and the CPU report it. */
struct hosted_controller {
	volatile uint8_t *gicd; /* NULL: the tables name no supported controller */
	bool is_gicv3;
	bool has_redistributor;    /* this CPU's */
	bool has_system_registers; /* ICC_SRE_ELx.SRE: the CPU interface has system registers */
};

/* Why our interrupts cannot be Group 0, which comes as FIQ (IHI 0069, 4.6), and must come as IRQ: a
 * phrase that says what is not sampled then; NULL: they can be Group 0. */
const char *hosted_refuse_fiq(const struct hosted_controller *controller);

/* The phrase for a controller that could, while the firmware passes no FIQs on. */
extern const char hosted_no_fiq_handed_on[];

#endif
