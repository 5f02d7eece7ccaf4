/* SPDX-License-Identifier: MIT */
#include "host-tools/session/output_options.h"

#include <string.h>
#include <sys/stat.h>

#include "host-tools/util/arguments.h"

bool output_is_stream(const struct output_options *options)
{
	return options->path && !strcmp(options->path, "-");
}

void output_options_end(struct output_options *options, bool is_shown)
{
	options->is_kept = options->path || !is_shown;
	if (!options->path)
		options->path = is_shown ? "/dev/null" : "perf.data";
}

/* False for a stream, a device or a pipe, which cannot be read again. */
static bool is_file(const struct output_options *options)
{
	struct stat file;

	return options->path && !output_is_stream(options) &&
	       (stat(options->path, &file) || S_ISREG(file.st_mode));
}

void output_cache_symbols(struct output_options *options)
{
	if (!options->no_buildid_cache && is_file(options))
		pe_search_cache_all(&options->search, options->path);
	pe_search_free(&options->search);
}

error_t output_option_parse(int key, char *arg, struct argp_state *state,
                            struct output_options *options)
{
	switch (key) {
	case OUTPUT_PATH:
		options->path = arg;
		return 0;
	case OUTPUT_SYMBOLS:
		options->symbols = arg;
		pe_search_add(&options->search, arg);
		return 0;
	case OUTPUT_PREALLOCATE:
		options->preallocate = argument_bytes(state, "--preallocate", arg);
		return 0;
	case OUTPUT_E_MACHINE:
		options->e_machine = true;
		return 0;
	case OUTPUT_NO_BUILDID_CACHE:
		options->no_buildid_cache = true;
		return 0;
	case OUTPUT_ALL_FRAMES:
		options->all_frames = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
