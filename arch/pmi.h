/* SPDX-License-Identifier: MIT */
/* The handlers that share a performance monitor interrupt: the list behind arch_pmi_share(), for
 * the ISAs. One CPU at a time changes a list; a handler that interrupts the change finds the list
 * before or after it, or one handler twice. */
#ifndef ARCH_PMI_H
#define ARCH_PMI_H

#include <errno.h>

#include "arch/arch.h"

#define ARCH_PMI_SHARERS 4U

struct arch_pmi_list {
	unsigned count;
	arch_pmi_fn handlers[ARCH_PMI_SHARERS];
};

static inline void arch_pmi_list_set_count(struct arch_pmi_list *list, unsigned count)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&list->count, count, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* 0, if it is there already as well; -ENOSPC. */
static inline int arch_pmi_list_add(struct arch_pmi_list *list, arch_pmi_fn handler)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (list->handlers[i] == handler)
			return 0;
	}
	if (list->count == ARCH_PMI_SHARERS)
		return -ENOSPC;
	list->handlers[list->count] = handler;
	arch_pmi_list_set_count(list, list->count + 1);
	return 0;
}

static inline void arch_pmi_list_remove(struct arch_pmi_list *list, arch_pmi_fn handler)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (list->handlers[i] != handler)
			continue;
		list->handlers[i] = list->handlers[list->count - 1];
		arch_pmi_list_set_count(list, list->count - 1);
		return;
	}
}

/* Ask all: the interrupt may have several causes. The last one first, so that one who leaves in its
 * handler keeps nobody from being asked. */
static inline enum arch_pmi arch_pmi_list_call(const struct arch_pmi_list *list,
                                               const struct arch_regs *regs)
{
	enum arch_pmi whose = ARCH_PMI_NOT_MINE;

	for (unsigned i = list->count; i-- > 0;)
		whose &= list->handlers[i](regs);
	return whose;
}

#endif
