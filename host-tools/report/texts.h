/* SPDX-License-Identifier: MIT */
/* Stores each different text once, so that equal texts have equal pointers. The store is a
 * tsearch() tree; free it with tdestroy(tree, free). Thread: the thread that created the tree. */
#ifndef HOST_TOOLS_REPORT_TEXTS_H
#define HOST_TOOLS_REPORT_TEXTS_H

/* Return the stored text that equals text, and take over text: it is stored or freed. NULL: memory
 * is short, or text is NULL. */
const char *texts_keep(void **tree, char *text);

#endif
