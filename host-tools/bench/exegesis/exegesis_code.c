/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/exegesis/exegesis_code.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/machine.h"

#define A64_POP  0xf84107e0U /* LDR Xt, [SP], #16 */
#define A64_PUSH 0xf81f0fe0U /* STR Xt, [SP, #-16]! */

/* The function's instructions [first, count); earlier ones belong to another function. */
struct listing {
	cs_insn *list;
	size_t first, count, end; /* end: of the copies, in front of the restored registers */
	uint16_t machine;
};

static bool is_return(const struct listing *l, size_t i)
{
	return l->list[i].id ==
	       (l->machine == EM_X86_64 ? (unsigned)X86_INS_RET : (unsigned)ARM64_INS_RET);
}

/* A64: an instruction with these bits stores or loads a register at SP. */
static bool is_a64(const cs_insn *instruction, uint32_t bits)
{
	uint32_t word;

	memcpy(&word, instruction->bytes, sizeof(word));
	return (word & ~31U) == bits;
}

/* Whether instruction i restores the register that instruction j saved. */
static bool restores(const struct listing *l, size_t i, size_t j)
{
	const cs_insn *restore = &l->list[i], *save = &l->list[j];

	if (l->machine == EM_X86_64)
		return restore->id == X86_INS_POP && save->id == X86_INS_PUSH &&
		       !strcmp(restore->op_str, save->op_str);
	return is_a64(restore, A64_POP) && is_a64(save, A64_PUSH) &&
	       (restore->bytes[0] & 31) == (save->bytes[0] & 31);
}

/* Without the return and the restored registers. Some versions of llvm-exegesis write neither for
 * aarch64. */
static void find_end(struct listing *l)
{
	size_t saved = 0;

	l->end = l->count;
	if (!is_return(l, l->count - 1))
		return;
	l->end--;
	for (size_t i = l->end; i > 0 && !l->first; i--) {
		if (is_return(l, i - 1))
			l->first = i;
	}
	/* the register that was saved first is restored last */
	while (l->first + saved + 1 < l->end - saved &&
	       restores(l, l->end - 1 - saved, l->first + saved))
		saved++;
	l->end -= saved;
}

/* Whether `count` instructions from i on are those from j on. */
static bool are_same(const struct listing *l, size_t i, size_t j, size_t count)
{
	for (const cs_insn *a = &l->list[i], *b = &l->list[j]; count; a++, b++, count--) {
		if (a->size != b->size || memcmp(a->bytes, b->bytes, a->size) != 0)
			return false;
	}
	return true;
}

static size_t place(const struct listing *l, size_t i)
{
	return i < l->count ? (size_t)l->list[i].address
	                    : (size_t)l->list[l->count - 1].address + l->list[l->count - 1].size;
}

/* A loop ends with a branch back to the first copy. Returns that copy's instruction, and moves the
 * end in front of the counter's instruction; 0: there is no loop. */
static size_t find_loop(struct listing *l)
{
	const cs_insn *last = &l->list[l->end - 1];
	size_t target;

	if (l->end < l->first + 3 ||
	    (l->machine == EM_X86_64 ? last->id != X86_INS_JNE : last->id != ARM64_INS_B))
		return 0;
	target = strtoul(last->op_str + (*last->op_str == '#'), NULL, 0);
	for (size_t i = l->first + 1; i + 2 < l->end; i++) {
		if (place(l, i) == target) {
			l->end -= 2;
			return i;
		}
	}
	return 0;
}

static int divide(struct exegesis_pieces *pieces, struct listing *l, size_t instructions,
                  struct error *error)
{
	size_t loop, begin, body;

	find_end(l);
	loop = find_loop(l);
	if (l->end < l->first + instructions || (loop && (l->end - loop) % instructions))
		return error_set(error, -EINVAL,
		                 "assembled_snippet does not have the %zu instructions of "
		                 "key.instructions",
		                 instructions);
	body = l->end - instructions;
	begin = body;
	while (begin >= l->first + instructions && begin > loop &&
	       are_same(l, begin - instructions, body, instructions))
		begin -= instructions;
	if (loop && begin != loop)
		return error_set(error, -EINVAL,
		                 "the loop of assembled_snippet has copies that differ");
	for (size_t i = l->first; i < begin; i++) {
		if (l->machine == EM_X86_64 ? l->list[i].id == X86_INS_SYSCALL
		                            : l->list[i].id == ARM64_INS_SVC)
			return error_set(error, -ENOTSUP,
			                 "assembled_snippet calls Linux, for MEM-MAP or "
			                 "SNIPPET-ADDRESS: run llvm-exegesis without "
			                 "--execution-mode=subprocess");
	}
	*pieces = (struct exegesis_pieces){ .body_at = place(l, body),
		                            .body_size = place(l, l->end) - place(l, body),
		                            .setup_at = place(l, l->first) };
	pieces->setup_size = place(l, begin) - pieces->setup_at;
	return 0;
}

int exegesis_code_divide(struct exegesis_pieces *pieces, const struct blob *code,
                         size_t instructions, uint16_t machine, struct error *error)
{
	struct listing l = { .machine = machine };
	bool is_x86 = machine == EM_X86_64;
	csh handle;
	int result;

	if (cs_open(is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86 ? CS_MODE_64 : CS_MODE_ARM,
	            &handle) != CS_ERR_OK)
		return error_set(error, -ENOMEM, "no memory for the disassembler");
	cs_option(handle, CS_OPT_SKIPDATA, is_x86 ? CS_OPT_OFF : CS_OPT_ON);
	l.count = cs_disasm(handle, code->bytes, code->size, 0, 0, &l.list);
	if (!l.count || place(&l, l.count) != code->size)
		result = error_set(error, -EINVAL,
		                   "assembled_snippet has bytes at %zu that are no instruction "
		                   "for capstone",
		                   l.count ? place(&l, l.count) : 0);
	else
		result = divide(pieces, &l, instructions, error);
	cs_free(l.list, l.count);
	cs_close(&handle);
	return result;
}
