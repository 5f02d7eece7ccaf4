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

/* The longest instruction of x86 (SDM volume 2A, 2.3.11): a return address lies at most so many
 * bytes behind its call. */
#define CALL_MAX 15U

static bool is_marker(uint64_t address)
{
	return address >= PERF_CONTEXT_MAX;
}

static bool is_return_of(uint64_t address, uint64_t call)
{
	return address > call && address - call <= CALL_MAX;
}

/* The call stack of branch records has all of the innermost callers, the callchain only those with
 * a frame pointer, but further out. Returns the place of the first entry of the callchain, from
 * `at` on, that is a caller of the call stack's outermost one. */
static uint64_t frames_outside(const struct sample *sample, uint64_t at)
{
	uint64_t call = 0;

	for (; at < sample->chain_length; at++) {
		uint64_t address = sample->chain[at], next = call;

		if (is_marker(address))
			continue;
		while (next < sample->nr_branches &&
		       !is_return_of(address, sample->branches[next].from))
			next++;
		if (next == sample->nr_branches)
			break;
		call = next + 1;
	}
	return at;
}

static void frames_reverse(uint64_t *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		uint64_t inner = frames[i];

		frames[i] = frames[count - 1 - i];
		frames[count - 1 - i] = inner;
	}
}

uint32_t frames_of(const struct sample *sample, uint64_t frames[FRAMES_MAX])
{
	uint32_t count = 1;
	uint64_t at = 0;

	while (at < sample->chain_length && is_marker(sample->chain[at]))
		at++;
	frames[0] = at < sample->chain_length ? sample->chain[at] : sample->ip;
	at++;
	if (sample->is_call_stack) {
		for (uint64_t i = 0; i < sample->nr_branches && count < FRAMES_MAX; i++)
			frames[count++] = sample->branches[i].from;
		at = frames_outside(sample, at);
	}
	for (; at < sample->chain_length && count < FRAMES_MAX; at++) {
		uint64_t address = sample->chain[at];

		if (!is_marker(address))
			frames[count++] = address - !!address;
	}
	frames_reverse(frames, count);
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
