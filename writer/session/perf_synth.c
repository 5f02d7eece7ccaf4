/* SPDX-License-Identifier: MIT */
/* The records and attributes that the writer adds to a perf.data file. */
#include "writer/session/perf_synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/perf_file.h"

#define LEVELS (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV)

/* Words of a sample_id_all trailer. */
static size_t synth_trailer_words(uint64_t sample_type)
{
	return (size_t)__builtin_popcountll(
	    sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
	                   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
}

static void synth_add_trailer_at(struct blob *blob, uint64_t sample_type, uint32_t tid,
                                 uint32_t cpu, uint64_t time, uint64_t id)
{
	if (sample_type & PERF_SAMPLE_TID)
		blob_u64(blob, TR_PID | (uint64_t)tid << 32);
	if (sample_type & PERF_SAMPLE_TIME)
		blob_u64(blob, time);
	if (sample_type & PERF_SAMPLE_ID)
		blob_u64(blob, id);
	if (sample_type & PERF_SAMPLE_STREAM_ID)
		blob_u64(blob, id);
	if (sample_type & PERF_SAMPLE_CPU)
		blob_u64(blob, cpu);
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		blob_u64(blob, id);
}

/* Append the trailer; time 0, since these facts hold from the start. */
static void synth_add_trailer(struct blob *blob, uint64_t sample_type, uint32_t tid, uint64_t id)
{
	synth_add_trailer_at(blob, sample_type, tid, 0, 0, id);
}

static void synth_add_header(struct blob *blob, uint32_t type, size_t body, uint16_t cpumode,
                             uint64_t sample_type)
{
	struct perf_event_header header = {
		.type = type,
		.misc = cpumode,
		.size = (uint16_t)(sizeof(header) + body + 8 * synth_trailer_words(sample_type)),
	};

	blob_add(blob, &header, sizeof(header));
}

/* Bytes of a text in a record: with its NUL, padded to 8. perf's names are at most PATH_MAX long.
 */
static size_t synth_text_size(const char *text)
{
	size_t length = strlen(text);

	return ((length < 4095 ? length : 4095) + 8) / 8 * 8;
}

static void synth_add_text(struct blob *blob, const char *text)
{
	blob_padded(blob, text, synth_text_size(text));
}

/* Linux's names of threads are shorter than 16 bytes. */
#define COMM_SIZE 16

/* The boot CPU's workload: the word of the command after "--"; without one, bareperf. */
static void synth_workload_name(const struct region *region, char name[COMM_SIZE])
{
	const char *command = region->header.command;
	const char *end = command + strnlen(command, sizeof(region->header.command));
	const char *word = NULL;

	for (const char *at = command; at + 4 < end && !word; at++)
		word = memcmp(at, " -- ", 4) ? NULL : at + 4;
	if (word)
		region_printable(name, COMM_SIZE, word, strcspn(word, " "));
	if (!word || !*name)
		strcpy(name, "bareperf");
}

/* A thread is a CPU. Only a payload has threads on other CPUs than the boot CPU; with other
 * workloads these idle. */
static void synth_thread_name(const struct region *region, const struct tr_cpu *cpu,
                              char name[COMM_SIZE])
{
	char workload[COMM_SIZE];

	synth_workload_name(region, workload);
	if (!cpu->cpu)
		strcpy(name, workload);
	else if (!strcmp(workload, "payload") || !strcmp(workload, "guest"))
		snprintf(name, COMM_SIZE, "%.7s/%u", workload, cpu->cpu % 1000000);
	else
		snprintf(name, COMM_SIZE, "idle/%u", cpu->cpu % 1000000);
}

static void synth_add_comm(struct blob *blob, uint64_t sample_type, uint32_t tid, const char *comm)
{
	synth_add_header(blob, PERF_RECORD_COMM, 8 + synth_text_size(comm), PERF_RECORD_MISC_USER,
	                 sample_type);
	blob_u32(blob, TR_PID);
	blob_u32(blob, tid);
	synth_add_text(blob, comm);
	synth_add_trailer(blob, sample_type, tid, 0);
}

static void synth_add_fork(struct blob *blob, uint64_t sample_type, uint32_t tid)
{
	synth_add_header(blob, PERF_RECORD_FORK, 24, PERF_RECORD_MISC_USER, sample_type);
	blob_u32(blob, TR_PID);
	blob_u32(blob, TR_PID); /* parent */
	blob_u32(blob, tid);
	blob_u32(blob, TR_PID); /* parent's thread */
	blob_u64(blob, 0);
	synth_add_trailer(blob, sample_type, tid, 0);
}

static void synth_add_mmap2(struct blob *blob, uint64_t sample_type, uint16_t misc,
                            const struct perf_record_mmap2 *mapping, const char *path)
{
	synth_add_header(blob, PERF_RECORD_MMAP2,
	                 sizeof(*mapping) - sizeof(mapping->header) + synth_text_size(path),
	                 PERF_RECORD_MISC_USER | misc, sample_type);
	blob_add(blob, (const uint8_t *)mapping + sizeof(mapping->header),
	         sizeof(*mapping) - sizeof(mapping->header));
	synth_add_text(blob, path);
	synth_add_trailer(blob, sample_type, TR_PID, 0);
}

static void synth_add_code(struct blob *blob, uint64_t sample_type, const struct tr_image *image,
                           const struct image_file *file)
{
	const struct perf_record_mmap2 mmap2 = {
		.pid = TR_PID,
		.tid = TR_PID,
		.addr = image->address,
		.len = image->size,
		.pgoff = file->file_offset,
		.prot = PERF_MMAP_PROT,
		.flags = PERF_MMAP_FLAGS,
	};

	synth_add_mmap2(blob, sample_type, 0, &mmap2, file->path);
}

static void synth_add_data(struct blob *blob, uint64_t sample_type, const struct tr_image *image,
                           const struct image_file *file)
{
	for (uint32_t i = 0; i < file->data_count; i++) {
		const struct perf_record_mmap2 mmap2 = {
			.pid = TR_PID,
			.tid = TR_PID,
			.addr = image->address - image->link_address + file->data[i].link_address,
			.len = file->data[i].size,
			.pgoff = file->data[i].file_offset,
			.prot = PERF_MMAP_DATA_PROT,
			.flags = PERF_MMAP_FLAGS,
		};

		synth_add_mmap2(blob, sample_type, PERF_RECORD_MISC_MMAP_DATA, &mmap2, file->path);
	}
}

/* Append a kernel of one page, at an address without code. Without a kernel, perf reads
 * /proc/kallsyms in every report of events that do not exclude the kernel, and bareperf's events do
 * not exclude it. */
static void synth_add_kernel(struct blob *blob, uint64_t sample_type)
{
	static const char name[] = "[kernel.kallsyms]_text";
	const uint64_t address = -2ULL * TR_PAGE;

	synth_add_header(blob, PERF_RECORD_MMAP, 32 + synth_text_size(name),
	                 PERF_RECORD_MISC_KERNEL, sample_type);
	blob_u32(blob, UINT32_MAX); /* pid -1 */
	blob_u32(blob, 0);
	blob_u64(blob, address);
	blob_u64(blob, TR_PAGE);
	blob_u64(blob, address); /* address of the symbol that ends the name */
	synth_add_text(blob, name);
	synth_add_trailer(blob, sample_type, TR_PID, 0);
}

void perf_synth_start(struct blob *blob, const struct region *region,
                      const struct image_file *files)
{
	/* perf treats records with id 0 as the first event's. */
	uint64_t sample_type = region->header.events.count ? region->events[0].attr.sample_type : 0;

	for (uint32_t i = 0; i < region->header.cpus.count; i++) {
		uint32_t tid = TR_PID + region->cpus[i].cpu;
		char name[COMM_SIZE];

		synth_thread_name(region, &region->cpus[i], name);
		if (tid != TR_PID)
			synth_add_fork(blob, sample_type, tid);
		synth_add_comm(blob, sample_type, tid, name);
	}
	synth_add_kernel(blob, sample_type);
	for (uint32_t i = 0; i < region->header.images.count; i++)
		synth_add_code(blob, sample_type, &region->images[i], &files[i]);
	for (uint32_t i = 0; i < region->header.images.count; i++)
		synth_add_data(blob, sample_type, &region->images[i], &files[i]);
}

void perf_synth_lost(struct blob *blob, const struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];
		uint64_t sample_type = event->event.attr.sample_type;

		if (!event->ledger.lost)
			continue;
		synth_add_header(blob, PERF_RECORD_LOST_SAMPLES, 8, PERF_RECORD_MISC_USER,
		                 sample_type);
		blob_u64(blob, event->ledger.lost);
		synth_add_trailer(blob, sample_type, tr_tid(event->event.cpu), event->event.id);
	}
}

static void synth_add_switch(struct blob *blob, uint64_t sample_type, uint32_t cpu, uint16_t out,
                             uint64_t time)
{
	synth_add_header(blob, PERF_RECORD_SWITCH, 0, PERF_RECORD_MISC_USER | out, sample_type);
	synth_add_trailer_at(blob, sample_type, tr_tid(cpu), cpu, time, 0);
}

/* Whether a CPU has a ring. Its entry shows only later whether it is traced. */
static bool synth_has_ring(const struct region *region, uint32_t cpu)
{
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		if (region->rings[i].cpu == cpu)
			return true;
	}
	return false;
}

void perf_synth_stop(struct blob *blob, const struct region *region, uint64_t from, uint64_t to)
{
	uint64_t sample_type = region->header.events.count ? region->events[0].attr.sample_type : 0;

	for (uint32_t i = 0; i < region->header.cpus.count; i++) {
		uint32_t cpu = region->cpus[i].cpu;

		if (!synth_has_ring(region, cpu))
			continue;
		synth_add_switch(blob, sample_type, cpu, PERF_RECORD_MISC_SWITCH_OUT, from);
		synth_add_switch(blob, sample_type, cpu, 0, to);
	}
}

/* The first instance of an event, or NULL. */
static const struct tr_event *synth_first_of(const struct region *region, uint32_t evsel)
{
	for (uint32_t i = 0; i < region->header.events.count; i++) {
		if (region->events[i].evsel == evsel)
			return &region->events[i];
	}
	return NULL;
}

uint32_t perf_synth_events(const struct region *region, struct perf_writer_event **events,
                           uint64_t **ids)
{
	uint32_t instances = region->header.events.count, count = 0;
	uint64_t *next = calloc(instances ? instances : 1, sizeof(*next));
	struct perf_writer_event *all = calloc(instances ? instances : 1, sizeof(*all));

	*ids = next;
	*events = all;
	for (uint32_t evsel = 0; next && all && evsel < instances; evsel++) {
		const struct tr_event *first = synth_first_of(region, evsel);
		struct perf_writer_event *event = &all[count];

		if (!first)
			continue;
		count++;
		event->attr = first->attr;
		/* perf writes the levels after an event's name if any level is excluded, or guests
		 * are not. */
		if (!(event->attr.flags & LEVELS))
			event->attr.flags |= PERF_ATTR_EXCLUDE_GUEST;
		event->ids = next;
		for (uint32_t i = 0; i < instances; i++) {
			if (region->events[i].evsel == evsel)
				next[event->id_count++] = region->events[i].id;
		}
		next += event->id_count;
	}
	return count;
}
