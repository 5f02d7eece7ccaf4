/* SPDX-License-Identifier: MIT */
#include "host-tools/top/top.h"

#include <errno.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/report/report_table.h"
#include "host-tools/session/progress.h"
#include "host-tools/top/top_own.h"
#include "host-tools/util/signals.h"
#include "writer/perfdata/sample.h"
#include "writer/session/perf_synth.h"

struct top *top_open(const struct top_options *options, struct error *error)
{
	struct top *top = calloc(1, sizeof(*top));

	if (!top) {
		error_set(error, -ENOMEM, "no memory for a live view");
		return NULL;
	}
	top->options = *options;
	top->view.columns = options->columns ? options->columns : REPORT_FILE | REPORT_SYMBOL;
	top->view.cpu = TOP_ALL_CPUS;
	top->started = progress_now();
	top->next = top->started + options->delay;
	top->options.stdio |= !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	top->data.symbols = symbols_new(NULL);
	if (!top->data.symbols)
		error_set(error, -ENOMEM, "no memory for a live view");
	else if (top->options.stdio || !top_screen_open(top, error)) {
		top->view.no_idle = !top->options.stdio;
		return top;
	}
	top_close(top);
	return NULL;
}

/* ---- Samples ---- */

static uint64_t function_of(void *context, uint64_t address)
{
	const struct top *top = context;
	struct symbol_code code;

	return symbols_code(top->data.symbols, address, &code) ? code.address : TOP_NOWHERE;
}

void top_see(void *context, const struct perf_event_header *record, uint32_t event)
{
	struct top *top = context;
	const struct perf_event_attr *attr;
	struct top_place place = { .event = event,
		                   .samples = 1,
		                   .level = report_table_level(record) };
	struct sample sample;

	if (!top->data.session || record->type != PERF_RECORD_SAMPLE)
		return;
	attr = &top->data.session->ledger.events[event].event.attr;
	if (!sample_parse(record, attr, &sample))
		return;
	place.address = sample.ip;
	place.weight = attr->sample_type & PERF_SAMPLE_PERIOD ? sample.period : attr->sample_period;
	top_counts_add(&top->data.counts, &place, function_of, top);
}

/* ---- A session ---- */

static void learn_names(struct top *top)
{
	const struct session *session = top->data.session;
	struct blob blob = { 0 };

	perf_synth_start(&blob, &session->region, session->files);
	for (size_t at = 0; !blob.failed && at < blob.size;) {
		const struct perf_event_header *record =
		    (const void *)__builtin_assume_aligned(blob.bytes + at, 8);

		symbols_add(top->data.symbols, record, 0);
		at += record->size;
	}
	blob_free(&blob);
}

int top_begin(struct top *top, struct session *session, struct error *error)
{
	uint32_t events = session->ledger.head.event_count;
	uint32_t rings = session->ledger.head.ring_count;
	struct top_data *data = &top->data;

	data->before = calloc(events + 1UL, sizeof(*data->before));
	data->rates = calloc(events + 1UL, sizeof(*data->rates));
	data->positions = calloc(rings + 1UL, sizeof(*data->positions));
	data->fill = calloc(rings + 1UL, sizeof(*data->fill));
	if (!data->before || !data->rates || !data->positions || !data->fill ||
	    top_counts_open(&data->counts, TOP_PLACES, events))
		return error_set(error, -ENOMEM, "no memory for a live view");
	data->session = session;
	for (uint32_t i = 0; i < rings; i++)
		data->positions[i] = session->readers[i].position;
	learn_names(top);
	return 0;
}

static void update_accounts(struct top *top, double now)
{
	struct top_data *data = &top->data;

	if (!data->is_over)
		ledger_update(&data->session->ledger, &data->session->region);
	top_data_measure(data, now);
}

static void forget_fill(struct top_data *data)
{
	memset(data->fill, 0, data->session->ledger.head.ring_count * sizeof(*data->fill));
}

/* ---- The view ---- */

/* The selected row may have moved. */
static void follow_selected(struct top *top)
{
	const struct histogram *rows = &top->shown.rows;

	for (size_t i = 0; top->follows && i < rows->count; i++) {
		if (histogram_is_key(&rows->entries[i].key, &top->selected_key)) {
			top->selected = i;
			return;
		}
	}
	if (top->selected >= rows->count)
		top->selected = rows->count ? rows->count - 1 : 0;
}

/* Out of memory: ends the view. */
static void fail(struct top *top)
{
	top->failed = error_set(&top->failure, -ENOMEM, "no memory for a live view");
}

void top_refresh(struct top *top)
{
	if (!top->data.session || top->freezes)
		return;
	if (top_shown_make(&top->shown, &top->data, &top->view))
		fail(top);
	follow_selected(top);
	if (top->mode == TOP_ANNOTATE)
		top_annotate(top);
}

void top_review(struct top *top)
{
	if (!top->freezes) {
		top_refresh(top);
		return;
	}
	if (top_shown_rows(&top->shown, &top->data, &top->view))
		fail(top);
	follow_selected(top);
}

int top_print(struct top *top, bool all, const char *title, FILE *out)
{
	const struct report_table table = { .columns = top->view.columns,
		                            .samples = true,
		                            .most = all ? 0 : top->options.entries };
	/* without the view's limits, like perf report on the file */
	struct top_view view = top->view;
	struct top_shown shown = { 0 };
	int code = 0;

	view.no_idle = false;
	fprintf(out, "# %s\n", title);
	for (view.evsel = 0; view.evsel < top_events(&top->data); view.evsel++) {
		code = top_shown_make(&shown, &top->data, &view);
		if (code)
			break;
		for (uint32_t i = 0; i < shown.lines; i++) {
			if (!view.evsel || i == shown.event)
				fprintf(out, "# %s\n", shown.head[i]);
		}
		if (shown.rows.count)
			report_table_print(&table, top_event_name(&top->data, view.evsel),
			                   &shown.rows, out);
	}
	top_shown_free(&shown);
	return code;
}

/* ---- Turns ---- */

static void print_block(struct top *top, double now, bool last)
{
	char title[64];

	top->blocks++;
	if (last)
		snprintf(title, sizeof(title), "last block, after %.1f s", now - top->started);
	else
		snprintf(title, sizeof(title), "block %u, after %.1f s", top->blocks,
		         now - top->started);
	errno = 0;
	if (top_print(top, last, title, stdout))
		fail(top);
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (errno != EPIPE) {
		top->failed = error_errno(&top->failure, "writing the view");
		return;
	}
	top->quits = true; /* the reader has closed standard output */
	__fpurge(stdout);
	clearerr(stdout);
}

static void show(struct top *top, const char *waiting, double now)
{
	top->next = now + top->options.delay;
	if (top->data.session)
		update_accounts(top, now);
	if (top->screen.is_open) {
		top_refresh(top);
		top_screen_draw(top, waiting);
	} else if (top->data.session) {
		print_block(top, now, false);
	}
	if (!top->data.session)
		return;
	forget_fill(&top->data);
	if (top->zeroes && !top->freezes)
		top_counts_clear(&top->data.counts);
}

enum top_wish top_turn(struct top *top, const char *waiting)
{
	double now = progress_now();

	if (top->data.session) {
		top_data_note_rings(&top->data);
		top_slow_look(&top->data.slow, top->data.session, now, top->stops);
	}
	if (top->screen.is_open && top_keys(top))
		top_screen_draw(top, waiting);
	if (now >= top->next)
		show(top, waiting, now);
	return top->quits || top->failed ? TOP_QUIT : TOP_ON;
}

void top_end(struct top *top)
{
	double now = progress_now();

	if (!top->data.session)
		return;
	top->data.is_over = true;
	update_accounts(top, now);
	if (!top->screen.is_open)
		print_block(top, now, true);
}

void top_browse(struct top *top, int signals, int *signal)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
		                { .fd = signals, .events = POLLIN } };
	bool ignored = false;

	if (!top->screen.is_open || top->quits || top->failed)
		return;
	top_refresh(top);
	top_screen_draw(top, "");
	while (!top->quits && !top->failed && !*signal) {
		poll(fds, 2, 1000);
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return; /* the terminal is gone */
		if (signals >= 0)
			signals_take(signals, signal, &ignored);
		top_keys(top);
		top_screen_draw(top, "");
	}
}

int top_failure(const struct top *top, struct error *error)
{
	if (top && top->failed)
		*error = top->failure;
	return top ? top->failed : 0;
}

void top_restore(struct top *top)
{
	if (top)
		top_screen_close(top);
}

void top_close(struct top *top)
{
	struct top_data *data;

	if (!top)
		return;
	top_restore(top);
	data = &top->data;
	top_shown_free(&top->shown);
	annotation_free(&top->annotation);
	lines_free(&top->lines);
	top_counts_close(&data->counts);
	symbols_free(data->symbols);
	free(data->before);
	free(data->rates);
	free(data->positions);
	free(data->fill);
	free(top);
}
