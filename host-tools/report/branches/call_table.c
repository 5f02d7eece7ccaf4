/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/call_table.h"

#include <errno.h>
#include <stdlib.h>

#include "host-tools/util/array.h"

/* Add a call's instructions. is_first: it is the first call of the range. */
static void add_to_range(struct call_range *range, uint64_t instructions, bool is_first)
{
	if (is_first || instructions < range->least)
		range->least = instructions;
	if (instructions > range->most)
		range->most = instructions;
	range->sum += instructions;
}

int call_table_add(struct call_table *table, const struct call_frame *frame, bool is_return)
{
	struct call_row *rows =
	    array_reach(table->rows, &table->room, frame->function, sizeof(*rows));
	struct call_row *row;

	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	if (frame->function >= table->count)
		table->count = frame->function + 1;
	row = &rows[frame->function];
	row->function = frame->function;
	row->instructions += frame->self;
	if (!is_return || !frame->is_entry_seen) {
		row->cut++;
		return 0;
	}
	row->calls++;
	add_to_range(&row->self, frame->self, row->calls == 1);
	add_to_range(&row->total, frame->self + frame->callees, row->calls == 1);
	return 0;
}

static int compare_rows(const void *one, const void *other)
{
	const struct call_row *a = one, *b = other;
	int order = (a->instructions < b->instructions) - (a->instructions > b->instructions);

	if (!order)
		order = (a->calls < b->calls) - (a->calls > b->calls);
	return order ? order : (a->function > b->function) - (a->function < b->function);
}

void call_table_sort(struct call_table *table)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		if (table->rows[i].calls || table->rows[i].cut)
			table->rows[kept++] = table->rows[i];
	}
	table->count = kept;
	if (kept)
		qsort(table->rows, kept, sizeof(*table->rows), compare_rows);
}

void call_table_free(struct call_table *table)
{
	free(table->rows);
	*table = (struct call_table){ 0 };
}
