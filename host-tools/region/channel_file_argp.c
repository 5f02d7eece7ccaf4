/* SPDX-License-Identifier: MIT */
#include "host-tools/region/channel_file_argp.h"

#include "host-tools/util/arguments.h"
#include "writer/region/channel.h"

static const struct argp_option options[] = {
	{ "base", 'b', "ADDRESS", 0, "physical address of a raw memory dump's first byte", 0 },
	{ "nonce", 'n', "NONCE", 0, "select one of several trace regions", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct channel_file_options *pick = state->input;

	switch (key) {
	case 'b':
		pick->base = argument_number(state, "--base", arg);
		return 0;
	case 'n':
		pick->nonce = argument_number(state, "--nonce", arg);
		pick->has_nonce = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp channel_file_argp = { .options = options, .parser = parse_option };
