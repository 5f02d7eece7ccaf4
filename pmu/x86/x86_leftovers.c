/* SPDX-License-Identifier: MIT */
#include "pmu/x86/x86_leftovers.h"

#include "arch/x86_64/pmu/perfmon.h"

#define INSTRUCTIONS 0xc0U /* the event, in an event select register */
#define TURNS        100U  /* turns of the loop that a counter must notice */

static uint64_t x86_leftovers_fixed_control(unsigned fixed)
{
	return arch_reg_read(IA32_FIXED_CTR_CTRL) >> 4 * fixed & 0xf;
}

/* The counters that the CPU has. The next function: those that may count now. */
static uint64_t x86_leftovers_present(const struct x86_monitor *m)
{
	return ((1ULL << m->general) - 1) | (uint64_t)m->fixed << GLOBAL_FIXED;
}

static uint64_t x86_leftovers_counting(const struct x86_monitor *m)
{
	uint64_t which = 0;

	for (unsigned i = 0; i < m->general; i++) {
		if (arch_reg_read(x86_select_register(m, i)) & PERFEVTSEL_EN)
			which |= 1ULL << i;
	}
	for (unsigned i = 0; m->fixed >> i; i++) {
		if (m->fixed >> i & 1 &&
		    x86_leftovers_fixed_control(i) & (FIXED_CTR_CTRL_OS | FIXED_CTR_CTRL_USR))
			which |= 1ULL << (GLOBAL_FIXED + i);
	}
	return which;
}

/* Left running, they would raise interrupts without a handler, or count in ours. */
static void x86_leftovers_stop(const struct x86_monitor *m)
{
	if (m->global_ctrl)
		arch_reg_write(m->global_ctrl, 0);
	if (m->fixed)
		arch_reg_write(IA32_FIXED_CTR_CTRL, 0);
	for (unsigned i = 0; i < m->general; i++)
		arch_reg_write(x86_select_register(m, i), 0);
	if (m->global_clear)
		arch_reg_write(m->global_clear, arch_reg_read(m->global_status));
}

/* Clears traces that would write to memory that firmware no longer owns, or that would stop our
 * counters. Returns whether anything was on. */
static bool x86_leftovers_clear_trace(const struct x86_monitor *m)
{
	uint64_t debugctl = m->debugctl ? arch_reg_read(IA32_DEBUGCTL) : 0;
	uint64_t pebs = m->pebs ? arch_reg_read(IA32_PEBS_ENABLE) : 0;

	if (debugctl & m->debugctl)
		arch_reg_write(IA32_DEBUGCTL, debugctl & ~m->debugctl);
	if (pebs)
		arch_reg_write(IA32_PEBS_ENABLE, 0);
	return debugctl & m->debugctl || pebs;
}

/* A counter that we may use keeps a written value while it is stopped, stays off, and RDPMC
 * reads it. A counter that firmware uses from SMM, or that a hypervisor only pretends to have,
 * does not. */
static bool x86_leftovers_is_foreign(const struct x86_monitor *m, unsigned counter)
{
	static const uint64_t values[] = { 0x5a5a5a5a, 0 }; /* 31 bits always work */

	struct hw_x86_counter hw;

	x86_counter_address(&hw, m, counter);
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		arch_reg_write(hw.write_at, values[i]);
		if (arch_reg_read(RDPMC_VALUE(hw.rdpmc)) != values[i])
			return true;
	}
	return false;
}

/* Whether a counter that keeps its values counts no instruction. A hypervisor may take each counter
 * from an operating system below it, which may refuse it without an error to us. Retired
 * instructions are event C0H of Intel's and of AMD's CPUs (SDM volume 3B, 20.2.1.2; PMCx0C0). */
static bool x86_leftovers_is_dead(const struct x86_monitor *m, unsigned counter)
{
	struct hw_x86_counter hw;
	uint64_t value;

	x86_counter_address(&hw, m, counter);
	arch_reg_write(x86_select_register(m, counter),
	               INSTRUCTIONS | PERFEVTSEL_OS | PERFEVTSEL_EN);
	if (m->global_ctrl)
		arch_reg_write(m->global_ctrl, 1ULL << counter);
	for (unsigned i = 0; i < TURNS; i++)
		__asm__ volatile("" : : : "memory");
	if (m->global_ctrl)
		arch_reg_write(m->global_ctrl, 0);
	arch_reg_write(x86_select_register(m, counter), 0);
	value = arch_reg_read(RDPMC_VALUE(hw.rdpmc));
	arch_reg_write(hw.write_at, 0);
	return value == 0;
}

/* The counters that count nothing, of the general ones that are ours. If none of those counts, nor
 * do the fixed ones. On a real CPU nothing is tried. */
static uint64_t x86_leftovers_find_dead(const struct x86_monitor *m, uint64_t foreign)
{
	uint64_t general = ((1ULL << m->general) - 1) & ~foreign, dead = 0;

	if (!(arch_reg_read(CPUID_WORD(CPUID_FEATURES, CPUID_ECX)) & CPUID_FEATURES_HYPERVISOR))
		return 0;
	for (uint64_t left = general; left; left &= left - 1) {
		if (x86_leftovers_is_dead(m, (unsigned)__builtin_ctzll(left)))
			dead |= left & -left;
	}
	return dead == general && dead ? x86_leftovers_present(m) & ~foreign : dead;
}

static uint64_t x86_leftovers_find_foreign(const struct x86_monitor *m)
{
	uint64_t which = x86_leftovers_counting(m), left;

	for (left = x86_leftovers_present(m); left; left &= left - 1) {
		if (x86_leftovers_is_foreign(m, (unsigned)__builtin_ctzll(left)))
			which |= left & -left;
	}
	return which;
}

void x86_leftovers_clear(const struct x86_monitor *m, struct counter_census *census)
{
	census->present = x86_leftovers_present(m);
	census->leftovers |= x86_leftovers_counting(m);
	x86_leftovers_stop(m);
	if (x86_leftovers_clear_trace(m))
		census->leftovers |= TR_LEFTOVERS_TRACE;
	census->foreign = x86_leftovers_find_foreign(m);
	census->dead = x86_leftovers_find_dead(m, census->foreign);
	census->foreign |= census->dead;
}
