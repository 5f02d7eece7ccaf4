/* SPDX-License-Identifier: MIT */
#include "agent/bench/services_report.h"

#include "lib/print.h"
#include "lib/survey/survey_json.h"

#define PS       1000000000000ULL /* in a second */
#define ERRORBIT (1ULL << 63)     /* of EFI_STATUS: UEFI 2.10, appendix D */

/* Print thousandths of a unit with so many digits behind the point. */
static void services_fixed(char *text, size_t size, uint64_t thousandths, unsigned digits)
{
	uint64_t rest = thousandths % 1000;

	for (unsigned i = digits; i < 3; i++)
		rest /= 10;
	print_text(text, size, "%lu.%0*lu", (unsigned long)(thousandths / 1000), (int)digits,
	           (unsigned long)rest);
}

static uint64_t services_ps(const struct services_report *report, uint64_t ticks)
{
	return services_scale(ticks, PS, report->frequency ? report->frequency : 1);
}

static uint64_t services_mean_ps(const struct services_report *report,
                                 const struct services_figures *f)
{
	return services_scale(f->sum, PS, (report->frequency ? report->frequency : 1) * f->calls);
}

/* ---- Text ---- */

static void services_text_ns(uint64_t ps, survey_print_fn print)
{
	char text[32];

	services_fixed(text, sizeof(text), ps, 1);
	print(" %11s", text);
}

static void services_text_row(const struct services_report *report,
                              const struct services_result *result, survey_print_fn print)
{
	const struct services_figures *t = &result->ticks, *n = &result->instructions;
	char name[64];

	print_text(name, sizeof(name), "%s%s%s%s", result->of->service,
	           *result->of->detail ? " (" : "", result->of->detail,
	           *result->of->detail ? ")" : "");
	print("%-38s", name);
	if (result->status) {
		print(" not measured: the firmware reports error %lu\n",
		      (unsigned long)(result->status & ~ERRORBIT));
		return;
	}
	print(" %6lu", (unsigned long)t->calls);
	services_text_ns(services_ps(report, t->min), print);
	services_text_ns(services_ps(report, t->median), print);
	services_text_ns(services_mean_ps(report, t), print);
	services_text_ns(services_ps(report, t->p99), print);
	services_text_ns(services_ps(report, t->max), print);
	if (report->counts)
		print(" %9lu %9lu %9lu", (unsigned long)n->min, (unsigned long)n->median,
		      (unsigned long)n->max);
	print("\n");
}

static void services_text_left(const struct services_report *report, survey_print_fn print)
{
	const struct services_left *left = &report->left;

	if (left->handles || left->pages)
		print("the firmware has %ld handles and %ld pages more than before\n",
		      (long)left->handles, (long)left->pages);
	else
		print("the firmware has the same number of handles and pages as before\n");
}

void services_report_text(const struct services_report *report,
                          const struct services_machine *machine, survey_print_fn print)
{
	print("bareperf %s: UEFI services of %s, revision 0x%x (UEFI %u.%u), on %s, %s\n",
	      BAREPERF_VERSION, machine->firmware, machine->revision, machine->uefi >> 16,
	      (machine->uefi & 0xffff) / 10, machine->architecture, machine->cpu);
	print("ns by a clock of %lu kHz; instructions%s%s\n",
	      (unsigned long)(report->frequency / 1000), report->counts ? " by a counter" : ": ",
	      report->counts ? "" : report->why);
	print("%-38s %6s %11s %11s %11s %11s %11s", "service", "calls", "min ns", "median", "mean",
	      "p99", "max");
	if (report->counts)
		print(" %9s %9s %9s", "min instr", "median", "max");
	print("\n");
	for (unsigned i = 0; i < report->count; i++)
		services_text_row(report, &report->results[i], print);
	services_text_left(report, print);
}

/* ---- JSON ---- */

static void services_json_string(const char *name, const char *text, survey_print_fn print)
{
	print("\"%s\":", name);
	survey_json_string(text, print);
	print(",");
}

static void services_json_ns(const struct services_report *report, const struct services_figures *f,
                             survey_print_fn print)
{
	const struct {
		const char *name;
		uint64_t ps;
	} all[] = {
		{ "min", services_ps(report, f->min) },
		{ "p25", services_ps(report, f->p25) },
		{ "median", services_ps(report, f->median) },
		{ "p75", services_ps(report, f->p75) },
		{ "p99", services_ps(report, f->p99) },
		{ "max", services_ps(report, f->max) },
		{ "mean", services_mean_ps(report, f) },
	};

	print(",\"ns\":{");
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char text[32];

		services_fixed(text, sizeof(text), all[i].ps, 3);
		print("%s\"%s\":%s", i ? "," : "", all[i].name, text);
	}
	print("}");
}

static void services_json_instructions(const struct services_figures *f, survey_print_fn print)
{
	char mean[32];

	services_fixed(mean, sizeof(mean), services_scale(f->sum, 1000, f->calls), 3);
	print(
	    ",\"instructions\":{\"min\":%lu,\"p25\":%lu,\"median\":%lu,\"p75\":%lu,\"p99\":%lu,"
	    "\"max\":%lu,\"mean\":%s}",
	    (unsigned long)f->min, (unsigned long)f->p25, (unsigned long)f->median,
	    (unsigned long)f->p75, (unsigned long)f->p99, (unsigned long)f->max, mean);
}

static void services_json_row(const struct services_report *report,
                              const struct services_result *result, survey_print_fn print)
{
	print("{");
	services_json_string("service", result->of->service, print);
	services_json_string("detail", result->of->detail, print);
	if (result->status) {
		print("\"error\":%lu}", (unsigned long)(result->status & ~ERRORBIT));
		return;
	}
	print("\"calls\":%lu", (unsigned long)result->ticks.calls);
	services_json_ns(report, &result->ticks, print);
	if (report->counts)
		services_json_instructions(&result->instructions, print);
	print("}");
}

void services_report_json(const struct services_report *report,
                          const struct services_machine *machine, survey_print_fn print)
{
	print("{\"uefi_services\":1,");
	services_json_string("bareperf", BAREPERF_VERSION, print);
	services_json_string("architecture", machine->architecture, print);
	services_json_string("cpu", machine->cpu, print);
	services_json_string("firmware", machine->firmware, print);
	print("\"revision\":%u,\"uefi\":%u,\"hz\":%lu,\"counts_instructions\":%s,\"services\":[",
	      machine->revision, machine->uefi, (unsigned long)report->frequency,
	      report->counts ? "true" : "false");
	for (unsigned i = 0; i < report->count; i++) {
		print("%s", i ? "," : "");
		services_json_row(report, &report->results[i], print);
	}
	print("],\"left\":{\"handles\":%ld,\"pages\":%ld,\"level\":%lu}}\n",
	      (long)report->left.handles, (long)report->left.pages,
	      (unsigned long)report->left.level);
}
