/* SPDX-License-Identifier: MIT */
#include "pmu/x86/lbr/x86_lbr.h"

#include <errno.h>

#include "arch/x86_64/pmu/lbr.h"
#include "arch/x86_64/pmu/perfmon.h"

struct x86_lbr x86_lbrs[TR_MAX_CPUS];

/* ---- Begin and end ---- */

void x86_lbr_forget(const struct x86_lbr_form *form)
{
	for (uint32_t i = 0; i < form->depth; i++) {
		arch_reg_write(form->from + i * form->stride, 0);
		arch_reg_write(form->to + i * form->stride, 0);
		if (form->info)
			arch_reg_write(form->info + i * form->stride, 0);
	}
}

static int x86_lbr_begin(struct x86_lbr *u, uint64_t type, const struct x86_lbr_ops *ops)
{
	uint64_t off;

	u->debugctl = arch_reg_read(IA32_DEBUGCTL);
	if (u->debugctl & (DEBUGCTL_TR | DEBUGCTL_BTS))
		return -EBUSY;
	u->form = ops->form();
	if (!u->form.depth)
		return -ENODEV;
	arch_trace_entries(&u->entries, &u->entries_size);
	u->type = type;
	u->shape = arch_reg_read(u->form.shape);
	u->switched = arch_reg_read(u->form.switched);
	off = u->switched & u->form.others;
	arch_reg_write(u->form.switched, off);
	arch_trace_hide(u->form.switched, NULL);
	ops->switch_on(&u->form, type, off);
	return 0;
}

static void x86_lbr_end(const struct x86_lbr *u)
{
	arch_reg_write(u->form.switched, u->switched & u->form.others);
	arch_reg_write(u->form.shape, u->shape);
	arch_reg_write(IA32_DEBUGCTL, u->debugctl);
	arch_reg_write(u->form.switched, u->switched);
	arch_trace_hide(0, NULL);
}

int x86_lbr_add(const struct perf_event *event, const struct x86_lbr_ops *ops)
{
	struct x86_lbr *u = &x86_lbrs[event->cpu];
	uint64_t type = x86_lbr_wanted(event);
	int code = 0;

	if (!x86_lbr_is_asked(event))
		return 0;
	if (u->users && u->type != type)
		return -EBUSY;
	if (!u->users)
		code = x86_lbr_begin(u, type, ops);
	if (!code)
		u->users++;
	return code;
}

void x86_lbr_del(const struct perf_event *event)
{
	struct x86_lbr *u = &x86_lbrs[event->cpu];

	if (x86_lbr_is_asked(event) && !--u->users)
		x86_lbr_end(u);
}

/* ---- The filter ---- */

/* The bits of LBR_SELECT that suppress near branches of each kind, and other ones. */
#define SELECT_CALLS (LBR_SELECT_NEAR_REL_CALL | LBR_SELECT_NEAR_IND_CALL)
#define SELECT_ALL                                                                       \
	(LBR_SELECT_JCC | SELECT_CALLS | LBR_SELECT_NEAR_RET | LBR_SELECT_NEAR_IND_JMP | \
	 LBR_SELECT_NEAR_REL_JMP | LBR_SELECT_FAR_BRANCH)

/* A far call or return (an interrupt, IRET, SYSCALL) is in `any` only. */
uint32_t x86_lbr_kinds(uint64_t type)
{
	static const struct {
		uint64_t type;
		uint32_t kinds;
	} all[] = {
		{ PERF_SAMPLE_BRANCH_ANY, SELECT_ALL },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, SELECT_CALLS },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, LBR_SELECT_NEAR_RET },
		{ PERF_SAMPLE_BRANCH_IND_CALL, LBR_SELECT_NEAR_IND_CALL },
		{ PERF_SAMPLE_BRANCH_COND, LBR_SELECT_JCC },
		{ PERF_SAMPLE_BRANCH_CALL_STACK, SELECT_CALLS | LBR_SELECT_NEAR_RET },
		{ PERF_SAMPLE_BRANCH_IND_JUMP, LBR_SELECT_NEAR_IND_JMP },
		{ PERF_SAMPLE_BRANCH_CALL, LBR_SELECT_NEAR_REL_CALL },
	};
	uint32_t kinds = 0;

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (type & all[i].type)
			kinds |= all[i].kinds;
	return kinds;
}

uint32_t x86_lbr_select(uint64_t type)
{
	uint32_t select = SELECT_ALL & ~x86_lbr_kinds(type);

	if (!(type & PERF_SAMPLE_BRANCH_KERNEL))
		select |= LBR_SELECT_CPL_EQ_0;
	if (!(type & PERF_SAMPLE_BRANCH_USER))
		select |= LBR_SELECT_CPL_NEQ_0;
	if (type & PERF_SAMPLE_BRANCH_CALL_STACK)
		select |= LBR_SELECT_EN_CALLSTACK;
	return select;
}
