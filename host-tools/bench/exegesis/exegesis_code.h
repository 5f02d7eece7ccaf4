/* SPDX-License-Identifier: MIT */
/* The pieces of llvm-exegesis's assembled_snippet, by capstone. Thread: any. */
#ifndef HOST_TOOLS_BENCH_EXEGESIS_EXEGESIS_CODE_H
#define HOST_TOOLS_BENCH_EXEGESIS_EXEGESIS_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Bytes within the code. */
struct exegesis_pieces {
	size_t body_at, body_size;   /* one copy of the snippet */
	size_t setup_at, setup_size; /* the code before it: registers' initial values */
};

/*
 * Find the snippet in a function that llvm-exegesis has assembled:
 *
 *	saved registers, initial values		setup
 *	the snippet, several times; or a loop around it
 *	saved registers are restored; return
 *
 * --repetition-mode=min has two such functions; the last one is taken. instructions: of the
 * snippet. machine: ELF's e_machine. 0; -EINVAL: the error says what was not found; -ENOMEM.
 */
int exegesis_code_divide(struct exegesis_pieces *pieces, const struct blob *code,
                         size_t instructions, uint16_t machine, struct error *error);

#endif
