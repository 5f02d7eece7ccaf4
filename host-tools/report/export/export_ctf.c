/* SPDX-License-Identifier: MIT */
/*
 * Writes a Common Trace Format 1.8 trace: a folder with the file `metadata`, and a stream with one
 * packet for each CPU. Source: The Common Trace Format v1.8.3, 4 "Event Packet Header" to 7 "Trace
 * Stream Description Language". Every field has whole bytes, is little-endian, and is not aligned.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/report/frames.h"
#include "host-tools/util/array.h"
#include "host-tools/util/put_text.h"
#include "writer/util/blob.h"

#define CTF_MAGIC 0xc1fc1fc1U
#define UNKNOWN   "[unknown]" /* for empty texts: babeltrace2 2.0.4 may repeat an old text */

static const char types[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 32; align = 8; } := u32;\n"
    "typealias integer { size = 64; align = 8; } := u64;\n"
    "typealias integer { size = 64; align = 8; base = hex; } := address;\n"
    "typealias string { encoding = UTF8; } := text;\n"
    "trace {\n"
    "\tmajor = 1; minor = 8; byte_order = le;\n"
    "\tpacket.header := struct { u32 magic; u32 stream_id; };\n"
    "};\n"
    "env { tracer_name = \"bareperf\"; };\n"
    "clock { name = machine; freq = 1000000000; description = "
    "\"ns of the machine's own clock\"; };\n"
    "typealias integer { size = 64; align = 8; map = clock.machine.value; "
    "} := when;\n"
    "stream {\n"
    "\tid = 0;\n"
    "\tpacket.context := struct { when timestamp_begin; when "
    "timestamp_end; u64 content_size; u64 packet_size; u32 cpu_id; };\n"
    "\tevent.header := struct { u32 id; when timestamp; };\n"
    "};\n";
static const char fields[] =
    "\tfields := struct { u32 pid; u32 tid; text comm; u64 period; "
    "address ip; address addr; text file; text symbol; u32 depth; address "
    "callchain[depth]; text stack; };\n";

struct ctf_head {
	uint32_t magic, stream_id;
	uint64_t first, last;               /* ns */
	uint64_t content_size, packet_size; /* bits */
	uint32_t cpu;
} __attribute__((packed));

struct ctf_stream {
	FILE *out; /* NULL: not open */
	struct ctf_head head;
};

struct ctf {
	struct export *export;
	struct intern cpus;
	struct ctf_stream *streams; /* by the CPU's number */
	struct blob record;
	uint64_t late; /* records with a time earlier than the record before */
	int code;
};

static FILE *create(const struct ctf *ctf, const char *name)
{
	char path[4096];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", ctf->export->output, name) >=
	    sizeof(path))
		return NULL;
	return fopen(path, "w");
}

static struct ctf_stream *find_stream(struct ctf *ctf, const struct sample *sample)
{
	uint32_t seen = ctf->cpus.count, number = intern(&ctf->cpus, sample->cpu, 0);
	char name[24];

	if (number == INTERN_NONE)
		return NULL;
	if (number < seen)
		return &ctf->streams[number];
	if (!ARRAY_ROOM(ctf->streams, seen)) {
		ctf->cpus.count = seen;
		return NULL;
	}
	snprintf(name, sizeof(name), "cpu%" PRIu32, sample->cpu);
	ctf->streams[number] = (struct ctf_stream){
		.out = create(ctf, name),
		.head = { .magic = CTF_MAGIC,
		          .first = sample->time,
		          .last = sample->time,
		          .cpu = sample->cpu },
	};
	if (!ctf->streams[number].out)
		return NULL;
	fwrite(&ctf->streams[number].head, 1, sizeof(ctf->streams[number].head),
	       ctf->streams[number].out);
	return &ctf->streams[number];
}

static void add_text(struct blob *blob, const char *text)
{
	blob_add(blob, text, strlen(text) + 1);
}

/* Append a sample's functions by name, the outermost first, including inlined functions. */
static void add_stack(struct ctf *ctf, const struct sample *sample)
{
	struct export *export = ctf->export;
	uint32_t place = places_add(&export->places, sample), stack[FRAMES_MAX], depth;
	struct blob *record = &ctf->record;
	char text[256];

	if (place == INTERN_NONE) {
		record->failed = true;
		return;
	}
	depth = export_stack(&export->places, export->places.places.keys[place].a, stack);
	for (uint32_t i = 0; i < depth; i++) {
		const char *name = export_function(export, stack[i], text);

		blob_add(record, ";", i > 0);
		blob_add(record, name, strlen(name));
	}
	blob_add(record, "", 1);
}

static void add_record(struct ctf *ctf, const struct export_sample *sample, uint64_t time)
{
	const struct sample *s = &sample->sample;
	const struct symbols *symbols = ctf->export->file->symbols;
	struct symbol symbol = symbols_find(symbols, symbols_at(symbols, s->ip, s->time));
	uint64_t frames[FRAMES_MAX];
	uint32_t depth = s->chain_length ? frames_of(s, frames) : 0, first = 0;
	struct blob *record = &ctf->record;

	record->size = 0;
	blob_u32(record, export_event(ctf->export, sample->event));
	blob_u64(record, time);
	blob_u32(record, s->pid);
	blob_u32(record, s->tid);
	add_text(record, sample->command);
	blob_u64(record, sample->weight);
	blob_u64(record, s->ip);
	blob_u64(record, s->addr);
	add_text(record, symbol.file ? symbol.file : UNKNOWN);
	add_text(record, symbol.name ? symbol.name : UNKNOWN);
	if (depth && !ctf->export->places.all_frames)
		first = frames_ours(ctf->export->file->symbols, frames, depth);
	blob_u32(record, depth - first);
	while (depth-- > first)
		blob_u64(record, frames[depth]);
	add_stack(ctf, s);
}

static int put_sample(void *context, const struct export_sample *sample)
{
	struct ctf *ctf = context;
	struct ctf_stream *stream = find_stream(ctf, &sample->sample);

	if (!stream)
		return ctf->code = errno ? -errno : -ENOMEM;
	/* In a stream, time must not go backwards. A sample that interrupted the writing of another
	 * sample gets the later time of that sample. */
	ctf->late += sample->sample.time < stream->head.last;
	if (sample->sample.time > stream->head.last)
		stream->head.last = sample->sample.time;
	add_record(ctf, sample, stream->head.last);
	fwrite(ctf->record.bytes, 1, ctf->record.size, stream->out);
	return ctf->record.failed ? -ENOMEM : 0;
}

/* Write the head of a finished stream, since its packet's size is now known. */
static int end_stream(struct ctf_stream *stream)
{
	long size;
	int code = 0;

	if (!stream->out)
		return 0;
	size = ftell(stream->out);
	stream->head.content_size = stream->head.packet_size = (uint64_t)size * 8;
	rewind(stream->out);
	if (size < 0 ||
	    fwrite(&stream->head, 1, sizeof(stream->head), stream->out) != sizeof(stream->head))
		code = -EIO;
	return fclose(stream->out) ? -EIO : code;
}

static void put_name(const char *name, FILE *out)
{
	for (size_t part; *name; name += part) {
		part = strcspn(name, "\"\\");
		put_text(out, name, part, '?', "");
		if (!name[part])
			break;
		fprintf(out, "\\%c", name[part++]);
	}
}

static int put_metadata(const struct ctf *ctf)
{
	const struct perf_reader *reader = &ctf->export->file->reader;
	FILE *out = create(ctf, "metadata");
	int failed;

	if (!out)
		return -EIO;
	fputs(types, out);
	for (uint32_t i = 0; i < reader->event_count; i++) {
		fputs("event {\n\tname = \"", out);
		put_name(reader->events[i].name, out);
		fprintf(out, "\";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n%s};\n", i, fields);
	}
	failed = ferror(out);
	return fclose(out) || failed ? -EIO : 0;
}

/* Write the streams and the metadata. The folder is new, because an existing one may have another
 * trace. */
static int write_trace(struct ctf *ctf, struct error *error)
{
	int code = export_walk(ctf->export, put_sample, ctf, error);

	for (uint32_t i = 0; i < ctf->cpus.count; i++) {
		int ended = ctf->streams ? end_stream(&ctf->streams[i]) : 0;

		code = code ? code : ended;
	}
	if (!code)
		code = put_metadata(ctf);
	if (code == -EIO)
		error_set(error, code, "writing into %s failed: is the disk full?",
		          ctf->export->output);
	return code;
}

int export_ctf(struct export *export, struct error *error)
{
	struct ctf ctf = { .export = export };
	int code;

	if (mkdir(export->output, 0777))
		return error_errno(error, "creating the folder %s", export->output);
	code = write_trace(&ctf, error);
	if (!code && ctf.late)
		say("%" PRIu64 " samples have the time of the one before them, which was later",
		    ctf.late);
	intern_free(&ctf.cpus);
	blob_free(&ctf.record);
	free(ctf.streams);
	return code;
}
