/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/parse/events.h"
#include "pmu/pmu.h"

static const struct pmu_event_name names[] = { { "loads", 0x1cd, NULL }, { NULL, 0, NULL } };
static const struct pmu_format formats[] = {
	{ "event", 0, 0, 7 },        { "umask", 0, 8, 15 }, { "any", 0, 21, 21 },
	{ "min_latency", 2, 0, 11 }, { "whole", 1, 0, 63 }, { "third", 3, 0, 63 },
	{ "fourth", 4, 0, 63 },      { NULL, 0, 0, 0 },
};
static const struct pmu_source unit = {
	.name = "unit", .type = 42, .events = names, .formats = formats
};
static const struct pmu_source with_default = {
	.name = "default", .type = 43, .config = 0x200000, .formats = formats
};

static const struct pmu_format wide[] = { { "event", 0, 0, 11 }, { NULL, 0, 0, 0 } };
static const struct pmu_source theirs = {
	.name = "cpu", .type = PERF_TYPE_RAW, .flags = PMU_RAW, .formats = formats
};
static const struct pmu_source ours = {
	.name = "cpu", .type = PERF_TYPE_RAW, .flags = PMU_RAW, .formats = wide
};
static const struct pmu_source *const sources[] = { &unit, &with_default, NULL };
static const struct event_sources open = { .list = sources };

/* Two vendors' counters, of which the machine has one. */
static bool is_ours(const struct pmu_source *source)
{
	return source == &ours;
}

static const struct pmu_source *const vendor_list[] = { &theirs, &ours, NULL };
static const struct event_sources vendors = { .list = vendor_list, .is_here = is_ours };

static struct event_spec specs[8]; /* the parser may not write to the second half */
static struct parse_error error;

static int parse(const char *text)
{
	return parse_events(text, &open, specs, 4, &error);
}

static void generic_names_are_hardware_events(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles,branch-misses"), 2);
	assert_int_equal(specs[0].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(specs[0].attr.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(specs[1].attr.config, PERF_COUNT_HW_BRANCH_MISSES);
	assert_string_equal(specs[1].name, "branch-misses");
	assert_int_equal(specs[0].attr.size, sizeof(struct perf_event_attr));
}

static void a_source_names_its_own_events(void **state)
{
	(void)state;
	assert_int_equal(parse("loads"), 1);
	assert_int_equal(specs[0].attr.type, 42);
	assert_int_equal(specs[0].attr.config, 0x1cd);
}

static void raw_encodings_are_hexadecimal(void **state)
{
	(void)state;
	assert_int_equal(parse("r20c4"), 1);
	assert_int_equal(specs[0].attr.type, PERF_TYPE_RAW);
	assert_int_equal(specs[0].attr.config, 0x20c4);
	assert_int_equal(parse("r"), -EINVAL);
	assert_int_equal(parse("rxyz"), -EINVAL);
	assert_int_equal(parse("r11111111111111111"), -EINVAL);
}

static void terms_fill_their_bits(void **state)
{
	(void)state;
	assert_int_equal(parse("unit/event=0xc4,umask=0x20,any,min_latency=30/"), 1);
	assert_int_equal(specs[0].attr.type, 42);
	assert_int_equal(specs[0].attr.config, 0xc4 | 0x20 << 8 | 1 << 21);
	assert_int_equal(specs[0].attr.config2, 30);
	assert_int_equal(parse("unit/whole=0xffffffffffffffff/"), 1);
	assert_true(specs[0].attr.config1 == UINT64_MAX);
	assert_int_equal(parse("unit/third=7/"), 1);
	assert_int_equal(specs[0].config3, 7);
	assert_int_equal(parse("unit/fourth=8/"), 1);
	assert_int_equal(specs[0].config3, 0);
	assert_int_equal(specs[0].config4, 8);
	assert_int_equal(parse("unit/config4=9/"), 1);
	assert_int_equal(specs[0].config4, 9);
	assert_int_equal(parse("unit//"), 1);
	assert_int_equal(specs[0].config3, 0);
	assert_int_equal(specs[0].config4, 0);
}

static void a_term_may_have_a_default(void **state)
{
	(void)state;
	assert_int_equal(parse("default//,default/event=3/,default/any=0,event=3/"), 3);
	assert_int_equal(specs[0].attr.config, 0x200000);
	assert_int_equal(specs[1].attr.config, 0x200003);
	assert_int_equal(specs[2].attr.config, 3);
}

static void terms_may_follow_an_empty_list(void **state)
{
	(void)state;
	assert_int_equal(parse("unit//event=7,min_latency=30/,unit//k,unit//"), 3);
	assert_int_equal(specs[0].attr.config, 7);
	assert_int_equal(specs[0].attr.config2, 30);
	assert_int_equal(specs[1].attr.config, 0);
	assert_true(specs[1].attr.flags == (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV));
}

static void a_long_text_makes_a_short_name(void **state)
{
	(void)state;
	assert_int_equal(
	    parse("unit/event=1,umask=2,any=1,min_latency=1234,whole=123456789012345/"), 1);
	assert_int_equal(specs[0].attr.config1, 123456789012345);
	assert_int_equal(strlen(specs[0].name), sizeof(specs[0].name) - 1);
}

static void a_source_may_carry_the_first_s_number(void **state)
{
	(void)state;
	assert_int_equal(parse("unit_0/event=1/,unit_0//"), 2);
	assert_int_equal(specs[1].attr.type, 42);
	assert_string_equal(specs[0].name, "unit_0/event=1/");
	/* another kind's events are not accepted */
	assert_int_equal(parse("unit_1/event=1/"), -EINVAL);
	assert_int_equal(parse("unit_/event=1/"), -EINVAL);
	assert_int_equal(parse("unit0/event=1/"), -EINVAL);
	assert_int_equal(parse("_0/event=1/"), -EINVAL);
}

static void period_and_freq_belong_to_the_event(void **state)
{
	(void)state;
	assert_int_equal(parse("unit/period=1000/,unit/freq=99/"), 2);
	assert_int_equal(specs[0].attr.sample_period, 1000);
	assert_false(specs[0].attr.flags & PERF_ATTR_FREQ);
	assert_int_equal(specs[1].attr.sample_freq, 99);
	assert_int_equal(specs[0].attr.flags, 0);
	assert_int_equal(specs[1].attr.flags, PERF_ATTR_FREQ);
	assert_int_equal(parse("unit/freq=99,period=1000/"), 1); /* the last one counts */
	assert_int_equal(specs[0].attr.flags, 0);
}

static void a_name_replaces_the_written_event(void **state)
{
	(void)state;
	assert_int_equal(parse("unit/config=0x1ff,name=INST_RETIRED.ANY_P:c=1/u,cycles"), 2);
	assert_string_equal(specs[0].name, "INST_RETIRED.ANY_P:c=1");
	assert_int_equal(specs[0].attr.config, 0x1ff);
	assert_true(specs[0].attr.flags & PERF_ATTR_EXCLUDE_KERNEL);
	assert_string_equal(specs[1].name, "cycles");
	assert_int_equal(parse("unit/config1=0x123456789abcdef0,config2=0xfff/"), 1);
	assert_true(specs[0].attr.config1 == 0x123456789abcdef0);
	assert_int_equal(specs[0].attr.config2, 0xfff);
}

static void among_sources_with_one_name_the_present_one_is_chosen(void **state)
{
	(void)state;
	assert_int_equal(parse_events("cpu/event=0xfff/,rfff", &vendors, specs, 4, &error), 2);
	assert_int_equal(specs[0].attr.config, 0xfff);
	assert_int_equal(parse_events("r1000", &vendors, specs, 4, &error), -EINVAL);
	assert_string_equal(error.what, "has bits that this CPU's counters reserve");
}

static void foreign_names_are_recognised_as_foreign(void **state)
{
	static const char *const known[] = { "cycles:u", "loads", "r20c4", "any/thing=1/",
		                             "cycles" };
	static const char *const unknown[] = { "INST_RETIRED.ANY_P", "skl::cycles", "r20cx",
		                               "cyles" };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_true(parse_events_knows(known[i], sources));
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_false(parse_events_knows(unknown[i], sources));
}

/* Perf's own software events have one type, and several sources count them. */
static bool share_an_event(const struct pmu_source *a, const struct pmu_source *b)
{
	if (a->type != b->type || a->type != PERF_TYPE_SOFTWARE)
		return a->type == b->type;
	for (const struct pmu_event_name *i = a->events; i->name; i++) {
		for (const struct pmu_event_name *j = b->events; j->name; j++) {
			if (i->config == j->config)
				return true;
		}
	}
	return false;
}

/* Sources without an add are other names of sources. */
static void no_two_sources_count_one_event(void **state)
{
	(void)state;
	for (const struct pmu_source *const *a = pmu_sources; *a; a++) {
		for (const struct pmu_source *const *b = pmu_sources; b < a; b++)
			assert_true(!share_an_event(*a, *b) || (*a)->type == PERF_TYPE_RAW ||
			            !pmu_of(*a)->add || !pmu_of(*b)->add);
	}
}

static void modifiers_exclude_the_levels_that_are_not_named(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles:u,unit//k"), 2);
	assert_true(specs[0].attr.flags == (PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV));
	assert_true(specs[1].attr.flags == (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV));
}

static void precise_levels_are_counted(void **state)
{
	static const struct {
		const char *text;
		unsigned level;
	} cases[] = { { "cycles", 0 },        { "cycles:p", 1 },      { "cycles:ppk", 2 },
		      { "cycles:ppp", 3 },    { "unit/loads/pp", 2 }, { "{cycles}:p", 1 },
		      { "{cycles:ppp}:p", 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 1);
		assert_int_equal(specs[0].attr.flags >> PERF_ATTR_PRECISE_IP & 3, cases[i].level);
	}
	assert_int_equal(parse("cycles:pppp"), -EINVAL);
}

static void a_sources_own_event_is_a_term(void **state)
{
	(void)state;
	assert_int_equal(parse("unit/loads,min_latency=30/"), 1);
	assert_int_equal(specs[0].attr.type, 42);
	assert_int_equal(specs[0].attr.config, 0x1cd);
	assert_int_equal(specs[0].attr.config2, 30);
	assert_int_equal(parse("unit/loads=1/"), -EINVAL);
}

static void an_error_points_at_its_place(void **state)
{
	static const struct {
		const char *text;
		size_t column;
		const char *what;
	} cases[] = {
		{ "cycles,cyles", 7,
		  "unknown event (a CPU's own names resolve on the host: bareperf list)" },
		{ "", 0, "an event's name is missing" },
		{ "cycles,", 7, "an event's name is missing" },
		{ "cqu/event=1/", 0, "unknown event source" },
		{ "software//", 0, "unknown event source" },
		{ "cycles,bts//", 7,
		  "only x86 has a branch trace store: branch-trace// traces all branches here" },
		{ "cycles,arm_spe/jitter/", 7,
		  "another architecture's event source: `list' shows what there is" },
		{ "unit/evnt=1/", 5, "unknown term of this event source" },
		{ "unit/event=256/", 11, "value does not fit the term" },
		{ "unit/event=/", 11, "not a number of 64 bits" },
		{ "unit/event=99999999999999999999/", 11, "not a number of 64 bits" },
		{ "unit/event=1", 12, "expected ',' or '/'" },
		{ "unit/config=0x400000/", 12, "has bits that this event source reserves" },
		{ "unit/config2=0x1000/", 13, "has bits that this event source reserves" },
		{ "unit/name=/", 10, "a name is missing" },
		{ "unit/name/", 9, "a name is missing" },
		{ "unit/name=0123456789012345678901234567890123456789012345678901234567890123/", 10,
		  "a name is longer than 63 characters" },
		{ "unit/period=0/", 12, "must be more than 0" },
		{ "cycles:x", 7, "unknown modifier (u, k, h, p, S are known)" },
		{ "cycles,cycles,cycles,cycles,cycles", 28, "too many events" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_int_equal(error.at - cases[i].text, cases[i].column);
	}
}

static void braces_make_a_group_of_a_leader_and_its_members(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles,{instructions,unit/event=1,umask=2/u}:kS,loads"), 4);
	assert_int_equal(specs[0].members, 1);
	assert_int_equal(specs[1].members, 2);
	assert_int_equal(specs[2].members, 0);
	assert_int_equal(specs[3].members, 1);
	assert_false(specs[0].sample_read);
	assert_true(specs[1].sample_read && specs[2].sample_read);
	assert_false(specs[3].sample_read);
	assert_string_equal(specs[1].name, "instructions");
	/* The group's modifiers add to the event's own. */
	assert_int_equal(specs[1].attr.flags, PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV);
	assert_int_equal(specs[2].attr.flags, PERF_ATTR_EXCLUDE_HV);
	assert_int_equal(parse("cycles,cycles,cycles,{cycles}:k"), 4); /* up to the last place */
	assert_int_equal(specs[2].attr.flags, 0);
	assert_true(specs[3].attr.flags == (PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV));
	for (unsigned i = 4; i < 8; i++)
		assert_int_equal(specs[i].attr.flags, 0);
	assert_int_equal(parse("{cycles}"), 1);
	assert_int_equal(specs[0].members, 1);
	assert_int_equal(parse("cycles:S"), 1);
	assert_true(specs[0].sample_read);
}

static void groups_that_are_none_are_refused(void **state)
{
	static const struct {
		const char *text, *what;
		unsigned at;
	} cases[] = {
		{ "{cycles,loads", "this group's '}' is missing", 0 },
		{ "loads,{cycles", "this group's '}' is missing", 6 },
		{ "cycles}", "a '}' without its '{'", 6 },
		{ "{}", "an event's name is missing", 1 },
		{ "{cycles,}", "an event's name is missing", 8 },
		{ "{{cycles}}", "an event's name is missing", 1 },
		{ "{cycles}loads", "expected ',' or ':' behind a group", 8 },
		{ "{cycles}:x", "unknown modifier (u, k, h, p, S are known)", 9 },
		{ "{cycles,cycles,cycles,cycles,cycles}", "too many events", 29 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_ptr_equal(error.at, cases[i].text + cases[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_are_hardware_events),
		cmocka_unit_test(a_source_names_its_own_events),
		cmocka_unit_test(raw_encodings_are_hexadecimal),
		cmocka_unit_test(terms_fill_their_bits),
		cmocka_unit_test(a_term_may_have_a_default),
		cmocka_unit_test(terms_may_follow_an_empty_list),
		cmocka_unit_test(a_long_text_makes_a_short_name),
		cmocka_unit_test(a_source_may_carry_the_first_s_number),
		cmocka_unit_test(period_and_freq_belong_to_the_event),
		cmocka_unit_test(a_name_replaces_the_written_event),
		cmocka_unit_test(among_sources_with_one_name_the_present_one_is_chosen),
		cmocka_unit_test(foreign_names_are_recognised_as_foreign),
		cmocka_unit_test(no_two_sources_count_one_event),
		cmocka_unit_test(modifiers_exclude_the_levels_that_are_not_named),
		cmocka_unit_test(precise_levels_are_counted),
		cmocka_unit_test(a_sources_own_event_is_a_term),
		cmocka_unit_test(an_error_points_at_its_place),
		cmocka_unit_test(braces_make_a_group_of_a_leader_and_its_members),
		cmocka_unit_test(groups_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
