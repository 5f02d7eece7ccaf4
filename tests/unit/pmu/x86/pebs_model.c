/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/pebs_model.h"

#include <string.h>

#include "arch/x86_64/pmu/debugstore.h"
#include "arch/x86_64/pmu/perfmon.h"

#define MASK ((1ULL << 48) - 1)

static struct debug_store *store_of(const struct pebs_model *model)
{
	return (struct debug_store *)model->ds_area;
}

uint64_t pebs_model_capabilities(const struct pebs_model *model)
{
	return (uint64_t)model->format << 8 | (model->format >= 4 ? 1 << 14 : 0);
}

uint64_t pebs_model_count(struct pebs_model *model, unsigned i, uint64_t value, uint64_t events,
                          bool *recorded)
{
	uint64_t bit = 1ULL << i, left = MASK + 1 - value;

	*recorded = false;
	if (!(model->armed & bit)) {
		if (events < left)
			return value + events;
		model->armed |= bit;
		events -= left;
		value = 0;
	}
	if (!events)
		return value;
	model->armed &= ~bit;
	*recorded = true;
	return (store_of(model)->pebs_counter_reset[i] + events - 1) & MASK;
}

static unsigned put_fixed(const struct pebs_model *model, uint64_t counters, uint64_t *to)
{
	to[8] = model->fp;
	to[9] = model->sp;
	to[18] = counters;
	to[19] = model->address;
	to[20] = model->source;
	to[21] = model->latency;
	to[22] = model->ip;
	to[24] = model->tsc;
	return 25;
}

static unsigned put_adaptive(const struct pebs_model *model, uint64_t counters, uint64_t *to)
{
	unsigned n = 4;

	to[1] = model->ip;
	to[2] = counters;
	to[3] = model->tsc;
	if (model->data_cfg & 1) {
		to[n] = model->address;
		to[n + 1] = model->source;
		to[n + 2] = model->latency;
		n += 4;
	}
	if (model->data_cfg & 2) {
		to[n + 6] = model->sp;
		to[n + 7] = model->fp;
		n += 18;
	}
	to[0] = (model->data_cfg & 3) | (uint64_t)n << 51;
	return n;
}

bool pebs_model_record(struct pebs_model *model, uint64_t counters)
{
	struct debug_store *store = store_of(model);
	uint64_t record[32] = { 0 };
	unsigned n = model->format >= 4 ? put_adaptive(model, counters, record)
	                                : put_fixed(model, counters, record);

	if (store->pebs_index + 8 * n > store->pebs_absolute_maximum) {
		model->dropped++;
		return false;
	}
	memcpy((void *)store->pebs_index, record, 8 * n);
	store->pebs_index += 8 * n;
	model->records++;
	return store->pebs_index >= store->pebs_interrupt_threshold;
}

static uint64_t *word_of(struct pebs_model *model, uint32_t reg)
{
	switch (reg) {
	case IA32_PEBS_ENABLE:
		return &model->enable;
	case IA32_DS_AREA:
		return &model->ds_area;
	case 0x3f2:
		return model->format >= 4 ? &model->data_cfg : NULL;
	case 0x3f6:
		return &model->ld_lat;
	default:
		return NULL;
	}
}

bool pebs_model_read(const struct pebs_model *model, uint32_t reg, uint64_t *value)
{
	const uint64_t *word = word_of((struct pebs_model *)(uintptr_t)model, reg);

	if (!model->format || !word)
		return false;
	*value = *word;
	return true;
}

bool pebs_model_write(struct pebs_model *model, uint32_t reg, uint64_t value)
{
	uint64_t *word = word_of(model, reg);

	if (!model->format || !word)
		return false;
	*word = value;
	if (reg == IA32_PEBS_ENABLE)
		model->armed &= value;
	return true;
}
