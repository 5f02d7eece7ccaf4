/* SPDX-License-Identifier: MIT */
/* The kinds of aarch64's branches, including those that capstone 4 does not know; the words come
 * from GNU as. */
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/report/symbols/code.h"
#include "tests/unit/temporary.h"

static const struct {
	uint32_t word;
	enum code_kind kind;
} words[] = {
	{ 0x14000002, CODE_JUMP },        /* b .+8 */
	{ 0x94000002, CODE_CALL },        /* bl .+8 */
	{ 0x54000040, CODE_CONDITIONAL }, /* b.eq .+8 */
	{ 0xd61f0020, CODE_JUMP },        /* br x1 */
	{ 0xd63f0020, CODE_CALL },        /* blr x1 */
	{ 0xd65f03c0, CODE_RETURN },      /* ret */
	{ 0xd69f03e0, CODE_IRET },        /* eret */
	{ 0xd71f0822, CODE_JUMP },        /* braa x1, x2 */
	{ 0xd61f0c3f, CODE_JUMP },        /* brabz x1 */
	{ 0xd73f0822, CODE_CALL },        /* blraa x1, x2 */
	{ 0xd63f083f, CODE_CALL },        /* blraaz x1 */
	{ 0xd65f0bff, CODE_RETURN },      /* retaa */
	{ 0xd69f0bff, CODE_IRET },        /* eretaa */
	{ 0xc8e1fc62, CODE_OTHER },       /* casal x1, x2, [x3] */
	{ 0xb8210041, CODE_OTHER },       /* ldadd w1, w1, [x2] */
	{ 0xd4000001, CODE_TRAP },        /* svc #0 */
};

static void each_word_has_its_kind_and_data_has_none(void **state)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_AARCH64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
	};
	static const uint8_t data[] = { 1, 2, 0, 0, 0x62, 0xfc, 0xe1 };
	const size_t count = sizeof(words) / sizeof(words[0]);
	uint64_t at = sizeof(header);
	struct code_instruction one;
	static char path[PATH_MAX];
	struct code *code;
	FILE *file;

	(void)state;
	temporary_path(path, "code");
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(fwrite(&words[i].word, sizeof(words[i].word), 1, file), 1);
	assert_int_equal(fwrite(data, sizeof(data), 1, file), 1);
	fclose(file);
	code = code_open(path);
	assert_non_null(code);
	for (size_t i = 0; i < count; i++, at += 4) {
		assert_true(code_at(code, at, 0x40000000 + 4 * i, &one));
		assert_int_equal(one.size, 4);
		assert_int_equal(one.kind, words[i].kind);
		assert_true(*one.mnemonic);
	}
	assert_false(code_at(code, at, 0x40000000, &one));     /* UDF */
	assert_false(code_at(code, at + 4, 0x40000000, &one)); /* three bytes */
	code_close(code);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_has_its_kind_and_data_has_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
