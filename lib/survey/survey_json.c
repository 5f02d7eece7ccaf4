/* SPDX-License-Identifier: MIT */
#include "lib/survey/survey_json.h"

#include "lib/survey/survey_shape.h"

void survey_json_string(const char *text, survey_print_fn print)
{
	print("\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			print("\\%c", *text);
		else
			print("%c", *text >= ' ' && *text <= '~' ? *text : '?');
	}
	print("\"");
}

static void survey_json_text(const char *name, const char *text, survey_print_fn print)
{
	print("\"%s\":", name);
	survey_json_string(text, print);
	print(",");
}

static void survey_json_machine(const struct survey *s, survey_print_fn print)
{
	survey_json_text("vendor", s->vendor, print);
	survey_json_text("model", s->model, print);
	survey_json_text("firmware", s->firmware, print);
	if (*s->hypervisor)
		survey_json_text("hypervisor", s->hypervisor, print);
	if (*s->emulator)
		survey_json_text("emulator", s->emulator, print);
	print("\"signature\":%lu,\"hz\":%lu,\"cpus\":%u", (unsigned long)s->signature,
	      (unsigned long)s->hz, s->cpus);
}

/* Row a has the pairs of CPU a + 1 with each lower CPU. */
static void survey_json_map(const struct survey *s, survey_print_fn print)
{
	struct survey_level levels[SURVEY_LEVELS];
	unsigned n = survey_levels(s, levels);

	print(",\"core_to_core_ps\":[");
	for (unsigned a = 1; a < s->cpus; a++) {
		for (unsigned b = 0; b < a; b++)
			print("%s%lu",
			      b       ? ","
			      : a > 1 ? ",["
			              : "[",
			      (unsigned long)s->pairs[survey_pair(a, b)]);
		print("]");
	}
	print("],\"levels\":[");
	for (unsigned i = 0; i < n; i++)
		print("%s{\"pairs\":%u,\"min_ps\":%lu,\"median_ps\":%lu,\"max_ps\":%lu}",
		      i ? "," : "", levels[i].pairs, (unsigned long)levels[i].min,
		      (unsigned long)levels[i].median, (unsigned long)levels[i].max);
	print("]");
}

static void survey_json_points(const char *name, const struct survey_point *points, unsigned count,
                               survey_print_fn print)
{
	print(",\"%s\":[", name);
	for (unsigned i = 0; i < count; i++)
		print("%s{\"bytes\":%lu,\"ps\":%lu}", i ? "," : "", (unsigned long)points[i].bytes,
		      (unsigned long)points[i].ps);
	print("]");
}

static void survey_json_memory(const struct survey *s, survey_print_fn print)
{
	struct survey_point steps[SURVEY_STEPS];
	unsigned n = survey_steps(s, steps);

	survey_json_points("ladder", s->points, s->nr_points, print);
	survey_json_points("steps", steps, n, print);
	print(",\"read_mbs\":[");
	for (unsigned i = 0; i < s->cpus; i++)
		print("%s%u", i ? "," : "", s->cpu[i].read_mbs);
	print("],\"all_read_mbs\":%u", s->all_mbs);
}

static void survey_json_spread(const char *name, const struct survey_spread *spread,
                               survey_print_fn print)
{
	print("\"%s\":{\"min\":%lu,\"p10\":%lu,\"median\":%lu,\"p90\":%lu,\"max\":%lu},", name,
	      (unsigned long)spread->min, (unsigned long)spread->p10, (unsigned long)spread->median,
	      (unsigned long)spread->p90, (unsigned long)spread->max);
}

static void survey_json_interrupts(const struct survey *s, survey_print_fn print)
{
	print(",\"interrupts\":{\"count\":%u,", s->skid.count);
	survey_json_spread("skid_events", &s->skid, print);
	survey_json_spread("late_ns", &s->late, print);
	print("\"histogram\":[");
	for (unsigned i = 0; i < SURVEY_BUCKETS; i++)
		print("%s%u", i ? "," : "", s->histogram[i]);
	print("]}");
}

static void survey_json_clocks(const struct survey *s, survey_print_fn print)
{
	print(",\"clocks\":[");
	for (unsigned i = 0; i < s->cpus; i++)
		print("%s{\"offset_ns\":%ld,\"error_ns\":%lu,\"drift_ppb\":%ld}", i ? "," : "",
		      (long)s->cpu[i].offset, (unsigned long)s->cpu[i].error,
		      (long)s->cpu[i].drift);
	print("]");
}

static void survey_json_noise(const struct survey *s, survey_print_fn print)
{
	print(",\"noise\":{\"threshold_ns\":%lu,\"period_ns\":%lu,\"has_smi\":%s,\"cpus\":[",
	      (unsigned long)s->threshold, (unsigned long)s->period, s->has_smi ? "true" : "false");
	for (unsigned i = 0; i < s->cpus; i++) {
		const struct survey_noise *n = &s->cpu[i].noise;

		print(
		    "%s{\"periods\":%u,\"runtime_ns\":%lu,\"noise_ns\":%lu,\"max_noise_ns\":%lu,"
		    "\"max_single_ns\":%lu,\"hw\":%u,\"nmi\":%u,\"smi\":%u,\"max_smi_ns\":%lu}",
		    i ? "," : "", n->periods, (unsigned long)n->runtime, (unsigned long)n->noise,
		    (unsigned long)n->max_noise, (unsigned long)n->max_single, n->hw, n->nmi,
		    n->smi, (unsigned long)n->max_smi);
	}
	print("]}");
}

void survey_json(const struct survey *s, survey_print_fn print)
{
	print("{");
	survey_json_machine(s, print);
	survey_json_map(s, print);
	survey_json_memory(s, print);
	survey_json_clocks(s, print);
	survey_json_interrupts(s, print);
	survey_json_noise(s, print);
	print("}");
}

void survey_json_of_noise(const struct survey *s, survey_print_fn print)
{
	print("{");
	survey_json_text("bareperf", s->producer, print);
	survey_json_text("architecture", s->architecture, print);
	survey_json_machine(s, print);
	survey_json_noise(s, print);
	print("}\n");
}
