/* SPDX-License-Identifier: MIT */
/* Texts of which there is one each, so that equal ones have equal pointers: a tree, by tsearch(),
 * that tdestroy(tree, free) gives back. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_TEXTS_H
#define HOST_TOOLS_REPORT_TEXTS_H

/* The one that equals text, which is given away; NULL: no memory, or text is NULL. */
const char *texts_keep(void **tree, char *text);

#endif
