/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf bench`. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/bench/bench_options.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

enum { KEY_JSON = 256, KEY_LIMIT, KEY_SERVE, KEY_EXEGESIS, KEY_OUTPUT, KEY_USER };

static const struct argp_option argp_options[] = {
	{ "exegesis", KEY_EXEGESIS, "FILE", 0, "run llvm-exegesis's benchmarks (YAML)", 0 },
	{ "output", KEY_OUTPUT, "FILE", 0, "YAML file for --exegesis (standard output)", 0 },
	{ "json", KEY_JSON, NULL, 0, "print all measurements as JSON", 0 },
	{ "limit", KEY_LIMIT, "S", 0, "seconds until a snippet is ended (10)", 0 },
	{ "user", KEY_USER, NULL, 0, "run and count at ring 3 or EL0", 0 },
	{ "serve", KEY_SERVE, NULL, 0, "take JSON requests from standard input", 0 },
	{ 0 },
};

struct all {
	struct bench_options *options;
	struct machine_options *machine;
	bool serve;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct all *all = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = all->machine;
		return 0;
	case KEY_EXEGESIS:
		all->options->exegesis = arg;
		return 0;
	case KEY_OUTPUT:
		all->options->output = arg;
		return 0;
	case KEY_USER:
		all->options->user = true;
		return 0;
	case KEY_JSON:
		all->options->json = true;
		return 0;
	case KEY_LIMIT:
		all->options->limit_ms =
		    (uint32_t)(1000 *
		               argument_amount(state, "--limit", arg, "seconds", 0.001, 86400));
		return 0;
	case KEY_SERVE:
		all->serve = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child argp_children[] = { { &machine_argp, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.children = argp_children,
	.args_doc = "-asm CODE [NANOBENCH'S OPTIONS...] [-- QEMU OPTIONS...]",
	.doc =
	    "Measure a snippet of machine code on a machine without an operating system, by the "
	    "CPU's counters. Without --channel a machine is booted in QEMU.\vnanoBench's options, "
	    "of which a unique beginning is enough: -asm -asm_init -asm_late_init "
	    "-asm_one_time_init CODE; -code -code_init -code_late_init -code_one_time_init FILE; "
	    "-config -msr_config FILE; -fixed_counters; -n_measurements -unroll_count -loop_count "
	    "-warm_up_count -initial_warm_up_count -alignment_offset -code_offset -cpu N; -avg "
	    "-median -min -max -range; -basic_mode -no_mem -no_normalization -remove_empty_events "
	    "-df -cycle_by_cycle -end_to_end -verbose. `man bareperf-bench' explains them. Exit status: 1 the snippet ended "
	    "with an exception or the machine refused it, 125 error, 126 wrong usage.",
};

static _Noreturn void refuse(const char *what)
{
	machine_options_refuse("bareperf bench", what);
}

/* Whether there is something to measure, and one thing alone. */
static void check_code(const struct bench_options *options, bool serve)
{
	bool given = false;

	for (unsigned i = 0; i < BENCH_PARTS; i++)
		given = given || options->assembly[i] || options->files[i];
	if (options->exegesis && given)
		refuse("--exegesis cannot be combined with -asm or -code");
	if (options->exegesis && (serve || options->json))
		refuse("--exegesis cannot be combined with --serve or --json");
	if (options->by_cycle && (options->exegesis || options->json))
		refuse("-cycle_by_cycle cannot be combined with --exegesis or --json");
	if (options->output && !options->exegesis)
		refuse("--output needs --exegesis FILE");
	if (!serve && !options->exegesis && !options->assembly[BENCH_CODE] &&
	    !options->files[BENCH_CODE])
		refuse("there is no code to measure: give -asm CODE or -code FILE");
}

bool bench_options_parse_all(struct bench_options *options, struct machine_options *machine,
                             int argc, char **argv)
{
	char **own = calloc((size_t)argc + 2, sizeof(*own)); /* never freed: argp keeps words */
	struct all all = { options, machine, false };
	struct error error = { "" };
	const char *wrong;
	int words, kept;

	bench_options_init(options);
	if (!own)
		refuse("no memory");
	words = machine_options_divide(machine, argc, argv);
	own[0] = argv[0];
	if (bench_options_parse(options, words - 1, argv + 1, own + 1, &kept, &error))
		refuse(error.text);
	arguments_parse_as(&argp, kept + 1, own, "bareperf bench", 0, RUN_REFUSED, &all);
	wrong = machine_options_check(machine);
	if (wrong)
		refuse(wrong);
	check_code(options, all.serve);
	return all.serve;
}
