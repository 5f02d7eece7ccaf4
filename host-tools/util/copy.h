/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_UTIL_COPY_H
#define HOST_TOOLS_UTIL_COPY_H

/* Append all that can be read from one descriptor to the other. 0, or a negative errno. */
int copy_all(int from, int to);

#endif
