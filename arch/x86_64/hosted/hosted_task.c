/* SPDX-License-Identifier: MIT */
/* SDM volume 3A, 6.14.5 and 7.7. The CPU keeps the TSS that LTR has loaded, even if another GDT is
 * loaded later. */
#include "arch/x86_64/hosted/hosted_task.h"

#include <string.h>

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/registers.h"

#define STACK_BYTES 16384U

static uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
static struct x86_task task;
static uint64_t entry[2];
static uint16_t firmwares; /* TR's value; 0: nothing to restore */

static uint16_t task_register(void)
{
	uint16_t tr;

	__asm__ volatile("str %0" : "=r"(tr));
	return tr & (uint16_t)~7U;
}

/* The descriptor that the selector means in the loaded table, if it is a TSS in use; else NULL. */
static uint64_t *task_at(uint16_t selector)
{
	struct descriptor_table gdtr;
	uint64_t *descriptor;

	__asm__ volatile("sgdt %0" : "=m"(gdtr));
	descriptor = (uint64_t *)(gdtr.base + selector);
	if (selector == 0 || selector + 15U > gdtr.limit)
		return NULL;
	return (*descriptor & DESCRIPTOR_KIND) == DESCRIPTOR_BUSY_TASK ? descriptor : NULL;
}

/* Copy the firmware's TSS, because its gates may use the stacks in it. */
static void hosted_task_copy_task(const uint64_t *descriptor)
{
	uint64_t base = (descriptor[0] >> 16 & 0xffffff) | (descriptor[0] >> 56) << 24 |
	                descriptor[1] << 32;
	uint64_t bytes = (descriptor[0] & 0xffff) + 1;

	memcpy(&task, (const void *)base, bytes < sizeof(task) ? bytes : sizeof(task));
}

bool hosted_task_begin(void)
{
	uint64_t *descriptor = task_at(task_register()), interrupts;
	struct descriptor_table gdtr;

	memset(&task, 0, sizeof(task));
	if (descriptor)
		hosted_task_copy_task(descriptor);
	if (task.ist[HOSTED_TASK_IST - 1])
		return false;
	firmwares = descriptor ? task_register() : 0;
	task.ist[HOSTED_TASK_IST - 1] = (uint64_t)stack + sizeof(stack);
	descriptors_describe_task(entry, &task);
	interrupts = arch_irq_save();
	__asm__ volatile("sgdt %0" : "=m"(gdtr));
	descriptors_load_parked(entry);
	__asm__ volatile("lgdt %0" : : "m"(gdtr));
	arch_irq_restore(interrupts);
	return true;
}

/* LTR refuses a segment that is marked busy, so the mark is removed. The page may be read-only. */
void hosted_task_end(void)
{
	uint64_t *descriptor = task_at(firmwares), interrupts, cr0;

	if (!descriptor || task_register() != TASK_PARKED)
		return;
	interrupts = arch_irq_save();
	cr0 = x86_read_cr0();
	x86_write_cr0(cr0 & ~CR0_WP);
	*descriptor &= ~DESCRIPTOR_BUSY;
	__asm__ volatile("ltr %w0" : : "r"(firmwares) : "memory");
	x86_write_cr0(cr0);
	arch_irq_restore(interrupts);
}
