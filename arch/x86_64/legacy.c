/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/legacy.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/platform.h"

/* Intel 8259A: operation control word 1, the mask, is at the odd port. */
#define PIC1_MASK 0x21
#define PIC2_MASK 0xa1

/* NMI status and control: ICH9 datasheet, 13.7.1. All ones: there is no such port. */
#define NMI_STATUS  0x61
#define NMI_REASONS 0xc0U
#define NMI_NOBODY  0xffU

/* Intel 82093AA: a register is selected at 0 and accessed at 10H. */
#define IOAPIC_SELECT  0x00
#define IOAPIC_WINDOW  0x10
#define IOAPIC_VERSION 0x01

#define MAX_INPUTS 240U

static uint8_t pic_masks[2];
static uint32_t selected[ARCH_MAX_IOAPICS]; /* by the firmware, which may access it next */
static uint32_t redirections[ARCH_MAX_IOAPICS][MAX_INPUTS];

static volatile uint32_t *legacy_ioapic_window(unsigned ioapic, unsigned reg)
{
	uint64_t base = x86_platform->ioapics[ioapic];

	*(volatile uint32_t *)(base + IOAPIC_SELECT) = reg;
	return (volatile uint32_t *)(base + IOAPIC_WINDOW);
}

unsigned ioapic_inputs(unsigned ioapic)
{
	unsigned inputs = (*legacy_ioapic_window(ioapic, IOAPIC_VERSION) >> 16 & 0xff) + 1;

	return inputs < MAX_INPUTS ? inputs : MAX_INPUTS;
}

/* An interrupt handler of the firmware may select another register in between. */
uint32_t ioapic_read(unsigned ioapic, unsigned reg)
{
	uint64_t interrupts = arch_irq_save();
	uint32_t value = *legacy_ioapic_window(ioapic, reg);

	arch_irq_restore(interrupts);
	return value;
}

void ioapic_write(unsigned ioapic, unsigned reg, uint32_t value)
{
	uint64_t interrupts = arch_irq_save();

	*legacy_ioapic_window(ioapic, reg) = value;
	arch_irq_restore(interrupts);
}

bool pic_is_masked(unsigned input)
{
	return arch_port_read(input < 8 ? PIC1_MASK : PIC2_MASK) >> input % 8 & 1;
}

bool legacy_has_nmi(void)
{
	uint8_t status = arch_port_read(NMI_STATUS);

	return status & NMI_REASONS && status != NMI_NOBODY;
}

void legacy_take_over(void)
{
	pic_masks[0] = arch_port_read(PIC1_MASK);
	pic_masks[1] = arch_port_read(PIC2_MASK);
	arch_port_write(PIC1_MASK, 0xff);
	arch_port_write(PIC2_MASK, 0xff);
	for (unsigned i = 0; i < x86_platform->ioapic_count; i++) {
		selected[i] = *(volatile uint32_t *)(x86_platform->ioapics[i] + IOAPIC_SELECT);
		for (unsigned input = 0; input < ioapic_inputs(i); input++) {
			redirections[i][input] =
			    *legacy_ioapic_window(i, IOAPIC_REDIRECT + 2 * input);
			*legacy_ioapic_window(i, IOAPIC_REDIRECT + 2 * input) =
			    redirections[i][input] | IOAPIC_MASKED;
		}
	}
}

void legacy_give_back(void)
{
	for (unsigned i = 0; i < x86_platform->ioapic_count; i++) {
		for (unsigned input = 0; input < ioapic_inputs(i); input++)
			*legacy_ioapic_window(i, IOAPIC_REDIRECT + 2 * input) =
			    redirections[i][input];
		*(volatile uint32_t *)(x86_platform->ioapics[i] + IOAPIC_SELECT) = selected[i];
	}
	arch_port_write(PIC1_MASK, pic_masks[0]);
	arch_port_write(PIC2_MASK, pic_masks[1]);
}
