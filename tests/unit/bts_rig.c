/* SPDX-License-Identifier: MIT */
#include "tests/unit/bts_rig.h"

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/debugstore.h"
#include "arch/x86_64/perfmon.h"
#include "pmu/clock.h"
#include "pmu/sample.h"

#define EM_X86_64   62
#define MASK48      ((1ULL << 48) - 1)
/* what `record` asks for: its switches go the short way */
#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define RETURN      0xe0e0

/* ---- The CPU ---- */

struct bts_cpu bts_cpu;

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
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return 4 | GENERAL << 8 | 48 << 16 | 7 << 24;
	case IA32_MISC_ENABLE:
		return bts_cpu.misc_enable;
	case IA32_DEBUGCTL:
		return bts_cpu.debugctl;
	case IA32_DS_AREA:
		return bts_cpu.ds_area;
	default:
		return reg - RDPMC_VALUE(0U) < GENERAL ? bts_cpu.counter[reg - RDPMC_VALUE(0U)] : 0;
	}
}

static void set_debugctl(uint64_t value)
{
	if (value & ~0x7fc3ULL)
		bts_cpu.faults++;
	else
		bts_cpu.debugctl = value;
}

static void cpu_write(uint32_t reg, uint64_t value)
{
	bts_cpu.registers++;
	if (reg >= IA32_PERFEVTSEL0 && reg < IA32_PERFEVTSEL0 + GENERAL)
		bts_cpu.select[reg - IA32_PERFEVTSEL0] = value;
	else if (reg >= IA32_PMC0 && reg < IA32_PMC0 + GENERAL)
		bts_cpu.counter[reg - IA32_PMC0] = (uint64_t)(int64_t)(int32_t)value & MASK48;
	else if (reg == IA32_PERF_GLOBAL_CTRL)
		bts_cpu.global = value;
	else if (reg == IA32_DEBUGCTL)
		set_debugctl(value);
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

void record(uint64_t from, uint64_t to)
{
	const uint64_t on = DEBUGCTL_TR | DEBUGCTL_BTS;
	struct debug_store *ds = (struct debug_store *)bts_cpu.ds_area;
	struct branch_record *at;

	if ((bts_cpu.debugctl & on) != on || bts_cpu.debugctl & DEBUGCTL_BTS_OFF_OS)
		return;
	at = (struct branch_record *)ds->bts_index;
	if (ds->bts_index + sizeof(*at) > ds->bts_absolute_maximum)
		return;
	assert_true(ds->bts_index >= ds->bts_buffer_base);
	*at = (struct branch_record){ from, to, BRANCH_PREDICTED };
	ds->bts_index += sizeof(*at);
	if (ds->bts_index >= ds->bts_interrupt_threshold && !bts_cpu.pmi) {
		bts_cpu.pmi = true;
		bts_cpu.until = bts_cpu.late;
	}
}

static const struct arch_regs regs = { .pc = 0x1234 };

void interrupt(struct perf_event *tick)
{
	bool served = false;

	bts_cpu.interrupts++;
	record(BRANCH, DELIVERY);
	bts_cpu.pmi &= tick != NULL; /* the local vector is masked until its handler is done */
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

void branches(uint64_t n)
{
	while (n--) {
		if (bts_cpu.pmi && !bts_cpu.until--) {
			bts_cpu.pmi = false;
			interrupt(NULL);
		}
		bts_cpu.retired++;
		count(0x20c4, 1);
		record(BRANCH, BRANCH + 1);
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
static struct ring_member member;
struct ring_aux aux;
struct perf_event event;

void power_on(unsigned late)
{
	memset(&bts_cpu, 0, sizeof(bts_cpu));
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
	assert_int_equal(bts_cpu.faults, 0);
	assert_int_equal(fake_trace_held, 0);
}
