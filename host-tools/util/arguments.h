/* SPDX-License-Identifier: MIT */
/* The shared parts of several commands' command lines, for argp. */
#ifndef HOST_TOOLS_UTIL_ARGUMENTS_H
#define HOST_TOOLS_UTIL_ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

/* For a parser's default case: takes an argument for *path, of which there may be one, and standard
 * where there is none; NULL: there must be one. 0 or ARGP_ERR_UNKNOWN. Main thread. */
error_t one_file_parse(int key, char *arg, struct argp_state *state, const char *standard,
                       const char **path);

/* An option's number, decimal or with 0x; anything else is refused, and the program ends. */
uint64_t argument_number(struct argp_state *state, const char *option, const char *arg);

/* The same of bytes, which K, M, G or T may follow, for 1024 and its powers. */
uint64_t argument_bytes(struct argp_state *state, const char *option, const char *arg);

/* A decimal number in [least, most]; what: the unit, for the error ("seconds"). Anything else is
 * refused, and the program ends. */
double argument_amount(struct argp_state *state, const char *option, const char *arg,
                       const char *what, double least, double most);

/* A percentage from 0, which % may follow, as such (12.5 for "12.5%"). As above. */
double argument_percent(struct argp_state *state, const char *option, const char *arg);

/* argp_parse() under the command's full name ("bareperf dump"), with argp's flags; what is wrong
 * ends the program with status. Main thread. */
void arguments_parse_as(const struct argp *argp, int argc, char **argv, const char *name,
                        unsigned flags, int status, void *options);

/* The same with no flags and EXIT_USAGE, as commands do that start nothing on a machine. */
void arguments_parse(const struct argp *argp, int argc, char **argv, const char *name,
                     void *options);

#endif
