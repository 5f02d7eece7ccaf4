/* SPDX-License-Identifier: MIT */
/* Handles keys; they are perf top's keys if perf top has them. */
#define NCURSES_NOMACROS /* its refresh() would clash with a channel's */
#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/mailbox.h"
#include "host-tools/report/report_table.h"
#include "host-tools/top/top_own.h"

#define ESCAPE 27

/* ---- Annotation ---- */

/* Collects the view's samples in the function, by address. Returns their number. */
static size_t gather(const struct top *top, struct annotation_place *places)
{
	const struct top_counts *counts = &top->data.counts;
	const struct symbol_code *function = &top->annotated;
	size_t count = 0;

	for (uint32_t i = 0; i < counts->count; i++) {
		const struct top_place *place = top_counts_place(counts, i);
		const struct tr_event *event =
		    &top->data.session->ledger.events[place->event].event;

		if (place->address - function->address <
		        (function->size ? function->size : UINT64_MAX) &&
		    event->evsel == top->view.evsel &&
		    (top->view.cpu == TOP_ALL_CPUS || event->cpu == top->view.cpu))
			places[count++] = (struct annotation_place){ place->address, place->weight,
				                                     place->samples };
	}
	annotation_sort(places, count);
	return count;
}

bool top_annotate(struct top *top)
{
	struct annotation_place *places = calloc(top->data.counts.count + 1UL, sizeof(*places));
	int code = -ENOMEM;

	annotation_free(&top->annotation);
	if (places)
		code = annotation_make(&top->annotation, &top->lines, &top->annotated, places,
		                       gather(top, places));
	free(places);
	return !code;
}

/* Returns an address of the selected function: any sampled one. */
static bool find_selected(const struct top *top, struct symbol_code *code)
{
	const struct histogram_key *key = &top->selected_key;

	for (uint32_t i = 0; key->function && i < top->data.counts.count; i++) {
		uint64_t address = top->data.counts.places[i].address;

		if (symbols_find(top->data.symbols, address).name == key->function)
			return symbols_code(top->data.symbols, address, code);
	}
	return false;
}

static void begin_annotation(struct top *top)
{
	if (!find_selected(top, &top->annotated)) {
		snprintf(top->note, sizeof(top->note), "there is no code of it to be had");
		return;
	}
	top->annotated_name = top->selected_key.function;
	top->annotation_first = 0;
	if (top_annotate(top))
		top->mode = TOP_ANNOTATE;
	else
		snprintf(top->note, sizeof(top->note),
		         "its file cannot be read, or is of another architecture");
}

/* ---- Choosing the part to show ---- */

static void zoom_file(struct top *top)
{
	if (top->view.file || !top->selected_key.file || *top->selected_key.file == '[')
		top->view.file = NULL;
	else
		top->view.file = top->selected_key.file;
}

static uint32_t next_cpu(const struct top *top)
{
	const struct ledger *ledger = &top->data.session->ledger;
	uint32_t next = TOP_ALL_CPUS;

	for (uint32_t i = 0; i < ledger->head.ring_count; i++) {
		uint32_t cpu = ledger->rings[i].ring.cpu;

		if ((top->view.cpu == TOP_ALL_CPUS || cpu > top->view.cpu) && cpu < next)
			next = cpu;
	}
	return next;
}

/* Functions, modules, CPUs. */
static unsigned next_columns(unsigned columns)
{
	if (columns & REPORT_SYMBOL)
		return REPORT_FILE;
	return columns == REPORT_FILE ? REPORT_CPU : REPORT_FILE | REPORT_SYMBOL;
}

/* Removes one limit of the view: the function name, else the CPU, else the file. */
static void zoom_out(struct top *top)
{
	if (*top->view.filter)
		*top->view.filter = 0;
	else if (top->view.cpu != TOP_ALL_CPUS)
		top->view.cpu = TOP_ALL_CPUS;
	else
		top->view.file = NULL;
}

static void next_event(struct top *top, uint32_t step)
{
	uint32_t events = top_events(&top->data);

	if (events)
		top->view.evsel = (top->view.evsel + step) % events;
}

/* ---- Actions ---- */

/* Like perf: perf.hist.0 and so on; never overwrites a file. */
static void take_snapshot(struct top *top)
{
	char name[32];
	FILE *out = NULL;
	bool failed;

	while (!out && top->snapshots < 10000) {
		snprintf(name, sizeof(name), "perf.hist.%u", top->snapshots++);
		out = fopen(name, "wx");
		if (!out && errno != EEXIST)
			break;
	}
	if (!out) {
		snprintf(top->note, sizeof(top->note), "%s cannot be written: %s", name,
		         strerror(errno));
		return;
	}
	failed = top_print(top, true, "snapshot", out) != 0;
	failed |= ferror(out) != 0;
	failed |= fclose(out) != 0;
	snprintf(top->note, sizeof(top->note), failed ? "%s could not be written" : "%s written",
	         name);
}

static void stop(struct top *top)
{
	const struct region *region = &top->data.session->region;
	struct error error = { "" };
	uint32_t request;

	if (top->stops || top->data.is_over)
		return;
	top->stops = true;
	snprintf(top->note, sizeof(top->note), "the events are being stopped");
	if (mailbox_send(region, "stop", &request, &error))
		snprintf(top->note, sizeof(top->note), "%.190s", error.text);
}

/* Reports whether the key changes the shown content. */
static bool change_view(struct top *top, int key)
{
	switch (key) {
	case 'd':
		zoom_file(top);
		return true;
	case 't':
		top->view.cpu = next_cpu(top);
		return true;
	case 's':
		top->view.columns = next_columns(top->view.columns);
		return true;
	case 'i':
		top->view.no_idle = !top->view.no_idle;
		return true;
	case '\t':
		next_event(top, 1);
		return true;
	case KEY_BTAB:
		next_event(top, top_events(&top->data) - 1);
		return true;
	case ESCAPE:
	case KEY_LEFT:
		zoom_out(top);
		return true;
	default:
		return false;
	}
}

static void obey(struct top *top, int key)
{
	switch (key) {
	case 'a':
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		begin_annotation(top);
		break;
	case 'f':
		top->freezes = !top->freezes;
		break;
	case 'z':
		top->zeroes = !top->zeroes;
		break;
	case 'P':
		take_snapshot(top);
		break;
	case 'S':
		stop(top);
		break;
	case '/':
		top->mode = TOP_FILTERING;
		snprintf(top->typed, sizeof(top->typed), "%s", top->view.filter);
		break;
	default:
		break;
	}
}

/* ---- Keys ---- */

/* Moves a position by a key, in a list of this many lines, of which this many are visible. */
static size_t moved(size_t at, int key, size_t count, size_t page)
{
	size_t last = count ? count - 1 : 0;

	switch (key) {
	case KEY_UP:
		return at ? at - 1 : 0;
	case KEY_DOWN:
		return at < last ? at + 1 : last;
	case KEY_PPAGE:
		return at > page ? at - page : 0;
	case KEY_NPAGE:
	case ' ':
		return at + page < last ? at + page : last;
	case KEY_HOME:
		return 0;
	case KEY_END:
		return last;
	default:
		return at;
	}
}

static void key_of_filter(struct top *top, int key)
{
	size_t length = strlen(top->typed);

	if (key == ESCAPE) {
		top->mode = TOP_LIST;
	} else if (key == '\r' || key == '\n' || key == KEY_ENTER) {
		top->mode = TOP_LIST;
		memcpy(top->view.filter, top->typed, sizeof(top->view.filter));
		top_review(top);
	} else if (key == KEY_BACKSPACE || key == 127 || key == 8) {
		top->typed[length ? length - 1 : 0] = 0;
	} else if (key >= ' ' && key < 127 && length + 1 < sizeof(top->typed)) {
		top->typed[length] = (char)key;
		top->typed[length + 1] = 0;
	}
}

static void key_of_list(struct top *top, int key)
{
	const struct histogram *rows = &top->shown.rows;

	if (!top->data.session)
		return;
	if (top->selected < rows->count)
		top->selected_key = rows->entries[top->selected].key;
	if (change_view(top, key)) {
		top_review(top);
		return;
	}
	obey(top, key);
	top->selected = moved(top->selected, key, rows->count, top_screen_rows(top));
	if (top->selected < rows->count)
		top->selected_key = rows->entries[top->selected].key;
	top->follows = top->selected > 0;
}

static void take_key(struct top *top, int key)
{
	*top->note = 0;
	if (top->mode != TOP_FILTERING && (key == 'q' || key == 'Q'))
		top->quits = true;
	else if (top->mode == TOP_FILTERING)
		key_of_filter(top, key);
	else if (top->mode == TOP_HELP)
		top->mode = TOP_LIST;
	else if (key == 'h' || key == '?' || key == KEY_F(1))
		top->mode = TOP_HELP;
	else if (top->mode == TOP_ANNOTATE && (key == ESCAPE || key == KEY_LEFT || key == 'a'))
		top->mode = TOP_LIST;
	else if (top->mode == TOP_ANNOTATE)
		top->annotation_first =
		    moved(top->annotation_first, key, top->annotation.count, top_screen_rows(top));
	else
		key_of_list(top, key);
}

bool top_keys(struct top *top)
{
	bool any = false;
	int key;

	while (!top->quits && !top->failed && (key = getch()) != ERR) {
		any = true;
		if (key != KEY_RESIZE)
			take_key(top, key);
	}
	return any;
}
