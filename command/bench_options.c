/* SPDX-License-Identifier: MIT */
/* The command `bench`: its options, and the pieces of a request. */
#include "command/words.h"

#define CALLS_MOST 1000000U

static int bench_set_uefi(struct words *w, const char *text)
{
	(void)text;
	w->command->uefi = true;
	return 0;
}

static int bench_set_calls(struct words *w, const char *text)
{
	return command_number(w, text, 1, CALLS_MOST, &w->command->calls);
}

static int bench_set_console(struct words *w, const char *text)
{
	(void)text;
	w->command->console = true;
	return 0;
}

static int bench_set_json(struct words *w, const char *text)
{
	(void)text;
	w->command->json = true;
	return 0;
}

const struct command_option bench_options[] = {
	{ "--uefi", NULL, NULL, "measure the firmware's services", bench_set_uefi },
	{ "--calls", NULL, "N", "calls of each service (1000)", bench_set_calls },
	{ "--console", NULL, NULL, "measure the firmware's console too", bench_set_console },
	{ "--json", NULL, NULL, "print one JSON object in one line instead", bench_set_json },
	{ NULL, NULL, NULL, NULL, NULL },
};

/* The request of a microbenchmark comes in pieces: bench N M TEXT. */
static int bench_parse_piece(struct words *w)
{
	struct command *c = w->command;
	uint64_t piece, pieces;
	int code;

	if (w->count - w->next != 3)
		return command_fail(w, "want N M TEXT, which `bareperf bench' sends", w->word[0]);
	code = command_number(w, w->word[w->next], 1, UINT16_MAX, &piece);
	if (!code)
		code = command_number(w, w->word[w->next + 1], piece, UINT16_MAX, &pieces);
	if (code)
		return code;
	c->piece = (unsigned)piece;
	c->pieces = (unsigned)pieces;
	c->argv[c->argc++] = w->word[w->next + 2];
	w->next = w->count;
	return 0;
}

int command_parse_bench(struct words *w)
{
	const struct command *c = w->command;

	if (c->uefi)
		return 0;
	if (c->calls || c->console || c->json)
		return command_fail(w, "--calls, --console and --json need --uefi", w->word[0]);
	return bench_parse_piece(w);
}
