/* SPDX-License-Identifier: MIT */
/* The guest's kernel as images of a trace region. Main thread. */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_KERNEL_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_KERNEL_H

#include "abi/outside.h"
#include "writer/util/error.h"

/* Enter the kernel's code into config: the executable segments of the ELF file at path, at their
 * link addresses, or the functions of a list (outside_names.h). *symbols: the ELF file for perf,
 * which is path, or was made of the list in perf's cache; the caller frees it. machine: EM_*, of
 * the guest. 0, or a negative errno and the reason. */
int outside_kernel_load(struct outside_config *config, const char *path, uint16_t machine,
                        char **symbols, struct error *error);

#endif
