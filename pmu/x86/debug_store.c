/* SPDX-License-Identifier: MIT */
#include "pmu/x86/debug_store.h"

#include "pmu/pmu.h"

static enum debug_store_user users[TR_MAX_CPUS];

bool debug_store_take(unsigned cpu, enum debug_store_user user)
{
	if (users[cpu] != DEBUG_STORE_FREE)
		return false;
	users[cpu] = user;
	return true;
}

void debug_store_leave(unsigned cpu)
{
	users[cpu] = DEBUG_STORE_FREE;
}
