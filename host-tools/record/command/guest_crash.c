/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_crash.h"

#include <stdlib.h>
#include <string.h>

#include "host-tools/report/backtrace.h"
#include "writer/perfdata/perf_file.h"

/* An ELF file that was not found has no names: those of another build would be wrong. */
static void add_image(struct symbols *symbols, const struct tr_image *image,
                      const struct image_file *file)
{
	size_t path = strlen(file->path) + 1, size = sizeof(struct perf_record_mmap2) + path;
	struct perf_record_mmap2 *record;

	if (!file->found || size > UINT16_MAX)
		return;
	record = calloc(1, size);
	if (!record)
		return;
	record->header.type = PERF_RECORD_MMAP2;
	record->header.size = (uint16_t)size;
	record->addr = image->address;
	record->len = image->size;
	record->pgoff = file->file_offset;
	memcpy(record->filename, file->path, path);
	symbols_add(symbols, &record->header, 0);
	free(record);
}

void guest_crash(const struct session *session, bool all, FILE *out)
{
	const struct region *region = &session->region;
	struct symbols *symbols;
	struct tr_header header;

	region_header(region, &header);
	if (!header.backtrace.count || header.backtrace.count > TR_BACKTRACE)
		return;
	symbols = symbols_new(NULL);
	if (!symbols)
		return;
	for (uint32_t i = 0; i < region->header.images.count; i++)
		add_image(symbols, &region->images[i], &session->files[i]);
	fprintf(out, "backtrace of CPU %u:\n", header.backtrace.cpu);
	backtrace_print(symbols, header.backtrace.frames, header.backtrace.count, all, out);
	symbols_free(symbols);
}
