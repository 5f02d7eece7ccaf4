/* SPDX-License-Identifier: MIT */
/* The host tool's request to the plugin, and whether this QEMU can fulfil it. QEMU's main thread.
 */
#ifndef PLUGIN_REQUEST_H
#define PLUGIN_REQUEST_H

#include "abi/outside.h"
#include "plugin/qemu_api.h"

/* Reads the request by the plugin's argument, "config=FD"; the caller frees it. NULL: the argument
 * or the file is not the tool's. */
struct outside_config *request_read(int argc, char **argv);

/* Chooses how samples get their callers, if the request leaves it open. */
void request_choose_callers(struct outside_config *config, int version);

/* Why this QEMU or this guest cannot be sampled as requested; NULL: it can. version: of QEMU's
 * plugin interface. */
const char *request_unsupported(const struct outside_config *config, const struct qemu_info *info,
                                int version);

#endif
