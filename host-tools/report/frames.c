/* SPDX-License-Identifier: MIT */
#include "host-tools/report/frames.h"

#include <stdbool.h>

#include "abi/perf_event.h"

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
