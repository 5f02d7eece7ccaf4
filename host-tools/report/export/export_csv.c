/* SPDX-License-Identifier: MIT */
/* Writes one line per sample. Source: RFC 4180, except that lines end with "\n". */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/util/put_text.h"

/* Write a cell. A spreadsheet would evaluate text that looks like a formula; an apostrophe before
 * the text prevents this. */
static void put_cell(FILE *out, const char *text)
{
	bool is_quoted = strpbrk(text, ",\"\n");

	fputs(is_quoted ? ",\"" : ",", out);
	if (*text && strchr("=+-@\t", *text))
		putc('\'', out);
	for (size_t part; *text; text += part) {
		part = strcspn(text, "\"\n\t");
		put_text(out, text, part, '?', "");
		if (!text[part])
			break;
		if (text[part] == '"')
			putc('"', out);
		putc(text[part++], out);
	}
	if (is_quoted)
		putc('"', out);
}

static int put_sample(void *context, const struct export_sample *sample)
{
	struct export *export = context;
	const struct sample *s = &sample->sample;
	const struct symbols *symbols = export->file->symbols;
	struct symbol symbol = symbols_find(symbols, symbols_at(symbols, s->ip, s->time));

	fprintf(export->out, "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, s->time, s->cpu,
	        s->pid, s->tid);
	put_cell(export->out, sample->command);
	put_cell(export->out, sample->event->name);
	fprintf(export->out, ",%" PRIu64 ",0x%" PRIx64, sample->weight, s->ip);
	put_cell(export->out, symbol.file ? symbol.file : "");
	put_cell(export->out, symbol.name ? symbol.name : "");
	fprintf(export->out, ",0x%" PRIx64 ",0x%" PRIx64 "\n", symbol.offset, s->addr);
	return 0;
}

int export_csv(struct export *export, struct error *error)
{
	fputs("time_ns,cpu,pid,tid,comm,event,period,ip,file,symbol,file_offset,addr\n",
	      export->out);
	return export_walk(export, put_sample, export, error);
}
