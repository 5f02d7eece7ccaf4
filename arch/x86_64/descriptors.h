/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_DESCRIPTORS_H
#define ARCH_X86_64_DESCRIPTORS_H

#include "arch/arch.h"

#define GDT_CODE 0x08
#define GDT_DATA 0x10
#define GDT_TSS  0x20 /* of CPU 0; CPU n's is n * 16 behind, so TR says which CPU this is */

#define TASK_PARKED     0xffe0       /* beyond any firmware's GDT */
#define DESCRIPTOR_BUSY (1ULL << 41) /* of a TSS's type, 3.5 */

#define GATE_INTERRUPT 0x8eULL /* of a gate's type: present, ring 0; 6.11, 6.14.1 */

/* Operand of LGDT, LIDT, SGDT, SIDT. */
struct __attribute__((packed)) descriptor_table {
	uint16_t limit;
	uint64_t base;
};

/* Fill the tables that all CPUs share, and a CPU's task state segment from its stacks. */
void descriptors_init(void);
void descriptors_init_cpu(unsigned cpu);

/* What this CPU's NMIs call (nmi.c), from its next one on. */
void descriptors_set_pmi(unsigned cpu, arch_pmi_fn handler);

/* Load them on the calling CPU: GDT, segments, IDT, TR. */
void descriptors_load(unsigned cpu);

/* TR keeps this CPU's TSS under a selector that the firmware cannot take for one of its own. The
 * GDT is nobody's afterwards. */
void descriptors_park_task(unsigned cpu);

#endif
