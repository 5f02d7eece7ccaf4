/* SPDX-License-Identifier: MIT */
/*
 * Prints the program's output while the program runs: its standard output on the tool's own, its
 * standard error on the tool's own. The room in the region is given back as the bytes are taken.
 * The bytes are not changed, but for a terminal control characters are escaped. A slow reader of
 * the tool's output in the end delays the program, but never the recording.
 */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_OUTPUT_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_OUTPUT_H

#include "host-tools/session/progress.h"
#include "writer/util/blob.h"

/* The program's standard output, or its standard error. */
struct guest_stream {
	uint64_t at;      /* bytes taken */
	uint64_t missing; /* bytes that the machine dropped before they were taken */
	struct blob kept; /* bytes that the tool's own output has not accepted: */
	size_t written;   /* the allocated size of kept */
	int fd;
	bool closed;   /* the tool's own output is closed */
	bool is_ended; /* the stream has ended */
};

struct guest_output {
	const struct region *region;    /* NULL: nothing is shown yet */
	struct guest_stream streams[2]; /* TR_STREAM_OUT, TR_STREAM_ERROR */
};

/* Begin with the first byte of this run that was not read; with again, with the oldest byte that is
 * still there. aside: the tool's standard output is in use, and the program's standard output goes
 * to standard error. */
void guest_output_begin(struct guest_output *output, const struct region *region, bool aside,
                        bool again);

/* Show the text that has arrived, as far as the output accepts it at once; wait at most wait_ms for
 * a slow output, -1: no limit. progress: the terminal line to erase before; NULL: none. 0, or the
 * error that broke the channel. */
int guest_output_show(struct guest_output *output, struct progress *progress, int wait_ms,
                      struct error *error);

/* Report on standard error the number of bytes that were not shown, and free the kept ones. */
void guest_output_end(struct guest_output *output);

#endif
