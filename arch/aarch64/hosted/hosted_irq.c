/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/hosted/hosted_irq.h"

#include <errno.h>

#define MOST 4U /* room for the timer's, the performance monitor's and SPE's */

static struct {
	const struct arch_hosted_interrupts *firmware;
	arch_handed_fn handler;
	unsigned nr;
	struct {
		uint32_t number;
		bool was_enabled;
	} taken[MOST];
} irq;

void hosted_irq_begin(const struct arch_hosted_interrupts *firmware, arch_handed_fn handler)
{
	irq.firmware = firmware;
	irq.handler = handler;
	irq.nr = 0;
}

static bool hosted_irq_is_taken(uint32_t number)
{
	for (unsigned i = 0; i < irq.nr; i++)
		if (irq.taken[i].number == number)
			return true;
	return false;
}

int hosted_irq_enable(uint32_t number)
{
	bool was_enabled;
	int led;

	if (hosted_irq_is_taken(number)) {
		irq.firmware->enable(number);
		return 0;
	}
	if (irq.nr == MOST)
		return -ENOSPC;
	was_enabled = irq.firmware->is_enabled(number);
	led = irq.firmware->lead(number, irq.handler);
	if (led < 0)
		return led;
	irq.taken[irq.nr].number = number;
	irq.taken[irq.nr++].was_enabled = was_enabled && !led;
	return 0;
}

void hosted_irq_disable(uint32_t number)
{
	irq.firmware->disable(number);
}

void hosted_irq_end(void)
{
	while (irq.nr > 0) {
		uint32_t number = irq.taken[--irq.nr].number;

		irq.firmware->lead(number, NULL);
		if (irq.taken[irq.nr].was_enabled)
			irq.firmware->enable(number);
	}
}
