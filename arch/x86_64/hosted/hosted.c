/* SPDX-License-Identifier: MIT */
/*
 * Hosted mode: the firmware keeps running, and bareperf is its guest. The firmware's gates for NMIs
 * and #GP lead to us (hosted_gates.h). An NMI runs on a stack of ours (hosted_task.h), #GP on the
 * interrupted stack. Both run in the firmware's address translation (its identity map: UEFI 2.10,
 * 2.3.4); code that has loaded another one gets it back afterwards (entry.S).
 */
#include <errno.h>

#include "arch/hosted.h"
#include "arch/x86_64/code.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/hosted/hosted_gates.h"
#include "arch/x86_64/hosted/hosted_task.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/legacy.h"
#include "arch/x86_64/mode.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/saved.h"
#include "arch/x86_64/time/clock.h"
#include "arch/x86_64/time/hpet.h"
#include "arch/x86_64/time/timer.h"

/* entry.S */
extern uint64_t x86_hosted_cr3 __attribute__((visibility("hidden")));
uint64_t x86_hosted_cr3; /* the firmware's translation */

/* Called by entry.S. Return 0 if the exception was ours; else the address of the firmware's
 * handler. The last one is for exceptions that are not examined. */
uint64_t x86_hosted_nmi(const struct arch_regs *regs);
uint64_t x86_hosted_gp(const struct arch_regs *regs);
uint64_t x86_hosted_foreign_gp(void);

static struct {
	bool kept_out;      /* our timer */
	bool came;          /* the timer's NMI came while it was kept out */
	const char *misses; /* why there is no timer, so that counters replace it */
	uint32_t apic_id;
	uint32_t lvt_pmi;
	struct perfmon_saved perfmon;
	struct arch_hosted_stack stack;
	const struct hosted_gates_refusal *lost; /* a loaded table whose gates are not ours */
} hosted;

/* ---- Gates ---- */

static struct descriptor_table hosted_idt(void)
{
	struct descriptor_table idtr;

	__asm__ volatile("sidt %0" : "=m"(idtr));
	return idtr;
}

/* Take the gates of the loaded table. The caller may call boot services, so the translation is the
 * firmware's. */
static const struct hosted_gates_refusal *hosted_take_gates(void)
{
	struct descriptor_table idtr = hosted_idt();
	uint16_t code;

	x86_hosted_cr3 = x86_read_cr3();
	__asm__ volatile("movw %%cs, %0" : "=r"(code));
	return hosted_gates_take(idtr.base, idtr.limit, code);
}

/* Where the gate led in the loaded table, which may be a table that was never examined. If the gate
 * led nowhere, the result is 1, an address that faults. */
static uint64_t hosted_hand_on(enum hosted_gate gate)
{
	uint64_t next = hosted_gates_next(gate, hosted_idt().base);

	return next ? next : 1;
}

/* ---- Interrupts ---- */

static bool hosted_timer(const struct arch_regs *regs)
{
	if (!hpet_has_fired())
		return false;
	if (hosted.kept_out)
		hosted.came = true;
	else
		timer_expired(regs);
	return true;
}

/* The firmware's other CPUs may use the same table and get NMIs of their own: those are passed
 * on. On this CPU the firmware would stop at any NMI. So an NMI without a reason is only counted as
 * spurious: it comes from our timer, late, or from a PCI device that shares the timer's input and
 * was masked before. */
uint64_t x86_hosted_nmi(const struct arch_regs *regs)
{
	bool known;

	if (apic_id() != hosted.apic_id)
		return hosted_hand_on(HOSTED_NMI);
	known = hosted_timer(regs);
	known |= x86_nmi_hosted(regs);
	if (hosted.misses && !hosted.kept_out)
		timer_expired(regs);
	if (known)
		return 0;
	if (legacy_has_nmi())
		return hosted_hand_on(HOSTED_NMI);
	arch_spurious[0]++;
	return 0;
}

uint64_t x86_hosted_gp(const struct arch_regs *regs)
{
	return x86_msr_is_missing(regs) ? 0 : hosted_hand_on(HOSTED_GP);
}

uint64_t x86_hosted_foreign_gp(void)
{
	return hosted_hand_on(HOSTED_GP);
}

/* In program order, as this CPU's NMI handler sees it. */
static void hosted_set_kept_out(bool out)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&hosted.kept_out, out, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void hosted_keep_out(void)
{
	hosted_set_kept_out(true);
}

/* A timer interrupt that came while kept out is sent again; nothing is armed until then. */
static void hosted_let_in(void)
{
	hosted_set_kept_out(false);
	if (hosted.came) {
		hosted.came = false;
		hpet_arm(1);
	}
}

static bool hosted_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	*low = hosted.stack.low;
	*high = hosted.stack.high;
	return sp >= *low && sp < *high;
}

static struct x86_mode hosted_mode = {
	.irq_enable = hosted_let_in,
	.irq_disable = hosted_keep_out,
	.stack_bounds = hosted_stack_bounds,
	.shares_apic_timer = true,
};

static bool hosted_is(void)
{
	return x86_mode == &hosted_mode;
}

/* ---- Begin and end ---- */

static bool hosted_has_lvt_pmi(void)
{
	return (apic_read(APIC_VERSION) >> 16 & 0xff) >= 4; /* 11.4.8: "Max LVT Entry" */
}

/* Find a timer for us. Returns NULL (hosted.misses is set if counters replace it), or the reason
 * why there is none. */
static const char *hosted_find_timer(void)
{
	const struct hpet_refusal *refusal = hpet_claim(hosted.apic_id);

	hosted.misses = NULL;
	if (!refusal)
		return NULL;
	if (!hosted_has_lvt_pmi() || !perfmon_has_counters())
		return refusal->alone;
	hosted.misses = refusal->beside_counters;
	return NULL;
}

/* Take the gates of the firmware's table. Returns NULL, or the reason why not. */
static const char *hosted_find_gates(void)
{
	const struct hosted_gates_refusal *refusal;

	hosted.lost = NULL;
	if (!hosted_task_begin())
		return "the firmware uses the last entry of its interrupt stack table";
	refusal = hosted_take_gates();
	return refusal ? refusal->first : NULL;
}

int arch_hosted_begin(const struct arch_platform *platform,
                      const struct arch_hosted_firmware *firmware, const char **why)
{
	hosted.stack = firmware->stack;
	x86_platform = platform;
	apic_discover();
	*why = x86_read_cr4() & CR4_CET
	           ? "the firmware has shadow stacks on (CR4.CET): switch that off in its menus"
	           : NULL;
	if (*why)
		return -ENOTSUP;
	hosted.apic_id = apic_id();
	hosted.came = false;
	hosted.kept_out = true;
	*why = hosted_find_gates();
	if (!*why)
		*why = hosted_find_timer();
	if (*why) {
		hosted_gates_give_back();
		hosted_task_end();
		return -ENODEV;
	}
	hosted_mode.lacks_timer = hosted.misses;
	x86_mode = &hosted_mode;
	hosted.lvt_pmi = hosted_has_lvt_pmi() ? apic_read(APIC_LVT_PMI) : 0;
	perfmon_save(&hosted.perfmon);
	return 0;
}

/* NMIs cannot be masked, but a newly loaded table may lead them elsewhere. */
const char *arch_hosted_misses(void)
{
	return hosted.lost ? hosted.lost->later : hosted.misses;
}

/* Release builds of EDK2, and most compilers, use %rbp as a general register (System V AMD64 ABI
 * 3.4.1). */
bool arch_hosted_assumes_frames(void)
{
	return false;
}

bool arch_hosted_has_frame(uint64_t pc, uint64_t start, uint64_t end)
{
	return code_has_frame((const uint8_t *)pc, (const uint8_t *)start, (const uint8_t *)end);
}

bool arch_hosted_is_return(uint64_t ret, uint64_t start)
{
	return code_is_called_from((const uint8_t *)ret, (const uint8_t *)start);
}

/* The return address is at the top of the stack, or below a just pushed %rbp. */
uint64_t arch_hosted_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
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

uint64_t arch_hosted_mask(void)
{
	return 0;
}

void arch_hosted_unmask(uint64_t mask)
{
	(void)mask;
}

void arch_hosted_again(void)
{
	const struct hosted_gates_refusal *refusal = hosted_is() ? hosted_take_gates() : NULL;

	if (refusal)
		hosted.lost = refusal;
}

/* An NMI that is still on its way comes within the time of a bus access. */
static void hosted_let_late_ones_come(void)
{
	for (uint64_t from = arch_cycles(); arch_cycles() - from < timer_tsc_frequency() / 10000;)
		arch_relax();
}

void arch_hosted_end(void)
{
	if (!hosted_is())
		return;
	hosted_keep_out();
	arch_timer_disarm();
	clock_give_back();
	if (hpet_is_claimed())
		hpet_release();
	hosted_let_late_ones_come();
	perfmon_restore(&hosted.perfmon);
	if (hosted_has_lvt_pmi())
		apic_write(APIC_LVT_PMI, hosted.lvt_pmi);
	hosted_gates_give_back();
	hosted_task_end();
	x86_mode = &x86_mode_own;
}
