/* SPDX-License-Identifier: MIT */
#include "tests/unit/pmu/arm/arm_spe_rig.h"

#include <string.h>

#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "ringbuf/reader/ring_reader.h"
#include "tests/event_switch.h"

#define MHZ 1000000ULL

/* ---- The model ---- */

struct spe_model model;

uint8_t spe_area[AREA_PAGES * PAGE + 1] __attribute__((aligned(4096)));
static const struct arch_regs regs = { .pc = 0x1234 };

static uint64_t model_read(uint32_t reg)
{
	if (reg == PMBIDR_EL1)
		model.owner_asked = true;
	if (reg == PMSIDR_EL1 && (!model.owner_asked || model.reg[PMBIDR_EL1] & PMBIDR_P))
		model.read_too_early = true;
	if (reg == PMCR_EL0)
		return model.reg[reg] | (uint64_t)model.counters << PMCR_N;
	return model.reg[reg];
}

static void model_write(uint32_t reg, uint64_t value)
{
	if (reg == PMBLIMITR_EL1 && !(value & PMBLIMITR_E)) {
		model.unsynced_disables += model.delayed != 0;
		if (model.late && model.reg[PMBSR_EL1] & PMBSR_S) {
			model.late = false;
			fake_trace_interrupt(&regs);
		}
	}
	if (reg == PMBLIMITR_EL1 && value & PMBLIMITR_E && !(value & PMBLIMITR_DISCARD))
		model.backward_limits += (value & -PAGE) <= model.reg[PMBPTR_EL1];
	model.reg[reg] = value;
}

bool has_buffer(void)
{
	return model.reg[PMBLIMITR_EL1] & PMBLIMITR_E && !(model.reg[PMBSR_EL1] & PMBSR_S);
}

uint64_t limit(void)
{
	return (model.reg[PMBLIMITR_EL1] & -PAGE) - (uint64_t)spe_area;
}

uint64_t at(void)
{
	return model.reg[PMBPTR_EL1] - (uint64_t)spe_area;
}

/* Write one record to memory; if there is no room for another record of the largest size, the
 * buffer is full. */
static void write_record(void)
{
	uint64_t largest = 1ULL << (model.reg[PMSIDR_EL1] >> PMSIDR_MAXSIZE & 0xf);

	assert_true(model.reg[PMBPTR_EL1] >= (uint64_t)spe_area);
	assert_true(at() + model.record <= AREA_PAGES * PAGE);
	memset((void *)model.reg[PMBPTR_EL1], 0x01, model.record);
	model.reg[PMBPTR_EL1] += model.record;
	if (at() + largest > limit())
		model.reg[PMBSR_EL1] |= FULL;
}

static void model_sync(void)
{
	for (; model.delayed && has_buffer(); model.delayed--)
		write_record();
	model.delayed = 0;
}

void spe_raise(uint64_t status)
{
	model.reg[PMBSR_EL1] |= status;
	fake_trace_interrupt(&regs);
	assert_int_equal(model.reg[PMBSR_EL1], 0);
}

unsigned sample(unsigned records)
{
	unsigned written = 0;

	for (unsigned i = 0; i < records; i++) {
		if (!has_buffer())
			continue;
		write_record();
		written++;
		if (model.reg[PMBSR_EL1] & PMBSR_S)
			spe_raise(0);
	}
	return written;
}

void spurious(void)
{
	fake_trace_interrupt(&regs);
}

/* ---- The event and its rings ---- */

static struct perf_event_mmap_page control;
static uint64_t data[65536 / 8], scratch[RING_LEVELS * 2048 / 8];
static struct tr_doorbell doorbell;
static struct ring ring;
struct ring_owner owner;
struct ring_aux aux;
static struct ring_reader reader;
struct perf_event event;

void describe(uint64_t config, uint64_t period)
{
	event = (struct perf_event){
		.attr = { .type = PERF_TYPE_ARM_SPE,
		          .size = sizeof(event.attr),
		          .config = config,
		          .sample_period = period,
		          .sample_type = SAMPLE_TYPES_SERVED &
		                         ~(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK),
		          .sample_max_stack = 1 },
		.account.id = 7,
		.ring = &ring,
		.aux = &aux,
	};
}

static int give_area(uint64_t pages, uint64_t watermark, bool overwrite)
{
	return ring_aux_init(&aux, &ring, &event.account,
	                     &(struct ring_aux_config){ .area = spe_area,
	                                                .size = pages * PAGE,
	                                                .watermark = watermark,
	                                                .overwrite = overwrite });
}

void begin(uint64_t pages, uint64_t watermark, bool overwrite)
{
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(give_area(pages, watermark, overwrite), 0);
	assert_int_equal(pmu_arm_spe.setup_aux(&event, spe_area, pages * PAGE), 0);
	assert_int_equal(event_enable(&event), 0);
}

int spe_set_up(void **state)
{
	(void)state;
	memset(&model, 0, sizeof(model));
	for (unsigned i = 0; i < sizeof(model.reg) / sizeof(model.reg[0]); i++)
		model.reg[i] = UNKNOWN;
	model.reg[ID_AA64DFR0_EL1] = 3ULL << ID_AA64DFR0_PMSVER;
	model.reg[ID_AA64PFR0_EL1] = 0x1111;
	model.reg[CURRENT_EL] = 2 << 2;
	model.reg[PMBIDR_EL1] = 6;
	model.reg[PMSIDR_EL1] = 0x4f | 6 << PMSIDR_MAXSIZE;
	model.record = 64;
	spe_area[AREA_PAGES * PAGE] = 0xa5;
	fake_machine = EM_AARCH64;
	fake_reg_read = model_read;
	fake_reg_write = model_write;
	fake_trace_sync = model_sync;
	host_fake_cycles = 1000 * MHZ;
	clock_set(&machine_clock, 1000 * MHZ, host_fake_cycles);
	memset(&control, 0, sizeof(control));
	owner = (struct ring_owner){ .id = 7, .doorbell = &doorbell };
	describe(0, 4096);
	if (ring_init(&ring, &(struct ring_config){ .control = &control,
	                                            .data = data,
	                                            .size = sizeof(data),
	                                            .max_record = 2048,
	                                            .scratch = scratch,
	                                            .owner = &owner }))
		return -1;
	return ring_reader_init(&reader, &control, data, sizeof(data), 0);
}

int spe_tear_down(void **state)
{
	(void)state;
	event_disable(&event);
	assert_int_equal(model.unsynced_disables, 0);
	assert_int_equal(model.backward_limits, 0);
	assert_int_equal(spe_area[AREA_PAGES * PAGE], 0xa5);
	return 0;
}

bool next_aux(struct perf_record_aux *to)
{
	const struct perf_event_header *record;

	memset(to, 0, sizeof(*to));
	ring_reader_refresh(&reader);
	if (ring_reader_next(&reader, &record) != 1)
		return false;
	assert_int_equal(record->type, PERF_RECORD_AUX);
	memcpy(to, record, sizeof(*to));
	ring_reader_release(&reader);
	return true;
}

void expect(uint64_t offset, uint64_t size, uint64_t flags)
{
	struct perf_record_aux got;

	assert_true(next_aux(&got));
	assert_int_equal(got.aux_offset, offset);
	assert_int_equal(got.aux_size, size);
	assert_int_equal(got.flags, flags);
}

void expect_nothing(void)
{
	struct perf_record_aux got;

	assert_false(next_aux(&got));
}

void take(uint64_t tail)
{
	__atomic_store_n(&control.aux_tail, tail, __ATOMIC_RELEASE);
}

void poll(void)
{
	pmu_arm_spe.poll(&event);
}
