/* SPDX-License-Identifier: MIT */
/* llvm-exegesis's files: which are refused, and the pieces of their code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/machine.h"
#include "host-tools/bench/exegesis/exegesis_code.h"
#include "host-tools/bench/exegesis/exegesis_file.h"

#define DOCUMENT(mode, triple, list, code)                                                        \
	"---\nmode: " mode "\nkey:\n  instructions: " list "\n  config: ''\nllvm_triple: " triple \
	"\nmeasurements: []\nerror: skipped\nassembled_snippet: " code "\n...\n"
#define X86 "x86_64-pc-linux-gnu"

static int read_text(struct exegesis_file *file, const char *text, struct error *error)
{
	return exegesis_file_parse(file, (const uint8_t *)text, strlen(text), "x.yaml", error);
}

/* The file's first document, divided: the bytes of body and setup. */
static int divide(const char *text, struct exegesis_pieces *pieces, struct error *error)
{
	struct exegesis_file file;
	int code = read_text(&file, text, error);

	assert_int_equal(code, 0);
	code = exegesis_code_divide(pieces, &file.points[0].code, file.points[0].instructions,
	                            file.points[0].machine, error);
	exegesis_file_free(&file);
	return code;
}

static void assert_pieces(const char *text, size_t setup_at, size_t setup, size_t body_at,
                          size_t body)
{
	struct exegesis_pieces pieces;
	struct error error = { "" };

	assert_int_equal(divide(text, &pieces, &error), 0);
	assert_int_equal(pieces.setup_at, setup_at);
	assert_int_equal(pieces.setup_size, setup);
	assert_int_equal(pieces.body_at, body_at);
	assert_int_equal(pieces.body_size, body);
}

static void a_repeated_snippet_is_found_between_setup_and_return(void **state)
{
	(void)state;
	/* push rbp; mov rbp, 0; 4 times add rbp, rdi; pop rbp; ret */
	assert_pieces(DOCUMENT("latency", X86, "['ADD64rr RBP RBP RDI']",
	                       "5548BD00000000000000004801FD4801FD4801FD4801FD5DC3"),
	              0, 11, 20, 3);
	/* mov rax, 17; twice: add rax, rdi; imul rax, [r14] */
	assert_pieces(DOCUMENT("latency", X86, "[ADD64rr, IMUL64rm]",
	                       "48B811000000000000004801F8490FAF064801F8490FAF06C3"),
	              0, 10, 17, 7);
}

static void the_setup_ends_where_the_first_copy_begins(void **state)
{
	(void)state;
	/* nop, twice: no setup */
	assert_pieces(DOCUMENT("latency", X86, "[NOOP]", "9090C3"), 0, 0, 1, 1);
	/* cwde; then twice nop, cwde, clc */
	assert_pieces(DOCUMENT("latency", X86, "[A, B, C]", "989098F89098F8C3"), 0, 1, 4, 3);
	/* nop; 1: nop; add r8, -1; jne 1b: the setup may be like the body */
	assert_pieces(DOCUMENT("latency", X86, "[NOOP]", "90904983C0FF75F9C3"), 0, 1, 1, 1);
}

static void a_pop_of_the_snippet_is_no_restored_register(void **state)
{
	(void)state;
	/* push rbp; push rbx; pop rbx; pop rbx; pop rbp; ret: the snippet is one pop rbx */
	assert_pieces(DOCUMENT("latency", X86, "[POP64r]", "55535B5B5DC3"), 0, 2, 2, 1);
}

static void a_loop_has_its_body_behind_the_branch(void **state)
{
	(void)state;
	/* mov r9, 0; mov rax, 0; mov rdx, 0; mov r8, 2; 1: div r9; div r9; add r8, -1; jne 1b */
	assert_pieces(DOCUMENT("latency", X86, "[DIV64r R9]",
	                       "49B9000000000000000048B8000000000000000048BA00000000000000"
	                       "0049B8020000000000000049F7F149F7F14983C0FF75F4C3"),
	              0, 40, 43, 3);
}

static void the_last_of_two_functions_counts(void **state)
{
	(void)state;
	assert_pieces(DOCUMENT("latency", X86, "[ADD64rr]",
	                       "5348BB000000000000000049B900000000000000004C01CB4C01CB4C01CB"
	                       "4C01CB5BC35348BB000000000000000049B9000000000000000049B80200"
	                       "0000000000004C01CB4C01CB4983C0FF75F45BC3"),
	              35, 31, 69, 3);
}

static void aarch64_has_its_return_or_not(void **state)
{
	(void)state;
	/* mov x17, #0; 4 times add x17, x17, #0 */
	assert_pieces(DOCUMENT("latency", "aarch64-unknown-linux-gnu", "[ADDXri]",
	                       "110080D231020091310200913102009131020091"),
	              0, 4, 16, 4);
	/* str x23, [sp, #-16]!; mov x21, #0; twice madd; ldr x23, [sp], #16; ret */
	assert_pieces(DOCUMENT("latency", "aarch64-unknown-linux-gnu", "[MADDXrrr]",
	                       "F70F1FF8150080D2B55E019BB55E019BF70741F8C0035FD6"),
	              0, 8, 12, 4);
}

static void code_that_does_not_fit_its_key_is_refused(void **state)
{
	static const char *const texts[] = {
		DOCUMENT("latency", X86, "[A, B, C]", "90C3"), /* one instruction */
		DOCUMENT("latency", X86, "[A]", "06C3"),       /* no instruction in 64 bits */
		DOCUMENT("latency", X86, "[A]", "4801"),       /* cut */
		DOCUMENT("latency", X86, "[A]", "0F0590C3"),   /* syscall; nop; ret */
		/* 1: nop; cwde; add r8, -1; jne 1b: the copies differ */
		DOCUMENT("latency", X86, "[A]", "9090984983C0FF75F8C3"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct exegesis_pieces pieces;
		struct error error = { "" };

		assert_true(divide(texts[i], &pieces, &error) < 0);
		assert_string_not_equal(error.text, "");
	}
}

static void wrong_documents_are_refused_with_the_key(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{ "", "no benchmark" },
		{ "a: [", "line 2" },
		{ "- 1\n", "document 1: want the key mode" },
		{ DOCUMENT("speed", X86, "[A]", "90C3"), "key mode" },
		{ DOCUMENT("uops", "mips64", "[A]", "90C3"), "key llvm_triple" },
		{ DOCUMENT("uops", X86, "[]", "90C3"), "key key.instructions" },
		{ DOCUMENT("uops", X86, "A", "90C3"), "key key.instructions" },
		{ DOCUMENT("uops", X86, "[A]", "90C"), "key assembled_snippet" },
		{ DOCUMENT("uops", X86, "[A]", "90G3"), "key assembled_snippet" },
		{ DOCUMENT("uops", X86, "[A]", "90C3") DOCUMENT("uops", X86, "[A]", "''"),
		  "document 2: want the key assembled_snippet" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct exegesis_file file;
		struct error error = { "" };

		assert_int_equal(read_text(&file, cases[i].text, &error), -22);
		assert_non_null(strstr(error.text, cases[i].reason));
		exegesis_file_free(&file);
	}
}

static void values_and_errors_replace_those_of_the_file(void **state)
{
	struct exegesis_file file;
	struct error error = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(read_text(&file,
	                           DOCUMENT("uops", X86, "[A, B]", "9090C3")
	                               DOCUMENT("latency", X86, "[A]", "90C3") "other: kept\n",
	                           &error),
	                 -22); /* a document's end, then text without a mode */
	exegesis_file_free(&file);
	assert_int_equal(read_text(&file,
	                           DOCUMENT("uops", X86, "[A, B]", "9090C3")
	                               DOCUMENT("latency", X86, "['\xc3\xb6']", "90C3"),
	                           &error),
	                 0);
	assert_int_equal(file.count, 2);
	assert_int_equal(exegesis_add_value(&file.points[0], "NumMicroOps", 0.5, 1), 0);
	assert_int_equal(exegesis_add_value(&file.points[0], "SKLPort0", 2.25, 4.5), 0);
	assert_int_equal(exegesis_set_error(&file.points[0], ""), 0);
	assert_int_equal(exegesis_set_error(&file.points[1], "#UD: 'x'"), 0);
	assert_int_equal(exegesis_file_write(&file, out, &error), 0);
	fclose(out);
	assert_non_null(strstr(text,
	                       "- {key: NumMicroOps, value: 0.5, per_snippet_value: 1}\n"
	                       "- {key: SKLPort0, value: 2.25, per_snippet_value: 4.5}\n"
	                       "error: ''\n"));
	assert_non_null(strstr(text, "error: '#UD: ''x'''\n"));
	assert_non_null(strstr(text, "measurements: []\n"));
	assert_non_null(strstr(text, "'\xc3\xb6'"));
	exegesis_file_free(&file);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_repeated_snippet_is_found_between_setup_and_return),
		cmocka_unit_test(the_setup_ends_where_the_first_copy_begins),
		cmocka_unit_test(a_pop_of_the_snippet_is_no_restored_register),
		cmocka_unit_test(a_loop_has_its_body_behind_the_branch),
		cmocka_unit_test(the_last_of_two_functions_counts),
		cmocka_unit_test(aarch64_has_its_return_or_not),
		cmocka_unit_test(code_that_does_not_fit_its_key_is_refused),
		cmocka_unit_test(wrong_documents_are_refused_with_the_key),
		cmocka_unit_test(values_and_errors_replace_those_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
