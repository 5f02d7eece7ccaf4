/* SPDX-License-Identifier: MIT */
/* The subcommands for machines that are already running: each takes --channel URL. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_H

#include <stdbool.h>

/* Whether --channel is among the words: `list' exists with and without it. */
bool remote_is_meant(int argc, char **argv);

/* Each returns its exit status. */
int command_record(int argc, char **argv); /* also stat, by argv[0] */
int command_attach(int argc, char **argv);
int command_top(int argc, char **argv);
int command_remote_list(int argc, char **argv);
int command_console(int argc, char **argv);
int command_reboot(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_stop(int argc, char **argv);

#endif
