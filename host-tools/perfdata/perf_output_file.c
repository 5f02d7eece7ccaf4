/* SPDX-License-Identifier: MIT */
#include "host-tools/perfdata/perf_output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host-tools/util/output.h"
#include "writer/perfdata/perf_file.h"
#include "writer/perfdata/perf_writer.h"

#define PIECES (1 + PERF_WRITER_PIECES)

static int file_write(struct perf_output *output, const struct blob_piece *pieces, int count,
                      uint64_t offset);
static void file_close(struct perf_output *output, bool keep);

/* Reserve the file's first block, or room bytes, so that a full disk is detected now. The file
 * stays empty until a recording begins: a process that is killed before leaves no file that the
 * next one would keep as a recording. Without fallocate(2) a header is written. */
static int take_room(struct perf_output *output, uint64_t room)
{
	const struct perf_file_header nothing = { .magic = PERF_FILE_MAGIC,
		                                  .size = sizeof(nothing) };
	const struct blob_piece piece = { &nothing, sizeof(nothing) };

	if (!fallocate(output->fd, FALLOC_FL_KEEP_SIZE, 0,
	               (off_t)(room > TR_PAGE ? room : TR_PAGE)))
		return 0;
	if (!room && (errno == EOPNOTSUPP || errno == ENODEV || errno == ESPIPE || errno == EINVAL))
		return file_write(output, &piece, 1, 0);
	return -errno;
}

/* Whether an unfinished file has only the records that a writer puts before a machine's records. */
static bool has_no_record(int fd, uint64_t size)
{
	struct perf_file_header header;
	struct perf_event_header record;
	uint64_t at;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    header.magic != PERF_FILE_MAGIC || header.data.offset < sizeof(header))
		return false;
	for (size_t i = 0; i < sizeof(header.features) / sizeof(*header.features); i++) {
		if (header.features[i])
			return false;
	}
	for (at = header.data.offset; at < size; at += record.size) {
		if (pread(fd, &record, sizeof(record), (off_t)at) != (ssize_t)sizeof(record) ||
		    record.size < sizeof(record) ||
		    (record.type != PERF_RECORD_COMM && record.type != PERF_RECORD_MMAP &&
		     record.type != PERF_RECORD_MMAP2 &&
		     record.type != PERF_FILE_RECORD_TIME_CONV &&
		     record.type != PERF_FILE_RECORD_AUXTRACE_INFO))
			return false;
	}
	return true;
}

/* A recording that ended before its first record must not replace the one that is kept as path.old.
 * If its writer still runs, the file is locked. */
static void empty_begun(const char *path)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return;
	if (!fstat(fd, &about) && S_ISREG(about.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) &&
	    has_no_record(fd, (uint64_t)about.st_size) && ftruncate(fd, 0))
		say("%s has no record, and cannot be emptied: %s", path, strerror(errno));
	close(fd);
}

static int open_file(struct perf_output *output, const char *path, uint64_t room,
                     struct error *error)
{
	int code;

	empty_begun(path);
	code = output_open(path, &output->path, &output->old, error);
	output->fd = code;
	if (code < 0)
		return code;
	code = take_room(output, room);
	errno = -code;
	if (code && room)
		error_errno(error, "reserving %" PRIu64 " bytes for %s", room, path);
	else if (code)
		error_errno(error, "writing %s", path);
	return code;
}

static int open_stream(struct perf_output *output, uint64_t room, struct error *error)
{
	output->is_stream = true;
	output->fd = -1;
	if (isatty(STDOUT_FILENO))
		return error_set(error, -ENOTTY,
		                 "standard output is a terminal: pipe it into `perf script -i -', "
		                 "or name a file with -o");
	if (room)
		return error_set(error, -EINVAL,
		                 "a stream has no disk to reserve: leave out "
		                 "--preallocate, or name a file with -o");
	output->path = strdup("standard output");
	if (!output->path)
		return error_set(error, -ENOMEM, "no memory for a name");
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return output->fd < 0 ? error_errno(error, "using standard output") : 0;
}

static int file_open(struct perf_output **to, const char *path, uint64_t room, struct error *error)
{
	struct perf_output *output = calloc(1, sizeof(*output));
	int code;

	*to = NULL;
	if (!output)
		return error_set(error, -ENOMEM, "no memory for a file");
	code = strcmp(path, "-") ? open_file(output, path, room, error)
	                         : open_stream(output, room, error);
	if (code)
		file_close(output, false);
	else
		*to = output;
	return code;
}

int perf_output_reopen(struct perf_output **to, const char *path, struct error *error)
{
	struct perf_output *output = calloc(1, sizeof(*output));
	int code;

	*to = NULL;
	if (!output)
		return error_set(error, -ENOMEM, "no memory for a file");
	output->fd = code = output_reopen(path, &output->path, error);
	if (code < 0) {
		file_close(output, true);
		return code;
	}
	*to = output;
	return 0;
}

static bool file_is_stream(const struct perf_output *output)
{
	return output->is_stream;
}

static const char *file_path(const struct perf_output *output)
{
	return output->path;
}

/* Skip the written bytes of the pieces; returns the number of pieces left, from *pieces on. */
static int pass_over(struct iovec **pieces, int count, size_t done)
{
	while (count && done >= (*pieces)->iov_len) {
		done -= (*pieces)->iov_len;
		(*pieces)++;
		count--;
	}
	if (count) {
		(*pieces)->iov_base = (uint8_t *)(*pieces)->iov_base + done;
		(*pieces)->iov_len -= done;
	}
	return count;
}

static ssize_t write_some(const struct perf_output *output, const struct iovec *pieces, int count,
                          uint64_t offset)
{
	ssize_t done;

	if (!output->is_stream)
		return count == 1
		           ? pwrite(output->fd, pieces->iov_base, pieces->iov_len, (off_t)offset)
		           : pwritev(output->fd, pieces, count, (off_t)offset);
	done = writev(output->fd, pieces, count);
	/* The pipe's reader may have made it non-blocking; wait in that case, too. */
	if (done < 0 && errno == EAGAIN) {
		poll(&(struct pollfd){ .fd = output->fd, .events = POLLOUT }, 1, -1);
		errno = EINTR;
	}
	return done;
}

static int file_write(struct perf_output *output, const struct blob_piece *pieces, int count,
                      uint64_t offset)
{
	struct iovec all[PIECES], *left = all;

	for (int i = 0; i < count; i++)
		all[i] = (struct iovec){ (void *)(uintptr_t)pieces[i].bytes, pieces[i].size };
	count = pass_over(&left, count, 0);
	while (count) {
		ssize_t done = write_some(output, left, count, offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		offset += (uint64_t)done;
		count = pass_over(&left, count, (size_t)done);
	}
	return 0;
}

static long file_read(struct perf_output *output, void *to, size_t size, uint64_t offset)
{
	ssize_t got = pread(output->fd, to, size, (off_t)offset);

	return got < 0 ? -errno : got;
}

/* Devices and pipes have no end to cut. */
static int file_cut(struct perf_output *output, uint64_t size)
{
	return ftruncate(output->fd, (off_t)size) && errno != EINVAL ? -errno : 0;
}

/* The names are ours as long as we hold the lock. */
static void take_back(const struct perf_output *output)
{
	struct stat stat_of;
	bool regular = !fstat(output->fd, &stat_of) && S_ISREG(stat_of.st_mode);

	if (output->old && rename(output->old, output->path))
		say("%s is now %s", output->path, output->old);
	else if (!output->old && regular)
		unlink(output->path);
}

static int file_finish(struct perf_output *output)
{
	int code = close(output->fd) ? -errno : 0;

	output->fd = -1;
	return code;
}

static void file_close(struct perf_output *output, bool keep)
{
	if (!output)
		return;
	if (output->fd >= 0 && !keep && !output->is_stream)
		take_back(output);
	if (output->fd >= 0)
		close(output->fd);
	free(output->path);
	free(output->old);
	free(output);
}

const struct perf_output_ops perf_output_file = {
	.open = file_open,
	.is_stream = file_is_stream,
	.path = file_path,
	.write = file_write,
	.read = file_read,
	.cut = file_cut,
	.finish = file_finish,
	.close = file_close,
};
