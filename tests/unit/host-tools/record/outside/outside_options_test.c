/* SPDX-License-Identifier: MIT */
/* `run --outside`: the words that are its own, and what QEMU's options mean for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/outside.h"
#include "host-tools/record/outside/outside.h"
#include "host-tools/record/outside/outside_options.h"

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static int count(const char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

static const char *other(const char *const *words)
{
	return outside_other_accelerator((char *const *)(uintptr_t)words, count(words));
}

static bool one_thread(const char *const *words)
{
	return outside_has_one_thread("aarch64", (char *const *)(uintptr_t)words, count(words));
}

static void parse(struct outside_options *options, const char *const *words)
{
	outside_options_parse(options, count(words), (char **)(uintptr_t)words);
}

static void perfs_letters_are_the_levels(void **state)
{
	(void)state;
	assert_int_equal(outside_event_levels("instructions"), OUTSIDE_LEVELS);
	assert_int_equal(outside_event_levels("instructions:u"), OUTSIDE_USER);
	assert_int_equal(outside_event_levels("instructions:k"), OUTSIDE_KERNEL);
	assert_int_equal(outside_event_levels("instructions:hk"),
	                 OUTSIDE_HYPERVISOR | OUTSIDE_KERNEL);
	assert_int_equal(outside_event_levels("instructions:"), 0);
	assert_int_equal(outside_event_levels("instructions:p"), 0);
	assert_int_equal(outside_event_levels("instructionsk"), 0);
	assert_int_equal(outside_event_levels("cycles"), 0);
}

static void an_accelerator_other_than_tcg_is_found(void **state)
{
	(void)state;
	assert_string_equal(other(WORDS("-m", "1G", "-enable-kvm")), "-enable-kvm");
	assert_string_equal(other(WORDS("-accel", "kvm")), "kvm");
	assert_string_equal(other(WORDS("--accel", "hvf")), "hvf");
	assert_string_equal(other(WORDS("-machine", "virt,accel=kvm:tcg")), "virt,accel=kvm:tcg");
	assert_string_equal(other(WORDS("-M", "accel=tcg:kvm")), "accel=tcg:kvm");
	assert_null(other(WORDS("-accel", "tcg")));
	assert_null(other(WORDS("-accel", "tcg,thread=single")));
	assert_null(other(WORDS("-M", "virt,accel=tcg,highmem=off")));
	assert_null(other(WORDS("-M", "virt", "-name", "kvm")));
	assert_null(other(WORDS("-accel")));
}

static void icount_and_a_single_thread_are_found(void **state)
{
	(void)state;
	assert_true(one_thread(WORDS("-icount", "shift=0")));
	assert_true(one_thread(WORDS("-accel", "tcg,thread=single")));
	assert_false(one_thread(WORDS("-accel", "tcg,thread=multi")));
	assert_false(one_thread(WORDS("-name", "thread=single")));
}

static void the_words_behind_the_dashes_are_qemus(void **state)
{
	struct outside_options options;

	(void)state;
	parse(&options, WORDS("run", "--outside", "-c", "5000", "-g", "--", "-M", "virt", "-g"));
	assert_int_equal(options.period, 5000);
	assert_int_equal(options.callers, OUTSIDE_CALLERS_ANY);
	assert_string_equal(options.program, "qemu-system-x86_64");
	assert_int_equal(options.qemu_option_count, 3);
	assert_string_equal(options.qemu_options[0], "-M");
	assert_string_equal(options.output.path, "perf.data");
}

static void a_whole_command_line_names_its_qemu(void **state)
{
	struct outside_options options;

	(void)state;
	parse(&options, WORDS("run", "--outside", "--", "/opt/bin/qemu-system-aarch64", "-S"));
	assert_string_equal(options.program, "/opt/bin/qemu-system-aarch64");
	assert_string_equal(options.arch, "aarch64");
	assert_int_equal(options.qemu_option_count, 1);
	parse(&options, WORDS("run", "--outside", "--qemu", "./mine", "-a", "aarch64", "--", "-S"));
	assert_int_equal(options.period, 1000003); /* a prime, which no loop's length divides */
	assert_string_equal(options.program, "./mine");
	assert_string_equal(options.arch, "aarch64");
}

static void the_option_is_ours_only_before_the_dashes(void **state)
{
	const char *const ours[] = { "run", "-v", "--outside", "--", "-S", NULL };
	const char *const theirs[] = { "run", "--", "--outside", NULL };

	(void)state;
	assert_true(outside_is_meant(5, (char **)(uintptr_t)ours));
	assert_false(outside_is_meant(3, (char **)(uintptr_t)theirs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfs_letters_are_the_levels),
		cmocka_unit_test(an_accelerator_other_than_tcg_is_found),
		cmocka_unit_test(icount_and_a_single_thread_are_found),
		cmocka_unit_test(the_words_behind_the_dashes_are_qemus),
		cmocka_unit_test(a_whole_command_line_names_its_qemu),
		cmocka_unit_test(the_option_is_ours_only_before_the_dashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
