/* SPDX-License-Identifier: MIT */
/* The driver of Intel's branch trace store on a modelled CPU: debug store, two counters that know
 * taken branches, a PMI that comes as late as the test says. */
#include "pmu/intel_bts.h"

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/debugstore.h"
#include "arch/x86_64/perfmon.h"
#include "pmu/clock.h"
#include "pmu/counter_census.h"
#include "pmu/sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EM_X86_64   62
#define GENERAL     4U
#define MASK48      ((1ULL << 48) - 1)
#define AREA        (1U << 20)
/* what `record` asks for: its switches go the short way */
#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define DELIVERY    0xd0d0
#define BRANCH      0xb0b0
#define RETURN      0xe0e0

/* ---- The CPU ---- */

static struct {
	uint64_t select[GENERAL], counter[GENERAL], global, debugctl, ds_area;
	uint64_t edx, ecx, misc_enable;
	bool no_taken_event;
	bool pmi;            /* the threshold was crossed */
	unsigned until;      /* branches from there to the interrupt */
	unsigned late;       /* what until starts with */
	uint64_t retired;    /* branches of the program */
	uint64_t interrupts; /* taken */
	uint64_t registers;  /* accesses */
	unsigned faults;     /* writes that raise #GP */
} cpu;

static uint64_t cpu_read(uint32_t reg)
{
	cpu.registers++;
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return CPUID_VENDOR_GENU;
	case CPUID_WORD(CPUID_FEATURES, CPUID_EDX):
		return cpu.edx;
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return cpu.ecx;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return 4 | GENERAL << 8 | 48 << 16 | 7 << 24;
	case IA32_MISC_ENABLE:
		return cpu.misc_enable;
	case IA32_DEBUGCTL:
		return cpu.debugctl;
	case IA32_DS_AREA:
		return cpu.ds_area;
	default:
		return reg - RDPMC_VALUE(0U) < GENERAL ? cpu.counter[reg - RDPMC_VALUE(0U)] : 0;
	}
}

static void set_debugctl(uint64_t value)
{
	if (value & ~0x7fc3ULL)
		cpu.faults++;
	else
		cpu.debugctl = value;
}

static void cpu_write(uint32_t reg, uint64_t value)
{
	cpu.registers++;
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + GENERAL)
		cpu.select[reg - IA32_PERFEVTSEL0] = value;
	else if (reg >= IA32_PMC0 && reg < IA32_PMC0 + GENERAL)
		cpu.counter[reg - IA32_PMC0] = (uint64_t)(int64_t)(int32_t)value & MASK48;
	else if (reg == IA32_PERF_GLOBAL_CTRL)
		cpu.global = value;
	else if (reg == IA32_DEBUGCTL)
		set_debugctl(value);
	else if (reg == IA32_DS_AREA)
		cpu.ds_area = value;
}

static void count(uint64_t event, uint64_t n)
{
	for (unsigned i = 0; i < GENERAL; i++) {
		uint64_t select = cpu.select[i];

		if ((select & 0xffff) == event && select & PERFEVTSEL_EN &&
		    select & PERFEVTSEL_OS && cpu.global >> i & 1 && !cpu.no_taken_event)
			cpu.counter[i] = (cpu.counter[i] + n) & MASK48;
	}
}

/* Ring 0's branches, as the debug store takes them with BTINT: nothing beyond the maximum. */
static void record(uint64_t from, uint64_t to)
{
	const uint64_t on = DEBUGCTL_TR | DEBUGCTL_BTS;
	struct debug_store *ds = (struct debug_store *)cpu.ds_area;
	struct branch_record *at;

	if ((cpu.debugctl & on) != on || cpu.debugctl & DEBUGCTL_BTS_OFF_OS)
		return;
	at = (struct branch_record *)ds->bts_index;
	if (ds->bts_index + sizeof(*at) > ds->bts_absolute_maximum)
		return;
	assert_true(ds->bts_index >= ds->bts_buffer_base);
	*at = (struct branch_record){ from, to, BRANCH_PREDICTED };
	ds->bts_index += sizeof(*at);
	if (ds->bts_index >= ds->bts_interrupt_threshold && !cpu.pmi) {
		cpu.pmi = true;
		cpu.until = cpu.late;
	}
}

static const struct arch_regs regs = { .pc = 0x1234 };

/* An interrupt as arch/x86_64/entry.S and its handlers make it: tick, or the PMI. */
static void interrupt(struct perf_event *tick)
{
	bool served = false;

	cpu.interrupts++;
	record(BRANCH, DELIVERY);
	cpu.pmi &= tick != NULL; /* the local vector is masked until its handler is done */
	if (fake_entered)
		served = fake_entered(0, tick ? ARCH_ENTERED_LIVE | ARCH_ENTERED_OUTERMOST
		                              : ARCH_ENTERED_ALONE);
	if (tick)
		pmu_intel_bts.poll(tick);
	else if (!served)
		fake_pmi(&regs);
	record(DELIVERY, RETURN);
	count(0x40c4, 1);
}

static void branches(uint64_t n)
{
	while (n--) {
		if (cpu.pmi && !cpu.until--) {
			cpu.pmi = false;
			interrupt(NULL);
		}
		cpu.retired++;
		count(0x20c4, 1);
		record(BRANCH, BRANCH + 1);
	}
}

static void spin(uint64_t iterations)
{
	count(0x20c4, iterations);
}

/* ---- The rig ---- */

static struct perf_event_mmap_page control;
static uint64_t data[1 << 17], scratch[RING_LEVELS * 2048 / 8];
static uint8_t memory[AREA] __attribute__((aligned(4096)));
static struct ring ring;
static struct tr_doorbell doorbell;
static struct ring_owner owner;
static struct ring_member member;
static struct ring_aux aux;
static struct perf_event event;

static void power_on(unsigned late)
{
	memset(&cpu, 0, sizeof(cpu));
	cpu.edx = CPUID_FEATURES_DS;
	cpu.ecx = CPUID_FEATURES_DTES64 | CPUID_FEATURES_DS_CPL;
	cpu.late = late;
	fake_machine = EM_X86_64;
	fake_reg_read = cpu_read;
	fake_reg_write = cpu_write;
	fake_spin = spin;
	host_fake_cycles = 1;
	clock_set(&machine_clock, 1000000000, 0);
	memset(&doorbell, 0, sizeof(doorbell));
	memset(&control, 0, sizeof(control));
	owner = (struct ring_owner){ .doorbell = &doorbell };
	assert_int_equal(ring_init(&ring, &(struct ring_config){ .control = &control,
	                                                         .data = data,
	                                                         .size = sizeof(data),
	                                                         .max_record = 2048,
	                                                         .owner = &owner,
	                                                         .scratch = scratch }),
	                 0);
}

static int open_trace(uint64_t size, uint64_t flags)
{
	int error;

	memset(&event, 0, sizeof(event));
	event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_INTEL_BTS,
		.size = sizeof(event.attr),
		.sample_type = SAMPLE_TYPE,
		.sample_max_stack = 1,
		.flags = flags,
	};
	event.ring = &ring;
	event.aux = &aux;
	event.account.trailer_size = sample_id_size(SAMPLE_TYPE);
	event.account.trailer = sample_trailer;
	member = (struct ring_member){ .ring = &ring, .owns = true, .aux_source = &pmu_intel_bts };
	error = event_init(&event);
	if (error)
		return error;
	assert_int_equal(ring_aux_init(&aux, &member, &event.account,
	                               &(struct ring_aux_config){ .area = memory, .size = size }),
	                 0);
	return pmu_intel_bts.setup_aux(&event, memory, size);
}

static void start(uint64_t size)
{
	assert_int_equal(open_trace(size, 0), 0);
	assert_int_equal(event_enable(&event), 0);
}

static void read_all(void)
{
	control.aux_tail = control.aux_head;
	control.data_tail = control.data_head;
	doorbell.pending = 0;
}

/* Every branch is in the books, and the books agree with what the CPU did. */
static void assert_accounted(void)
{
	const struct branch_account *account = &event.branches;

	assert_false(account->unknown);
	assert_int_equal(account->records + account->lost, event.count + account->interrupts);
	assert_int_equal(event.count, cpu.retired + account->returns);
	assert_int_equal(account->returns, cpu.interrupts);
	assert_int_equal(account->records * sizeof(struct branch_record), aux.head - aux.skipped);
	assert_int_equal(aux.lost, account->lost * sizeof(struct branch_record));
	assert_int_equal(cpu.faults, 0);
	assert_int_equal(fake_trace_held, 0);
}

/* ---- The claims ---- */

static void an_area_that_holds_the_trace_loses_nothing(void **state)
{
	(void)state;
	power_on(0);
	start(AREA);
	branches(40000);
	event_disable(&event);
	assert_int_equal(event.branches.lost, 0);
	assert_int_equal(event.count - event.branches.returns, 40000);
	assert_true(cpu.interrupts > 6);
	assert_int_equal(event.branches.interrupts, cpu.interrupts);
	assert_accounted();
}

static void a_reader_that_keeps_up_loses_nothing(void **state)
{
	(void)state;
	for (unsigned slice = 1; slice < 400; slice += 17) {
		power_on(0);
		start(1 << 16);
		while (cpu.retired < 40000) {
			branches(slice);
			read_all();
		}
		event_disable(&event);
		assert_int_equal(event.branches.lost, 0);
		assert_int_equal(aux.truncated, 0);
		assert_accounted();
	}
}

static void however_late_the_interrupt_the_ledger_is_exact(void **state)
{
	(void)state;
	for (unsigned late = 0; late < 400; late++) {
		power_on(late);
		start(1 << 14);
		for (unsigned i = 0; i < 40; i++) {
			branches(100);
			interrupt(&event);
			read_all();
		}
		event_disable(&event);
		assert_accounted();
		/* the margin of this segment's 170 records is 42; a tick comes every 100 */
		assert_true(late < 40 ? !event.branches.lost : late < 100 || event.branches.lost);
	}
}

static void a_reader_that_stalls_truncates_and_the_tick_resumes(void **state)
{
	(void)state;
	for (unsigned late = 0; late < 60; late++) {
		power_on(late);
		start(1 << 14);
		branches(2000); /* the area holds 682 */
		assert_int_equal(cpu.debugctl, 0);
		assert_int_equal(aux.truncated, 1);
		assert_true(doorbell.pending);
		interrupt(&event); /* nothing was read, so nothing changes */
		assert_int_equal(cpu.debugctl, 0);
		branches(100);
		read_all();
		interrupt(&event);
		assert_true(cpu.debugctl & DEBUGCTL_TR);
		branches(50);
		event_disable(&event);
		assert_true(event.branches.lost > 1300);
		assert_accounted();
	}
}

static void a_trace_that_ends_while_truncated_is_exact(void **state)
{
	(void)state;
	power_on(3);
	start(1 << 14);
	branches(5000);
	event_disable(&event);
	assert_accounted();
}

static void a_trace_that_a_handler_ends_does_not_count_its_return(void **state)
{
	(void)state;
	power_on(3);
	start(1 << 14);
	branches(100);
	cpu.interrupts++;
	record(BRANCH, DELIVERY);
	fake_entered(0, ARCH_ENTERED_LIVE | ARCH_ENTERED_OUTERMOST);
	fake_trace_held++;
	event_disable(&event);
	fake_trace_held--;
	cpu.interrupts--;
	assert_int_equal(event.branches.interrupts, 1);
	assert_accounted();
}

static void a_segment_switch_costs_the_same_whatever_the_size(void **state)
{
	uint64_t cost[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		power_on(0);
		start(i ? AREA : 1 << 16);
		while (!cpu.pmi)
			branches(1);
		cost[i] = cpu.registers;
		branches(1);
		cost[i] = cpu.registers - cost[i];
		event_disable(&event);
	}
	assert_int_equal(cost[0], cost[1]);
}

static uint32_t asked;
static unsigned attended;
static bool heeds;

static void attend(struct perf_event *of)
{
	attended++;
	if (heeds)
		of->heard = asked;
}

/* So many branches, and a reader that keeps up. */
static void go_round(uint64_t size, uint64_t n)
{
	memset(memory, 0, size);
	power_on(2);
	assert_int_equal(open_trace(size, 0), 0);
	event.attend = attend;
	event.asked = &asked;
	assert_int_equal(event_enable(&event), 0);
	while (cpu.retired < n) {
		branches(100);
		read_all();
	}
	event_disable(&event);
	assert_int_equal(event.branches.lost, 0);
	assert_accounted();
}

/* Each asks, and nobody heeds it: then every switch is done with care. */
static void every_switch_does_what_one_with_care_does(void **state)
{
	static uint8_t with_care[AREA];
	static uint64_t told[1 << 17];

	(void)state;
	for (uint64_t size = 1 << 14; size <= AREA; size *= 2) {
		uint64_t n = 3 * size / sizeof(struct branch_record), head, skipped, causes;

		heeds = false;
		asked = 1;
		attended = 0;
		go_round(size, n);
		assert_true(attended > 3 * 3 && attended == aux.records - 1);
		head = aux.head;
		skipped = aux.skipped;
		causes = owner.causes[TR_WAKEUP_AUX];
		memcpy(with_care, memory, size);
		memcpy(told, data, sizeof(data));
		asked = 0;
		go_round(size, n);
		assert_int_equal(attended, aux.records - 1);
		assert_int_equal(aux.head, head);
		assert_int_equal(aux.skipped, skipped);
		assert_true(skipped > 0);
		assert_memory_equal(memory, with_care, size);
		assert_memory_equal(data, told, ring.published);
		/* one, where both the last segment's end and the area's are marks */
		assert_in_range(owner.causes[TR_WAKEUP_AUX], causes - 3, causes);
	}
}

static void what_is_asked_is_attended_to_at_the_next_switch_and_once(void **state)
{
	(void)state;
	heeds = true;
	asked = 0;
	attended = 0;
	power_on(0);
	assert_int_equal(open_trace(1 << 16, 0), 0);
	event.attend = attend;
	event.asked = &asked;
	assert_int_equal(event_enable(&event), 0);
	while (aux.records < 2)
		branches(1);
	assert_int_equal(attended, 0);
	asked = 5;
	while (aux.records < 3)
		branches(1);
	assert_int_equal(attended, 1);
	while (aux.records < 5)
		branches(1);
	assert_int_equal(attended, 1);
	event_disable(&event);
	assert_accounted();
}

static void without_the_event_the_loss_is_unknown(void **state)
{
	(void)state;
	power_on(0);
	cpu.no_taken_event = true;
	start(1 << 14);
	branches(5000);
	event_disable(&event);
	assert_true(event.branches.unknown);
	assert_true(event.branches.records > 0);
}

static void without_a_free_counter_the_loss_is_unknown(void **state)
{
	struct perf_event others[3];

	(void)state;
	power_on(0);
	for (unsigned i = 0; i < 3; i++) {
		memset(&others[i], 0, sizeof(others[i]));
		others[i].ring = &ring;
		others[i].attr = (struct perf_event_attr){
			.type = PERF_TYPE_RAW,
			.size = sizeof(others[i].attr),
			.config = 0x00c0,
			.sample_period = 1ULL << 30,
			.sample_max_stack = 1,
		};
		assert_int_equal(event_init(&others[i]), 0);
		assert_int_equal(event_enable(&others[i]), 0);
	}
	start(1 << 14);
	branches(100);
	event_disable(&event);
	assert_true(event.branches.unknown);
	for (unsigned i = 0; i < 3; i++)
		event_disable(&others[i]);
}

static void rings_are_chosen_where_the_cpu_can(void **state)
{
	(void)state;
	power_on(0);
	assert_int_equal(open_trace(1 << 14, PERF_ATTR_EXCLUDE_KERNEL), 0);
	assert_int_equal(event_enable(&event), 0);
	assert_true(cpu.debugctl & DEBUGCTL_BTS_OFF_OS);
	assert_false(cpu.debugctl & DEBUGCTL_BTS_OFF_USR);
	branches(100);
	interrupt(&event);
	event_disable(&event);
	assert_int_equal(event.branches.records + event.branches.lost, 0);
	assert_int_equal(event.branches.interrupts, 0);
	assert_int_equal(open_trace(1 << 14, PERF_ATTR_EXCLUDE_USER), 0);
	assert_true(event.hw.intel_bts.debugctl & DEBUGCTL_BTS_OFF_USR);
	cpu.ecx &= ~(uint64_t)CPUID_FEATURES_DS_CPL;
	assert_int_equal(open_trace(1 << 14, PERF_ATTR_EXCLUDE_USER), -EOPNOTSUPP);
	assert_int_equal(open_trace(1 << 14, 0), 0);
}

static void what_the_machine_lacks_or_cannot_do_is_said(void **state)
{
	const char *why;

	(void)state;
	power_on(0);
	assert_int_equal(open_trace(1 << 13, 0), -EINVAL);
	cpu.misc_enable = MISC_ENABLE_BTS_UNAVAILABLE;
	assert_int_equal(pmu_intel_bts.probe(&why), -ENODEV);
	assert_non_null(why);
	power_on(0);
	cpu.edx = 0;
	assert_int_equal(open_trace(1 << 14, 0), -ENODEV);
	power_on(0);
	start(1 << 14);
	assert_int_equal(pmu_intel_bts.add(&event), -EBUSY);
	event_disable(&event);
}

static void what_firmware_had_in_the_registers_comes_back(void **state)
{
	(void)state;
	power_on(0);
	cpu.debugctl = 0x1000;
	cpu.ds_area = 0xdeadb000;
	start(1 << 14);
	branches(10);
	event_disable(&event);
	assert_int_equal(cpu.debugctl, 0x1000);
	assert_int_equal(cpu.ds_area, 0xdeadb000);
	assert_null(fake_entered);
}

static void the_threshold_is_no_spurious_interrupt_and_one_without_cause_is(void **state)
{
	uint64_t before;

	(void)state;
	power_on(0);
	start(1 << 16);
	before = counter_census[0].spurious;
	branches(2000);
	assert_true(cpu.interrupts > 0);
	assert_int_equal(counter_census[0].spurious, before);
	interrupt(NULL);
	assert_int_equal(counter_census[0].spurious, before + 1);
	event_disable(&event);
	assert_accounted();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_area_that_holds_the_trace_loses_nothing),
		cmocka_unit_test(a_reader_that_keeps_up_loses_nothing),
		cmocka_unit_test(however_late_the_interrupt_the_ledger_is_exact),
		cmocka_unit_test(a_reader_that_stalls_truncates_and_the_tick_resumes),
		cmocka_unit_test(a_trace_that_ends_while_truncated_is_exact),
		cmocka_unit_test(a_trace_that_a_handler_ends_does_not_count_its_return),
		cmocka_unit_test(a_segment_switch_costs_the_same_whatever_the_size),
		cmocka_unit_test(every_switch_does_what_one_with_care_does),
		cmocka_unit_test(what_is_asked_is_attended_to_at_the_next_switch_and_once),
		cmocka_unit_test(without_the_event_the_loss_is_unknown),
		cmocka_unit_test(without_a_free_counter_the_loss_is_unknown),
		cmocka_unit_test(rings_are_chosen_where_the_cpu_can),
		cmocka_unit_test(what_the_machine_lacks_or_cannot_do_is_said),
		cmocka_unit_test(what_firmware_had_in_the_registers_comes_back),
		cmocka_unit_test(the_threshold_is_no_spurious_interrupt_and_one_without_cause_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
