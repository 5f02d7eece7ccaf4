/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/hosted/hosted_gates.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/hosted/hosted_task.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/registers.h"

struct gate {
	uint64_t low, high;
};

/* entry.S */
extern const char x86_hosted_nmi_entry[] __attribute__((visibility("hidden")));
extern const char x86_hosted_gp_entry[] __attribute__((visibility("hidden")));

/* IST 0 keeps the interrupted stack. */
static const struct {
	unsigned vector;
	uint64_t ist;
	const char *entry;
} ours[HOSTED_GATES] = {
	[HOSTED_GP] = { VECTOR_GP, 0, x86_hosted_gp_entry },
	[HOSTED_NMI] = { VECTOR_NMI, HOSTED_TASK_IST, x86_hosted_nmi_entry },
};

/* The interrupt descriptor tables, in the order in which they were found. */
static struct table {
	struct gate *idt;
	struct gate were[HOSTED_GATES], are[HOSTED_GATES];
} tables[HOSTED_TABLES];
static unsigned nr_tables;

static const struct hosted_gates_refusal too_small = {
	"the firmware's interrupt descriptor table has no place for NMIs",
	"an interrupt descriptor table was loaded that has no place for NMIs: code that ran with it has "
	"no samples"
};
static const struct hosted_gates_refusal too_many = {
	"the firmware has too many interrupt descriptor tables",
	"more interrupt descriptor tables were loaded than are kept (8): code that ran with the others "
	"may have no samples"
};

/* Replace the gate if it still has the value old. An NMI sees a whole gate: the word high is equal
 * in both values as long as both handlers lie in the same 4 GiB. A single 16-byte access is not
 * possible, because firmware need not align its table (OVMF's begins at an odd multiple of 8). The
 * page may be read-only. */
static void hosted_gates_replace(struct gate *gate, struct gate old, struct gate new)
{
	volatile struct gate *at = gate;
	uint64_t interrupts, cr0;

	if (at->low != old.low || at->high != old.high)
		return;
	interrupts = arch_irq_save();
	cr0 = x86_read_cr0();
	x86_write_cr0(cr0 & ~CR0_WP);
	if (old.high != new.high)
		at->high = new.high;
	at->low = new.low;
	x86_write_cr0(cr0);
	arch_irq_restore(interrupts);
}

static uint64_t hosted_gates_target(struct gate gate)
{
	return (gate.low & 0xffff) | (gate.low >> 48 & 0xffff) << 16 | gate.high << 32;
}

static bool hosted_gates_is_ours(struct gate gate, unsigned which)
{
	return hosted_gates_target(gate) == (uint64_t)ours[which].entry;
}

static struct gate hosted_gates_to_us(unsigned which, uint16_t selector)
{
	uint64_t target = (uint64_t)ours[which].entry;

	return (struct gate){
		.low = (target & 0xffff) | (uint64_t)selector << 16 | ours[which].ist << 32 |
		       GATE_INTERRUPT << 40 | (target >> 16 & 0xffff) << 48,
		.high = target >> 32,
	};
}

/* NULL: the table is not known. */
static struct table *hosted_gates_find(uint64_t base)
{
	for (unsigned i = 0; i < nr_tables; i++)
		if ((uint64_t)tables[i].idt == base)
			return &tables[i];
	return NULL;
}

/* A gate that leads to us already belongs to a copy of a table that we have changed. Its former
 * target is taken from the newest such table; that is the best guess. */
static void hosted_gates_note(struct table *table, unsigned which, uint16_t selector)
{
	struct gate gate = table->idt[ours[which].vector];

	if (nr_tables && hosted_gates_is_ours(gate, which)) {
		table->were[which] = tables[nr_tables - 1].were[which];
		table->are[which] = gate;
	} else {
		table->were[which] = gate;
		table->are[which] = hosted_gates_to_us(which, selector);
	}
}

/* The former target is noted before the gate leads to us, because an NMI may come at once. */
static void hosted_gates_take_one(struct table *table, unsigned which)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hosted_gates_replace(&table->idt[ours[which].vector], table->were[which],
	                     table->are[which]);
}

static void hosted_gates_take_again(struct table *table, uint16_t selector)
{
	for (unsigned i = 0; i < HOSTED_GATES; i++) {
		if (hosted_gates_is_ours(table->idt[ours[i].vector], i))
			continue;
		hosted_gates_note(table, i, selector);
		hosted_gates_take_one(table, i);
	}
}

const struct hosted_gates_refusal *hosted_gates_take(uint64_t base, uint16_t limit,
                                                     uint16_t selector)
{
	struct table *table = hosted_gates_find(base);

	if (limit < (VECTOR_GP + 1) * sizeof(struct gate) - 1 || base % sizeof(uint64_t) != 0)
		return &too_small;
	if (table) {
		hosted_gates_take_again(table, selector);
		return NULL;
	}
	if (nr_tables == HOSTED_TABLES)
		return &too_many;
	table = &tables[nr_tables];
	table->idt = (struct gate *)base;
	for (unsigned i = 0; i < HOSTED_GATES; i++)
		hosted_gates_note(table, i, selector);
	__atomic_store_n(&nr_tables, nr_tables + 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < HOSTED_GATES; i++)
		hosted_gates_take_one(table, i);
	return NULL;
}

void hosted_gates_give_back(void)
{
	for (unsigned i = 0; i < nr_tables; i++)
		for (unsigned which = 0; which < HOSTED_GATES; which++)
			hosted_gates_replace(&tables[i].idt[ours[which].vector],
			                     tables[i].are[which], tables[i].were[which]);
	nr_tables = 0;
}

uint64_t hosted_gates_next(enum hosted_gate gate, uint64_t base)
{
	const struct table *table = hosted_gates_find(base);

	if (!table && !nr_tables)
		return 0;
	return hosted_gates_target((table ? table : &tables[nr_tables - 1])->were[gate]);
}
