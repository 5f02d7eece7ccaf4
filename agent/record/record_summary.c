/* SPDX-License-Identifier: MIT */
/* The final report of a recording on the console. */
#include "agent/record/record_summary.h"

#include "agent/record/lossless/record_lossless.h"
#include "agent/record/record_events.h"
#include "lib/console/console.h"

#define MIB (1UL << 20)

/* The sizes of a CPU's ring and AUX area that would have avoided the loss, in pages; 0: no loss. */
struct need {
	uint64_t pages, aux_pages;
};

static uint64_t record_summary_pages_for(uint64_t bytes)
{
	uint64_t pages = 1;

	while (pages * TR_PAGE < bytes)
		pages *= 2;
	return pages;
}

static uint64_t record_summary_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Lost records are assumed to be as long as the others. */
static void record_summary_add_need(struct need *need, const struct recording *r,
                                    const struct traced_cpu *c)
{
	uint64_t generated = 0, written = 0;

	for (unsigned i = 0; i < r->nr_events; i++) {
		generated += c->events[i].account.generated;
		written += c->events[i].account.written;
	}
	if (written && generated > written)
		need->pages = record_summary_larger(
		    need->pages,
		    record_summary_pages_for((c->ring.published / written + 1) * generated));
	if (c->aux_event && (c->aux.truncated || c->aux.lost))
		need->aux_pages = record_summary_larger(
		    need->aux_pages,
		    record_summary_larger(2 * r->aux_pages,
		                          record_summary_pages_for(c->aux.head + c->aux.lost)));
}

/* Without a reader the whole recording must fit into the region: print the sizes that it needs.
 * With a reader the host prints them. */
static void record_summary_print_help(const struct recording *r)
{
	const struct trace_region *region = r->region;
	struct need need = { 0 };
	uint64_t pages, aux_pages, bytes;

	for (unsigned c = 0; c < r->nr_cpus; c++)
		record_summary_add_need(&need, r, &r->cpus[c]);
	if (!need.pages && !need.aux_pages)
		return;
	pages = need.pages ? need.pages : r->pages;
	aux_pages = need.aux_pages ? need.aux_pages : r->aux_pages;
	bytes = region->tables_end + r->nr_cpus * (1 + pages + aux_pages) * TR_PAGE;
	console_printf("no host read the recording, and the %s full. To lose nothing: -m %lu",
	               need.pages ? "ring was" : "AUX area was", pages);
	if (aux_pages)
		console_printf(",%lu", aux_pages);
	if (bytes > region->size)
		console_printf(" and %s %lu MiB",
		               r->channel->ops->in_ram ? "--region-size" : "shared memory of",
		               (bytes + MIB - 1) / MIB);
	console_printf(", or record less\n");
}

static void record_summary_print_trace(const struct recording *r)
{
	uint64_t bytes = 0, lost = 0, pieces = 0, cut = 0;

	for (unsigned c = 0; c < r->nr_cpus; c++) {
		bytes += r->cpus[c].aux.head;
		lost += r->cpus[c].aux.lost;
		pieces += r->cpus[c].aux.records;
		cut += r->cpus[c].aux.truncated;
	}
	console_printf("  %lu bytes of trace, %lu known to be lost; %lu of %lu pieces cut\n", bytes,
	               lost, cut, pieces);
}

static void record_summary_print_samples(const struct recording *r, unsigned evsel)
{
	uint64_t generated = 0, written = 0, lost = 0;

	for (unsigned c = 0; c < r->nr_cpus; c++) {
		generated += r->cpus[c].events[evsel].account.generated;
		written += r->cpus[c].events[evsel].account.written -
		           (evsel == 0 ? r->cpus[c].images : 0);
		lost += r->cpus[c].events[evsel].account.lost;
	}
	console_printf("%s: %lu samples, %lu lost", r->specs[evsel].name, written, lost);
	if (lost)
		console_printf(" (%lu %% of %lu)", (lost * 100 + generated - 1) / generated,
		               generated);
	console_printf("\n");
	if (recording_fills_aux(&r->specs[evsel].attr))
		record_summary_print_trace(r);
}

static void record_summary_print_counts(const struct recording *r, unsigned evsel)
{
	uint64_t count = 0, enabled = 0, running = 0;

	for (unsigned c = 0; c < r->nr_cpus; c++) {
		const struct perf_event *event = &r->cpus[c].events[evsel];

		count += event->count;
		enabled += event->time_enabled;
		running += event->time_running;
		if (r->command->no_aggr)
			console_printf("CPU%u %s: %lu\n", r->cpus[c].cpu, r->specs[evsel].name,
			               event->count);
	}
	console_printf("%s: %lu in %lu of %lu us\n", r->specs[evsel].name, count, running / 1000,
	               enabled / 1000);
}

void recording_summarise(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_events; i++) {
		if (r->command->verb == COMMAND_STAT)
			record_summary_print_counts(r, i);
		else
			record_summary_print_samples(r, i);
	}
	lossless_report(r);
	if (r->found != TR_READER_READY && r->command->verb == COMMAND_RECORD)
		record_summary_print_help(r);
}
