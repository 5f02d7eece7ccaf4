/* SPDX-License-Identifier: MIT */
/* GDT, IDT and TSS in 64-bit mode: SDM volume 3A, 3.4.5, 6.14.1, 7.7. */
#include "arch/x86_64/interrupt/descriptors.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/mode.h"
#include "arch/x86_64/pmu/trace.h"
#include "arch/x86_64/registers.h"

#define DESCRIPTOR_CODE64 0x00af9b000000ffffULL /* present, ring 0, execute and read, accessed */
#define DESCRIPTOR_DATA   0x00cf93000000ffffULL /* present, ring 0, read and write, accessed */

#define DESCRIPTOR_RING3 (3ULL << 45) /* DPL */

struct gate {
	uint64_t low, high;
};

static uint64_t gdt[GDT_USER_CODE / 8 + 1];
static struct x86_task tss[ARCH_MAX_CPUS];
static struct gate idt[256];

static unsigned descriptors_stack_of_vector(unsigned vector)
{
	switch (vector) {
	case VECTOR_NMI:
		return STACK_NMI;
	case VECTOR_DF:
		return STACK_DF;
	case VECTOR_MC:
		return STACK_MC;
	case VECTOR_DB:
		return STACK_DB;
	default:
		/* An exception stays on the interrupted stack, because it ends the code that caused
		 * it. The exception is #GP in msr.S, which returns; that code keeps nothing below
		 * its stack pointer. */
		return vector < FIRST_INTERRUPT ? STACK_THREAD : STACK_INTERRUPT;
	}
}

/* entry.S writes these as constants */
_Static_assert(GDT_TSS == 0x20 && VECTOR_DB == 1 && VECTOR_NMI == 2 && VECTOR_TIMER == 0xf0,
               "entry.S");

static uint64_t descriptors_entry_of_vector(unsigned vector)
{
	switch (vector) {
	case VECTOR_DB:
		return (uint64_t)x86_step_entry;
	case VECTOR_NMI:
		return (uint64_t)x86_nmi_entry;
	case VECTOR_TIMER:
		return (uint64_t)x86_timer_entry;
	default:
		return (uint64_t)x86_vectors + 16 * vector;
	}
}

uint32_t x86_first_task = UINT32_MAX;

static void descriptors_set_gate(unsigned vector)
{
	uint64_t target = descriptors_entry_of_vector(vector);

	idt[vector].low = (target & 0xffff) | GDT_CODE << 16 |
	                  (uint64_t)descriptors_stack_of_vector(vector) << 32 |
	                  GATE_INTERRUPT << 40 | (target >> 16 & 0xffff) << 48;
	idt[vector].high = target >> 32;
}

void descriptors_init(void)
{
	gdt[GDT_CODE / 8] = DESCRIPTOR_CODE64;
	gdt[GDT_DATA / 8] = DESCRIPTOR_DATA;
	gdt[GDT_USER_DATA / 8] = DESCRIPTOR_DATA | DESCRIPTOR_RING3;
	gdt[GDT_USER_CODE / 8] = DESCRIPTOR_CODE64 | DESCRIPTOR_RING3;
	for (unsigned vector = 0; vector < 256; vector++)
		descriptors_set_gate(vector);
}

/* Words above the stack's top tell entry.S which CPU this is and what an NMI calls; the CPU aligns
 * stacks to 16 bytes. */
static uint64_t descriptors_top_of_stack(unsigned cpu, enum x86_stack stack)
{
	uint64_t top = x86_cpus[cpu].stacks[stack].high - 16;

	*(struct x86_trace **)top = &x86_trace[cpu];
	return top;
}

void descriptors_set_pmi(unsigned cpu, arch_pmi_fn handler)
{
	arch_pmi_fn *high = (arch_pmi_fn *)x86_cpus[cpu].stacks[STACK_NMI].high;

	if (!high)
		return; /* hosted mode: NMIs use the firmware's stack; see hosted.c */
	__atomic_store_n(high - 1, handler, __ATOMIC_RELAXED);
}

void descriptors_init_cpu(unsigned cpu)
{
	for (unsigned i = STACK_INTERRUPT; i < NR_STACKS; i++)
		tss[cpu].ist[i - STACK_INTERRUPT] = descriptors_top_of_stack(cpu, i);
	descriptors_set_pmi(cpu, x86_pmi_unclaimed);
	descriptors_describe_task(&gdt[GDT_TSS / 8 + 2 * cpu], &tss[cpu]);
}

void descriptors_set_stack(uint64_t sp)
{
	tss[arch_cpu()].rsp[0] = sp;
}

void descriptors_load(unsigned cpu)
{
	const struct descriptor_table gdtr = { sizeof(gdt) - 1, (uint64_t)gdt };
	const struct descriptor_table idtr = { sizeof(idt) - 1, (uint64_t)idt };

	__asm__ volatile("lgdt %0" : : "m"(gdtr));
	x86_load_segments(GDT_CODE, GDT_DATA);
	__asm__ volatile("ltr %w0" : : "r"(GDT_TSS + 16 * cpu)); /* entry.S finds its CPU by TR */
	x86_first_task = GDT_TSS;
	__asm__ volatile("lidt %0" : : "m"(idtr));
}

void descriptors_park_task(unsigned cpu)
{
	descriptors_load_parked(&gdt[GDT_TSS / 8 + 2 * cpu]);
}

bool arch_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	const struct x86_cpu *cpu = &x86_cpus[arch_cpu() % ARCH_MAX_CPUS];

	for (unsigned i = 0; i < NR_STACKS; i++) {
		if (sp >= cpu->stacks[i].low && sp < cpu->stacks[i].high) {
			*low = cpu->stacks[i].low;
			*high = cpu->stacks[i].high;
			return true;
		}
	}
	return x86_mode->stack_bounds(sp, low, high);
}
