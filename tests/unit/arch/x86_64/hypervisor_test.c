/* SPDX-License-Identifier: MIT */
/* The names and clock rates that hypervisors report, made as their documentation describes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "abi/trace_region.h"
#include "arch/x86_64/hypervisor.h"

#define THERE (1U << 31)

/* The machine's CPUID leaves: all others are 0. */
static struct {
	bool is_there;
	const char *signature, *second; /* signatures at 40000000H and 40000100H */
	uint32_t last, first_features, second_features;
	struct cpuid timing, hyperv;
	uint64_t msr_tsc, msr_apic;
	unsigned msr_reads;
} model;

static struct cpuid block(uint32_t last, const char *signature)
{
	struct cpuid id = { .eax = last };

	if (signature) {
		char bytes[13] = { 0 };

		strncpy(bytes, signature, 12);
		memcpy(&id.ebx, bytes, 4);
		memcpy(&id.ecx, bytes + 4, 4);
		memcpy(&id.edx, bytes + 8, 4);
	}
	return id;
}

static struct cpuid model_cpuid(uint32_t leaf, uint32_t subleaf)
{
	const struct cpuid features = { .ecx = model.is_there ? THERE : ~THERE };

	assert_int_equal(subleaf, 0);
	switch (leaf) {
	case 1:
		return features;
	case 0x40000000:
		return block(model.last, model.signature);
	case 0x40000001:
		return (struct cpuid){ .eax = model.first_features };
	case 0x40000101:
		return (struct cpuid){ .eax = model.second_features };
	case 0x40000003:
		return model.hyperv;
	case 0x40000010:
		return model.timing;
	case 0x40000100:
		return block(0x40000101, model.second);
	default:
		return (struct cpuid){ 0 };
	}
}

static uint64_t model_rdmsr(uint32_t msr)
{
	model.msr_reads++;
	assert_true(msr == 0x40000022 || msr == 0x40000023);
	return msr == 0x40000022 ? model.msr_tsc : model.msr_apic;
}

static const struct hypervisor_access access = { model_cpuid, model_rdmsr };

static void expect_name(const char *signature, const char *second, const char *expected)
{
	char name[ARCH_HYPERVISOR] = "before";

	model.is_there = true;
	model.signature = signature;
	model.second = second;
	hypervisor_name(&access, name);
	assert_string_equal(name, expected);
}

static void a_machine_without_a_hypervisor_has_no_name(void **state)
{
	char name[ARCH_HYPERVISOR] = "before";
	struct clock_rates rates;

	(void)state;
	memset(&model, 0, sizeof(model));
	model.signature = "KVMKVMKVM";
	model.last = 0x40000010;
	model.timing = (struct cpuid){ 2000000, 1000000, 0, 0 };
	hypervisor_name(&access, name);
	assert_string_equal(name, "");
	assert_false(hypervisor_rates(&access, &rates));
}

static void each_known_hypervisor_has_its_name(void **state)
{
	(void)state;
	memset(&model, 0, sizeof(model));
	expect_name("KVMKVMKVM", NULL, "KVM");
	expect_name("Microsoft Hv", NULL, "Hyper-V");
	expect_name("VMwareVMware", NULL, "VMware");
	expect_name("XenVMMXenVMM", NULL, "Xen");
	expect_name("TCGTCGTCGTCG", NULL, "TCG");
	expect_name("bhyve bhyve ", NULL, "bhyve");
	expect_name("VBoxVBoxVBox", NULL, "VirtualBox");
}

static void hyper_vs_interface_hides_no_other_hypervisor(void **state)
{
	(void)state;
	expect_name("Microsoft Hv", "KVMKVMKVM", "KVM");
	expect_name("Microsoft Hv", "XenVMMXenVMM", "Xen");
	expect_name("Microsoft Hv", "nonsense", "Hyper-V");
	expect_name("VMwareVMware", "KVMKVMKVM", "VMware");
}

static void an_unknown_signature_is_the_name(void **state)
{
	(void)state;
	expect_name("ACRNACRNACRN", NULL, "ACRNACRNACRN");
	expect_name("a\x01\xff\x7f", NULL, "a???");
	expect_name(NULL, NULL, "unnamed");
	expect_name("KVMKVMKVMKVM", NULL, "KVMKVMKVMKVM");
}

/* Whether the hypervisor reports rates. */
static bool has_rates(const char *signature, uint32_t last, struct cpuid timing, uint64_t tsc,
                      uint64_t apic)
{
	struct clock_rates rates = { 0 };
	bool has;

	model.is_there = true;
	model.signature = signature;
	model.last = last;
	model.timing = timing;
	has = hypervisor_rates(&access, &rates);
	assert_int_equal(rates.tsc, has ? tsc : 0);
	assert_int_equal(rates.apic, has ? apic : 0);
	assert_int_equal(rates.source, has ? TR_CLOCK_HYPERVISOR : 0);
	return has;
}

static void the_timing_leaf_gives_both_rates(void **state)
{
	const struct cpuid kvm = { 2893200, 1000000, 0, 0 }, vmware = { 1000, 1000, 0, 0 };

	(void)state;
	memset(&model, 0, sizeof(model));
	assert_true(has_rates("KVMKVMKVM", 0x40000010, kvm, 2893200000, 1000000000));
	assert_true(has_rates("VMwareVMware", 0x40000010, vmware, 1000000, 1000000));
	assert_true(has_rates("VMwareVMware", 0x40000100, vmware, 1000000, 1000000));
}

static void a_timing_leaf_that_is_not_there_or_makes_no_sense_is_ignored(void **state)
{
	const struct cpuid good = { 2000000, 1000000, 0, 0 };

	(void)state;
	assert_false(has_rates("KVMKVMKVM", 0x4000000f, good, 0, 0));
	assert_false(has_rates("KVMKVMKVM", 0, good, 0, 0));
	assert_false(has_rates("KVMKVMKVM", 0x40000101, good, 0, 0));
	assert_false(has_rates("KVMKVMKVM", 0x40000010, (struct cpuid){ 0, 1000, 0, 0 }, 0, 0));
	assert_false(has_rates("KVMKVMKVM", 0x40000010, (struct cpuid){ 2000000, 0, 0, 0 }, 0, 0));
	assert_false(
	    has_rates("KVMKVMKVM", 0x40000010, (struct cpuid){ UINT32_MAX, 1000, 0, 0 }, 0, 0));
	assert_int_equal(model.msr_reads, 0);
}

/* Hyper-V's MSRs are read only if it reports the privilege and the feature; otherwise they raise
 * #GP. */
static void hyper_vs_msrs_are_read_only_where_it_allows_it(void **state)
{
	const struct cpuid none = { 0 };

	(void)state;
	memset(&model, 0, sizeof(model));
	model.msr_tsc = 2400000000;
	model.msr_apic = 200000000;
	model.hyperv = (struct cpuid){ .eax = 1U << 11, .edx = 1U << 8 };
	assert_true(has_rates("Microsoft Hv", 0x40000006, none, 2400000000, 200000000));
	assert_int_equal(model.msr_reads, 2);
	assert_false(has_rates("Microsoft Hv", 0x40000002, none, 0, 0));
	model.hyperv.eax = ~(1U << 11);
	assert_false(has_rates("Microsoft Hv", 0x40000006, none, 0, 0));
	model.hyperv = (struct cpuid){ .eax = 1U << 11, .edx = ~(1U << 8) };
	assert_false(has_rates("Microsoft Hv", 0x40000006, none, 0, 0));
	assert_int_equal(model.msr_reads, 2);
}

static void rates_from_1_mhz_to_10_ghz_are_taken(void **state)
{
	static const struct {
		uint64_t hz;
		bool taken;
	} cases[] = {
		{ 999999, false }, { 1000000, true }, { 10000000000, true }, { 10000000001, false }
	};
	const struct cpuid none = { 0 };

	(void)state;
	memset(&model, 0, sizeof(model));
	model.hyperv = (struct cpuid){ .eax = 1U << 11, .edx = 1U << 8 };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		model.msr_tsc = cases[i].hz;
		model.msr_apic = 200000000;
		assert_int_equal(
		    has_rates("Microsoft Hv", 0x40000003, none, cases[i].hz, 200000000),
		    cases[i].taken);
		model.msr_tsc = 200000000;
		model.msr_apic = cases[i].hz;
		assert_int_equal(
		    has_rates("Microsoft Hv", 0x40000003, none, 200000000, cases[i].hz),
		    cases[i].taken);
	}
}

/* KVM's features follow its signature, also if Hyper-V's interface has the first leaves. */
static void stolen_time_is_kvms_where_it_has_the_feature(void **state)
{
	(void)state;
	memset(&model, 0, sizeof(model));
	model.first_features = model.second_features = 1U << 5;
	model.signature = "KVMKVMKVM";
	assert_false(hypervisor_reports_steal(&access));
	model.is_there = true;
	assert_true(hypervisor_reports_steal(&access));
	model.first_features = ~(1U << 5);
	assert_false(hypervisor_reports_steal(&access));
	model.signature = "Microsoft Hv";
	model.first_features = 1U << 5;
	assert_false(hypervisor_reports_steal(&access));
	model.second = "KVMKVMKVM";
	assert_true(hypervisor_reports_steal(&access));
	model.second_features = 0;
	assert_false(hypervisor_reports_steal(&access));
}

static void a_report_that_is_being_written_ends_the_reading_all_the_same(void **state)
{
	struct hypervisor_steal report = { .steal = 12345, .version = 2 };

	(void)state;
	assert_int_equal(hypervisor_read_steal(&report), 12345);
	report.version = 3;
	assert_int_equal(hypervisor_read_steal(&report), 12345);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_without_a_hypervisor_has_no_name),
		cmocka_unit_test(each_known_hypervisor_has_its_name),
		cmocka_unit_test(hyper_vs_interface_hides_no_other_hypervisor),
		cmocka_unit_test(an_unknown_signature_is_the_name),
		cmocka_unit_test(the_timing_leaf_gives_both_rates),
		cmocka_unit_test(a_timing_leaf_that_is_not_there_or_makes_no_sense_is_ignored),
		cmocka_unit_test(stolen_time_is_kvms_where_it_has_the_feature),
		cmocka_unit_test(a_report_that_is_being_written_ends_the_reading_all_the_same),
		cmocka_unit_test(hyper_vs_msrs_are_read_only_where_it_allows_it),
		cmocka_unit_test(rates_from_1_mhz_to_10_ghz_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
