/* SPDX-License-Identifier: MIT */
#include "agent/selftest/selftest_report.h"

#include <stdarg.h>
#include <string.h>

#include "lib/print.h"
#include "lib/survey/survey_json.h"
#include "lib/survey/survey_text.h"

static const char *const verdict_names[SELFTEST_VERDICTS] = { "PASS", "FAIL", "ABSENT" };

void selftest_say(struct selftest_line *line, enum selftest_verdict verdict, const char *format,
                  ...)
{
	va_list arguments;

	line->verdict = verdict;
	va_start(arguments, format);
	print_text_v(line->text, sizeof(line->text), format, arguments);
	va_end(arguments);
}

void selftest_figure(struct selftest_line *line, const char *name, int64_t value)
{
	if (line->nr_figures < SELFTEST_FIGURES)
		line->figures[line->nr_figures++] = (struct selftest_figure){ name, value };
}

int64_t selftest_figure_of(const struct selftest_line *line, const char *name)
{
	for (unsigned i = 0; i < line->nr_figures; i++)
		if (!strcmp(line->figures[i].name, name))
			return line->figures[i].value;
	return 0;
}

void selftest_add(struct selftest_report *report, const struct selftest_line *line,
                  const char *format, ...)
{
	struct selftest_line *to = &report->lines[report->nr_lines];
	va_list arguments;

	report->verdicts[line->verdict]++;
	if (report->nr_lines == SELFTEST_LINES)
		return;
	report->nr_lines++;
	*to = *line;
	va_start(arguments, format);
	print_text_v(to->check, sizeof(to->check), format, arguments);
	va_end(arguments);
}

void selftest_print_text(const struct selftest_report *report, survey_print_fn print)
{
	for (unsigned i = 0; i < report->nr_lines; i++) {
		const struct selftest_line *line = &report->lines[i];

		print("%-6s  %-26s %s\n", verdict_names[line->verdict], line->check, line->text);
	}
	print("self-test: %u good, %u wrong, %u not there\n", report->verdicts[SELFTEST_PASS],
	      report->verdicts[SELFTEST_FAIL], report->verdicts[SELFTEST_ABSENT]);
	if (report->survey) {
		print("\n");
		survey_text(report->survey, print);
	}
}

static void selftest_print_line(const struct selftest_line *line, survey_print_fn print)
{
	print("{\"check\":");
	survey_json_string(line->check, print);
	print(",\"verdict\":\"%s\",\"text\":", verdict_names[line->verdict]);
	survey_json_string(line->text, print);
	print(",\"figures\":{");
	for (unsigned i = 0; i < line->nr_figures; i++)
		print("%s\"%s\":%ld", i ? "," : "", line->figures[i].name,
		      (long)line->figures[i].value);
	print("}}");
}

void selftest_print_json(const struct selftest_report *report, survey_print_fn print)
{
	print("{\"selftest\":1,\"bareperf\":\"%s\",\"architecture\":\"%s\"", BAREPERF_VERSION,
	      report->architecture);
	print(",\"pass\":%u,\"fail\":%u,\"absent\":%u,\"checks\":[",
	      report->verdicts[SELFTEST_PASS], report->verdicts[SELFTEST_FAIL],
	      report->verdicts[SELFTEST_ABSENT]);
	for (unsigned i = 0; i < report->nr_lines; i++) {
		print("%s", i ? "," : "");
		selftest_print_line(&report->lines[i], print);
	}
	print("]");
	if (report->survey) {
		print(",\"survey\":");
		survey_json(report->survey, print);
	}
	print("}\n");
}
