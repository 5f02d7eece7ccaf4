/* SPDX-License-Identifier: MIT */
/*
 * A CPU stores the address of the word that it waits for before it checks the word a last time; a
 * thread that changes the word checks afterwards which CPUs wait for it. So at least one of the two
 * sees the other's store.
 */
#include <stddef.h>

#include <arch_wait.h>

#include "workload/sdk/sdk.h"
#include "workload/sdk/threads/sync.h"

/* Checks before the CPU is halted: most waits are shorter than an interrupt takes. */
#define LOOKS 200U

static const uint32_t *awaited[SDK_MAX_CPUS];

static uint32_t wait_word_of(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Named like Linux's idle function; host-tools/report/uefi/waits.c recognises the name. */
static __attribute__((noinline)) void cpu_idle(const uint32_t *word, uint32_t value)
{
	arch_wait_for_change(word, value);
}

bool sdk_wait(const uint32_t *word, uint32_t value, uint64_t deadline)
{
	const uint32_t **mine = &awaited[sdk_system->cpu() % SDK_MAX_CPUS];
	bool in_time = true;

	for (unsigned i = 0; i < LOOKS && wait_word_of(word) == value; i++)
		arch_wait_relax();
	__atomic_store_n(mine, word, __ATOMIC_SEQ_CST);
	while (in_time && wait_word_of(word) == value) {
		cpu_idle(word, value);
		in_time = deadline == SDK_FOREVER || sdk_system->clock() < deadline;
	}
	__atomic_store_n(mine, NULL, __ATOMIC_RELAXED);
	return in_time || wait_word_of(word) != value;
}

void sdk_wake(const uint32_t *word)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned cpu = 0; cpu < SDK_MAX_CPUS; cpu++) {
		if (__atomic_load_n(&awaited[cpu], __ATOMIC_SEQ_CST) == word)
			sdk_system->wake(cpu);
	}
}
