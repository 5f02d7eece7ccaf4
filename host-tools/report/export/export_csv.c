/* SPDX-License-Identifier: MIT */
/* A line a sample. Source: RFC 4180, but for the lines' ends, which are "\n". */
#include <inttypes.h>
#include <string.h>

#include "host-tools/report/export/export_format.h"

static void put_text(FILE *out, const char *text)
{
	putc(',', out);
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
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
	put_text(export->out, sample->command);
	put_text(export->out, sample->event->name);
	fprintf(export->out, ",%" PRIu64 ",0x%" PRIx64, sample->weight, s->ip);
	put_text(export->out, symbol.file ? symbol.file : "");
	put_text(export->out, symbol.name ? symbol.name : "");
	fprintf(export->out, ",0x%" PRIx64 ",0x%" PRIx64 "\n", symbol.offset, s->addr);
	return 0;
}

int export_csv(struct export *export, struct error *error)
{
	fputs("time_ns,cpu,pid,tid,comm,event,period,ip,file,symbol,file_offset,addr\n",
	      export->out);
	return export_walk(export, put_sample, export, error);
}
