/* SPDX-License-Identifier: MIT */
/*
 * The firmware goes on, and we are its guest: two gates of its interrupt descriptor table lead to
 * us (SDM volume 3A, 6.14.1), and from us to where they led, for all that is not ours.
 *
 *	2	NMI: our timer, a comparator of the HPET; the performance monitor
 *	13	#GP: an MSR that does not exist, where a driver asks for one
 *
 * An NMI runs on a stack of ours (join_task.h), the other on the one that it interrupts; both in
 * the firmware's translation (its identity map: UEFI 2.10, 2.3.4); what has loaded another has it
 * back afterwards (entry.S).
 */
#include "arch/x86_64/join.h"

#include <errno.h>

#include "arch/x86_64/apic.h"
#include "arch/x86_64/clock.h"
#include "arch/x86_64/code.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/descriptors.h"
#include "arch/x86_64/hpet.h"
#include "arch/x86_64/interrupts.h"
#include "arch/x86_64/join_task.h"
#include "arch/x86_64/legacy.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/saved.h"
#include "arch/x86_64/timer.h"

#define MOST_TABLES 8U /* that a firmware has loaded one after the other */

struct join_gate {
	uint64_t low, high;
};

/* What entry.S goes on to; and its entries. */
extern uint64_t x86_joined_nmi_next __attribute__((visibility("hidden")));
extern uint64_t x86_joined_gp_next __attribute__((visibility("hidden")));
uint64_t x86_joined_nmi_next, x86_joined_gp_next;
extern uint64_t x86_joined_cr3 __attribute__((visibility("hidden")));
uint64_t x86_joined_cr3; /* the firmware's translation */
extern const char x86_joined_nmi_entry[] __attribute__((visibility("hidden")));
extern const char x86_joined_gp_entry[] __attribute__((visibility("hidden")));

/* entry.S calls them: whether it was ours. */
bool x86_joined_nmi(const struct arch_regs *regs);
bool x86_joined_gp(const struct arch_regs *regs);

static const struct {
	unsigned vector;
	uint64_t ist;
	const char *entry;
	uint64_t *next;
} ours[] = {
	{ VECTOR_GP, 0, x86_joined_gp_entry, &x86_joined_gp_next },
	{ VECTOR_NMI, JOIN_TASK_IST, x86_joined_nmi_entry, &x86_joined_nmi_next },
};
#define NR_OURS (sizeof(ours) / sizeof(ours[0]))

static struct {
	bool is;
	bool kept_out; /* our timer */
	bool came;     /* its interrupt, meanwhile */
	const char
	    *misses; /* there is none: the counters' overflows stand in for it; NULL: it is */
	uint32_t apic_id;
	uint32_t lvt_pmi;
	struct perfmon_saved perfmon;
	struct arch_join_stack stack;
	unsigned nr_tables;
	struct {
		struct join_gate *idt;
		struct join_gate were[NR_OURS], are[NR_OURS];
	} tables[MOST_TABLES];
} joined;

/* ---- Gates ---- */

/* If it is still what it was. An NMI finds it whole where both handlers lie in the same 4 GiB, as
 * high is the same then; no firmware need align its table for more (OVMF's begins at an odd
 * multiple of 8). The page may be read-only. */
static void join_gate_replace(struct join_gate *gate, struct join_gate old, struct join_gate new)
{
	volatile struct join_gate *at = gate;
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

static uint64_t join_gate_target(const struct join_gate *gate)
{
	return (gate->low & 0xffff) | (gate->low >> 48 & 0xffff) << 16 | gate->high << 32;
}

/* The selector is the firmware's of this moment; IST 0: the interrupted stack. */
static struct join_gate join_gate_to(const char *entry, uint64_t ist)
{
	uint64_t target = (uint64_t)entry;
	uint16_t code;

	__asm__ volatile("movw %%cs, %0" : "=r"(code));
	return (struct join_gate){
		.low = (target & 0xffff) | (uint64_t)code << 16 | ist << 32 | GATE_INTERRUPT << 40 |
		       (target >> 16 & 0xffff) << 48,
		.high = target >> 32,
	};
}

static bool join_patch(struct join_gate *idt)
{
	unsigned at = joined.nr_tables;

	if (at == MOST_TABLES)
		return false;
	joined.tables[at].idt = idt;
	for (unsigned i = 0; i < NR_OURS; i++) {
		struct join_gate *gate = &idt[ours[i].vector];

		joined.tables[at].were[i] = *gate;
		joined.tables[at].are[i] = join_gate_to(ours[i].entry, ours[i].ist);
		*ours[i].next = join_gate_target(gate);
		join_gate_replace(gate, joined.tables[at].were[i], joined.tables[at].are[i]);
	}
	joined.nr_tables++;
	return true;
}

/* The newest first. What somebody else has changed since stays as it is. */
static void join_unpatch_all(void)
{
	while (joined.nr_tables-- > 0) {
		struct join_gate *idt = joined.tables[joined.nr_tables].idt;

		for (unsigned i = 0; i < NR_OURS; i++)
			join_gate_replace(&idt[ours[i].vector],
			                  joined.tables[joined.nr_tables].are[i],
			                  joined.tables[joined.nr_tables].were[i]);
	}
	joined.nr_tables = 0;
}

/* Of who may call boot services: the translation is the firmware's. */
static const char *join_patch_current(void)
{
	struct descriptor_table idtr;
	struct join_gate *idt;

	x86_joined_cr3 = x86_read_cr3();
	__asm__ volatile("sidt %0" : "=m"(idtr));
	idt = (struct join_gate *)idtr.base;
	if (idtr.limit < (VECTOR_GP + 1) * sizeof(*idt) - 1 || idtr.base % sizeof(uint64_t) != 0)
		return "the firmware's interrupt descriptor table has no place for NMIs";
	if (join_gate_target(&idt[VECTOR_NMI]) == (uint64_t)x86_joined_nmi_entry)
		return NULL;
	return join_patch(idt) ? NULL
	                       : "the firmware changes its interrupt descriptor table too often";
}

/* ---- Interrupts ---- */

static bool join_joined_timer(const struct arch_regs *regs)
{
	if (!hpet_has_fired())
		return false;
	if (joined.kept_out)
		joined.came = true;
	else
		timer_expired(regs);
	return true;
}

/* The firmware's other CPUs may have the same table, and NMIs of their own. On this one the
 * firmware would stop at any. What is without a reason is our doing: an interrupt that came late,
 * or of a PCI device that shares the timer's input, which was masked before. */
bool x86_joined_nmi(const struct arch_regs *regs)
{
	bool known;

	if (apic_id() != joined.apic_id)
		return false;
	known = join_joined_timer(regs);
	known |= x86_nmi_joined(regs);
	if (joined.misses && !joined.kept_out)
		timer_expired(regs);
	if (known)
		return true;
	if (legacy_has_nmi())
		return false;
	arch_spurious[0]++;
	return true;
}

bool x86_joined_gp(const struct arch_regs *regs)
{
	return x86_msr_is_missing(regs);
}

/* In the program's order, as the NMI sees it. */
static void join_set_kept_out(bool out)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&joined.kept_out, out, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool join_keep_out(void)
{
	if (joined.is)
		join_set_kept_out(true);
	return joined.is;
}

/* What came and was kept out comes again: nothing is armed until then. */
bool join_let_in(void)
{
	if (!joined.is)
		return false;
	join_set_kept_out(false);
	if (joined.came) {
		joined.came = false;
		hpet_arm(1);
	}
	return true;
}

/* ---- From the first to the last ---- */

static bool join_has_lvt_pmi(void)
{
	return (apic_read(APIC_VERSION) >> 16 & 0xff) >= 4; /* 11.4.8: "Max LVT Entry" */
}

/* NULL, with joined.misses where counters stand in for it; or why there is none. */
static const char *join_find_timer(void)
{
	const struct hpet_refusal *refusal = hpet_claim(joined.apic_id);

	joined.misses = NULL;
	if (!refusal)
		return NULL;
	if (!join_has_lvt_pmi() || !perfmon_has_counters())
		return refusal->alone;
	joined.misses = refusal->beside_counters;
	return NULL;
}

int arch_join(const struct arch_platform *platform, const struct arch_join_firmware *firmware,
              const char **why)
{
	joined.stack = firmware->stack;
	x86_platform = platform;
	apic_discover();
	*why = x86_read_cr4() & CR4_CET
	           ? "the firmware has shadow stacks on (CR4.CET): switch that off in its menus"
	           : NULL;
	if (*why)
		return -ENOTSUP;
	joined.apic_id = apic_id();
	joined.came = false;
	joined.kept_out = true;
	*why = join_task_begin() ? join_patch_current()
	                         : "the firmware uses the last entry of its interrupt stack table";
	if (!*why)
		*why = join_find_timer();
	if (*why) {
		join_unpatch_all();
		join_task_end();
		return -ENODEV;
	}
	joined.is = true;
	joined.lvt_pmi = join_has_lvt_pmi() ? apic_read(APIC_LVT_PMI) : 0;
	perfmon_save(&joined.perfmon);
	return 0;
}

/* NMIs are not masked. */
const char *arch_join_misses(void)
{
	return joined.misses;
}

bool join_is(void)
{
	return joined.is;
}

bool join_lacks_timer(void)
{
	return joined.is && joined.misses;
}

bool join_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	*low = joined.stack.low;
	*high = joined.stack.high;
	return joined.is && sp >= *low && sp < *high;
}

/* %rbp is any register to release builds of EDK2, and to most compilers (System V AMD64 ABI 3.4.1).
 */
bool arch_join_assumes_frames(void)
{
	return false;
}

bool arch_join_has_frame(uint64_t pc, uint64_t start, uint64_t end)
{
	return code_has_frame((const uint8_t *)pc, (const uint8_t *)start, (const uint8_t *)end);
}

bool arch_join_is_return(uint64_t ret, uint64_t start)
{
	return code_is_called_from((const uint8_t *)ret, (const uint8_t *)start);
}

/* At the top of the stack, or below %rbp that was pushed last. */
uint64_t arch_join_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
                               uint64_t high)
{
	const uint8_t *pc = (const uint8_t *)arch_regs_pc(regs);
	uint64_t sp = arch_regs_sp(regs), ret;

	if ((uint64_t)pc > start && (uint64_t)pc < end && pc[-1] == 0x55)
		sp += sizeof(ret);
	if (sp % sizeof(ret) != 0 || sp >= high || high - sp < sizeof(ret))
		return 0;
	ret = *(const uint64_t *)sp;
	return code_is_leaf_of(pc, (const uint8_t *)ret, (const uint8_t *)start,
	                       (const uint8_t *)end)
	           ? ret
	           : 0;
}

uint64_t arch_join_mask(void)
{
	return 0;
}

void arch_join_unmask(uint64_t mask)
{
	(void)mask;
}

void arch_join_again(void)
{
	if (joined.is)
		join_patch_current();
}

/* An NMI that is on its way comes within the time that a bus takes. */
static void join_let_late_ones_come(void)
{
	for (uint64_t from = arch_cycles(); arch_cycles() - from < timer_tsc_frequency() / 10000;)
		arch_relax();
}

void arch_part(void)
{
	if (!joined.is)
		return;
	join_keep_out();
	arch_timer_disarm();
	clock_give_back();
	if (hpet_is_claimed())
		hpet_release();
	join_let_late_ones_come();
	perfmon_restore(&joined.perfmon);
	if (join_has_lvt_pmi())
		apic_write(APIC_LVT_PMI, joined.lvt_pmi);
	join_unpatch_all();
	join_task_end();
	joined.is = false;
}
