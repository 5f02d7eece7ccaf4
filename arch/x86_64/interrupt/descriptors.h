/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_INTERRUPT_DESCRIPTORS_H
#define ARCH_X86_64_INTERRUPT_DESCRIPTORS_H

#include "arch/arch.h"

#define GDT_CODE 0x08
#define GDT_DATA 0x10
#define GDT_TSS  0x20 /* CPU 0's; CPU n's is n * 16 higher, so TR identifies the CPU */

/* behind the last CPU's TSS; RPL 3 */
#define GDT_USER_DATA (GDT_TSS + 16 * ARCH_MAX_CPUS + 3)
#define GDT_USER_CODE (GDT_TSS + 16 * ARCH_MAX_CPUS + 8 + 3)

#define TASK_PARKED     0xffe0       /* beyond any firmware's GDT */
#define DESCRIPTOR_BUSY (1ULL << 41) /* bit of a TSS's type, 3.5 */

/* Present, S = 0 and the type, 3.5; the value of a 64-bit TSS that TR names */
#define DESCRIPTOR_KIND      (0x9fULL << 40)
#define DESCRIPTOR_BUSY_TASK (0x8bULL << 40)

#define GATE_INTERRUPT 0x8eULL /* a gate's type: present, ring 0; 6.11, 6.14.1 */

/* Operand of LGDT, LIDT, SGDT, SIDT. */
struct __attribute__((packed)) descriptor_table {
	uint16_t limit;
	uint64_t base;
};

/* A task state segment, SDM volume 3A, figure 7-11. */
struct __attribute__((packed)) x86_task {
	uint32_t reserved_0;
	uint64_t rsp[3];
	uint64_t reserved_1;
	uint64_t ist[7]; /* stack tops; IST n of a gate is the entry before index n */
	uint64_t reserved_2;
	uint16_t reserved_3;
	uint16_t io_map;
};
_Static_assert(sizeof(struct x86_task) == 104, "SDM volume 3A, figure 7-11");

/* A TSS's descriptor, two words of a GDT. */
#define DESCRIPTOR_TASK (0x89ULL << 40) /* present, available 64-bit TSS */
static inline void descriptors_describe_task(uint64_t entry[2], struct x86_task *task)
{
	uint64_t base = (uint64_t)task;

	task->io_map = sizeof(*task);
	entry[0] = (sizeof(*task) - 1) | (base & 0xffffff) << 16 | DESCRIPTOR_TASK |
	           (base >> 24 & 0xff) << 56;
	entry[1] = base >> 32;
}

/* Load TR with TASK_PARKED, using a temporary table that ends beyond the entry; only the table's
 * address matters. GDTR is changed by this. */
static inline void descriptors_load_parked(uint64_t entry[2])
{
	const struct descriptor_table far = { UINT16_MAX, (uint64_t)entry - TASK_PARKED };

	entry[0] &= ~DESCRIPTOR_BUSY;
	__asm__ volatile("lgdt %0" : : "m"(far) : "memory");
	__asm__ volatile("ltr %w0" : : "r"(TASK_PARKED) : "memory");
}

/* Fill the tables that all CPUs share, and a CPU's task state segment from its stacks. */
void descriptors_init(void);
void descriptors_init_cpu(unsigned cpu);

/* The stack of exceptions that this CPU takes from ring 3. Thread. */
void descriptors_set_stack(uint64_t sp);

/* Set what this CPU's NMIs call (nmi.c), from the next NMI on. */
void descriptors_set_pmi(unsigned cpu, arch_pmi_fn handler);

/* Load them on the calling CPU: GDT, segments, IDT, TR. */
void descriptors_load(unsigned cpu);

/* Keep this CPU's TSS in TR under a selector that the firmware cannot take for one of its own. The
 * GDT is not used any more afterwards. */
void descriptors_park_task(unsigned cpu);

#endif
