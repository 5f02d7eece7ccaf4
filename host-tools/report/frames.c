/* SPDX-License-Identifier: MIT */
#include "host-tools/report/frames.h"

#include <stdbool.h>
#include <string.h>

#include "abi/perf_event.h"

/* The function of agent/payload/payload_run.c that calls all traced code. Below it, a stack may
 * have the functions in between[], in this order: the command's choice of program,
 * agent/payload/payload.c, and the SDK's callers of main(), of a thread, of a POSIX thread, and of
 * a C11 or libstdc++ thread. */
#define CALLS_PROGRAM "payload_run_call"
static const char *const between[] = {
	"record_workload",
	"payload_program",
	"_start",
	"thread_enter",
	"pthread_enter",
	"threads_enter",
	"execute_native_thread_routine",
};

static bool is_marker(uint64_t address)
{
	return address >= PERF_CONTEXT_MAX;
}

uint32_t frames_of(const struct sample *sample, uint64_t frames[FRAMES_MAX])
{
	uint32_t count = 0, at;

	for (uint64_t i = 0; i < sample->chain_length && count < FRAMES_MAX; i++)
		count += !is_marker(sample->chain[i]);
	if (!count) {
		frames[0] = sample->ip;
		return 1;
	}
	at = count;
	for (uint64_t i = 0; at; i++) {
		uint64_t address = sample->chain[i];

		if (is_marker(address))
			continue;
		at--;
		frames[at] = address - (at + 1 < count && address);
	}
	return count;
}

uint32_t frames_then(const struct symbols *symbols, const struct sample *sample,
                     uint64_t frames[FRAMES_MAX])
{
	uint32_t count = frames_of(sample, frames);

	for (uint32_t i = 0; i < count; i++)
		frames[i] = symbols_at(symbols, frames[i], sample->time);
	return count;
}

/* Ignores a suffix such as ".constprop.0", which the compiler adds to its own version of a
 * function. */
static bool is_named(struct symbols *symbols, uint64_t address, const char *name)
{
	const char *known = symbols_known(symbols, address);
	size_t length = strlen(name);

	return known && !strncmp(known, name, length) && (!known[length] || known[length] == '.');
}

uint32_t frames_ours(struct symbols *symbols, const uint64_t *frames, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && !is_named(symbols, frames[i], CALLS_PROGRAM))
		i++;
	if (i == count)
		return 0;
	i++;
	for (unsigned b = 0; b < sizeof(between) / sizeof(between[0]) && i < count; b++)
		i += is_named(symbols, frames[i], between[b]);
	return i < count ? i : count - 1;
}
