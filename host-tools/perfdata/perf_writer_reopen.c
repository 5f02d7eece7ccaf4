/* SPDX-License-Identifier: MIT */
/* Resuming a perf.data file that another process began. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "host-tools/perfdata/perf_output_file.h"
#include "writer/perfdata/perf_writer.h"

static int read_header(struct perf_writer *writer, const char *path, struct error *error)
{
	struct perf_file_header *header = &writer->header;
	struct stat about;

	if (writer->output_ops->read(writer->output, header, sizeof(*header), 0) !=
	        (long)sizeof(*header) ||
	    header->magic != PERF_FILE_MAGIC || header->size != sizeof(*header))
		return error_set(error, -EPROTO, "%s is not a recording that can be resumed", path);
	if (fstat(writer->output->fd, &about))
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

	*writer = (struct perf_writer){ .output_ops = &perf_output_file };
	code = perf_output_reopen(&writer->output, path, error);
	if (code)
		return code;
	writer->begun = true; /* the file's content stays unchanged */
	code = read_header(writer, path, error);
	if (code)
		perf_writer_abandon(writer);
	return code;
}

/* Write the header first, so that no part that it announces is cut off or overwritten later. */
int perf_writer_cut(struct perf_writer *writer, uint64_t data_size, struct error *error)
{
	struct perf_file_header *header = &writer->header;
	const struct blob_piece piece = { header, sizeof(*header) };
	int code;

	if (data_size > header->data.size)
		return error_set(error, -EPROTO, "%s has lost records: its data ends too early",
		                 writer->output_ops->path(writer->output));
	memset(header->features, 0, sizeof(header->features));
	header->event_types = (struct perf_file_section){ 0 };
	perf_writer_resume(writer, data_size);
	code = writer->output_ops->write(writer->output, &piece, 1, 0);
	if (!code)
		code = writer->output_ops->cut(writer->output, header->data.offset + data_size);
	errno = -code;
	return code ? error_errno(error, "writing %s", writer->output_ops->path(writer->output))
	            : 0;
}
