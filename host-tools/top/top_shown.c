/* SPDX-License-Identifier: MIT */
#include "host-tools/top/top_shown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/ledger/missing.h"
#include "host-tools/report/report_table.h"
#include "host-tools/report/uefi/waits.h"

uint32_t top_events(const struct top_data *data)
{
	uint32_t count = 0;

	for (uint32_t i = 0; data->session && i < data->session->ledger.head.event_count; i++) {
		uint32_t evsel = data->session->ledger.events[i].event.evsel;

		count = evsel >= count ? evsel + 1 : count;
	}
	return count;
}

static const struct ledger_event *first_of(const struct top_data *data, uint32_t evsel)
{
	for (uint32_t i = 0; data->session && i < data->session->ledger.head.event_count; i++) {
		if (data->session->ledger.events[i].event.evsel == evsel)
			return &data->session->ledger.events[i];
	}
	return NULL;
}

const char *top_event_name(const struct top_data *data, uint32_t evsel)
{
	const struct ledger_event *event = first_of(data, evsel);

	return event ? event->event.name : "";
}

/* ---- Measurements ---- */

void top_data_note_rings(struct top_data *data)
{
	const struct session *session = data->session;

	for (uint32_t i = 0; i < session->ledger.head.ring_count; i++) {
		uint64_t position = session->readers[i].position;
		double fill = (double)(position - data->positions[i]) /
		              (double)session->region.rings[i].data_size;

		if (session->region.rings[i].flags & TR_RING_BACKWARD)
			continue;
		data->positions[i] = position;
		data->fill[i] = fill > data->fill[i] ? fill : data->fill[i];
		data->slow.fill = fill > data->slow.fill ? fill : data->slow.fill;
	}
}

void top_data_measure(struct top_data *data, double now)
{
	const struct ledger *ledger = &data->session->ledger;
	double seconds = now - data->measured;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		uint64_t samples = ledger->events[i].found.samples;

		data->rates[i] = data->measured && seconds > 0
		                     ? (double)(samples - data->before[i]) / seconds
		                     : 0;
		data->before[i] = samples;
	}
	data->measured = now;
}

/* ---- The head ---- */

static __attribute__((format(printf, 2, 3))) void add_line(struct top_shown *shown,
                                                           const char *format, ...)
{
	char *line = shown->head[shown->lines];
	char text[TOP_LINE];
	va_list arguments;

	if (shown->lines == TOP_HEAD_LINES)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	region_printable(line, TOP_LINE, text, strlen(text));
	shown->lines++;
}

/* Written records that have not arrived yet are not missing. */
static void add_missing(void *context, const struct missing *missing)
{
	struct top_shown *shown = context;
	char text[TOP_LINE - 8];

	if (missing->kind == MISSING_UNSAVED || missing->kind == MISSING_UNSAVED_BYTES ||
	    shown->lines >= TOP_HEAD_LINES / 3)
		return;
	missing_text(missing, text, sizeof(text));
	add_line(shown, "LOST %s", text);
}

static void add_alarms(struct top_shown *shown, const struct top_data *data)
{
	const struct ledger *ledger = &data->session->ledger;
	char text[TOP_LINE - 32];

	missing_list(ledger, add_missing, shown);
	if (shown->lines && missing_advice(ledger, text, sizeof(text)))
		add_line(shown, "to keep it, record with %s", text);
	if (top_slow_text(&data->slow, data->session, text, sizeof(text)))
		add_line(shown, "%s", text);
	shown->alarms = shown->lines;
}

static void add_state(struct top_shown *shown, const struct top_data *data)
{
	const struct session *session = data->session;

	add_line(shown, "run %" PRIu64 " %s, clock %.3f s: %.180s", session->region.header.run,
	         data->is_over ? "has ended" : region_state_name(session->ledger.head.state),
	         (double)session->found.last_time / 1e9, session->region.header.command);
}

static void add_event(struct top_shown *shown, const struct top_data *data,
                      const struct top_view *view)
{
	const struct ledger *ledger = &data->session->ledger;
	uint64_t samples = 0, lost = 0, throttled = 0;
	double rate = 0;

	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];

		if (event->event.evsel != view->evsel)
			continue;
		samples += event->found.samples;
		lost += event->ledger.lost;
		throttled += event->ledger.throttled;
		rate += data->rates[i];
	}
	add_line(shown,
	         "%s: %" PRIu64 " samples, %.0f/s, lost %" PRIu64 ", throttled %" PRIu64
	         "; event %u of %u",
	         top_event_name(data, view->evsel), samples, rate, lost, throttled, view->evsel + 1,
	         top_events(data));
}

/* Lists as many CPUs as fit a line. */
static void add_cpus(struct top_shown *shown, const struct top_data *data)
{
	const struct ledger *ledger = &data->session->ledger;
	char text[TOP_LINE] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < ledger->head.ring_count && used < sizeof(text) - 48; i++) {
		uint32_t cpu = ledger->rings[i].ring.cpu;
		double rate = 0;

		for (uint32_t e = 0; e < ledger->head.event_count; e++)
			rate += ledger->events[e].event.cpu == cpu ? data->rates[e] : 0;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
		                         "%sCPU %u %.0f/s ring %.0f %%", i ? ", " : "", cpu, rate,
		                         100 * data->fill[i]);
	}
	add_line(shown, "%s", text);
}

/* For a CPU and a module the idle time counts as well. */
static bool leaves_idle_out(const struct top_view *view)
{
	return view->no_idle && view->columns & REPORT_SYMBOL;
}

static void add_view(struct top_shown *shown, const struct top_data *data,
                     const struct top_view *view)
{
	const struct top_counts *counts = &data->counts;
	char cpu[16] = "";

	if (view->cpu != TOP_ALL_CPUS)
		snprintf(cpu, sizeof(cpu), " CPU %u", view->cpu);
	if (view->cpu != TOP_ALL_CPUS || view->file || *view->filter)
		add_line(shown, "only%s%s%s%s%s", cpu, view->file ? " " : "",
		         view->file ? view->file : "", *view->filter ? " /" : "", view->filter);
	if (shown->idle)
		add_line(shown, "idle %.1f %%%s", 100 * (double)shown->idle / (double)shown->weight,
		         leaves_idle_out(view) ? ", in none of the shares below: i shows it" : "");
	if (counts->coarse || counts->placeless)
		add_line(shown,
		         "%u addresses are kept, as many as there is room for: %" PRIu64
		         " samples count for their function's first byte, %" PRIu64 " as [others]",
		         counts->count, counts->coarse, counts->placeless);
}

/* ---- The rows ---- */

static bool key_of(const struct top_data *data, const struct top_view *view,
                   const struct top_place *place, struct histogram_key *key)
{
	const struct tr_event *event = &data->session->ledger.events[place->event].event;
	bool is_place = place->address != TOP_NOWHERE;
	struct symbol symbol = { 0 };

	if (is_place)
		symbol = symbols_find(data->symbols, place->address);
	if (!place->samples || event->evsel != view->evsel ||
	    (view->cpu != TOP_ALL_CPUS && event->cpu != view->cpu) ||
	    (view->file && view->file != symbol.file) ||
	    (*view->filter && !(symbol.name && strstr(symbol.name, view->filter))))
		return false;
	*key = (struct histogram_key){ 0 };
	if (view->columns & REPORT_FILE)
		key->file = symbol.file ? symbol.file : is_place ? "[unknown]" : "[others]";
	if (view->columns & REPORT_SYMBOL) {
		key->function = is_place ? symbol.name : "[others]";
		key->address = symbol.name || !is_place ? 0 : symbol.offset;
		key->level = place->level;
	}
	if (view->columns & REPORT_CPU)
		key->cpu = event->cpu;
	return true;
}

static bool is_idle(const struct top_data *data, const struct top_place *place)
{
	return place->address != TOP_NOWHERE &&
	       waits_is_idle(symbols_find(data->symbols, place->address).name);
}

int top_shown_rows(struct top_shown *shown, const struct top_data *data,
                   const struct top_view *view)
{
	uint32_t count = data->session ? top_counts_places(&data->counts) : 0;
	int code = 0;

	histogram_free(&shown->rows);
	shown->idle = shown->weight = 0;
	for (uint32_t i = 0; !code && i < count; i++) {
		const struct top_place *place = top_counts_place(&data->counts, i);
		struct histogram_key key;

		bool idle;

		if (!key_of(data, view, place, &key))
			continue;
		idle = is_idle(data, place);
		shown->idle += idle ? place->weight : 0;
		shown->weight += place->weight;
		if (!idle || !leaves_idle_out(view))
			code = histogram_add_all(&shown->rows, &key, place->weight, place->samples);
	}
	histogram_sort(&shown->rows);
	return code;
}

int top_shown_make(struct top_shown *shown, struct top_data *data, const struct top_view *view)
{
	int code = top_shown_rows(shown, data, view);

	shown->lines = shown->alarms = 0;
	add_alarms(shown, data);
	add_state(shown, data);
	shown->event = shown->lines;
	add_event(shown, data, view);
	add_cpus(shown, data);
	add_view(shown, data, view);
	return code;
}

void top_shown_free(struct top_shown *shown)
{
	histogram_free(&shown->rows);
}
