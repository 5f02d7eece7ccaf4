/* SPDX-License-Identifier: MIT */
/*
 * Files that the program has written, brought home (--fetch FILE, or FILE=LOCAL). Each comes with
 * its length and its CRC; under its name it is there whole, or not at all.
 */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_FETCH_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_FETCH_H

#include "abi/trace_region.h"
#include "host-tools/record/command/guest.h"
#include "writer/region/region.h"

struct guest_fetch {
	const struct guest *guest;
	const struct region *region; /* NULL: nothing comes yet */
	uint64_t at;                 /* of the stream, taken so far */
	union {
		struct tr_file file; /* that comes: its head first, */
		uint8_t bytes[sizeof(struct tr_file)];
	} head;
	uint32_t head_size; /* so much of it is there */
	uint64_t left;      /* and so much of the file is not */
	uint32_t crc;
	int fd;          /* of what is not whole yet; -1: it cannot be written */
	char *partial;   /* its name */
	uint32_t next;   /* file that is to come */
	bool broken;     /* what comes makes no sense, or there was an error */
	unsigned failed; /* files that are not there, each told */
};

/* The file's name on the machine: `length` characters of the option; and here, behind. */
const char *guest_fetch_local(const char *option, size_t *length);

/* Whether what is to be fetched can be written where it is to go: a mistake costs no boot. 0, or a
 * negative errno with the reason. */
int guest_fetch_check(const struct guest *guest, struct error *error);

/* The guest's files, of the region's run that begins. guest is kept by reference. */
void guest_fetch_begin(struct guest_fetch *fetch, const struct guest *guest,
                       const struct region *region);

/* Take what has come; *moved: there was something. What is wrong with a file is told. 0, or why the
 * channel is gone. */
int guest_fetch_take(struct guest_fetch *fetch, bool *moved, struct error *error);

/* No more comes. What is not whole is removed, and told. How many of the files are not there. */
unsigned guest_fetch_end(struct guest_fetch *fetch);

#endif
