/* SPDX-License-Identifier: MIT */
#include "agent/volume/perf_output_volume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/volume/volume_file.h"

static struct perf_output_plan *plan;

struct perf_output {
	const char *path;
	uint64_t size;            /* bytes written so far */
	struct volume_file *file; /* NULL: the first pass, which only measures */
	bool failed;              /* the file must be deleted */
	struct error failure;
};

void perf_output_set_plan(struct perf_output_plan *of)
{
	plan = of;
}

static int volume_output_open(struct perf_output **to, const char *path, uint64_t room,
                              struct error *error)
{
	struct perf_output *output = calloc(1, sizeof(*output));
	int code = 0;

	(void)room; /* the plan has checked it */
	*to = NULL;
	if (!output)
		return error_set(error, -ENOMEM, "no memory for a file");
	output->path = path;
	if (plan->is_measured)
		code = volume_file_create(&output->file, path, error);
	if (code == 0)
		*to = output;
	else
		free(output);
	return code;
}

static bool volume_output_is_stream(const struct perf_output *output)
{
	(void)output;
	return false;
}

static const char *volume_output_path(const struct perf_output *output)
{
	return output->path;
}

static int volume_output_put(struct perf_output *output, const struct blob_piece *piece)
{
	int code = 0;

	if (output->file)
		code =
		    volume_file_append(output->file, piece->bytes, piece->size, &output->failure);
	output->failed = code != 0;
	output->size += piece->size;
	return code;
}

/* Write the file's first bytes in one piece with the next ones. */
static int volume_output_put_first(struct perf_output *output, const struct blob_piece *piece)
{
	const struct blob_piece header = { &plan->header, sizeof(plan->header) };
	const struct blob_piece rest = { (const uint8_t *)piece->bytes + header.size,
		                         piece->size - header.size };
	int code = volume_output_put(output, &header);

	return code ? code : volume_output_put(output, &rest);
}

static int volume_output_write(struct perf_output *output, const struct blob_piece *pieces,
                               int count, uint64_t offset)
{
	int code = 0;

	if (offset == 0 && count == 1 && pieces->size >= sizeof(plan->header)) {
		if (!plan->is_measured)
			memcpy(&plan->header, pieces->bytes, sizeof(plan->header));
		return output->size == 0 ? volume_output_put_first(output, pieces) : 0;
	}
	if (offset != output->size)
		return -ESPIPE;
	for (int i = 0; i < count && code == 0; i++)
		code = volume_output_put(output, &pieces[i]);
	return code;
}

/* The writer reads only to repair a file that it could not finish; here such a file is deleted. */
static long volume_output_read(struct perf_output *output, void *to, size_t size, uint64_t offset)
{
	(void)output;
	(void)to;
	(void)size;
	(void)offset;
	return -EBADF;
}

static int volume_output_cut(struct perf_output *output, uint64_t size)
{
	return output->failed || size == output->size ? 0 : -ESPIPE;
}

static int volume_output_finish(struct perf_output *output)
{
	struct volume_file *file = output->file;

	output->file = NULL;
	if (!file && !plan->is_measured)
		plan->size = output->size;
	return file ? volume_file_finish(file, &output->failure) : 0;
}

static void volume_output_close(struct perf_output *output, bool keep)
{
	(void)keep; /* a finished file is in its place already, any other is deleted */
	volume_file_abandon(output->file);
	free(output);
}

const struct perf_output_ops perf_output_volume = {
	.open = volume_output_open,
	.is_stream = volume_output_is_stream,
	.path = volume_output_path,
	.write = volume_output_write,
	.read = volume_output_read,
	.cut = volume_output_cut,
	.finish = volume_output_finish,
	.close = volume_output_close,
};
