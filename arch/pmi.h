/* SPDX-License-Identifier: MIT */
/* The list of handlers of a performance monitor interrupt, behind arch_pmi_share(), for the ISAs.
 * Only one CPU changes a list at a time. A handler that interrupts the change sees the old or the
 * new list, or one handler twice. */
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

/* Returns 0, also if the handler is in the list already; -ENOSPC: the list is full. */
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

/* Call all handlers, because the interrupt may have several causes. From the last to the first, so
 * that a handler that removes itself does not make the loop skip another. */
static inline enum arch_pmi arch_pmi_list_call(const struct arch_pmi_list *list,
                                               const struct arch_regs *regs)
{
	enum arch_pmi whose = ARCH_PMI_NOT_MINE;

	for (unsigned i = list->count; i-- > 0;)
		whose &= list->handlers[i](regs);
	return whose;
}

#endif
