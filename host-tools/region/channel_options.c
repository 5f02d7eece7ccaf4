/* SPDX-License-Identifier: MIT */
#include "host-tools/region/channel_options.h"

#include <stdlib.h>
#include <string.h>

#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

error_t channel_option_parse(int key, char *arg, struct argp_state *state,
                             struct channel_options *options)
{
	switch (key) {
	case CHANNEL_URL:
		if (!strcmp(arg, "help")) {
			channel_url_help(stdout);
			exit(EXIT_OK);
		}
		options->url = arg;
		return 0;
	case CHANNEL_TIMEOUT:
		options->timeout = argument_amount(state, "--timeout", arg, "seconds", 0.1, 86400);
		options->more.timeout = options->timeout;
		return 0;
	case CHANNEL_ADDRESS:
		options->more.address = arg;
		return 0;
	case CHANNEL_STOP_BUDGET:
		options->more.stop_budget = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
