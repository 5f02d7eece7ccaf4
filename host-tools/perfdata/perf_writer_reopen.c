/* SPDX-License-Identifier: MIT */
/* Going on with a perf.data file that another process began. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/perf_writer.h"
#include "host-tools/util/output.h"

static int read_header(struct perf_writer *writer, const char *path, struct error *error)
{
	struct perf_file_header *header = &writer->header;
	struct stat about;

	if (pread(writer->fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header) ||
	    header->magic != PERF_FILE_MAGIC || header->size != sizeof(*header))
		return error_set(error, -EPROTO, "%s is not a recording that can be gone on with",
		                 path);
	if (fstat(writer->fd, &about))
		return error_errno(error, "looking at %s", path);
	if (header->data.offset < sizeof(*header) ||
	    header->data.offset > (uint64_t)about.st_size ||
	    header->data.size > (uint64_t)about.st_size - header->data.offset)
		return error_set(error, -EPROTO, "%s: its records lie beyond its end", path);
	return 0;
}

int perf_writer_reopen(struct perf_writer *writer, const char *path, struct error *error)
{
	int code;

	memset(writer, 0, sizeof(*writer));
	writer->fd = output_reopen(path, &writer->path, error);
	if (writer->fd < 0)
		return writer->fd;
	writer->begun = true; /* what is there stays */
	code = read_header(writer, path, error);
	if (code)
		perf_writer_abandon(writer);
	return code;
}

/* The header first: nothing that it tells of is cut off or written over. */
int perf_writer_cut(struct perf_writer *writer, uint64_t data_size, struct error *error)
{
	struct perf_file_header *header = &writer->header;

	if (data_size > header->data.size)
		return error_set(error, -EPROTO, "%s has lost records: its data ends too early",
		                 writer->path);
	memset(header->features, 0, sizeof(header->features));
	header->event_types = (struct perf_file_section){ 0 };
	perf_writer_resume(writer, data_size);
	if (pwrite(writer->fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header) ||
	    ftruncate(writer->fd, (off_t)(header->data.offset + data_size)))
		return error_errno(error, "writing %s", writer->path);
	return 0;
}
