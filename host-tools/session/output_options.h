/* SPDX-License-Identifier: MIT */
/* The options for a recording's file that `run`, `record --channel` and `import` share. */
#ifndef HOST_TOOLS_SESSION_OUTPUT_OPTIONS_H
#define HOST_TOOLS_SESSION_OUTPUT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "host-tools/pe/pe_search.h"

struct output_options {
	const char *path; /* NULL: not given */
	/* path was given, or is the default; set by output_options_end() */
	bool is_kept;
	const char *symbols;     /* the last one given; NULL: where this tool was built */
	struct pe_search search; /* all of them, searched for UEFI images' functions */
	uint64_t preallocate;    /* size of the file that is reserved before anything runs, bytes */
	bool e_machine;
	bool no_buildid_cache;
	bool all_frames; /* print all frames of a program that crashes */
};

/* Larger than all other keys of the commands that use these options. */
enum {
	OUTPUT_PATH = 'o',
	OUTPUT_SYMBOLS = 0x1000,
	OUTPUT_PREALLOCATE,
	OUTPUT_E_MACHINE,
	OUTPUT_NO_BUILDID_CACHE,
	OUTPUT_ALL_FRAMES,
};

/* Lines of a table of argp options. */
/* clang-format off */
#define OUTPUT_OPTIONS                                                                              \
	{ "output", OUTPUT_PATH, "FILE", 0,                                                         \
	  "the file (default: perf.data); -: a stream on stdout",                                   \
	  0 },                                                                                      \
	{ "symbols", OUTPUT_SYMBOLS, "DIR", 0,                                                      \
	  "symbols of image, payload, UEFI images; repeatable",                                     \
	  0 },                                                                                      \
	{ "preallocate", OUTPUT_PREALLOCATE, "SIZE", 0,                                             \
	  "reserve this much of the disk for FILE first: 64M, 2G", 0 },                             \
	{ "e-machine", OUTPUT_E_MACHINE, NULL, 0,                                                   \
	  "write sections of the newest perfs, E_MACHINE, CLN_SIZE", 0 },                           \
	{ "all-frames", OUTPUT_ALL_FRAMES, NULL, 0,                                                 \
	  "after a crash, also print bareperf's callers of main()", 0 },                            \
	{ "no-buildid-cache", OUTPUT_NO_BUILDID_CACHE, NULL, 0,                                     \
	  "keep no copy of the symbol files in ~/.debug", 0 }
/* clang-format on */

/* Returns whether standard output carries the recording, so that all other output goes to standard
 * error. */
bool output_is_stream(const struct output_options *options);

/* Call it after parsing: the default path is perf.data, or /dev/null if the records are shown. */
void output_options_end(struct output_options *options, bool is_shown);

/* After a recording was finished to a file: put the functions of its UEFI images into perf's cache,
 * if --symbols was given. Errors are reported. */
void output_cache_symbols(struct output_options *options);

/* For a parser's default case: 0, or ARGP_ERR_UNKNOWN for another key. Main thread. */
error_t output_option_parse(int key, char *arg, struct argp_state *state,
                            struct output_options *options);

#endif
