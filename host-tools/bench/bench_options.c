/* SPDX-License-Identifier: MIT */
/* nanoBench's options. */
#include "host-tools/bench/bench_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void bench_options_init(struct bench_options *options)
{
	*options = (struct bench_options){
		.measurements = 10, .unroll = 1000, .warm_up = 5, .limit_ms = 10000
	};
}

enum kind { TEXT, NUMBER, SWITCH, AGGREGATE, IGNORED };

/* Where the value goes, and what it may be. */
struct word_option {
	const char *name;
	enum kind kind;
	size_t offset;
	uint32_t least, most; /* of a NUMBER; of an AGGREGATE: least is its value */
};

#define AT(member) offsetof(struct bench_options, member)

static const struct word_option options_[] = {
	{ "asm", TEXT, AT(assembly[BENCH_CODE]), 0, 0 },
	{ "asm_init", TEXT, AT(assembly[BENCH_INIT]), 0, 0 },
	{ "asm_late_init", TEXT, AT(assembly[BENCH_LATE_INIT]), 0, 0 },
	{ "asm_one_time_init", TEXT, AT(assembly[BENCH_ONE_TIME_INIT]), 0, 0 },
	{ "code", TEXT, AT(files[BENCH_CODE]), 0, 0 },
	{ "code_init", TEXT, AT(files[BENCH_INIT]), 0, 0 },
	{ "code_late_init", TEXT, AT(files[BENCH_LATE_INIT]), 0, 0 },
	{ "code_one_time_init", TEXT, AT(files[BENCH_ONE_TIME_INIT]), 0, 0 },
	{ "code_offset", NUMBER, AT(offset), 0, INT32_MAX },
	{ "config", TEXT, AT(config), 0, 0 },
	{ "config_text", TEXT, AT(config_text), 0, 0 },
	{ "msr_config", TEXT, AT(msr_config), 0, 0 },
	{ "msr_config_text", TEXT, AT(msr_config_text), 0, 0 },
	{ "fixed_counters", SWITCH, AT(fixed_counters), 0, 0 },
	{ "n_measurements", NUMBER, AT(measurements), 1, BENCH_MEASUREMENTS },
	{ "unroll_count", NUMBER, AT(unroll), 1, INT32_MAX },
	{ "loop_count", NUMBER, AT(loop), 0, INT32_MAX },
	{ "warm_up_count", NUMBER, AT(warm_up), 0, BENCH_MEASUREMENTS },
	{ "initial_warm_up_count", NUMBER, AT(initial_warm_up), 0, BENCH_MEASUREMENTS },
	{ "alignment_offset", NUMBER, AT(alignment), 0, INT32_MAX },
	{ "avg", AGGREGATE, AT(aggregate), BENCH_AVG, 0 },
	{ "median", AGGREGATE, AT(aggregate), BENCH_MEDIAN, 0 },
	{ "min", AGGREGATE, AT(aggregate), BENCH_MIN, 0 },
	{ "max", AGGREGATE, AT(aggregate), BENCH_MAX, 0 },
	{ "range", SWITCH, AT(range), 0, 0 },
	{ "basic_mode", SWITCH, AT(basic), 0, 0 },
	{ "no_mem", SWITCH, AT(no_mem), 0, 0 },
	{ "no_normalization", SWITCH, AT(no_normalization), 0, 0 },
	{ "remove_empty_events", SWITCH, AT(remove_empty), 0, 0 },
	{ "cycle_by_cycle", SWITCH, AT(by_cycle), 0, 0 },
	{ "end_to_end", SWITCH, AT(end_to_end), 0, 0 },
	{ "df", SWITCH, AT(drain), 0, 0 },
	{ "cpu", NUMBER, AT(cpu), 0, INT32_MAX },
	{ "verbose", SWITCH, AT(verbose), 0, 0 },
	/* nanoBench.sh's, which name the levels that are counted: here all levels are. No shorter
	 * name means them. */
	{ "usr", IGNORED, 0, 0, 1 },
	{ "os", IGNORED, 0, 0, 1 },
};
#define OPTIONS (sizeof(options_) / sizeof(options_[0]))

/* An exact name, or the only name that begins so. A name that all other candidates begin with is
 * preferred: -as is -asm. -n is -n_measurements, as in nanoBench. */
static const struct word_option *find(const char *word, const char **other)
{
	size_t length = strlen(word);
	const struct word_option *found = NULL;

	*other = NULL;
	if (!strcmp(word, "n"))
		word = "n_measurements";
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct word_option *option = &options_[i];

		if (!strcmp(option->name, word)) {
			*other = NULL;
			return option;
		}
		if (option->kind == IGNORED || strncmp(option->name, word, length) != 0)
			continue;
		if (!found)
			found = option;
		else if (strncmp(option->name, found->name, strlen(found->name)) != 0)
			*other = option->name;
	}
	return found;
}

static int set_number(const struct word_option *option, uint32_t *to, const char *text,
                      struct error *error)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (!*text || *end || errno || strchr(text, '-') || value < option->least ||
	    value > option->most)
		return error_set(error, -EINVAL, "-%s %.40s: want a number from %u to %u",
		                 option->name, text, option->least, option->most);
	*to = (uint32_t)value;
	return 0;
}

static int set(struct bench_options *options, const struct word_option *option,
               const char *argument, struct error *error)
{
	void *to = (char *)options + option->offset;
	uint32_t ignored;

	switch (option->kind) {
	case TEXT:
		*(const char **)to = argument;
		return 0;
	case NUMBER:
		return set_number(option, to, argument, error);
	case IGNORED:
		return set_number(option, &ignored, argument, error);
	case SWITCH:
		*(bool *)to = true;
		return 0;
	case AGGREGATE:
		*(enum bench_aggregate *)to = (enum bench_aggregate)option->least;
		return 0;
	}
	return 0;
}

static int check(const struct bench_options *options, struct error *error)
{
	static const char *const names[] = { "", "_init", "_late_init", "_one_time_init" };

	for (unsigned i = 0; i < BENCH_PARTS; i++) {
		if (options->assembly[i] && options->files[i])
			return error_set(error, -EINVAL, "-asm%s and -code%s exclude each other",
			                 names[i], names[i]);
	}
	return 0;
}

static bool is_ours(const char *word)
{
	return word[0] == '-' && word[1] && word[1] != '-';
}

int bench_options_parse(struct bench_options *options, int count, char **words, char **rest,
                        int *kept, struct error *error)
{
	int code = 0;

	*kept = 0;
	for (int i = 0; i < count && !code; i++) {
		const struct word_option *option;
		const char *other;

		if (!is_ours(words[i]) || !strcmp(words[i], "-h")) {
			if (!rest)
				return error_set(error, -EINVAL, "%.60s: this is no option",
				                 words[i]);
			rest[(*kept)++] = words[i];
			continue;
		}
		option = find(words[i] + 1, &other);
		if (!option)
			return error_set(error, -EINVAL, "unknown option %.60s", words[i]);
		if (other)
			return error_set(error, -EINVAL, "%s may be -%s or -%s", words[i],
			                 option->name, other);
		if (option->kind != SWITCH && option->kind != AGGREGATE && ++i == count)
			return error_set(error, -EINVAL, "-%s needs an argument", option->name);
		code = set(options, option, words[i], error);
	}
	return code ? code : check(options, error);
}
