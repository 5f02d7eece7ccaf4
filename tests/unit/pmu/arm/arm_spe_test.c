/* SPDX-License-Identifier: MIT */
/* The SPE driver on a modelled unit: probing, and the registers for an event's terms. */
#include <errno.h>
#include <string.h>

#include "pmu/context.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_spe_rig.h"

static void the_unit_is_probed_owner_first(void **state)
{
	const char *why;

	(void)state;
	assert_int_equal(pmu_arm_spe.probe(&why), 0);
	assert_false(model.read_too_early);
}

static void the_register_that_withholds_the_buffer_is_named(void **state)
{
	static const struct {
		uint64_t el, levels;
		const char *has, *has_not;
	} cases[] = {
		{ 2, 0x1111, "MDCR_EL3.NSPB", "MDCR_EL2" },
		{ 1, 0x1011, "MDCR_EL3.NSPB", "MDCR_EL2" },
		{ 1, 0x0111, "MDCR_EL2.E2PB", "MDCR_EL3" },
		{ 1, 0x1111, "MDCR_EL2.E2PB", NULL },
	};
	const char *why;

	(void)state;
	model.reg[PMBIDR_EL1] |= PMBIDR_P;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		model.reg[CURRENT_EL] = cases[i].el << 2;
		model.reg[ID_AA64PFR0_EL1] = cases[i].levels;
		assert_int_equal(pmu_arm_spe.probe(&why), -EBUSY);
		assert_non_null(strstr(why, cases[i].has));
		assert_true(!cases[i].has_not || !strstr(why, cases[i].has_not));
		assert_int_equal(event_init(&event), -EBUSY);
	}
	assert_false(model.read_too_early);
	model.reg[ID_AA64DFR0_EL1] = 0;
	assert_int_equal(pmu_arm_spe.probe(&why), -ENODEV);
	assert_non_null(strstr(why, "PMSVer"));
}

static void terms_become_registers(void **state)
{
	(void)state;
	describe(7ULL << 32 | 1U << 16 | 7, 5000);
	event.attr.config1 = 0x8a;
	event.attr.config2 = 30;
	event.config3 = 0x20;
	begin(8, 0, false);
	assert_int_equal(model.reg[PMSFCR_EL1], PMSFCR_FE | PMSFCR_FT | PMSFCR_FL | PMSFCR_FNE |
	                                            PMSFCR_B | PMSFCR_LD | PMSFCR_ST);
	assert_int_equal(model.reg[PMSEVFR_EL1], 0x8a);
	assert_int_equal(model.reg[PMSNEVFR_EL1], 0x20);
	assert_int_equal(model.reg[PMSLATFR_EL1], 30);
	assert_int_equal(model.reg[PMSIRR_EL1], 4864 | PMSIRR_RND); /* 19 times 256 */
	assert_int_equal(event.attr.sample_period, 4864);
	assert_int_equal(model.reg[PMSICR_EL1], 0);
	assert_int_equal(model.reg[PMSCR_EL1], PMSCR_E0SPE | PMSCR_ExSPE | PMSCR_CX | PMSCR_PA |
	                                           PMSCR_TS | PCT_PHYS << PMSCR_PCT);
	assert_int_equal(model.reg[PMSCR_EL2], PMSCR_PA | PMSCR_TS | PCT_PHYS << PMSCR_PCT);
	assert_int_equal(model.reg[CONTEXTIDR_EL1], 1);
	event_disable(&event);
	assert_int_equal(model.reg[PMSCR_EL1], 0);
	assert_int_equal(model.reg[PMSCR_EL2], 0);
	assert_int_equal(model.reg[PMBLIMITR_EL1] & PMBLIMITR_E, 0);
	assert_true(model.reg[CONTEXTIDR_EL1] == UNKNOWN);
}

static void nothing_asked_for_filters_nothing(void **state)
{
	(void)state;
	begin(8, 0, false);
	assert_int_equal(model.reg[PMSFCR_EL1], 0);
	assert_int_equal(model.reg[PMSCR_EL1], PMSCR_E0SPE | PMSCR_ExSPE | PMSCR_CX);
	assert_int_equal(model.reg[PMSCR_EL2], 0);
}

/* A CPU with other features, and one without SPE. */
static void on_a_cpu_of_another_kind_the_event_stays_off(void **state)
{
	const uint32_t registers[] = { PMSIDR_EL1, ID_AA64DFR0_EL1 };
	const struct perf_event *failed;
	struct perf_event_context context;

	(void)state;
	begin(8, 0, false);
	event_disable(&event);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t kept = model.reg[registers[i]];

		model.reg[registers[i]] = 0;
		assert_int_equal(context_start(&context, &event, 1, &failed), 0);
		assert_int_equal(event.state, EVENT_OFF);
		poll();
		assert_false(has_buffer());
		context_stop(&context);
		expect_nothing();
		model.reg[registers[i]] = kept;
	}
	assert_int_equal(context_start(&context, &event, 1, &failed), 0);
	assert_int_equal(event.state, EVENT_ACTIVE);
	context_stop(&context);
}

static void a_cpu_with_an_inaccessible_buffer_is_refused(void **state)
{
	(void)state;
	assert_int_equal(event_init(&event), 0);
	model.reg[PMBIDR_EL1] |= PMBIDR_P;
	assert_int_equal(event_enable(&event), -EBUSY);
}

static void modifiers_choose_the_exception_levels(void **state)
{
	static const struct {
		uint64_t flags, el1, el2;
	} cases[] = {
		{ PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV, PMSCR_E0SPE, 0 },
		{ PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_HV, PMSCR_ExSPE, 0 },
		{ PERF_ATTR_EXCLUDE_USER | PERF_ATTR_EXCLUDE_KERNEL, 0, PMSCR_ExSPE },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe(0, 4096);
		event.attr.flags = cases[i].flags;
		begin(8, 0, false);
		assert_int_equal(model.reg[PMSCR_EL1] & 3, cases[i].el1);
		assert_int_equal(model.reg[PMSCR_EL2] & 3, cases[i].el2);
		event_disable(&event);
	}
}

static void without_modifiers_the_traced_codes_levels_are_sampled(void **state)
{
	(void)state;
	begin(8, 0, false);
	assert_int_equal(model.reg[PMSCR_EL1] & 3, PMSCR_E0SPE | PMSCR_ExSPE);
	assert_int_equal(model.reg[PMSCR_EL2] & 3, 0);
	event_disable(&event);
	fake_levels = ARCH_LEVEL_HYPERVISOR;
	describe(0, 4096);
	begin(8, 0, false);
	assert_int_equal(model.reg[PMSCR_EL2] & 3, PMSCR_ExSPE);
	event_disable(&event);
	fake_levels = ARCH_LEVEL_USER | ARCH_LEVEL_KERNEL | ARCH_LEVEL_HYPERVISOR;
}

static void at_el1_the_registers_of_el2_are_left_alone(void **state)
{
	(void)state;
	model.reg[CURRENT_EL] = 1 << 2;
	begin(8, 0, false);
	sample(100);
	event_disable(&event);
	assert_true(model.reg[PMSCR_EL2] == UNKNOWN);
}

static int asked(uint64_t config, uint64_t period, uint64_t events, uint64_t latency)
{
	describe(config, period);
	event.attr.config1 = events;
	event.attr.config2 = latency;
	return event_init(&event);
}

static void refused(int code, int expected, const char *reason)
{
	assert_int_equal(code, expected);
	assert_non_null(event.why);
	assert_non_null(strstr(event.why, reason));
}

static void a_filter_that_the_version_lacks_is_refused(void **state)
{
	static const struct {
		unsigned event, version;
	} first[] = { { 1, 1 },  { 7, 1 },  { 12, 1 }, { 63, 1 }, { 11, 2 }, { 17, 2 },
		      { 18, 2 }, { 6, 3 },  { 2, 5 },  { 4, 5 },  { 8, 5 },  { 10, 5 },
		      { 19, 5 }, { 23, 5 }, { 0, 6 },  { 16, 6 } };

	(void)state;
	for (unsigned version = 1; version <= 5; version++) {
		model.reg[ID_AA64DFR0_EL1] = (uint64_t)version << ID_AA64DFR0_PMSVER;
		for (unsigned i = 0; i < sizeof(first) / sizeof(first[0]); i++)
			assert_int_equal(asked(0, 4096, 1ULL << first[i].event, 0),
			                 version >= first[i].version ? 0 : -EOPNOTSUPP);
		assert_int_equal(asked(1ULL << 35, 4096, 0, 0), version >= 3 ? 0 : -EOPNOTSUPP);
	}
	model.reg[PMSIDR_EL1] = 6 << PMSIDR_MAXSIZE;
	assert_int_equal(asked(0, 4096, 0, 0), 0);
	refused(asked(1ULL << 32, 4096, 0, 0), -EOPNOTSUPP, "PMSIDR_EL1.FT");
	refused(asked(0, 4096, 2, 0), -EOPNOTSUPP, "PMSIDR_EL1.FE");
	refused(asked(0, 4096, 0, 30), -EOPNOTSUPP, "PMSIDR_EL1.FL");
	describe(0, 4096);
	event.config3 = 2;
	refused(event_init(&event), -EOPNOTSUPP, "PMSIDR_EL1.FnE");
	model.reg[ID_AA64DFR0_EL1] = 1ULL << ID_AA64DFR0_PMSVER;
	refused(asked(1ULL << 35, 4096, 0, 0), -EOPNOTSUPP, "discard");
	model.reg[PMSIDR_EL1] |= PMSIDR_FE;
	refused(asked(0, 4096, 1, 0), -EOPNOTSUPP, "PMSVer");
}

/* FEAT_SPE_EFT: PMSFCR_EL1's bits of DDI 0601, each by its term. */
static void kinds_and_masks_are_filters(void **state)
{
	static const struct {
		unsigned term, bit;
		bool extended;
	} kinds[] = { { 32, 16, false }, { 33, 17, false }, { 34, 18, false }, { 36, 48, true },
		      { 37, 49, true },  { 38, 50, true },  { 39, 20, true },  { 40, 52, true },
		      { 41, 19, true },  { 42, 51, true } };

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t term = 1ULL << kinds[i].term;

		model.reg[PMSIDR_EL1] |= PMSIDR_EFT;
		describe(term, 4096);
		begin(8, 0, false);
		assert_true(model.reg[PMSFCR_EL1] == (PMSFCR_FT | 1ULL << kinds[i].bit));
		event_disable(&event);
		model.reg[PMSIDR_EL1] &= ~(uint64_t)PMSIDR_EFT;
		if (kinds[i].extended)
			refused(asked(term, 4096, 0, 0), -EOPNOTSUPP, "PMSIDR_EL1.EFT");
		else
			assert_int_equal(asked(term, 4096, 0, 0), 0);
	}
	assert_int_equal(asked(1ULL << 43, 4096, 0, 0), -EINVAL);
}

/* FEAT_SPE_FDS; the register traps where EL3 or a hypervisor does not allow it. */
static void data_sources_are_left_out(void **state)
{
	(void)state;
	model.reg[PMSDSFR_EL1] = UNKNOWN;
	model.reg[PMSIDR_EL1] |= PMSIDR_FDS;
	describe(0, 4096);
	begin(8, 0, false);
	assert_true(model.reg[PMSDSFR_EL1] == UNKNOWN);
	assert_int_equal(model.reg[PMSFCR_EL1], 0);
	event_disable(&event);
	event.config4 = 1ULL << 63 | 9;
	begin(8, 0, false);
	assert_int_equal(model.reg[PMSFCR_EL1], PMSFCR_FDS);
	assert_true(model.reg[PMSDSFR_EL1] == ~(1ULL << 63 | 9));
	event_disable(&event);
	model.reg[PMSIDR_EL1] &= ~(uint64_t)PMSIDR_FDS;
	refused(event_init(&event), -EOPNOTSUPP, "PMSIDR_EL1.FDS");
	event.config4 = 0;
}

static void an_invalid_config_is_refused(void **state)
{
	(void)state;
	assert_int_equal(asked(1U << 5, 4096, 0, 0), -EINVAL);
	assert_int_equal(asked(0, 4096, 0, 0x1000), -EINVAL);
	refused(asked(0, 255, 0, 0), -EINVAL, "one operation in 256 at most");
	refused(asked(0, 1ULL << 32, 0, 0), -EINVAL, "period too long");
	describe(0, 1000);
	event.attr.flags = PERF_ATTR_FREQ;
	refused(event_init(&event), -EINVAL, "no frequency");
	describe(0, 4096);
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(pmu_arm_spe.setup_aux(&event, spe_area, PAGE), -EINVAL);
}

static void without_a_period_it_is_the_least_that_the_unit_has(void **state)
{
	static const unsigned least[] = { 256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096 };

	(void)state;
	for (unsigned i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		if (!least[i])
			continue;
		model.reg[PMSIDR_EL1] = 0xf | i << PMSIDR_INTERVAL | 6 << PMSIDR_MAXSIZE;
		describe(0, 0);
		assert_int_equal(event_init(&event), 0);
		assert_int_equal(event.attr.sample_period, least[i]);
		assert_int_equal(asked(0, least[i] - 1, 0, 0), -EINVAL);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spe_set_up, spe_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_unit_is_probed_owner_first),
		TEST(the_register_that_withholds_the_buffer_is_named),
		TEST(terms_become_registers),
		TEST(kinds_and_masks_are_filters),
		TEST(data_sources_are_left_out),
		TEST(nothing_asked_for_filters_nothing),
		TEST(on_a_cpu_of_another_kind_the_event_stays_off),
		TEST(a_cpu_with_an_inaccessible_buffer_is_refused),
		TEST(modifiers_choose_the_exception_levels),
		TEST(without_modifiers_the_traced_codes_levels_are_sampled),
		TEST(at_el1_the_registers_of_el2_are_left_alone),
		TEST(a_filter_that_the_version_lacks_is_refused),
		TEST(an_invalid_config_is_refused),
		TEST(without_a_period_it_is_the_least_that_the_unit_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
