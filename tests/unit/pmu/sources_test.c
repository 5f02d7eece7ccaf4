/* SPDX-License-Identifier: MIT */
/* The names of each event source's events and config fields: users type them, and perf has them in
 * sysfs' format/ directories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "abi/event_types.h"
#include "pmu/pmu.h"

/* For each kind of Intel's CPUs */
#define INTEL_TERMS         \
	"\tevent 0:0-7\n"   \
	"\tumask 0:8-15\n"  \
	"\tedge 0:18-18\n"  \
	"\tany 0:21-21\n"   \
	"\tinv 0:23-23\n"   \
	"\tcmask 0:24-31\n" \
	"\tldlat 1:0-15\n"  \
	"\tmem-loads=1cd\n" \
	"\tmem-stores=82d0\n"

/* name, type, PMU_* flags; its terms: word of config, lowest and highest bit; its events */
static const char expected[] = "cpu 4 12\n" INTEL_TERMS "cpu_core b 10\n" INTEL_TERMS
                               "cpu_atom a 10\n" INTEL_TERMS
                               "ibs_op d 10\n"
                               "\tcnt_ctl 0:19-19\n"
                               "\tl3missonly 0:16-16\n"
                               "\tldlat 1:0-11\n"
                               "\tswfilt 2:0-0\n"
                               "ibs_fetch c 10\n"
                               "\trand_en 0:57-57\n"
                               "\tl3missonly 0:59-59\n"
                               "\tswfilt 2:0-0\n"
                               "cpu 4 2\n"
                               "\tevent 0:0-7\n"
                               "\tevent 0:32-35\n"
                               "\tumask 0:8-15\n"
                               "\tedge 0:18-18\n"
                               "\tinv 0:23-23\n"
                               "\tcmask 0:24-31\n"
                               "armv8_pmuv3 8 2\n"
                               "\tevent 0:0-15\n"
                               "\tlong 1:0-0\n"
                               "\tthreshold 1:5-16\n"
                               "\tthreshold_compare 1:3-4\n"
                               "\tthreshold_count 1:2-2\n"
                               "\tmidr 2:0-31\n"
                               "arm_spe 9 1\n"
                               "\tts_enable 0:0-0\n"
                               "\tpa_enable 0:1-1\n"
                               "\tpct_enable 0:2-2\n"
                               "\tjitter 0:16-16\n"
                               "\tbranch_filter 0:32-32\n"
                               "\tload_filter 0:33-33\n"
                               "\tstore_filter 0:34-34\n"
                               "\tdiscard 0:35-35\n"
                               "\tbranch_filter_mask 0:36-36\n"
                               "\tload_filter_mask 0:37-37\n"
                               "\tstore_filter_mask 0:38-38\n"
                               "\tsimd_filter 0:39-39\n"
                               "\tsimd_filter_mask 0:40-40\n"
                               "\tfloat_filter 0:41-41\n"
                               "\tfloat_filter_mask 0:42-42\n"
                               "\tevent_filter 1:0-63\n"
                               "\tmin_latency 2:0-11\n"
                               "\tinv_event_filter 3:0-63\n"
                               "\tinv_data_src_filter 4:0-63\n"
                               "bts 64 5\n"
                               "branch-step 65 5\n"
                               "branch-trace 64 5\n"
                               "branch-trace 65 5\n"
                               "cpu-clock 1 0\n"
                               "\tcpu-clock=0\n"
                               "marks 1 c\n"
                               "\tmarks=a\n";

static void tables_equal_their_documentation(void **state)
{
	static char text[16384];
	size_t used = 0;

	(void)state;
	for (const struct pmu_source *const *s = pmu_sources; *s; s++) {
		const struct pmu_format *f = (*s)->formats;
		const struct pmu_event_name *e = (*s)->events;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %x %x\n", (*s)->name,
		                         (*s)->type, (*s)->flags);
		for (; f && f->term; f++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
			                         "\t%s %u:%u-%u\n", f->term, f->word, f->low,
			                         f->high);
		for (; e && e->name; e++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "\t%s=%llx\n",
			                         e->name, (unsigned long long)e->config);
	}
	assert_string_equal(text, expected);
}

/* A recording names its types by this table, on hosts without an image. */
static void each_type_is_called_as_its_first_source_is(void **state)
{
	static const struct event_type_name names[] = { EVENT_TYPE_NAMES };
	const size_t count = sizeof(names) / sizeof(names[0]);

	(void)state;
	for (const struct pmu_source *const *s = pmu_sources; *s; s++) {
		size_t i = 0;

		if (pmu_of_type((*s)->type) != *s || (*s)->type == PERF_TYPE_SOFTWARE)
			continue;
		while (i < count && names[i].type != (*s)->type)
			i++;
		assert_true(i < count);
		assert_string_equal(names[i].source, (*s)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_equal_their_documentation),
		cmocka_unit_test(each_type_is_called_as_its_first_source_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
