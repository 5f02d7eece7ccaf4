/* SPDX-License-Identifier: MIT */
/* The shared parts of several commands' command lines, for argp. */
#ifndef HOST_TOOLS_UTIL_ARGUMENTS_H
#define HOST_TOOLS_UTIL_ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

/* For a parser's default case: stores an argument in *path. At most one argument is allowed;
 * without one, *path is `standard`, and if that is NULL an argument is required. 0 or
 * ARGP_ERR_UNKNOWN. Main thread. */
error_t one_file_parse(int key, char *arg, struct argp_state *state, const char *standard,
                       const char **path);

/* An option's number, decimal or with 0x; for other text the program ends with an error. */
uint64_t argument_number(struct argp_state *state, const char *option, const char *arg);

/* The same for a number of bytes, which K, M, G or T (1024 and its powers) may follow. */
uint64_t argument_bytes(struct argp_state *state, const char *option, const char *arg);

/* A decimal number in [least, most]; what: the unit for the error ("seconds"). For other text the
 * program ends with an error. */
double argument_amount(struct argp_state *state, const char *option, const char *arg,
                       const char *what, double least, double most);

/* A percentage from 0, with or without %: 12.5 for "12.5%". Errors as above. */
double argument_percent(struct argp_state *state, const char *option, const char *arg);

/* Calls argp_parse() under the command's full name ("bareperf dump"), with argp's flags. A wrong
 * command line ends the program with status. Main thread. */
void arguments_parse_as(const struct argp *argp, int argc, char **argv, const char *name,
                        unsigned flags, int status, void *options);

/* The same without flags and with EXIT_USAGE, for commands that start nothing on a machine. */
void arguments_parse(const struct argp *argp, int argc, char **argv, const char *name,
                     void *options);

#endif
