/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/disassembly.h"

#include <errno.h>
#include <stdio.h>

#include "host-tools/report/symbols/code.h"

#define MOST_CODE (64U << 10) /* most bytes of a function */
#define UNSIZED   256U        /* most bytes of a function without a size (assembly) */

int disassemble(const struct symbol_code *function, disassembly_fn tell, void *context)
{
	uint64_t size = function->size ? function->size : UNSIZED, at = 0;
	struct code *file = code_open(function->path);
	struct code_instruction one;
	char text[256];
	int code = file ? 0 : -ENOEXEC;

	size = size < MOST_CODE ? size : MOST_CODE;
	while (!code && at < size &&
	       code_at(file, function->offset + at, function->address + at, &one) &&
	       at + one.size <= size) {
		snprintf(text, sizeof(text), "%s%s%s", one.mnemonic, *one.operands ? " " : "",
		         one.operands);
		code = tell(context, function->address + at, (uint16_t)one.size, text);
		at += one.size;
	}
	code_close(file);
	return code;
}
