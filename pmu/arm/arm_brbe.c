/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_brbe.h"

#include <errno.h>

#include "arch/aarch64/pmu/brbe.h"
#include "arch/aarch64/pmu/spe.h"

struct arm_brbe arm_brbes[TR_MAX_CPUS];

static bool arm_brbe_is_asked(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* The records of the calling CPU that a stack can have; 0: the CPU has none that we know. The
 * other registers of BRBE exist only if ID_AA64DFR0_EL1 says so. */
static unsigned arm_brbe_depth(void)
{
	uint64_t id;

	if (!(arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_BRBE & 0xf))
		return 0;
	id = arch_reg_read(BRBIDR0_EL1);
	if (id & BRBIDR0_FORMAT || (id & BRBIDR0_CC) != BRBIDR0_CC_20_BIT)
		return 0;
	id &= BRBIDR0_NUMREC;
	return id < BRANCH_STACK_MAX ? (unsigned)id : BRANCH_STACK_MAX;
}

int arm_brbe_init(struct perf_event *event)
{
	if (!arm_brbe_is_asked(event))
		return 0;
	if (!arm_brbe_depth()) {
		event->why =
		    "this CPU has no branch records (FEAT_BRBE, from Armv9.2 on), or a "
		    "hypervisor hides them";
		return -ENODEV;
	}
	if (event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) {
		event->why = "Arm's branch records cannot be a call stack: use --call-graph fp";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* ---- The filter ---- */

static uint64_t arm_brbe_filter(uint64_t type)
{
	static const struct {
		uint32_t type, filter;
	} all[] = {
		{ PERF_SAMPLE_BRANCH_ANY, BRBFCR_DIRECT | BRBFCR_INDIRECT | BRBFCR_RTN |
		                              BRBFCR_INDCALL | BRBFCR_DIRCALL | BRBFCR_CONDDIR },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, BRBFCR_INDCALL | BRBFCR_DIRCALL },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, BRBFCR_RTN },
		{ PERF_SAMPLE_BRANCH_IND_CALL, BRBFCR_INDCALL },
		{ PERF_SAMPLE_BRANCH_COND, BRBFCR_CONDDIR },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, BRBFCR_INDIRECT },
		{ PERF_SAMPLE_BRANCH_CALL, BRBFCR_DIRCALL },
	};
	uint64_t filter = 0;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (type & all[i].type)
			filter |= all[i].filter;
	return filter;
}

static bool arm_brbe_is_at_el2(void)
{
	return arch_reg_read(CURRENT_EL) >> 2 == 2;
}

/* Without a level, an event has all of them; EL2 is then only recorded if the traced code runs
 * there, as for the counters. */
static bool arm_brbe_records_el2(uint64_t type)
{
	return type & PERF_SAMPLE_BRANCH_HV &&
	       !(type & PERF_SAMPLE_BRANCH_KERNEL && arch_levels() & ARCH_LEVEL_KERNEL);
}

#define EVERYWHERE (BRBCR_CC | BRBCR_MPRED | BRBCR_FZP | BRBCR_TS_VIRTUAL)
#define CROSSINGS  (BRBCR_EXCEPTION | BRBCR_ERTN)

/* Exceptions to EL1 and returns from it are branches of the kernel's, as in Linux. */
static uint64_t arm_brbe_brbcr_el1(uint64_t type)
{
	return EVERYWHERE | (type & PERF_SAMPLE_BRANCH_USER ? BRBCR_E0BRE : 0) |
	       (type & PERF_SAMPLE_BRANCH_KERNEL ? BRBCR_ExBRE | CROSSINGS : 0);
}

static void arm_brbe_record(struct arm_brbe *u)
{
	bool el2 = arm_brbe_is_at_el2();

	u->own = el2 ? arm_brbe_records_el2(u->type) : u->type & PERF_SAMPLE_BRANCH_KERNEL;
	u->filter = arm_brbe_filter(u->type);
	arch_reg_write(BRBFCR_EL1, BRBFCR_PAUSED);
	arch_reg_sync();
	arch_reg_write(BRBCR_EL1, arm_brbe_brbcr_el1(u->type));
	if (el2)
		arch_reg_write(BRBCR_EL2, EVERYWHERE | (u->own ? BRBCR_ExBRE | CROSSINGS : 0));
	arch_reg_sync();
	arm_brbe_restart(u);
}

void arm_brbe_restart(const struct arm_brbe *u)
{
	arch_counter_write(BRBFCR_EL1, BRBFCR_PAUSED);
	arch_reg_sync();
	arch_counter_write(BRB_IALL, 0);
	arch_reg_sync();
	arch_counter_write(BRBFCR_EL1, u->filter);
	arch_reg_sync();
}

/* ---- Begin and end ---- */

static void arm_brbe_save(struct arm_brbe *u)
{
	u->brbfcr = arch_reg_read(BRBFCR_EL1);
	u->brbcr_el1 = arch_reg_read(BRBCR_EL1);
	if (arm_brbe_is_at_el2())
		u->brbcr_el2 = arch_reg_read(BRBCR_EL2);
	u->type = 0;
}

static void arm_brbe_restore(const struct arm_brbe *u)
{
	arch_reg_write(BRBFCR_EL1, BRBFCR_PAUSED);
	arch_reg_sync();
	arch_reg_write(BRBCR_EL1, u->brbcr_el1);
	if (arm_brbe_is_at_el2())
		arch_reg_write(BRBCR_EL2, u->brbcr_el2);
	arch_reg_write(BRB_IALL, 0);
	arch_reg_sync();
	arch_reg_write(BRBFCR_EL1, u->brbfcr);
	arch_reg_sync();
}

int arm_brbe_add(const struct perf_event *event)
{
	struct arm_brbe *u = &arm_brbes[event->cpu];
	unsigned depth;

	if (!arm_brbe_is_asked(event))
		return 0;
	depth = arm_brbe_depth();
	if (!depth)
		return -ENODEV;
	if (!u->users)
		arm_brbe_save(u);
	u->depth = depth;
	u->type |= event->attr.branch_sample_type & (BRANCH_LEVELS | BRANCH_KINDS);
	u->users++;
	arm_brbe_record(u);
	return 0;
}

void arm_brbe_del(const struct perf_event *event)
{
	struct arm_brbe *u = &arm_brbes[event->cpu];

	if (arm_brbe_is_asked(event) && !--u->users)
		arm_brbe_restore(u);
}

/* ---- A sample ---- */

struct arm_brbe_entry {
	uint64_t inf, src, tgt;
};

/* The records are paused. */
static void arm_brbe_select(const struct arm_brbe *u, unsigned bank)
{
	arch_counter_write(BRBFCR_EL1, u->filter | BRBFCR_PAUSED | BRBFCR_BANK(bank));
	arch_reg_sync();
}

/* Record n of the selected bank. The number of a register is part of the instruction. */
static void arm_brbe_read(unsigned n, struct arm_brbe_entry *to)
{
#define RECORD(n)                                           \
	case n:                                             \
		to->inf = arch_counter_read(BRBINF_EL1(n)); \
		to->src = arch_counter_read(BRBSRC_EL1(n)); \
		to->tgt = arch_counter_read(BRBTGT_EL1(n)); \
		break;
#define FOUR(n) RECORD(n) RECORD(n + 1) RECORD(n + 2) RECORD(n + 3)
	switch (n) {
		FOUR(0)
		FOUR(4) FOUR(8) FOUR(12) FOUR(16) FOUR(20) FOUR(24) FOUR(28) default : to->inf = 0;
	}
#undef FOUR
#undef RECORD
}

#define CALLS   (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL)
#define RETURNS (PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_RETURN)
#define NEW(n)  (PERF_BR_EXTEND_ABI << PERF_BRANCH_TYPE | (uint64_t)(n) << PERF_BRANCH_NEW_TYPE)
#define OLD(n)  ((uint64_t)(n) << PERF_BRANCH_TYPE)

/* By BRBINF<n>_EL1.TYPE: the kinds of branch_sample_type that include it; perf's types, as Linux's
 * driver translates. */
static const struct {
	uint32_t kinds;
	uint64_t type;
} arm_brbe_types[64] = {
	[BRBINF_DIRECT] = { PERF_SAMPLE_BRANCH_ANY, OLD(PERF_BR_UNCOND) },
	[BRBINF_INDIRECT] = { PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_IND_JUMP,
	                      OLD(PERF_BR_IND) },
	[BRBINF_DIRECT_LINK] = { CALLS | PERF_SAMPLE_BRANCH_CALL, OLD(PERF_BR_CALL) },
	[BRBINF_INDIRECT_LINK] = { CALLS | PERF_SAMPLE_BRANCH_IND_CALL, OLD(PERF_BR_IND_CALL) },
	[BRBINF_RET] = { RETURNS, OLD(PERF_BR_RET) },
	[BRBINF_ERET] = { RETURNS, OLD(PERF_BR_ERET) },
	[BRBINF_COND] = { PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_COND, OLD(PERF_BR_COND) },
	[BRBINF_CALL] = { CALLS, OLD(PERF_BR_SYSCALL) },
	[BRBINF_TRAP] = { CALLS, OLD(PERF_BR_IRQ) },
	[BRBINF_SERROR] = { CALLS, OLD(PERF_BR_SERROR) },
	[BRBINF_INSN_DEBUG] = { CALLS, 0 },
	[BRBINF_DATA_DEBUG] = { CALLS, 0 },
	[BRBINF_ALIGN_FAULT] = { CALLS, NEW(PERF_BR_NEW_FAULT_ALGN) },
	[BRBINF_INSN_FAULT] = { CALLS, NEW(PERF_BR_NEW_FAULT_INST) },
	[BRBINF_DATA_FAULT] = { CALLS, NEW(PERF_BR_NEW_FAULT_DATA) },
	[BRBINF_IRQ] = { CALLS, OLD(PERF_BR_IRQ) },
	[BRBINF_FIQ] = { CALLS, 0 },
};

static unsigned arm_brbe_type(uint64_t inf)
{
	return inf >> BRBINF_TYPE & 63;
}

/* D18, "Cycle counting": mantissa and exponent; perf has room for 16 bits. */
static uint64_t arm_brbe_cycles(uint64_t inf)
{
	uint64_t mantissa = inf >> BRBINF_CC & 0xff, exponent = inf >> (BRBINF_CC + 8) & 63;

	if (inf & BRBINF_CCU)
		return 0;
	if (!exponent)
		return mantissa;
	if (exponent > 8)
		return UINT16_MAX;
	return (mantissa | 0x100) << (exponent - 1);
}

static uint64_t arm_brbe_flags(uint64_t inf, uint64_t type)
{
	uint64_t flags = arm_brbe_types[arm_brbe_type(inf)].type;

	if (inf & BRBINF_SOURCE && !(type & PERF_SAMPLE_BRANCH_NO_FLAGS))
		flags |= inf & BRBINF_MPRED ? PERF_BRANCH_MISPRED : PERF_BRANCH_PREDICTED;
	if (!(type & PERF_SAMPLE_BRANCH_NO_CYCLES))
		flags |= arm_brbe_cycles(inf) << PERF_BRANCH_CYCLES;
	if (inf & BRBINF_TARGET)
		flags |= ((inf >> BRBINF_EL & 3) + 1) << PERF_BRANCH_PRIV;
	return flags;
}

/* The level of a record with only a source is not known. */
static bool arm_brbe_is_wanted(uint64_t inf, uint64_t type)
{
	uint64_t level = PERF_SAMPLE_BRANCH_USER << (inf >> BRBINF_EL & 3);

	return type & arm_brbe_types[arm_brbe_type(inf)].kinds &&
	       (!(inf & BRBINF_TARGET) || type & level);
}

/* Newest first. Records between the return from an interrupt at our level and the interrupt are our
 * handler's; an interrupt that freed the records, in arm_brbe_restart(), has none of its own. */
unsigned arm_brbe_branch_stack(const struct perf_event *event, uint64_t *at)
{
	const struct arm_brbe *u = &arm_brbes[event->cpu];
	uint64_t type = event->attr.branch_sample_type;
	bool indexed = type & PERF_SAMPLE_BRANCH_HW_INDEX;
	uint64_t *entry = at + 1 + indexed, *returned = NULL;

	if (indexed)
		at[1] = 0;
	for (unsigned i = 0; i < u->depth; i++) {
		struct arm_brbe_entry record;
		unsigned kind;

		if (u->depth > BRBE_BANK_SIZE && i % BRBE_BANK_SIZE == 0)
			arm_brbe_select(u, i / BRBE_BANK_SIZE);
		arm_brbe_read(i % BRBE_BANK_SIZE, &record);
		if (!(record.inf & (BRBINF_SOURCE | BRBINF_TARGET)))
			break;
		kind = arm_brbe_type(record.inf);
		if (u->own && kind == BRBINF_ERET && !returned)
			returned = entry;
		if (returned && (kind == BRBINF_IRQ || kind == BRBINF_FIQ)) {
			entry = returned;
			returned = NULL;
			continue;
		}
		if (!arm_brbe_is_wanted(record.inf, type))
			continue;
		entry[0] = record.src;
		entry[1] = record.tgt;
		entry[2] = arm_brbe_flags(record.inf, type);
		entry += 3;
	}
	if (returned)
		entry = returned;
	at[0] = (uint64_t)(entry - at - 1 - indexed) / 3;
	return (unsigned)(entry - at);
}
