/* SPDX-License-Identifier: MIT */
/*
 * Copies files that the program has written to the host (--fetch FILE, or FILE=LOCAL). Each file
 * arrives with its length and its CRC. It gets its name only when it is whole.
 */
#ifndef HOST_TOOLS_RECORD_COMMAND_GUEST_FETCH_H
#define HOST_TOOLS_RECORD_COMMAND_GUEST_FETCH_H

#include "abi/trace_region.h"
#include "host-tools/record/command/guest.h"
#include "writer/region/region.h"

struct guest_fetch {
	const struct guest *guest;
	const struct region *region; /* NULL: nothing comes yet */
	uint64_t at;                 /* bytes of the stream that were taken */
	union {
		struct tr_file file; /* the head of the file that arrives */
		uint8_t bytes[sizeof(struct tr_file)];
	} head;
	uint32_t head_size; /* bytes of the head that have arrived */
	uint64_t left;      /* bytes of the file that have not arrived */
	uint32_t crc;
	int fd;          /* of the incomplete file; -1: it cannot be written */
	char *partial;   /* the incomplete file's name */
	uint32_t next;   /* index of the next file */
	bool broken;     /* the stream is malformed, or an error occurred */
	unsigned failed; /* files that failed; each was reported */
};

/* The file's name on the host. Its name on the machine is the option's first `length` characters.
 * */
const char *guest_fetch_local(const char *option, size_t *length);

/* Check before the boot that the host can write the files of --fetch. 0, or a negative errno with
 * the reason. */
int guest_fetch_check(const struct guest *guest, struct error *error);

/* Begin with the guest's files, for the run that begins in the region. guest is kept by reference.
 * */
void guest_fetch_begin(struct guest_fetch *fetch, const struct guest *guest,
                       const struct region *region);

/* Take the bytes that have arrived; *moved: there were some. Problems with a file are reported. 0,
 * or the error that broke the channel. */
int guest_fetch_take(struct guest_fetch *fetch, bool *moved, struct error *error);

/* The stream has ended. An incomplete file is removed and reported. Returns the number of files
 * that are missing. */
unsigned guest_fetch_end(struct guest_fetch *fetch);

#endif
