/* SPDX-License-Identifier: MIT */
/* The summary of a recording in memory: on the screen, and as a text beside its file. Context: boot
 * services, or exclusive mode after a recording. Thread. */
#ifndef AGENT_SUMMARY_H
#define AGENT_SUMMARY_H

#include <stdint.h>

struct summary;

/* Read a complete region of size bytes, without changing it. Functions get the names of this image,
 * if it made the recording, and of the loaded payload. Returns NULL if the region cannot be read;
 * the reason is printed. */
struct summary *summary_open(const void *region, uint64_t size);
void summary_close(struct summary *summary);

void summary_on_screen(const struct summary *summary);

/* Write the summary to NNNN.txt beside the recording's file. Prints an error; the recording is
 * complete without it. */
void summary_beside(const struct summary *summary, const char *path);

/* Print and write the summary of a recording that was just written to path. For recover_save(). */
void summary_of_file(const void *region, uint64_t size, const char *path);

#endif
