/* SPDX-License-Identifier: MIT */
/* A snippet's text as machine code, by the host's assembler. */
#ifndef HOST_TOOLS_BENCH_BENCH_SNIPPET_H
#define HOST_TOOLS_BENCH_BENCH_SNIPPET_H

#include <stdint.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Replace nanoBench's extensions by the assembler's text: |n is a NOP of n bytes (1 to 15; Arm: 4),
 * n*|x| is n times x. Returns 0 or -EINVAL, -ENOMEM. to gets a NUL-terminated text. */
int bench_snippet_expand(const char *text, uint16_t machine, struct blob *to, struct error *error);

/* Assemble text (Intel's syntax; A64) for ELF's e_machine. option: its name, for errors. code gets
 * the bytes of .text. 0; -EINVAL: the assembler refused it; other negative errnos. */
int bench_snippet_assemble(const char *text, const char *option, uint16_t machine,
                           struct blob *code, struct error *error);

/* Read machine code from a file. */
int bench_snippet_read(const char *file, struct blob *code, struct error *error);

#endif
