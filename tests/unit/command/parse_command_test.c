/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "command/command.h"
#include "pmu/pmu.h"
#include "pmu/software/cpu_clock.h"

static const struct workload_usage loop = {
	.name = "loop",
	.arguments = "[N]",
	.description = "",
	.standard = 5,
	.least = 2,
	.most = 1U << 20,
};
static const struct workload_usage nap = { .name = "nap",
	                                   .arguments = "[SECONDS]",
	                                   .description = "",
	                                   .standard = 1500,
	                                   .least = 1,
	                                   .most = 86400 * 1000,
	                                   .unit = 1000 };
static const struct workload_usage program = {
	.name = "program", .arguments = "[WORDS]", .description = "", .takes_words = true
};
static const struct workload_usage image = {
	.name = "*.efi", .arguments = "[WORDS]", .description = "", .takes_words = true
};
static const struct workload_usage *const test_workloads[] = { &loop, &nap, &program, &image,
	                                                       NULL };
static const struct command_tables tables = {
	.version = "test",
	.sources.list = pmu_sources,
	.workloads = test_workloads,
};

static struct command c;
static struct command_error error;

static int parse(const char *text)
{
	return command_parse(&c, text, &tables, &error);
}

static void perfs_own_command_line_is_understood(void **state)
{
	(void)state;
	assert_int_equal(parse("record -e cpu-clock,cycles -c 100000 -g -C 0,2-3 -m 64 -- loop 10"),
	                 0);
	assert_int_equal(c.verb, COMMAND_RECORD);
	assert_int_equal(c.nr_events, 2);
	assert_string_equal(c.events[0].name, "cpu-clock");
	assert_true(c.has_period);
	assert_int_equal(c.period_or_freq, 100000);
	assert_true(c.callchain);
	assert_int_equal(c.cpus[0], 0xd);
	assert_int_equal(c.pages, 64);
	assert_ptr_equal(c.workload, &loop);
	assert_int_equal(c.argument, 10);
}

static void files_are_fetched_of_programs_alone(void **state)
{
	char text[COMMAND_MAX_LENGTH] = "record";

	(void)state;
	assert_int_equal(parse("record --fetch out.db --fetch=\"two words\" -- program --fetch x"),
	                 0);
	assert_int_equal(c.nr_fetch, 2);
	assert_string_equal(c.fetch[0], "out.db");
	assert_string_equal(c.fetch[1], "two words");
	assert_int_equal(parse("stat --fetch log -- program"), 0);
	assert_int_equal(c.nr_fetch, 1);
	assert_int_equal(parse("record --fetch log -- loop"), -EINVAL);
	assert_string_equal(error.what, "a built-in workload has no files to --fetch");
	assert_int_equal(error.column, 22);
	assert_int_equal(parse("record --fetch '' -- program"), -EINVAL);
	assert_string_equal(error.what, "a file has a name");
	for (unsigned i = 0; i < COMMAND_MAX_FILES; i++)
		strcat(text, " --fetch f");
	strcat(text, " -- program");
	assert_int_equal(parse(text), 0);
	assert_int_equal(c.nr_fetch, COMMAND_MAX_FILES);
	assert_int_equal(
	    parse("record --fetch a --fetch a --fetch a --fetch a --fetch a --fetch a "
	          "--fetch a --fetch a --fetch a --fetch a --fetch a --fetch a --fetch "
	          "a --fetch a --fetch a --fetch a --fetch b -- program"),
	    -EINVAL);
	assert_string_equal(error.what, "more than 16 files");
}

static void a_file_of_uefis_is_known_by_its_ending(void **state)
{
	(void)state;
	assert_int_equal(parse("record -- \\tools\\App.EFI one \"two words\" --three"), 0);
	assert_ptr_equal(c.workload, &image);
	assert_int_equal(c.argc, 4);
	assert_string_equal(c.argv[0], "\\tools\\App.EFI");
	assert_string_equal(c.argv[2], "two words");
	assert_int_equal(parse("record -- fs1:x.efi"), 0);
	assert_int_equal(parse("record -m 64 -- x.efi -- \"fs0:\\x\\\" don't ^\"a^^ \"b ^\" c\"d"),
	                 0);
	assert_int_equal(c.argc, 6); /* its words are split by the UEFI shell's rules */
	assert_string_equal(c.argv[1], "--");
	assert_string_equal(c.argv[2], "fs0:\\x\\");
	assert_string_equal(c.argv[3], "don't");
	assert_string_equal(c.argv[4], "\"a^");
	assert_string_equal(c.argv[5], "b \" cd");
	assert_int_equal(parse("record x.efi 'a b'"), 0);
	assert_int_equal(c.argc, 3);
	assert_int_equal(parse("record -- program x.efi 'a b'"), 0);
	assert_int_equal(c.argc, 3);
	assert_string_equal(c.argv[2], "a b");
	assert_int_equal(parse("record -- x.efi one \"two"), -EINVAL);
	assert_string_equal(error.what, "this quote is not closed");
	assert_int_equal(error.column, 20);
	assert_int_equal(parse("record -- .efi"), -EINVAL);
	assert_int_equal(parse("record -- x.efi.old"), -EINVAL);
	assert_int_equal(parse("record -- xefi"), -EINVAL);
}

static void an_argument_may_follow_its_letter(void **state)
{
	(void)state;
	assert_int_equal(parse("record -ecycles,bts// -c4096 -m,64 -S -- loop"), 0);
	assert_string_equal(c.events[0].name, "cycles");
	assert_int_equal(c.period_or_freq, 4096);
	assert_int_equal(c.pages, 0);
	assert_int_equal(c.aux_pages, 64);
	assert_true(c.snapshot);
	assert_int_equal(parse("record -gx -- loop"), -EINVAL); /* -g takes no argument */
	assert_int_equal(parse("record -m,65 -- loop"), -EINVAL);
	assert_int_equal(parse("list -m,64"), -EINVAL);
	assert_int_equal(parse("record -"), -EINVAL);
}

static void an_option_that_is_not_given_has_perfs_default(void **state)
{
	(void)state;
	assert_int_equal(parse("  record \t loop "), 0);
	assert_int_equal(c.nr_events, 0);
	assert_false(c.has_period || c.has_freq);
	assert_int_equal(c.period_or_freq, 4000);
	assert_int_equal(c.pages, 0);
	assert_false(c.callchain);
	assert_int_equal(c.argument, 5);
	assert_int_equal(c.then, THEN_DEFAULT);
}

static void events_of_several_options_add_up(void **state)
{
	(void)state;
	assert_int_equal(parse("record -e cycles -e r1c2 -- loop"), 0);
	assert_int_equal(c.nr_events, 2);
	assert_string_equal(c.events[1].name, "r1c2");
}

static void every_command_may_choose_the_next_step(void **state)
{
	(void)state;
	assert_int_equal(parse("list --then poweroff"), 0);
	assert_int_equal(c.then, THEN_POWEROFF);
	assert_int_equal(parse("list --region-size 64"), 0);
	assert_int_equal(c.region_size, 64 << 20);
	assert_int_equal(parse("record --then wait -- loop"), 0);
	assert_int_equal(c.then, THEN_WAIT);
	assert_int_equal(parse("--help"), 0);
	assert_int_equal(c.verb, COMMAND_HELP);
	assert_int_equal(parse("version"), 0);
	assert_int_equal(c.verb, COMMAND_VERSION);
}

static void the_command_decides_whether_the_firmware_stays(void **state)
{
	(void)state;
	assert_int_equal(parse("record -- loop"), 0);
	assert_false(c.resident || c.exclusive || c.keep);
	assert_int_equal(parse("list --resident"), 0);
	assert_true(c.resident && !c.exclusive && !c.keep);
	assert_int_equal(parse("record --exclusive --then wait -- loop"), 0);
	assert_true(c.exclusive && !c.resident);
	assert_int_equal(parse("stat --keep --resident --then poweroff -- loop"), 0);
	assert_true(c.keep && c.resident);
}

static void a_file_may_be_named(void **state)
{
	(void)state;
	assert_int_equal(parse("record -- loop"), 0);
	assert_null(c.output);
	assert_int_equal(parse("record -o fs1:\\x.data -- loop"), 0);
	assert_string_equal(c.output, "fs1:\\x.data");
	assert_int_equal(parse("save --output=y"), 0);
	assert_int_equal(c.verb, COMMAND_SAVE);
	assert_string_equal(c.output, "y");
}

static void noise_has_rtlas_options(void **state)
{
	(void)state;
	assert_int_equal(parse("noise"), 0);
	assert_int_equal(c.verb, COMMAND_NOISE);
	assert_int_equal(c.duration + c.noise_period + c.noise_threshold, 0);
	assert_int_equal(parse("noise -d 60 --period 250K -T 5 -C 1,3 --json"), 0);
	assert_int_equal(c.duration, 60);
	assert_int_equal(c.noise_period, 250 << 10);
	assert_int_equal(c.noise_threshold, 5);
	assert_int_equal(c.cpus[0], 10);
	assert_true(c.json);
	assert_int_equal(parse("noise --period 99"), -EINVAL);
	assert_int_equal(parse("noise --duration 86401"), -EINVAL);
	assert_int_equal(parse("noise -T 1000001"), -EINVAL);
	assert_int_equal(parse("noise -- loop"), -EINVAL);
}

static void sizes_may_have_a_suffix(void **state)
{
	(void)state;
	assert_int_equal(parse("record -- loop 64K"), 0);
	assert_int_equal(c.argument, 65536);
	assert_int_equal(parse("record --watermark 0x1000 -- loop"), 0);
	assert_int_equal(c.wakeup_watermark, 4096);
}

static void an_argument_with_a_unit_has_decimals(void **state)
{
	static const struct {
		const char *text;
		uint64_t argument;
	} cases[] = {
		{ "record nap", 1500 },
		{ "record nap 2", 2000 },
		{ "record nap 0.25", 250 },
		{ "record nap 0.001", 1 },
		{ "record nap 1.5", 1500 },
		{ "record nap 10.", 10000 },
		{ "record nap 86400.0", 86400000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 0);
		assert_int_equal(c.argument, cases[i].argument);
	}
}

static const struct {
	const char *text, *what;
	unsigned column;
} mistakes[] = {
	{ "", "a command is missing", 0 },
	{ "recrod -- loop",
	  "unknown command: record, stat, stop, slower, save, list, recover, register, "
	  "unregister, selftest, noise, version or help",
	  0 },
	{ "record --boot -- loop", "with --boot the firmware is the workload", 17 },
	{ "record --boot -a", "of a boot the boot CPU alone is recorded", 14 },
	{ "record --boot --then poweroff", "the firmware boots on: nothing comes afterwards", 14 },
	{ "register list", "only record --boot can be registered", 9 },
	{ "register record --boot -x", "unknown option", 23 },
	{ "unregister record", "unexpected argument", 11 },
	{ "slower", "how many times as seldom?", 0 },
	{ "slower 0", "number is too small", 7 },
	{ "slower 1000001", "number is too large", 7 },
	{ "slower 4 5", "unexpected argument", 9 },
	{ "record -x -- loop", "unknown option", 7 },
	{ "list -g", "unknown option", 5 },
	{ "list now", "unexpected argument", 5 },
	{ "record -e", "this option needs an argument", 7 },
	{ "record -e cycles,cyles -- loop",
	  "unknown event (a CPU's own names resolve on the host: bareperf list)", 17 },
	{ "record -c 10 -F 10 -- loop", "-c and -F exclude each other", 13 },
	{ "record -a -C 1 -- loop", "-a and -C exclude each other", 10 },
	{ "record --watermark 64 --wakeup-events 1 -- loop",
	  "--wakeup-events and --watermark exclude each other", 22 },
	{ "record -e bts// -S --aux-watermark 4096 -- loop",
	  "a snapshot wakes nobody by the AUX area: no --aux-watermark", 19 },
	{ "record --overwrite --watermark 64 -- loop",
	  "an overwritable ring is read at the end: it wakes nobody", 19 },
	{ "record --wakeup-events 1 --overwrite -- loop",
	  "an overwritable ring is read at the end: it wakes nobody", 25 },
	{ "record -e bts// --overwrite -- loop",
	  "the records about an AUX area must stay: use -S for its newest part", 16 },
	{ "record -- loop -g", "options go before the workload", 15 },
	{ "record -e bts -- loop", "an event source: slashes are missing, as in bts//", 10 },
	{ "record -c 0 -- loop", "number is too small", 10 },
	{ "record -c 1x -- loop", "not a whole number of 64 bits", 10 },
	{ "record -m 3 -- loop", "must be a power of two", 10 },
	{ "record -m 8,3 -- loop", "must be a power of two", 12 },
	{ "record -m 8, -- loop", "not a whole number of 64 bits", 12 },
	{ "record -m 8,8,8 -- loop", "not a whole number of 64 bits", 12 },
	{ "record -C 0-999 -- loop", "no such CPU", 10 },
	{ "record -C 1, -- loop", "not a list of CPUs (0,2-3)", 12 },
	{ "record --call-graph dwarf -- loop", "want fp (frame pointers) or lbr (branch records)",
	  20 },
	{ "record --region-size 1 -- loop", "number is too small", 21 },
	{ "record --then sleep -- loop", "want poweroff, reboot or wait", 14 },
	{ "record -g", "a workload is missing behind --", 7 },
	{ "record -- lop", "unknown workload (help lists them)", 10 },
	{ "record -- loop 1", "number is too small", 15 },
	{ "record -- loop 2M", "number is too large", 15 },
	{ "record -- loop 99999999999G", "number is too large", 15 },
	{ "record -- loop 2 3", "one argument too many", 17 },
	{ "record -- loop 2.5", "not a whole number of 64 bits", 15 },
	{ "record -- nap 1.0001", "too many decimals", 14 },
	{ "record -- nap 1.0s", "not a number", 14 },
	{ "record -- nap 1K", "not a number", 14 },
	{ "record -- nap .5", "not a number", 14 },
	{ "record -- nap 0.000", "number is too small", 14 },
	{ "record -- nap 86400.001", "number is too large", 14 },
	{ "record -- nap 18446744073709551.615", "number is too large", 14 },
	{ "record -- nap 18446744073709551.616", "number is too large", 14 },
	{ "record -- nap 18446744073709552", "number is too large", 14 },
};

static void an_error_names_the_reason_and_the_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		assert_int_equal(parse(mistakes[i].text), -EINVAL);
		assert_string_equal(error.what, mistakes[i].what);
		assert_int_equal(error.column, mistakes[i].column);
	}
}

static void the_firmware_cannot_both_stay_and_go(void **state)
{
	static const char never_full[] = "an overwritable ring is never full, so nothing waits";
	static const char nobody[] = "in resident mode there is no reader to wait for";
	static const struct {
		const char *text, *what;
		unsigned column;
	} cases[] = {
		{ "record --resident --exclusive -- loop",
		  "--resident and --exclusive exclude each other", 18 },
		{ "list --exclusive --keep",
		  "the machine stays ours: it is not given back to the firmware", 17 },
		{ "list --then wait --resident",
		  "the machine stays ours: it is not given back to the firmware", 17 },
		{ "record --keep --then wait -- loop",
		  "the machine stays ours: it is not given back to the firmware", 7 },
		{ "record -o x --exclusive -- loop", "a file is written where the firmware goes on",
		  12 },
		{ "record --then wait -o x -- loop", "a file is written where the firmware goes on",
		  7 },
		{ "record --lossless --lossless=cpu -- loop",
		  "--lossless and --lossless=cpu exclude each other", 18 },
		{ "record --lossless=freeze --lossless -- loop",
		  "--lossless=freeze is --lossless, and more", 25 },
		{ "record --lossless=cpu --lossless=freeze -- loop",
		  "the clock stops only if all CPUs stall", 22 },
		{ "record --boot --lossless=freeze -- loop", nobody, 14 },
		{ "record --overwrite --lossless=cpu -- loop", never_full, 19 },
		{ "record -e bts// -S --lossless -- loop", never_full, 19 },
		{ "record --lossless --max-sample-rate 5 -- loop",
		  "with --lossless no event is throttled", 18 },
		{ "record --lossless --resident -- loop", nobody, 18 },
		{ "record --keep --lossless=cpu -- loop", nobody, 14 },
		{ "record -o x --lossless -- loop", nobody, 12 },
		{ "stat --lossless -- loop", "unknown option", 5 },
		{ "record --lossless=all -- loop", "unknown option", 7 },
		{ "save --exclusive", "a file is written where the firmware goes on", 5 },
		{ "save --then wait", "a file is written where the firmware goes on", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_int_equal(error.column, cases[i].column);
	}
}

/* An option that is known, but has no effect in the command. */
static void an_option_that_means_nothing_is_refused(void **state)
{
	static const char samples[] = "nothing is sampled: what is recorded fills an AUX area";
	static const char period[] = "there is no period: every one is recorded";
	static const char aux[] = "there is no AUX area: no event here fills one";
	static const char stat[] = "stat takes no samples: no period, freq or :S";
	static const struct {
		const char *text, *what;
		unsigned column;
	} cases[] = {
		{ "record -e branch-step// -F 100 -- loop", samples, 24 },
		{ "record -e arm_spe//,bts// -- loop",
		  "a CPU has one AUX area: record these one after the other", 7 },
		{ "record -e arm_spe// -g -- loop", samples, 20 },
		{ "record -e bts// --call-graph fp -- loop", samples, 16 },
		{ "record -e bts// --wakeup-events 4 -- loop", samples, 16 },
		{ "record -e bts// --max-sample-rate 4 -- loop", samples, 16 },
		{ "record -e bts// -c 4 -- loop", period, 16 },
		{ "record -e branch-trace/period=4/ -- loop", period, 23 },
		{ "record -e cycles -m 8,8 -- loop", aux, 17 },
		{ "record -S -- loop", aux, 7 },
		{ "record --aux-watermark 4096 -e cycles -- loop", aux, 7 },
		{ "stat -e bts// -- loop", "it fills an AUX area, and counts nothing", 5 },
		{ "stat -e {cycles,instructions}:S -- loop", stat, 5 },
		{ "stat -e cpu/event=1,period=7/ -- loop", stat, 5 },
	};
	static const char *const sensible[] = {
		"record -e bts//,cycles -F 100 -g --max-sample-rate 5 -- loop",
		"record -e arm_spe// -c 4096 -m ,64 --aux-watermark 4096 -- loop",
		"record -e branch-step// -S -m 8,8 --watermark 64 -- loop",
		"record -g -F 100 -- loop",
		"record --max-sample-rate 0 -- loop", /* without a limit */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_int_equal(error.column, cases[i].column);
	}
	for (size_t i = 0; i < sizeof(sensible) / sizeof(sensible[0]); i++)
		assert_int_equal(parse(sensible[i]), 0);
}

static void the_nearest_name_is_suggested(void **state)
{
	static const struct {
		const char *text, *meant;
	} cases[] = {
		{ "recrod -- loop", "record" },
		{ "record --cuont 5 -- loop", "--count" },
		{ "stat --all-cpu -- loop", "--all-cpus" },
		{ "list --than=wait", "--then" },
		{ "record -e cyles -- loop", "cycles" },
		{ "record -e cpu-clok -- loop", "cpu-clock" },
		{ "record -e INSTRUCTION -- loop", "instructions" },
		{ "record -e barnch-step// -- loop", "branch-step" },
		{ "record -e cpu/evnet=1/ -- loop", "event" },
		{ "record -e cpu/frq=1/ -- loop", "freq" },
		{ "record -- lopo", "loop" },
		{ "record -- prog", "program" },
		{ "record -- something", NULL },
		{ "record -x -- loop", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		if (cases[i].meant)
			assert_string_equal(error.meant, cases[i].meant);
		else
			assert_null(error.meant);
	}
}

static void the_workload_and_all_behind_it_are_not_the_commands(void **state)
{
	static const struct {
		const char *words[8];
		unsigned count, own;
	} cases[] = {
		{ { "record", "-e", "cycles", "-g", "--", "program", "--then", "x" }, 8, 4 },
		{ { "record", "-m,64", "program", "-e", "--then", "poweroff" }, 6, 2 },
		{ { "record", "--event=cycles", "-c", "5", "program" }, 5, 4 },
		{ { "record", "--event", "--" }, 3, 3 },
		{ { "record", "-e" }, 2, 2 },
		{ { "list", "--then", "wait" }, 3, 3 },
		{ { "list" }, 1, 1 },
		{ { "" }, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(command_own_words(cases[i].words, cases[i].count), cases[i].own);
	assert_int_equal(parse("record -e cycles program 1 --then poweroff -- x"), 0);
	assert_int_equal(c.then, THEN_DEFAULT);
	assert_int_equal(c.argc, 6);
	assert_string_equal(c.argv[2], "--then");
	assert_int_equal(parse("record --event=cycles --then=poweroff -- program -- x"), 0);
	assert_int_equal(c.then, THEN_POWEROFF);
	assert_int_equal(c.argc, 3);
	assert_string_equal(c.argv[1], "--");
}

static void a_command_is_known_by_its_first_word(void **state)
{
	(void)state;
	assert_true(command_is_named("record -e cycles"));
	assert_true(command_is_named("list"));
	assert_true(command_is_named("stat\t-a"));
	assert_false(command_is_named("recorder"));
	assert_false(command_is_named("rec"));
	assert_false(command_is_named(" record"));
	assert_false(command_is_named(""));
}

static void a_wrong_letter_in_four_is_a_mistake_and_more_is_another_word(void **state)
{
	(void)state;
	assert_true(command_is_meant("record -e cycles") && command_is_meant("-h"));
	assert_true(command_is_meant("recrod -e cycles") && command_is_meant("lst"));
	assert_true(command_is_meant("sefltets"));
	assert_false(command_is_meant("quiet splash") || command_is_meant("test"));
	assert_false(command_is_meant("ro root=/dev/sda1") || command_is_meant("record-player"));
	assert_false(command_is_meant("") || command_is_meant(" "));
}

static void words_are_quoted_as_in_a_shell(void **state)
{
	(void)state;
	assert_int_equal(parse("record -- program 'two words' \"it's\" a\\ b '' x'y 'z"), 0);
	assert_int_equal(c.argc, 6);
	assert_string_equal(c.argv[1], "two words");
	assert_string_equal(c.argv[2], "it's");
	assert_string_equal(c.argv[3], "a b");
	assert_string_equal(c.argv[4], "");
	assert_string_equal(c.argv[5], "xy z");
	assert_int_equal(parse("record -- program \"a\\\"b\\\\c\\d\" 'e\\\\f' \\'"), 0);
	assert_string_equal(c.argv[1], "a\"b\\c\\d");
	assert_string_equal(c.argv[2], "e\\\\f");
	assert_string_equal(c.argv[3], "'");
	assert_int_equal(parse("record -- program \"\\$a\\`\" \\$a"), 0);
	assert_string_equal(c.argv[1], "$a`");
	assert_string_equal(c.argv[2], "\\$a");
}

static void a_path_of_uefis_keeps_its_backslashes(void **state)
{
	(void)state;
	assert_int_equal(parse("record -o \\dir\\perf.data -- program"), 0);
	assert_string_equal(c.output, "\\dir\\perf.data");
	assert_int_equal(parse("record -- program \\"), 0);
	assert_string_equal(c.argv[1], "\\");
}

static void a_quote_that_is_not_closed_is_refused_where_it_is(void **state)
{
	(void)state;
	assert_int_equal(parse("record -- program it's"), -EINVAL);
	assert_string_equal(error.what, "this quote is not closed");
	assert_int_equal(error.column, 20);
	assert_int_equal(parse("record -- program \"a\\\""), -EINVAL);
	assert_int_equal(error.column, 18);
	assert_int_equal(parse("\""), -EINVAL);
}

static void any_length_and_number_of_words_is_survived(void **state)
{
	char text[COMMAND_MAX_LENGTH + 2];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse(text), -EINVAL);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 2 ? ' ' : 'x';
	text[COMMAND_MAX_LENGTH] = '\0';
	assert_int_equal(parse(text), -EINVAL);
	assert_string_equal(error.what, "too many words");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfs_own_command_line_is_understood),
		cmocka_unit_test(files_are_fetched_of_programs_alone),
		cmocka_unit_test(a_file_of_uefis_is_known_by_its_ending),
		cmocka_unit_test(an_argument_may_follow_its_letter),
		cmocka_unit_test(an_option_that_is_not_given_has_perfs_default),
		cmocka_unit_test(events_of_several_options_add_up),
		cmocka_unit_test(every_command_may_choose_the_next_step),
		cmocka_unit_test(the_command_decides_whether_the_firmware_stays),
		cmocka_unit_test(a_file_may_be_named),
		cmocka_unit_test(noise_has_rtlas_options),
		cmocka_unit_test(sizes_may_have_a_suffix),
		cmocka_unit_test(an_argument_with_a_unit_has_decimals),
		cmocka_unit_test(an_error_names_the_reason_and_the_column),
		cmocka_unit_test(the_firmware_cannot_both_stay_and_go),
		cmocka_unit_test(an_option_that_means_nothing_is_refused),
		cmocka_unit_test(the_nearest_name_is_suggested),
		cmocka_unit_test(a_command_is_known_by_its_first_word),
		cmocka_unit_test(a_wrong_letter_in_four_is_a_mistake_and_more_is_another_word),
		cmocka_unit_test(the_workload_and_all_behind_it_are_not_the_commands),
		cmocka_unit_test(words_are_quoted_as_in_a_shell),
		cmocka_unit_test(a_path_of_uefis_keeps_its_backslashes),
		cmocka_unit_test(a_quote_that_is_not_closed_is_refused_where_it_is),
		cmocka_unit_test(any_length_and_number_of_words_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
