/* SPDX-License-Identifier: MIT */
/*
 * What the program prints, while it runs: its standard output on ours, its standard error on ours;
 * its room is given back as it is taken. Bytes as they are, but for a terminal, which is told
 * nothing that it obeys. Whoever reads our output slowly holds up the program at last, and never
 * the recording.
 */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_OUTPUT_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_OUTPUT_H

#include "host-tools/session/progress.h"
#include "writer/util/blob.h"

/* The program's standard output, or its standard error. */
struct guest_stream {
	uint64_t at;      /* taken so far */
	uint64_t missing; /* of these, given up by the machine before we took them */
	struct blob kept; /* what our own output has not taken yet: */
	size_t written;   /* of kept */
	int fd;
	bool closed;   /* nobody takes it any more */
	bool is_ended; /* no more comes */
};

struct guest_output {
	const struct region *region;    /* NULL: nothing was to be shown yet */
	struct guest_stream streams[2]; /* TR_STREAM_OUT, TR_STREAM_ERROR */
};

/* From what nobody has read of this run on; with again, from what is still there. aside: standard
 * output is ours for something else, and the program's goes to standard error. */
void guest_output_begin(struct guest_output *output, const struct region *region, bool aside,
                        bool again);

/* Show what there is, as far as it is taken at once; with wait_ms as long as that for who is slow,
 * -1: for ever. progress: the line on the terminal that makes way; NULL: there is none. 0, or why
 * the channel is gone. */
int guest_output_show(struct guest_output *output, struct progress *progress, int wait_ms,
                      struct error *error);

/* Tell on standard error what was not shown, and free what was kept. */
void guest_output_end(struct guest_output *output);

#endif
