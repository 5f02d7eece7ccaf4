/* SPDX-License-Identifier: MIT */
#include "command/command.h"
#include "command/words.h"

static void usage_print_options(const struct command_option *options, command_print_fn print)
{
	for (; options->name; options++)
		print("  %s%s%s%s%s\n      %s\n", options->name, options->alias ? ", " : "",
		      options->alias ? options->alias : "", options->argument ? " " : "",
		      options->argument ? options->argument : "", options->help);
}

void command_print_usage(const struct command_tables *tables, command_print_fn print)
{
	print(
	    "usage: record [OPTIONS] -- WORKLOAD [ARGUMENT]\n"
	    "       stat [OPTIONS] -- WORKLOAD [ARGUMENT]\n"
	    "       selftest [OPTIONS]\n"
	    "       noise [OPTIONS]\n"
	    "       bench --uefi [OPTIONS]\n"
	    "       save [-o FILE]\n"
	    "       record --boot [OPTIONS], or register [record --boot [OPTIONS]] | unregister\n"
	    "       recover | stop | slower N | list | version | help\n\nrecord:\n");
	usage_print_options(record_options, print);
	print("\nstat:\n");
	usage_print_options(stat_options, print);
	print("\nselftest:\n");
	usage_print_options(selftest_options, print);
	print("\nnoise:\n");
	usage_print_options(noise_options, print);
	print("\nbench:\n");
	usage_print_options(bench_options, print);
	print("\nsave (a recording that stayed in RAM, to a volume):\n");
	usage_print_options(save_options, print);
	print("\nevery command:\n");
	usage_print_options(common_options, print);
	print("\nworkloads:\n");
	for (const struct workload_usage *const *w = tables->workloads; *w; w++)
		print("  %s %s\n      %s\n", (*w)->name, (*w)->arguments, (*w)->description);
}
