/* SPDX-License-Identifier: MIT */
/* The terminal, by ncurses. Words, marks and weight carry the information of colours too. The
 * colours are yellow and blue, which are easy to distinguish; NO_COLOR turns them off. */
#define NCURSES_NOMACROS /* its refresh() would clash with a channel's */
#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/report/report_table.h"
#include "host-tools/top/top_own.h"
#include "writer/util/printable.h"

#define HOT    5.0 /* percent: from here on a row is marked as hot */
#define COLD   0.5
#define ESC_MS 25 /* limit of the wait for the rest of a key's sequence */

#define MOST_ERRORS (1U << 20) /* bytes of standard error that are kept meanwhile */

enum { PAIR_HOT = 1, PAIR_HEAD };

static const char *const help[] = {
	"Up Down PgUp PgDn Home End   move",
	"a Enter Right                annotate the function: assembly, and source between",
	"d                            zoom into the module, or out of it",
	"t                            zoom into a thread, which is a CPU: the next, or out",
	"s                            by function, by module, by CPU",
	"i                            functions in which CPUs wait, or not",
	"Tab Shift-Tab                the next event, the last one",
	"/                            only functions whose name has this in it",
	"Esc Left                     zoom out, or back",
	"f                            freeze what is shown, or let it go on",
	"z                            zero: each view counts from the last one",
	"P                            print a snapshot to perf.hist.N",
	"S                            stop the recording's events",
	"h ? F1                       this help",
	"q                            quit",
};

/* ---- The terminal ---- */

/* Keep messages that would damage the view, and print them after it. */
static void catch_errors(struct top_screen *screen)
{
	fflush(stderr);
	screen->errors = memfd_create("bareperf-errors", MFD_CLOEXEC);
	screen->error_place = dup(STDERR_FILENO);
	if (screen->errors >= 0 && screen->error_place >= 0)
		dup2(screen->errors, STDERR_FILENO);
}

/* Limits the file's size: if a program prints without end, drops the first half. */
static void trim_errors(struct top_screen *screen)
{
	static char half[MOST_ERRORS / 2];
	off_t size = screen->errors >= 0 ? lseek(screen->errors, 0, SEEK_CUR) : 0;
	ssize_t kept;

	if (size <= (off_t)MOST_ERRORS)
		return;
	kept = pread(screen->errors, half, sizeof(half), size - (off_t)sizeof(half));
	if (kept < 0 || ftruncate(screen->errors, 0) || lseek(screen->errors, 0, SEEK_SET))
		return;
	kept = write(screen->errors, half, (size_t)kept);
	screen->left_out += (uint64_t)(size - (kept > 0 ? kept : 0));
}

/* Removes control characters, which a terminal would obey. */
static void print_errors(struct top_screen *screen)
{
	char bytes[1024], text[sizeof(bytes) + 1];
	off_t at = 0;
	ssize_t size;

	fflush(stderr);
	if (screen->error_place >= 0) {
		dup2(screen->error_place, STDERR_FILENO);
		close(screen->error_place);
	}
	if (screen->left_out)
		fprintf(stderr, "(%" PRIu64 " bytes that were printed meanwhile are left out)\n",
		        screen->left_out);
	while (screen->errors >= 0 &&
	       (size = pread(screen->errors, bytes, sizeof(bytes), at)) > 0) {
		size_t whole = printable_whole(bytes, (size_t)size);

		size = whole ? (ssize_t)whole : size;
		at += size;
		for (ssize_t i = 0; i < size; i++)
			bytes[i] = bytes[i] ? bytes[i] : '?'; /* a NUL must not end the text */
		region_printable(text, sizeof(text), bytes, (size_t)size);
		fputs(text, stderr);
	}
	if (screen->errors >= 0)
		close(screen->errors);
	screen->errors = screen->error_place = -1;
}

static void take_colours(struct top_screen *screen)
{
	const char *no_color = getenv("NO_COLOR");

	screen->has_colours = has_colors() && !(no_color && *no_color);
	if (!screen->has_colours)
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_HOT, COLOR_YELLOW, -1);
	init_pair(PAIR_HEAD, COLOR_BLUE, -1);
}

int top_screen_open(struct top *top, struct error *error)
{
	const char *term = getenv("TERM");
	SCREEN *screen = term && *term ? newterm(NULL, stdout, stdin) : NULL;

	top->screen.errors = top->screen.error_place = -1;
	if (!screen)
		return error_set(error, -ENOTTY,
		                 "the terminal %s is not known: set TERM, or say --stdio",
		                 term ? term : "without a TERM");
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESC_MS);
	curs_set(0);
	take_colours(&top->screen);
	catch_errors(&top->screen);
	top->screen.is_open = true;
	return 0;
}

void top_screen_close(struct top *top)
{
	if (!top->screen.is_open)
		return;
	top->screen.is_open = false;
	endwin();
	print_errors(&top->screen);
}

/* ---- Drawing ---- */

static void put(int row, attr_t how, const char *text)
{
	attron(how);
	mvaddnstr(row, 0, text, COLS);
	attroff(how);
}

static attr_t colour(const struct top *top, int pair)
{
	return top->screen.has_colours ? (attr_t)COLOR_PAIR(pair) : 0;
}

size_t top_screen_rows(const struct top *top)
{
	int rows = LINES - (int)top->shown.lines - 3;

	return rows > 1 ? (size_t)rows : 1;
}

static int draw_head(const struct top *top)
{
	int row = 0;

	for (uint32_t i = 0; i < top->shown.lines && row < LINES - 3; i++, row++)
		put(row, i < top->shown.alarms ? A_BOLD | colour(top, PAIR_HOT) : A_NORMAL,
		    top->shown.head[i]);
	return row;
}

static void row_text(const struct top *top, const struct histogram_entry *entry, char *text,
                     size_t size)
{
	const struct histogram *rows = &top->shown.rows;
	const struct histogram_key *key = &entry->key;
	double share = rows->weight ? 100.0 * (double)entry->weight / (double)rows->weight : 0;
	int used = snprintf(text, size, "%8.2f%% %12" PRIu64, share, entry->samples);

	if (key->file)
		used += snprintf(text + used, size - (size_t)used, "  %-20.100s", key->file);
	if (top->view.columns & REPORT_CPU)
		used += snprintf(text + used, size - (size_t)used, "  CPU %03" PRIu32, key->cpu);
	if (key->function)
		snprintf(text + used, size - (size_t)used, "  [%c] %s", key->level, key->function);
	else if (top->view.columns & REPORT_SYMBOL)
		snprintf(text + used, size - (size_t)used, "  [%c] 0x%016" PRIx64, key->level,
		         key->address);
	printable_make(text);
}

static attr_t weight_of(const struct top *top, const struct histogram_entry *entry)
{
	double share = top->shown.rows.weight
	                   ? 100.0 * (double)entry->weight / (double)top->shown.rows.weight
	                   : 0;

	if (share >= HOT)
		return A_BOLD | colour(top, PAIR_HOT);
	return share < COLD ? A_DIM : A_NORMAL;
}

/* Keep the selected line visible. */
static void scroll_to_selected(struct top *top)
{
	size_t room = top_screen_rows(top);

	if (top->selected < top->first)
		top->first = top->selected;
	if (top->selected >= top->first + room)
		top->first = top->selected - room + 1;
}

static void draw_list(struct top *top, int row)
{
	const struct histogram *rows = &top->shown.rows;
	char text[1024];

	scroll_to_selected(top);
	snprintf(text, sizeof(text), " %8s %12s  %s", "Overhead", "Samples",
	         top->view.columns & REPORT_SYMBOL ? "Shared Object         Symbol"
	         : top->view.columns & REPORT_FILE ? "Shared Object"
	                                           : "CPU");
	put(row++, A_UNDERLINE | colour(top, PAIR_HEAD), text);
	for (size_t i = top->first; i < rows->count && row < LINES - 1; i++, row++) {
		text[0] = i == top->selected ? '>' : ' ';
		row_text(top, &rows->entries[i], text + 1, sizeof(text) - 1);
		put(row, i == top->selected ? A_REVERSE : weight_of(top, &rows->entries[i]), text);
	}
}

static void draw_annotation(struct top *top, int row)
{
	const struct annotation *annotation = &top->annotation;
	char text[1024];

	snprintf(text, sizeof(text),
	         "  Percent |  Source code & Disassembly of %.200s (%" PRIu64 " samples)",
	         top->annotated_name, annotation->samples);
	put(row++, A_UNDERLINE | colour(top, PAIR_HEAD), text);
	if (top->annotation_first >= annotation->count)
		top->annotation_first = annotation->count ? annotation->count - 1 : 0;
	for (size_t i = top->annotation_first; i < annotation->count && row < LINES - 1; i++) {
		const struct annotation_line *line = &annotation->lines[i];
		double share = annotation_share(annotation, line);

		annotation_text(annotation, line, text, sizeof(text));
		put(row++,
		    share >= HOT    ? A_BOLD | colour(top, PAIR_HOT)
		    : line->address ? A_NORMAL
		                    : A_DIM,
		    text);
	}
}

static void draw_help(int row)
{
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]) && row < LINES - 1; i++)
		put(row++, A_NORMAL, help[i]);
}

static void draw_foot(const struct top *top)
{
	char text[512];

	if (top->mode == TOP_FILTERING)
		snprintf(text, sizeof(text), "only functions with: %s_", top->typed);
	else if (*top->note)
		snprintf(text, sizeof(text), "%s", top->note);
	else
		snprintf(text, sizeof(text), "%s%sbareperf top: press h for help, q to quit",
		         top->freezes ? "FROZEN  " : "", top->zeroes ? "ZEROING  " : "");
	put(LINES - 1, A_REVERSE, text);
}

void top_screen_draw(struct top *top, const char *waiting)
{
	int row;

	trim_errors(&top->screen);
	erase();
	row = draw_head(top);
	if (top->mode == TOP_HELP)
		draw_help(row);
	else if (!top->data.session)
		put(row, A_NORMAL, waiting);
	else if (top->mode == TOP_ANNOTATE)
		draw_annotation(top, row);
	else
		draw_list(top, row);
	draw_foot(top);
	refresh();
}
