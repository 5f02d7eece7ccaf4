/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/x86/bts_rig.h"

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/pmu/debugstore.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "tests/event_switch.h"

#define MASK48      ((1ULL << 48) - 1)
/* as `record` sets it: segment switches take the short path */
#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define RETURN      0xe0e0

/* ---- The CPU ---- */

struct bts_cpu bts_cpu;

/* Version 4, without fixed counters; other bits do not exist. */
#define GLOBAL_BITS ((1ULL << GENERAL) - 1)
#define STATUS_BITS (GLOBAL_BITS | 1ULL << 55 | 15ULL << 58 | 3ULL << 62)
static const struct {
	uint32_t reg;
	uint64_t bits; /* writable bits */
} msrs[] = {
	{ IA32_MISC_ENABLE, 0 },
	{ IA32_PERF_GLOBAL_STATUS, 0 },
	{ IA32_PERF_GLOBAL_CTRL, GLOBAL_BITS },
	{ IA32_PERF_GLOBAL_OVF_CTRL, STATUS_BITS },
	{ IA32_DEBUGCTL, 0x7fc3 },
	{ IA32_DS_AREA, (1ULL << 47) - 1 },
};
#define NR_MSRS (sizeof(msrs) / sizeof(*msrs))

/* Writable bits; NR_MSRS and above are the counters'. */
static uint64_t bits_of(uint32_t reg)
{
	for (unsigned i = 0; i < NR_MSRS; i++) {
		if (msrs[i].reg == reg)
			return msrs[i].bits;
	}
	if (reg - IA32_PERFEVTSEL0 < GENERAL)
		return UINT32_MAX;
	return reg - IA32_PMC0 < GENERAL ? UINT64_MAX : 0;
}

static uint64_t fault(void)
{
	bts_cpu.faults++;
	return 0;
}

static uint64_t cpu_read(uint32_t reg)
{
	bts_cpu.registers++;
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return CPUID_VENDOR_GENU;
	case CPUID_WORD(CPUID_FEATURES, CPUID_EDX):
		return bts_cpu.edx;
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return bts_cpu.ecx;
	case CPUID_WORD(CPUID_STRUCTURED, CPUID_EDX):
	case CPUID_WORD(CPUID_PERFMON, CPUID_EBX):
	case CPUID_WORD(CPUID_PERFMON, CPUID_EDX):
	case IA32_PERF_GLOBAL_STATUS:
		return 0;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return bts_cpu.version | GENERAL << 8 | 48 << 16 | 7 << 24;
	case IA32_MISC_ENABLE:
		return bts_cpu.misc_enable;
	case IA32_PERF_GLOBAL_CTRL:
		return bts_cpu.global;
	case IA32_DEBUGCTL:
		return bts_cpu.debugctl;
	case IA32_DS_AREA:
		return bts_cpu.ds_area;
	default:
		if (reg - RDPMC_VALUE(0U) < GENERAL)
			return bts_cpu.counter[reg - RDPMC_VALUE(0U)];
		if (reg - IA32_PMC0 < GENERAL)
			return bts_cpu.counter[reg - IA32_PMC0];
		return reg - IA32_PERFEVTSEL0 < GENERAL ? bts_cpu.select[reg - IA32_PERFEVTSEL0]
		                                        : fault();
	}
}

static void cpu_write(uint32_t reg, uint64_t value)
{
	bts_cpu.registers++;
	if (!bits_of(reg) || value & ~bits_of(reg))
		fault();
	else if (reg - IA32_PERFEVTSEL0 < GENERAL)
		bts_cpu.select[reg - IA32_PERFEVTSEL0] = value;
	else if (reg - IA32_PMC0 < GENERAL)
		bts_cpu.counter[reg - IA32_PMC0] = (uint64_t)(int64_t)(int32_t)value & MASK48;
	else if (reg == IA32_PERF_GLOBAL_CTRL)
		bts_cpu.global = value;
	else if (reg == IA32_DEBUGCTL)
		bts_cpu.debugctl = value;
	else if (reg == IA32_DS_AREA)
		bts_cpu.ds_area = value;
}

static void count(uint64_t what, uint64_t n)
{
	for (unsigned i = 0; i < GENERAL; i++) {
		uint64_t select = bts_cpu.select[i];

		if ((select & 0xffff) == what && select & PERFEVTSEL_EN && select & PERFEVTSEL_OS &&
		    bts_cpu.global >> i & 1 && !bts_cpu.no_taken_event)
			bts_cpu.counter[i] = (bts_cpu.counter[i] + n) & MASK48;
	}
}

/* The debug store stores a branch in ring 0, as with BTINT: nothing beyond the maximum. */
static bool record(uint64_t from, uint64_t to)
{
	const uint64_t on = DEBUGCTL_TR | DEBUGCTL_BTS;
	struct debug_store *ds = (struct debug_store *)bts_cpu.ds_area;
	struct branch_record *at;

	if ((bts_cpu.debugctl & on) != on || bts_cpu.debugctl & DEBUGCTL_BTS_OFF_OS)
		return false;
	at = (struct branch_record *)ds->bts_index;
	if (ds->bts_index + sizeof(*at) > ds->bts_absolute_maximum)
		return false;
	assert_true(ds->bts_index >= ds->bts_buffer_base);
	*at = (struct branch_record){ from, to, BRANCH_PREDICTED };
	ds->bts_index += sizeof(*at);
	if (ds->bts_index >= ds->bts_interrupt_threshold && !bts_cpu.pmi) {
		bts_cpu.pmi = true;
		bts_cpu.until = bts_cpu.late;
	}
	return true;
}

static void branch(uint64_t event_and_umask, uint64_t from, uint64_t to)
{
	count(event_and_umask, 1);
	bts_cpu.missed += !record(from, to);
}

static const struct arch_regs regs = { .pc = 0x1234 };

void output_write(uint64_t from)
{
	bts_cpu.interrupts++;
	bts_cpu.deliveries += record(from, DELIVERY);
}

/* From trace_hold to trace_release. */
static void handle(unsigned how, struct perf_event *tick)
{
	bool served = fake_entered && fake_entered(0, how);

	if (tick)
		pmu_intel_bts.poll(tick);
	else if (!served)
		fake_pmi(&regs);
}

static void nmi(uint64_t from, unsigned how)
{
	output_write(from);
	bts_cpu.pmi = false; /* the local vector is masked until its handler is done */
	handle(how, NULL);
	branch(0x40c4, DELIVERY, from);
}

void interrupt(struct perf_event *tick)
{
	if (tick)
		interrupted_tick(tick, 0);
	else
		nmi(BRANCH, ARCH_ENTERED_ALONE);
}

void interrupted_tick(struct perf_event *tick, unsigned nmis)
{
	output_write(BRANCH);
	while (nmis--)
		nmi(DELIVERY, ARCH_ENTERED_OUTERMOST | ARCH_ENTERED_IN_ENTRY);
	handle(ARCH_ENTERED_OUTERMOST, tick);
	branch(0x40c4, DELIVERY, RETURN);
}

void branches(uint64_t n)
{
	while (n--) {
		if (bts_cpu.pmi && !bts_cpu.until--)
			interrupt(NULL);
		bts_cpu.retired++;
		branch(0x20c4, BRANCH, BRANCH + 1);
	}
}

static void spin(uint64_t iterations)
{
	count(0x20c4, iterations);
}

/* ---- The rig ---- */

struct perf_event_mmap_page control;
uint64_t data[1 << 17];
static uint64_t scratch[RING_LEVELS * 2048 / 8];
uint8_t memory[AREA] __attribute__((aligned(4096)));
struct ring ring;
struct tr_doorbell doorbell;
struct ring_owner owner;
struct ring_aux aux;
struct perf_event event;

void power_on(unsigned late)
{
	memset(&bts_cpu, 0, sizeof(bts_cpu));
	bts_cpu.version = 4;
	bts_cpu.edx = CPUID_FEATURES_DS;
	bts_cpu.ecx = CPUID_FEATURES_DTES64 | CPUID_FEATURES_DS_CPL;
	bts_cpu.late = late;
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

int open_trace(uint64_t size, uint64_t flags)
{
	int code;

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
	code = event_init(&event);
	if (code)
		return code;
	assert_int_equal(ring_aux_init(&aux, &ring, &event.account,
	                               &(struct ring_aux_config){ .area = memory, .size = size }),
	                 0);
	return pmu_intel_bts.setup_aux(&event, memory, size);
}

void start(uint64_t size)
{
	assert_int_equal(open_trace(size, 0), 0);
	assert_int_equal(event_enable(&event), 0);
}

void read_all(void)
{
	control.aux_tail = control.aux_head;
	control.data_tail = control.data_head;
	doorbell.pending = 0;
}

void assert_accounted(void)
{
	const struct branch_account *account = &event.branches;

	assert_false(account->unknown);
	assert_int_equal(account->records + account->lost, event.count + account->interrupts);
	assert_int_equal(event.count, bts_cpu.retired + account->returns);
	assert_int_equal(account->returns, bts_cpu.interrupts);
	assert_int_equal(account->records * sizeof(struct branch_record), aux.head - aux.skipped);
	assert_int_equal(aux.lost, account->lost * sizeof(struct branch_record));
	assert_int_equal(account->interrupts, bts_cpu.deliveries);
	assert_int_equal(account->lost, bts_cpu.missed);
	assert_int_equal(fake_trace_held, 0);
}

int no_faults(void **state)
{
	(void)state;
	assert_int_equal(bts_cpu.faults, 0);
	return 0;
}
