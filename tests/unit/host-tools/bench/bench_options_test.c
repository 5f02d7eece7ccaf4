/* SPDX-License-Identifier: MIT */
/* nanoBench's options, its aggregates, and its extensions of the assembler's text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "abi/machine.h"
#include "host-tools/bench/bench_aggregate.h"
#include "host-tools/bench/bench_options.h"
#include "host-tools/bench/bench_snippet.h"

static struct bench_options options;
static struct error error;
static char *rest[16];
static int kept;

static int parse(const char *text)
{
	static char copy[512];
	char *words[32], *word, *at = copy;
	int count = 0;

	strcpy(copy, text);
	while ((word = strsep(&at, " ")))
		words[count++] = word;
	bench_options_init(&options);
	return bench_options_parse(&options, count, words, rest, &kept, &error);
}

static void the_defaults_are_nanobenchs(void **state)
{
	(void)state;
	bench_options_init(&options);
	assert_int_equal(options.measurements, 10);
	assert_int_equal(options.unroll, 1000);
	assert_int_equal(options.loop, 0);
	assert_int_equal(options.warm_up, 5);
	assert_int_equal(options.initial_warm_up, 0);
	assert_int_equal(options.aggregate, BENCH_AVG);
}

static void options_are_read_by_their_names_and_beginnings(void **state)
{
	(void)state;
	assert_int_equal(parse("-asm A -asm_i B -asm_l C -asm_o D -conf E -msr_config F"), 0);
	assert_string_equal(options.assembly[BENCH_CODE], "A");
	assert_string_equal(options.assembly[BENCH_INIT], "B");
	assert_string_equal(options.assembly[BENCH_LATE_INIT], "C");
	assert_string_equal(options.assembly[BENCH_ONE_TIME_INIT], "D");
	assert_string_equal(options.config, "E");
	assert_string_equal(options.msr_config, "F");
	assert_int_equal(
	    parse("-as A -n 20 -u 30 -l 0x40 -w 0 -initial 6 -al 7 -code_off 8 -cpu 9"), 0);
	assert_string_equal(options.assembly[BENCH_CODE], "A");
	assert_int_equal(options.measurements, 20);
	assert_int_equal(options.unroll, 30);
	assert_int_equal(options.loop, 64);
	assert_int_equal(options.warm_up, 0);
	assert_int_equal(options.initial_warm_up, 6);
	assert_int_equal(options.alignment, 7);
	assert_int_equal(options.offset, 8);
	assert_int_equal(options.cpu, 9);
	assert_int_equal(parse("-med -ran -b -no_m -no_n -rem -df -v -f -cod X -usr 1 -os 0"), 0);
	assert_true(options.range && options.basic && options.no_mem && options.no_normalization &&
	            options.remove_empty && options.drain && options.verbose &&
	            options.fixed_counters);
	assert_int_equal(options.aggregate, BENCH_MEDIAN);
	assert_string_equal(options.files[BENCH_CODE], "X");
	assert_int_equal(parse("-min -max -avg"), 0);
	assert_int_equal(options.aggregate, BENCH_AVG);
	assert_int_equal(parse("--json -asm --channel url -h"), 0);
	assert_int_equal(kept, 3);
	assert_string_equal(rest[0], "--json");
	assert_string_equal(rest[1], "url");
	assert_string_equal(rest[2], "-h");
	assert_string_equal(options.assembly[BENCH_CODE], "--channel");
}

static void refused(const char *text, const char *why)
{
	assert_int_equal(parse(text), -EINVAL);
	if (!strstr(error.text, why))
		fail_msg("%s: %s", text, error.text);
}

static void mistakes_are_named(void **state)
{
	char word[] = "file", *words[] = { word };

	(void)state;
	refused("-m", "-m may be -msr_config or -");
	refused("-no", "-no may be -no_mem or -no_normalization");
	refused("-quick", "unknown option -quick");
	refused("-asm", "-asm needs an argument");
	refused("-n 0", "number from 1 to 100000");
	refused("-n x", "number from 1");
	refused("-n -1", "number from 1");
	refused("-l 4294967296", "number from 0 to 2147483647");
	refused("-asm A -code B", "-asm and -code exclude each other");
	refused("-asm_late A -code_late B", "-asm_late_init and -code_late_init exclude");
	assert_int_equal(bench_options_parse(&options, 1, words, NULL, &kept, &error), -EINVAL);
}

static void aggregates_are_nanobenchs(void **state)
{
	int64_t ten[] = { 100, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, one[] = { -7 };

	(void)state;
	assert_int_equal(bench_aggregate(ten, 10, 100, BENCH_AVG), 550);
	assert_int_equal(bench_aggregate(ten, 10, 1, BENCH_MEDIAN), 6);
	assert_int_equal(bench_aggregate(ten, 10, 1, BENCH_MIN), 1);
	assert_int_equal(bench_aggregate(ten, 10, 1, BENCH_MAX), 100);
	assert_int_equal(bench_aggregate(one, 1, 100, BENCH_AVG), -700);
}

static void expands_to(const char *text, uint16_t machine, const char *expected)
{
	struct blob to = { 0 };

	assert_int_equal(bench_snippet_expand(text, machine, &to, &error), 0);
	assert_string_equal((const char *)to.bytes, expected);
	blob_free(&to);
}

static void cannot_expand(const char *text, uint16_t machine, const char *why)
{
	struct blob to = { 0 };

	assert_true(bench_snippet_expand(text, machine, &to, &error) < 0);
	assert_non_null(strstr(error.text, why));
	blob_free(&to);
}

static void extensions_are_replaced(void **state)
{
	(void)state;
	expands_to("add rax, 1; |1; |2", EM_X86_64, "add rax, 1; .byte 0x90;; .byte 0x66,0x90;");
	expands_to("3*|nop|; ret", EM_X86_64, "nop;nop;nop;; ret");
	expands_to("0*|x|y", EM_X86_64, "y");
	expands_to("2*|a;b|; 2*|c|", EM_X86_64, "a;b;a;b;; c;c;");
	expands_to("|4", EM_AARCH64, "nop;");
	expands_to("a*b", EM_X86_64, "a*b");
	cannot_expand("|3", EM_AARCH64, "a NOP has 4 bytes");
	cannot_expand("3*|nop", EM_X86_64, "want N*|CODE|");
	cannot_expand("*|nop|", EM_X86_64, "want N*|CODE|");
	cannot_expand("1000001*|nop|", EM_X86_64, "at most");
}

static void nops_have_their_lengths(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 15; n++) {
		struct blob code = { 0 };
		char text[8];

		snprintf(text, sizeof(text), "|%u", n);
		assert_int_equal(bench_snippet_assemble(text, "-asm", EM_X86_64, &code, &error), 0);
		assert_int_equal(code.size, n);
		blob_free(&code);
	}
}

static void the_assembler_makes_code(void **state)
{
	struct blob code = { 0 };

	(void)state;
	assert_int_equal(bench_snippet_assemble("add rax, rbx; jmp 1f; nop; 1: nop", "-asm",
	                                        EM_X86_64, &code, &error),
	                 0);
	assert_int_equal(code.size, 7);
	assert_memory_equal(code.bytes, "\x48\x01\xd8\xeb\x01\x90\x90", 7);
	blob_free(&code);
	code = (struct blob){ 0 };
	assert_int_equal(bench_snippet_assemble("", "-asm", EM_X86_64, &code, &error), 0);
	assert_int_equal(code.size, 0);
	assert_int_equal(bench_snippet_assemble("nop; foo", "-asm_init", EM_X86_64, &code, &error),
	                 -EINVAL);
	assert_string_equal(error.text,
	                    "-asm_init: the assembler refuses it: no such instruction: `foo'");
	assert_int_equal(bench_snippet_assemble("call puts", "-asm", EM_X86_64, &code, &error),
	                 -EINVAL);
	assert_non_null(strstr(error.text, "a symbol that it does not define"));
	blob_free(&code);
	assert_true(bench_snippet_read("/nowhere", &code, &error) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_nanobenchs),
		cmocka_unit_test(options_are_read_by_their_names_and_beginnings),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(aggregates_are_nanobenchs),
		cmocka_unit_test(extensions_are_replaced),
		cmocka_unit_test(nops_have_their_lengths),
		cmocka_unit_test(the_assembler_makes_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
