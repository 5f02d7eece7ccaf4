/* SPDX-License-Identifier: MIT */
#include "host-tools/record/command/guest_output.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/util/terminal.h"
#include "writer/util/printable.h"

/* bytes that a pipe accepts whole or not at all (pipe(7), PIPE_BUF) */
#define PIECE     4096U
#define MOST_KEPT (16U << 20) /* bytes kept for a pager whose user is still reading */

void guest_output_begin(struct guest_output *output, const struct region *region, bool aside,
                        bool again)
{
	fflush(stdout);
	output->region = region;
	for (unsigned i = 0; i < 2; i++)
		output->streams[i] = (struct guest_stream){
			.at = region_stream_begin(region, i, again),
			.fd = i == TR_STREAM_OUT && !aside ? STDOUT_FILENO : STDERR_FILENO,
		};
}

static bool takes_more(int fd, int wait_ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLOUT };

	return poll(&poller, 1, wait_ms) > 0;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t written = write(fd, bytes + done, size - done);

		if (written < 0 && errno == EAGAIN)
			takes_more(fd, -1);
		else if (written < 0 && errno != EINTR)
			break;
		done += written > 0 ? (size_t)written : 0;
	}
	return done == size;
}

/* Escape control characters, which a terminal would obey. */
static bool write_printable(int fd, const char *bytes, size_t size)
{
	char text[PIECE + 1], plain[PIECE];

	for (size_t i = 0; i < size; i++)
		plain[i] = bytes[i] ? bytes[i] : '?';
	region_printable(text, sizeof(text), plain, size);
	return write_all(fd, text, strlen(text));
}

/* Copy the text out of the region, which has little room. */
static int take_stream(struct guest_output *output, unsigned kind, struct error *error)
{
	struct guest_stream *stream = &output->streams[kind];
	uint64_t before = stream->at;
	char bytes[PIECE];
	size_t size;

	do {
		size = 0;
		if (stream->kept.size < MOST_KEPT)
			size = region_stream(output->region, kind, &stream->at, bytes,
			                     sizeof(bytes), &stream->missing);
		blob_add(&stream->kept, bytes, size);
	} while (size);
	if (stream->kept.failed)
		return error_set(error, -ENOMEM, "no memory for what the program prints");
	if (stream->at == before)
		return 0;
	return region_release_stream(output->region, kind, stream->at, error);
}

/* Write kept text as long as the reader accepts it; to a terminal only whole characters. */
static void write_stream(struct guest_stream *stream, struct progress *progress, int wait_ms)
{
	bool is_shown = isatty(stream->fd);

	while (stream->written < stream->kept.size && !stream->closed &&
	       takes_more(stream->fd, wait_ms)) {
		const char *bytes = (const char *)stream->kept.bytes + stream->written;
		size_t size = stream->kept.size - stream->written;

		size = size < PIECE ? size : PIECE;
		if (is_shown && !stream->is_ended)
			size = printable_whole(bytes, size);
		if (!size)
			break;
		if (progress)
			progress_clear(progress);
		stream->closed = !(is_shown ? write_printable(stream->fd, bytes, size)
		                            : write_all(stream->fd, bytes, size));
		stream->written += size;
	}
	if (stream->closed || stream->written == stream->kept.size)
		stream->written = stream->kept.size = 0;
}

int guest_output_show(struct guest_output *output, struct progress *progress, int wait_ms,
                      struct error *error)
{
	int code = 0;

	for (unsigned i = 0; output->region && i < 2 && !code; i++) {
		code = take_stream(output, i, error);
		write_stream(&output->streams[i], progress, wait_ms);
	}
	return code;
}

void guest_output_end(struct guest_output *output)
{
	static const char *const names[] = { "output", "error" };

	for (unsigned i = 0; output->region && i < 2; i++) {
		struct guest_stream *stream = &output->streams[i];
		uint64_t lost = region_stream_lost(output->region, i);

		stream->is_ended = true;
		write_stream(stream, NULL, 0);

		lost = lost > stream->missing ? lost : stream->missing;
		lost += stream->kept.size - stream->written;
		if (lost)
			fprintf(
			    stderr,
			    "%s[ bareperf record: LOST %" PRIu64
			    " bytes of the program's standard %s, which no reader accepted ]%s\n",
			    terminal_alarm(stderr), lost, names[i], terminal_plain(stderr));
		blob_free(&stream->kept);
	}
	output->region = NULL;
}
