/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/bench/bench_cycle.h"
#include "host-tools/bench/bench_measure.h"
#include "host-tools/bench/bench_print.h"
#include "host-tools/util/exit_status.h"

#define MOST_WORDS 256U

static void answer(json_t *object)
{
	if (object)
		json_dumpf(object, stdout, JSON_COMPACT);
	else
		fputs("{\"error\":\"no memory\"}", stdout);
	fputc('\n', stdout);
	fflush(stdout);
	json_decref(object);
}

/* The words of a request; words that stay the request's. -EINVAL: it is none. */
static int take_words(const json_t *request, char **words, int *count, struct error *error)
{
	size_t size = json_array_size(request);

	*count = 0;
	if (!json_is_array(request) || size > MOST_WORDS)
		return error_set(error, -EINVAL,
		                 "want a JSON array of at most %u words, or \"about\"", MOST_WORDS);
	for (size_t i = 0; i < size; i++) {
		const char *word = json_string_value(json_array_get(request, i));

		if (!word)
			return error_set(error, -EINVAL, "word %zu is no string", i);
		words[(*count)++] = (char *)(uintptr_t)word;
	}
	return 0;
}

/* nanoBench's text as a JSON string; without options, what makes figures void. */
static json_t *text_of(const struct bench_measurement *m, const struct bench_options *options)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *string;

	if (!out)
		return NULL;
	if (options)
		bench_print(m, options, out);
	else
		bench_print_noise(m, out);
	fclose(out);
	string = json_stringn(text, size);
	free(text);
	return string;
}

static bool is_void(const struct bench_measurement *m)
{
	unsigned all = 0;

	for (size_t i = 0; i < m->count; i++)
		all |= m->list[i].voids;
	return all;
}

static json_t *failure(int code, const struct error *error)
{
	bool fatal = code != -EINVAL && code != -ECANCELED && code != -E2BIG && code != -ENODEV &&
	             code != -ENOENT;

	return json_pack("{s:s, s:b}", "error", error->text, "fatal", fatal);
}

/* The words at the beginning that are not nanoBench's. Returns their number. */
static int take_own(struct bench_options *options, char **words, int count)
{
	int own = 0;

	for (; own < count; own++) {
		if (!strcmp(words[own], "--json"))
			options->json = true;
		else if (!strcmp(words[own], "--user"))
			options->user = true;
		else
			break;
	}
	return own;
}

/* A measurement cycle by cycle; -EINVAL and so on as of bench_cycles_measure(). */
static int carry_out_cycles(struct bench_link *link, const struct bench_options *options,
                            json_t **object, struct error *error)
{
	struct bench_cycles cycles;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (!out)
		return error_set(error, -ENOMEM, "no memory for the answer");
	code = bench_cycles_measure(&cycles, link, options, error);
	if (!code)
		bench_cycles_print(&cycles, options, out);
	fclose(out);
	if (!code)
		*object = json_pack("{s:o}", "output", json_stringn(text, size));
	bench_cycles_free(&cycles);
	free(text);
	return code;
}

/* *fatal: the machine does not answer any more. */
static json_t *carry_out(struct bench_link *link, const json_t *request,
                         const struct bench_options *session, bool *fatal)
{
	struct bench_measurement m = { 0 };
	struct bench_options options;
	struct error error = { "" };
	char *words[MOST_WORDS];
	json_t *object = NULL;
	int count, kept, own, code;

	bench_options_init(&options);
	options.limit_ms = session->limit_ms;
	options.user = session->user;
	code = take_words(request, words, &count, &error);
	own = code ? 0 : take_own(&options, words, count);
	if (!code)
		code = bench_options_parse(&options, count - own, words + own, NULL, &kept, &error);
	if (!code && options.by_cycle)
		code = carry_out_cycles(link, &options, &object, &error);
	else if (!code)
		code = bench_measure(&m, link, &options, &error);
	if (code)
		object = failure(code, &error);
	else if (options.json && !options.by_cycle)
		object = json_pack("{s:o}", "result", bench_json(&m, &options));
	else if (!options.by_cycle)
		object = json_pack("{s:o}", "output", text_of(&m, &options));
	if (!code && !options.json && is_void(&m))
		json_object_set_new(object, "warning", text_of(&m, NULL));
	*fatal = code && json_is_true(json_object_get(object, "fatal"));
	bench_measure_free(&m);
	return object;
}

/* The machine, without a measurement. */
static json_t *about(struct bench_link *link, bool *fatal)
{
	const struct bench_options options = { .measurements = 1, .unroll = 1 };
	struct bench_measurement m;
	struct error error = { "" };
	int code = bench_measure(&m, link, &options, &error);
	json_t *object = code ? failure(code, &error) : bench_json(&m, &options);

	*fatal = code;
	bench_measure_free(&m);
	return object;
}

int bench_serve(struct bench_link *link, const struct bench_options *options)
{
	char *line = NULL;
	size_t room = 0;
	bool fatal = false;

	while (!fatal && getline(&line, &room, stdin) > 0) {
		json_error_t wrong;
		json_t *request = json_loads(line, JSON_DECODE_ANY, &wrong);
		const char *word = json_string_value(request);

		if (word && !strcmp(word, "about"))
			answer(about(link, &fatal));
		else
			answer(carry_out(link, request, options, &fatal));
		json_decref(request);
	}
	free(line);
	return fatal ? RUN_ERROR : EXIT_OK;
}
