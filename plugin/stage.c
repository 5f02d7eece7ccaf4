/* SPDX-License-Identifier: MIT */
#include "plugin/stage.h"

void stage_fill(struct stage *stage, const struct stage_block *block, uint64_t done,
                uint64_t period)
{
	stage->count = stage->next = 0;
	for (uint64_t i = period - done - 1; i < block->count; i += period) {
		stage->pc[stage->count] = block->address + block->offsets[i];
		stage->index[stage->count++] = (uint32_t)i;
	}
}

int stage_take(struct stage *stage, uint64_t *done, uint64_t period)
{
	if (*done < period || stage->next == stage->count)
		return -1;
	*done -= period;
	return (int)stage->next++;
}
