/* SPDX-License-Identifier: MIT */
/* Other CPUs' event names, resolved on a host with another CPU. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/events/event_names.h"
#include "host-tools/events/pfm.h"
#include "pmu/pmu.h"

static const struct event_cpu skylake = { EM_X86_64, "GenuineIntel", 0x506e3, NULL };
static const struct event_cpu neoverse = { EM_AARCH64, "Arm", 0x413fd0c1, NULL };
static const struct event_cpu nameless_arm = { EM_AARCH64, "Arm", 0x414fd0b1, NULL };
static const struct event_cpu nameless_x86 = { EM_X86_64, "GenuineIntel", 0xb0671, NULL };

static struct error error;

static void assert_resolved(const struct event_cpu *cpu, const char *list, const char *expected)
{
	struct blob text = { 0 };

	memset(&error, 0, sizeof(error));
	if (event_names_resolve(&text, list, pmu_sources, cpu, &error))
		fail_msg("%s: %s", list, error.text);
	blob_add(&text, "", 1);
	assert_string_equal((const char *)text.bytes, expected);
	blob_free(&text);
}

static void assert_refused(const struct event_cpu *cpu, const char *list, int code,
                           const char *reason)
{
	struct blob text = { 0 };

	assert_int_equal(event_names_resolve(&text, list, pmu_sources, cpu, &error), code);
	if (!strstr(error.text, reason))
		fail_msg("%s: %s", list, error.text);
	blob_free(&text);
}

static void names_become_encodings_and_stay_names(void **state)
{
	(void)state;
	assert_resolved(&skylake, "INST_RETIRED.ANY_P", "cpu/config=0xc0,name=INST_RETIRED.ANY_P/");
	assert_resolved(&skylake, "br_inst_retired:near_taken",
	                "cpu/config=0x20c4,name=br_inst_retired:near_taken/");
	assert_resolved(&neoverse, "INST_RETIRED,BR_RETIRED:u",
	                "armv8_pmuv3/config=0x8,name=INST_RETIRED/,"
	                "armv8_pmuv3/config=0x21,name=BR_RETIRED:u/u");
}

static void names_that_the_image_knows_stay(void **state)
{
	static const char list[] = "cycles:k,{r20c4,cpu/event=0xc4,umask=0x20/u}:S,cpu-clock";

	(void)state;
	assert_false(event_names_any(list, pmu_sources));
	assert_resolved(&skylake, list, list);
	assert_true(event_names_any("{cycles,INST_RETIRED:ANY_P}:S", pmu_sources));
	assert_resolved(&skylake, "{cycles,INST_RETIRED:ANY_P}:S",
	                "{cycles,cpu/config=0xc0,name=INST_RETIRED:ANY_P/}:S");
}

static void attributes_and_modifiers_of_both_kinds_count(void **state)
{
	(void)state;
	assert_resolved(&skylake, "INST_RETIRED:ANY_P:c=1:i=1:k",
	                "cpu/config=0x18000c0,name=INST_RETIRED:ANY_P:c=1:i=1:k/k");
	assert_resolved(&skylake, "INST_RETIRED:ANY_P:u=1",
	                "cpu/config=0xc0,name=INST_RETIRED:ANY_P:u=1/u");
	assert_resolved(&skylake, "INST_RETIRED:ANY_P:uk",
	                "cpu/config=0xc0,name=INST_RETIRED:ANY_P:uk/uk");
	assert_resolved(&skylake, "INST_RETIRED:ANY_P:period=5000",
	                "cpu/config=0xc0,period=5000,name=INST_RETIRED:ANY_P:period=5000/");
	assert_resolved(&neoverse, "INST_RETIRED:h=1",
	                "armv8_pmuv3/config=0x8,name=INST_RETIRED:h=1/h");
}

static void an_event_without_levels_counts_at_all(void **state)
{
	struct pfm_encoding encoding;

	(void)state;
	assert_int_equal(pfm_encode("skl::INST_RETIRED:ANY_P", &encoding, &error), 0);
	assert_true(encoding.user && encoding.kernel);
	assert_int_equal(pfm_encode("skl::INST_RETIRED:ANY_P:u", &encoding, &error), 0);
	assert_true(encoding.user && !encoding.kernel);
}

static void a_prefix_names_the_pmu_of_an_event(void **state)
{
	(void)state;
	assert_resolved(&nameless_x86,
	                "nhm::INST_RETIRED:ANY_P,amd64_fam17h_zen2::RETIRED_INSTRUCTIONS",
	                "cpu/config=0xc0,name=nhm::INST_RETIRED:ANY_P/,"
	                "cpu/config=0xc0,name=amd64_fam17h_zen2::RETIRED_INSTRUCTIONS/");
}

static void arms_common_events_need_no_table_of_the_cpu(void **state)
{
	(void)state;
	assert_resolved(&nameless_arm, "BR_RETIRED", "armv8_pmuv3/config=0x21,name=BR_RETIRED/");
	assert_refused(&nameless_arm, "ASE_INST_SPEC", -ENOENT, "no list of this CPU's own events");
}

/* Neoverse N1's own event, on a machine that may have other CPUs as well. */
static void a_makers_event_is_counted_on_that_makers_cpus(void **state)
{
	(void)state;
	assert_resolved(&neoverse, "L1D_CACHE_RD:u",
	                "armv8_pmuv3/config=0x40,midr=0x413fd0c1,name=L1D_CACHE_RD:u/u");
	assert_resolved(&neoverse, "arm_n1::L1D_CACHE_RD",
	                "armv8_pmuv3/config=0x40,name=arm_n1::L1D_CACHE_RD/");
}

static void an_unresolved_name_is_reported_with_a_remedy(void **state)
{
	(void)state;
	assert_refused(&skylake, "INST_RETIERD", -ENOENT, "bareperf list --pmu skl");
	assert_refused(&skylake, "INST_RETIRED:NONE", -EINVAL, "attribute");
	assert_refused(&skylake, "MEM_LOAD_RETIRED", -EINVAL, "unit mask");
	assert_refused(&skylake, "OFFCORE_RESPONSE_0:DMND_DATA_RD", -EINVAL, "second register");
	assert_refused(&skylake, "INST_RETIRED:ANY_P:cpu=3", -EINVAL, "say -C");
	assert_refused(&skylake, "INST_RETIRED:ANY_P:cpu=3", -EINVAL,
	               "event skl::INST_RETIRED:ANY_P:cpu=3 names a CPU");
	assert_refused(&skylake, "INST_RETIRED%s", -ENOENT, "INST_RETIRED%s");
	assert_refused(&skylake, "INST_RETIRED:ANY_P:precise=1", -EINVAL, "precise");
	assert_refused(&nameless_x86, "INST_RETIRED:ANY_P", -ENOENT, "signature 0xb0671");
	assert_refused(&skylake,
	               "skl::INST_RETIRED:ANY_P:c=00000000000000000000000000000000000000001:i=1",
	               -EINVAL, "longer than 63");
}

static void assert_known(uint16_t machine, const char *vendor, uint32_t signature, const char *as)
{
	const struct event_cpu cpu = { machine, vendor, signature, NULL };
	const char *pmu = event_pmu_of(&cpu);

	if (!as != !pmu || (as && strcmp(pmu, as) != 0))
		fail_msg("%s 0x%x is %s, not %s", vendor, signature, pmu ? pmu : "unknown",
		         as ? as : "unknown");
}

/* CPUID.01H:EAX of some CPUs, and libpfm4's names for them. */
static const struct {
	const char *pmu;
	uint32_t signatures[7];
} intel[] = {
	{ "core", { 0x6f6, 0x10676, 0x106d1 } },
	{ "atom", { 0x106c2, 0x20661, 0x20670, 0x30650, 0x30661 } },
	{ "nhm", { 0x106a5, 0x106e5, 0x106f0 } },
	{ "nhm_ex", { 0x206e6 } },
	{ "wsm", { 0x20652 } },
	{ "wsm_dp", { 0x206c2, 0x206f2 } },
	{ "snb", { 0x206a7 } },
	{ "snb_ep", { 0x206d7 } },
	{ "ivb", { 0x306a9 } },
	{ "ivb_ep", { 0x306e4 } },
	{ "hsw", { 0x306c3, 0x40651, 0x40661 } },
	{ "hsw_ep", { 0x306f2 } },
	{ "bdw", { 0x306d4, 0x40671 } },
	{ "bdw_ep", { 0x406f1, 0x50662 } },
	{ "slm", { 0x30678, 0x406c3, 0x406d8 } },
	{ "glm", { 0x506c9, 0x506f1 } },
	{ "tmt", { 0x80665, 0x90661 } },
	{ "skl", { 0x406e3, 0x506e3, 0x806ea, 0x906ea, 0xa0653, 0xa0660 } },
	{ "skx", { 0x50650, 0x50654 } },
	{ "clx", { 0x50655, 0x50657 } },
	{ "icl", { 0x606c1, 0x706d0, 0x706e5, 0x806c1, 0x806d1, 0x906d0, 0xa0671 } },
	{ "icx", { 0x606a6 } },
	{ "spr", { 0x806f8 } },
	{ "knl", { 0x50671 } },
	{ "knm", { 0x80650 } },
	{ NULL, { 0xf29, 0x6d8, 0xb0671 } }, /* Pentium 4, Pentium M, Raptor Lake */
};

/* The signatures are CPUID's of the table above, and values of MIDR_EL1. */
static void cpus_are_known_by_their_signatures(void **state)
{
	static const struct {
		const char *pmu;
		uint32_t midr;
	} arm[] = {
		{ "arm_ac53", 0x410fd034 },
		{ "arm_ac57", 0x411fd073 },
		{ "arm_n1", 0x413fd0c1 },
		{ "arm_v1", 0x411fd401 },
		{ "arm_n2", 0x410fd490 },
		{ "arm_v2", 0x410fd4f0 },
		{ "arm_thunderx2", 0x420f5160 },
		{ "arm_thunderx2", 0x431f0af1 },
		{ "arm_a64fx", 0x461f0010 },
		{ "arm_kunpeng", 0x481fd010 },
		{ "arm_xgene", 0x500f0000 },
		{ NULL, 0x000f0510 }, /* QEMU's max */
		{ NULL, 0x420fd034 },
		{ NULL, 0x410f5160 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]); i++) {
		for (size_t j = 0; j < 7 && intel[i].signatures[j]; j++)
			assert_known(EM_X86_64, "GenuineIntel", intel[i].signatures[j],
			             intel[i].pmu);
	}
	for (size_t i = 0; i < sizeof(arm) / sizeof(arm[0]); i++)
		assert_known(EM_AARCH64, "Arm", arm[i].midr, arm[i].pmu);
	assert_known(EM_X86_64, "CentaurHauls", 0x506e3, NULL);
	assert_known(EM_386, "GenuineIntel", 0x506e3, NULL);
}

/* AMD's models in ranges: each name holds from this model up to the next one in the list. */
static void amds_cpus_are_known_by_family_and_range_of_models(void **state)
{
	static const struct {
		unsigned family, from;
		const char *pmu;
	} rows[] = {
		{ 0x0f, 0, NULL },
		{ 0x10, 0, NULL },
		{ 0x10, 2, "amd64_fam10h_barcelona" },
		{ 0x10, 3, NULL },
		{ 0x10, 4, "amd64_fam10h_shanghai" },
		{ 0x10, 7, NULL },
		{ 0x10, 8, "amd64_fam10h_istanbul" },
		{ 0x10, 11, NULL },
		{ 0x11, 0, "amd64_fam11h_turion" },
		{ 0x12, 0, "amd64_fam12h_llano" },
		{ 0x13, 0, NULL },
		{ 0x14, 0, "amd64_fam14h_bobcat" },
		{ 0x15, 0, "amd64_fam15h_interlagos" },
		{ 0x16, 0, "amd64_fam16h" },
		{ 0x17, 0, "amd64_fam17h_zen1" },
		{ 0x17, 0x30, "amd64_fam17h_zen2" },
		{ 0x18, 0, NULL },
		{ 0x19, 0, "amd64_fam19h_zen3" },
		{ 0x19, 0x10, "amd64_fam19h_zen4" },
		{ 0x19, 0x20, "amd64_fam19h_zen3" },
		{ 0x19, 0x60, "amd64_fam19h_zen4" },
		{ 0x19, 0xb0, NULL },
		{ 0x1a, 0, NULL },
	};
	size_t row = 0;

	(void)state;
	for (unsigned i = 0xf00; i < 0x1b00; i++) {
		unsigned family = i >> 8, model = i & 0xff;

		if (row + 1 < sizeof(rows) / sizeof(rows[0]) && rows[row + 1].family == family &&
		    rows[row + 1].from == model)
			row++;
		assert_known(EM_X86_64, "AuthenticAMD",
		             (family - 15) << 20 | (model & 0xf0) << 12 | 15 << 8 |
		                 (model & 0xf) << 4,
		             rows[row].pmu);
	}
	assert_int_equal(row, sizeof(rows) / sizeof(rows[0]) - 1);
}

static void ignore(void *context, const char *name, const char *description)
{
	(void)name;
	(void)description;
	++*(unsigned *)context;
}

/* Every x86 model of every family up to 1fH. */
static void every_pmu_that_a_signature_gives_has_a_table(void **state)
{
	static const char *const vendors[] = { "GenuineIntel", "AuthenticAMD" };
	const char *last = NULL;
	unsigned pmus = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * 0x2000; i++) {
		unsigned family = i >> 8 & 0x1f, model = i & 0xff, events = 0;
		struct event_cpu cpu = { .machine = EM_X86_64, .vendor = vendors[i >> 13] };
		const char *pmu;

		cpu.signature = (model & 0xf) << 4 | (model & 0xf0) << 12;
		cpu.signature |= family < 15 ? family << 8 : 15 << 8 | (family - 15) << 20;
		pmu = event_pmu_of(&cpu);
		if (!pmu || pmu == last)
			continue;
		last = pmu;
		pmus++;
		assert_int_equal(pfm_list(pmu, ignore, &events, &error), 0);
		assert_true(events > 10);
	}
	assert_true(pmus > 40);
}

static void assert_masked(const char *list, const char *expected)
{
	struct blob text = { 0 };

	event_names_mask(&text, list, pmu_sources, EM_X86_64);
	blob_add(&text, "", 1);
	assert_string_equal((const char *)text.bytes, expected);
	blob_free(&text);
}

static void before_there_is_a_machine_some_cpus_names_are_masked(void **state)
{
	(void)state;
	assert_masked("{cycles,INST_RETIRED.ANY_P:u}:S", "{cycles,r00000000000000000:u}:S");
	assert_masked("skl::INST_RETIRED:ANY_P,bts//", "r0000000000000000000000,bts//");
	/* Another machine's PMU, a unit mask that does not exist, and an unknown event. */
	assert_masked("arm_n1::INST_RETIRED_NOT", "arm_n1::INST_RETIRED_NOT");
	assert_masked("INST_RETIRED.ANY_Q", "INST_RETIRED.ANY_Q");
	assert_masked("cyles,bts,x", "cyles,bts,x");
}

static void assert_suggested(const char *list, uint16_t machine, const char *expected)
{
	struct blob text = { 0 };

	event_names_suggest(&text, list, machine);
	blob_add(&text, "", 1);
	assert_string_equal((const char *)text.bytes, expected);
	blob_free(&text);
}

static void a_name_that_is_near_to_some_cpus_is_offered(void **state)
{
	(void)state;
	assert_suggested("BR_INST_RETIRED.NEAR_TAKN:u", EM_X86_64, "BR_INST_RETIRED:NEAR_TAKEN");
	assert_suggested("skl::BR_INST_RETIRD:NEAR_TAKEN,cycles", EM_X86_64,
	                 "skl::BR_INST_RETIRED:NEAR_TAKEN");
	assert_suggested("BR_RETIERD", EM_AARCH64, "BR_RETIRED");
	assert_suggested("arm_n0::BR_RETIRED", EM_AARCH64, "");
	assert_suggested("NOTHING_AT_ALL_OF_THE_KIND", EM_X86_64, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_there_is_a_machine_some_cpus_names_are_masked),
		cmocka_unit_test(a_name_that_is_near_to_some_cpus_is_offered),
		cmocka_unit_test(names_become_encodings_and_stay_names),
		cmocka_unit_test(names_that_the_image_knows_stay),
		cmocka_unit_test(attributes_and_modifiers_of_both_kinds_count),
		cmocka_unit_test(an_event_without_levels_counts_at_all),
		cmocka_unit_test(a_prefix_names_the_pmu_of_an_event),
		cmocka_unit_test(arms_common_events_need_no_table_of_the_cpu),
		cmocka_unit_test(a_makers_event_is_counted_on_that_makers_cpus),
		cmocka_unit_test(an_unresolved_name_is_reported_with_a_remedy),
		cmocka_unit_test(cpus_are_known_by_their_signatures),
		cmocka_unit_test(amds_cpus_are_known_by_family_and_range_of_models),
		cmocka_unit_test(every_pmu_that_a_signature_gives_has_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
