/* SPDX-License-Identifier: MIT */
/* The guest's kernel as images of a trace region. Main thread. */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_KERNEL_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_KERNEL_H

#include "abi/outside.h"
#include "writer/util/error.h"

/* Enter the executable segments of the ELF file at path into config, at their link addresses. 0, or
 * a negative errno and the reason. */
int outside_kernel_load(struct outside_config *config, const char *path, struct error *error);

#endif
