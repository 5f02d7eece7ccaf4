/* SPDX-License-Identifier: MIT */
/* A function's code as text, for both architectures. */
#include <errno.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/report/symbols/disassembly.h"
#include "tests/unit/temporary.h"

static char path[PATH_MAX];
static char seen[4096];
static unsigned most;

static int setup(void **state)
{
	(void)state;
	elf_version(EV_CURRENT);
	seen[0] = 0;
	most = 100;
	temporary_path(path, "code");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static int tell(void *context, uint64_t address, uint16_t size, const char *text)
{
	size_t used = strlen(seen);

	(void)context;
	if (!most--)
		return -ENOSPC;
	snprintf(seen + used, sizeof(seen) - used, "%llx+%u %s\n", (unsigned long long)address,
	         size, text);
	return 0;
}

/* An ELF header with the code after it. Returns the result of disassemble(). */
static int disassemble_bytes(uint16_t machine, const void *bytes, size_t size, uint64_t reported)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		             EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
	};
	const struct symbol_code code = { path, sizeof(header), reported, 0xffffffff81000000 };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	assert_int_equal(fwrite(bytes, size, 1, file), 1);
	fclose(file);
	return disassemble(&code, tell, NULL);
}

static void x86_64_is_as_gnu_writes_it(void **state)
{
	static const uint8_t code[] = {
		0x55, 0x48, 0x89, 0xe5, 0x83, 0xe8, 0x01, 0x75, 0xfb, 0xc3
	};

	(void)state;
	assert_int_equal(disassemble_bytes(EM_X86_64, code, sizeof(code), sizeof(code)), 0);
	assert_string_equal(seen,
	                    "ffffffff81000000+1 pushq %rbp\n"
	                    "ffffffff81000001+3 movq %rsp, %rbp\n"
	                    "ffffffff81000004+3 subl $1, %eax\n"
	                    "ffffffff81000007+2 jne 0xffffffff81000004\n"
	                    "ffffffff81000009+1 retq\n");
}

static void aarch64_has_words(void **state)
{
	static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd65f03c0 };

	(void)state;
	assert_int_equal(disassemble_bytes(EM_AARCH64, code, sizeof(code), sizeof(code)), 0);
	assert_string_equal(seen,
	                    "ffffffff81000000+4 stp x29, x30, [sp, #-0x10]!\n"
	                    "ffffffff81000004+4 mov x29, sp\n"
	                    "ffffffff81000008+4 ret\n");
}

static void a_disassembly_ends_at_the_functions_or_files_end_or_a_bad_instruction(void **state)
{
	static const uint8_t code[] = { 0x90, 0x90, 0x06, 0x90 }; /* 06: invalid in 64-bit mode */

	(void)state;
	assert_int_equal(disassemble_bytes(EM_X86_64, code, 2, 1), 0);
	assert_string_equal(seen, "ffffffff81000000+1 nop\n");
	*seen = 0;
	assert_int_equal(disassemble_bytes(EM_X86_64, code, 2, 1 << 20), 0);
	assert_string_equal(seen, "ffffffff81000000+1 nop\nffffffff81000001+1 nop\n");
	*seen = 0;
	assert_int_equal(disassemble_bytes(EM_X86_64, code, 4, 0), 0);
	assert_string_equal(seen, "ffffffff81000000+1 nop\nffffffff81000001+1 nop\n");
	*seen = 0;
	most = 1;
	assert_int_equal(disassemble_bytes(EM_X86_64, code, 4, 4), -ENOSPC);
	assert_string_equal(seen, "ffffffff81000000+1 nop\n");
}

static void unknown_or_unreadable_code_is_refused(void **state)
{
	static const uint8_t code[] = { 0x90 };
	const struct symbol_code nowhere = { "/nowhere", 0, 1, 0 };

	(void)state;
	assert_int_equal(disassemble_bytes(EM_RISCV, code, 1, 1), -ENOEXEC);
	assert_int_equal(disassemble(&nowhere, tell, NULL), -ENOEXEC);
	assert_int_equal(disassemble(&(struct symbol_code){ "/", 0, 1, 0 }, tell, NULL), -ENOEXEC);
	assert_string_equal(seen, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(x86_64_is_as_gnu_writes_it),
		TEST(aarch64_has_words),
		TEST(a_disassembly_ends_at_the_functions_or_files_end_or_a_bad_instruction),
		TEST(unknown_or_unreadable_code_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
