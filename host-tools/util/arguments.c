/* SPDX-License-Identifier: MIT */
#include "host-tools/util/arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/exit_status.h"

uint64_t argument_number(struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	uint64_t number;

	errno = 0;
	number = strtoull(arg, &end, 0);
	if (errno || end == arg || *end || *arg == '-')
		argp_error(state, "%s %s: want a number", option, arg);
	return number;
}

uint64_t argument_bytes(struct argp_state *state, const char *option, const char *arg)
{
	static const char units[] = "KMGT";
	const char *unit = NULL;
	unsigned shift = 0;
	char *end;
	uint64_t number;

	errno = 0;
	number = strtoull(arg, &end, 0);
	if (*end)
		unit = strchr(units, *end);
	if (unit)
		shift = 10 * (unsigned)(unit - units + 1);
	if (errno || end == arg || *arg == '-' || (*end && (!unit || end[1])) ||
	    number > (uint64_t)INT64_MAX >> shift)
		argp_error(state, "%s %s: want bytes, as 1048576, 64M or 2G", option, arg);
	return number << shift;
}

double argument_amount(struct argp_state *state, const char *option, const char *arg,
                       const char *what, double least, double most)
{
	char *end;
	double amount;

	errno = 0;
	amount = strtod(arg, &end);
	if (errno || end == arg || *end || !(amount >= least && amount <= most))
		argp_error(state, "%s %s: want %s, %g to %g", option, arg, what, least, most);
	return amount;
}

double argument_percent(struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	double percent = strtod(arg, &end);

	if (end == arg || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 1e6))
		argp_error(state, "%s: %s is not a percentage", option, arg);
	return percent;
}

error_t one_file_parse(int key, char *arg, struct argp_state *state, const char *standard,
                       const char **path)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*path)
			argp_error(state, "one file at a time");
		*path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*path && !standard)
			argp_error(state, "which file?");
		else if (!*path)
			*path = standard;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void arguments_parse_as(const struct argp *argp, int argc, char **argv, const char *name,
                        unsigned flags, int status, void *options)
{
	char *first = argv[0];

	argp_err_exit_status = status;
	argv[0] = (char *)(uintptr_t)name; /* argp does not write to it */
	argp_parse(argp, argc, argv, flags, NULL, options);
	argv[0] = first;
}

void arguments_parse(const struct argp *argp, int argc, char **argv, const char *name,
                     void *options)
{
	arguments_parse_as(argp, argc, argv, name, 0, EXIT_USAGE, options);
}
