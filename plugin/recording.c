/* SPDX-License-Identifier: MIT */
#include "plugin/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ringbuf/ledger.h"
#include "ringbuf/region_writer.h"
#include "ringbuf/ring.h"

#define CHAIN_WORDS   128U /* PERF_CONTEXT_USER, and 127 addresses */
#define TRAILER_WORDS 4U
#define MAX_RECORD    (8U * (9U + CHAIN_WORDS))
#define RING_PAGES    256U /* of data, at most */
#define WAIT_NS       100000L

struct recording_cpu {
	struct ring ring;
	struct ring_owner owner;
	struct ring_account account;
	uint32_t cpu;
	uint64_t time; /* of the last record */
	uint64_t stalls, stall_ns, given_up;
	uint64_t dead_tail; /* the reader's position when it was given up; UINT64_MAX: it was not */
	uint64_t samples;
	uint8_t scratch[RING_LEVELS * MAX_RECORD] __attribute__((aligned(8)));
};

static struct {
	const struct outside_config *config;
	struct trace_region region;
	struct recording_cpu *cpus;
	uint32_t count;
} recording;

static void recording_nap(void)
{
	const struct timespec nap = { .tv_nsec = WAIT_NS };

	nanosleep(&nap, NULL);
}

static uint64_t recording_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

/* TID, TIME, CPU, IDENTIFIER */
static void recording_fill_trailer(const struct ring_account *account, void *to)
{
	const struct recording_cpu *c = &recording.cpus[account->id - 1];
	const uint64_t words[TRAILER_WORDS] = {
		TR_PID | (uint64_t)tr_tid(c->cpu) << 32,
		c->time,
		c->cpu,
		account->id,
	};

	memcpy(to, words, sizeof(words));
}

static struct perf_event_attr recording_attr(void)
{
	const struct outside_config *config = recording.config;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = config->period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		               PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.flags = PERF_ATTR_SAMPLE_ID_ALL,
	};

	if (config->callers)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (!(config->levels & OUTSIDE_USER))
		attr.flags |= PERF_ATTR_EXCLUDE_USER;
	if (!(config->levels & OUTSIDE_KERNEL))
		attr.flags |= PERF_ATTR_EXCLUDE_KERNEL;
	if (!(config->levels & (OUTSIDE_HYPERVISOR | OUTSIDE_MONITOR)))
		attr.flags |= PERF_ATTR_EXCLUDE_HV;
	return attr;
}

/* The largest power of two of pages with which all rings fit. */
static uint64_t recording_ring_pages(void)
{
	uint64_t room = (recording.region.size - recording.region.tables_end) / TR_PAGE;
	uint64_t pages = RING_PAGES;

	while (pages > 1 && (pages + 1) * recording.count > room)
		pages /= 2;
	return pages;
}

static int recording_add_cpu(uint32_t cpu, const struct tr_clock *clock)
{
	struct trace_region *region = &recording.region;
	struct recording_cpu *c = &recording.cpus[cpu];
	struct ring_config config = {
		.max_record = MAX_RECORD,
		.scratch = c->scratch,
		.owner = &c->owner,
		.clock = clock,
	};
	struct tr_event event = {
		.attr = recording_attr(), .id = cpu + 1, .cpu = cpu, .ring = cpu
	};
	struct tr_ring ring;
	uint64_t needed;
	int code = trace_region_add_ring(region, cpu, recording_ring_pages(), 0, &ring, &needed);

	if (code)
		return code;
	c->cpu = cpu;
	c->dead_tail = UINT64_MAX;
	c->account.id = cpu + 1;
	c->account.trailer_size = 8 * TRAILER_WORDS;
	c->account.trailer = recording_fill_trailer;
	c->owner.id = c->account.id;
	c->owner.vector = cpu;
	c->owner.doorbell = &region->doorbells[cpu];
	config.control = trace_region_at(region, ring.control);
	config.data = trace_region_at(region, ring.data_offset);
	config.size = ring.data_size;
	code = ring_init(&c->ring, &config);
	memcpy(event.name, recording.config->event, sizeof(event.name));
	ring.owner = ring.vector = cpu;
	region->doorbells[cpu].vector = cpu;
	region->events[cpu] = event;
	region->rings[cpu] = ring;
	region->cpus[cpu].cpu = cpu;
	region->cpus[cpu].flags = TR_CPU_ONLINE | TR_CPU_TRACED | TR_CPU_GUEST |
	                          (cpu ? 0 : TR_CPU_BOOT);
	trace_region_put_text(region->cpus[cpu].model, sizeof(region->cpus[cpu].model),
	                      "vCPU of QEMU");
	return code;
}

int recording_open(const struct outside_config *config, uint32_t cpus, uint16_t machine)
{
	const struct region_limits limits = {
		.cpus = cpus,
		.images = TR_MAX_IMAGES,
		.events = cpus,
		.rings = cpus,
		.console_size = TR_PAGE,
	};
	const struct region_identity identity = {
		.nonce = recording_now() << 16 | (uint64_t)(getpid() & 0xffff),
		.machine = machine,
		.producer = "bareperf " BAREPERF_VERSION ", a plugin of QEMU",
	};
	void *memory = mmap(NULL, config->region_size, PROT_READ | PROT_WRITE, MAP_SHARED,
	                    config->region_fd, 0);
	int code;

	if (memory == MAP_FAILED)
		return -errno;
	recording.config = config;
	recording.count = cpus;
	recording.cpus = calloc(cpus, sizeof(*recording.cpus));
	code = recording.cpus
	           ? trace_region_init(&recording.region, memory, config->region_size, &limits)
	           : -ENOMEM;
	if (!code)
		trace_region_open(&recording.region, &identity);
	return code;
}

void recording_refuse(int status, const char *reason)
{
	trace_region_set_message(&recording.region, status, reason);
	trace_region_set_state(&recording.region, TR_FAILED);
}

static void recording_wait_for_reader(void)
{
	struct tr_header *header = recording.region.header;
	uint64_t start = recording_now();

	header->reader_found = TR_READER_LATE;
	while (recording_now() - start < TR_READER_MS * 1000000ULL) {
		if (__atomic_load_n(&header->reader.ready, __ATOMIC_ACQUIRE) ==
		    recording.region.run) {
			header->reader_found = TR_READER_READY;
			break;
		}
		recording_nap();
	}
}

void recording_begin(const char *notice)
{
	/* 1 instruction is 1 ns. */
	const struct tr_clock clock = {
		.frequency = 1000000000,
		.time_mult = 1,
		.source = TR_CLOCK_HYPERVISOR,
	};
	const struct outside_config *config = recording.config;
	struct trace_region *region = &recording.region;
	int code;

	trace_region_set_clock(region, &clock);
	code = trace_region_start_run(region, config->command, recording.count, recording.count);
	for (uint32_t cpu = 0; !code && cpu < recording.count; cpu++)
		code = recording_add_cpu(cpu, &clock);
	if (code) {
		recording_refuse(code,
		                 "the rings of all vCPUs do not fit: use a larger --region-size");
		return;
	}
	memcpy(region->images, config->images, config->image_count * sizeof(*config->images));
	region->header->images.count = config->image_count;
	trace_region_set_message(region, 0, notice);
	trace_region_set_recording(region);
	recording_wait_for_reader();
}

/* Waits until the record fits, or the reader has taken nothing for TR_STALL_MS: then records are
 * lost without a wait until the reader takes some. */
static void recording_wait_for_room(struct recording_cpu *c, uint32_t size)
{
	uint64_t start, moved, tail;

	if (ring_fits(&c->ring, &c->account, size) || ring_tail(&c->ring) == c->dead_tail)
		return;
	start = moved = recording_now();
	tail = ring_tail(&c->ring);
	ring_wake(&c->ring, TR_WAKEUP_FULL);
	while (!ring_fits(&c->ring, &c->account, size)) {
		uint64_t now = recording_now();

		if (ring_tail(&c->ring) != tail) {
			tail = ring_tail(&c->ring);
			moved = now;
		}
		if (now - moved > TR_STALL_MS * 1000000ULL) {
			c->given_up++;
			c->dead_tail = tail;
			break;
		}
		recording_nap();
	}
	c->stalls++;
	c->stall_ns += recording_now() - start;
}

void recording_add(const struct recording_sample *sample)
{
	struct recording_cpu *c = &recording.cpus[sample->cpu];
	uint64_t period = recording.config->period;
	bool has_chain = recording.config->callers;
	unsigned words = 7 + (has_chain ? 2 + sample->chain_count : 0);
	struct ring_output out;
	uint64_t *to;

	recording_wait_for_room(c, 8 * words);
	c->time = sample->time;
	to = ring_reserve_sample(&out, &c->ring, &c->account, 8 * words, period);
	if (!to)
		return;
	*(struct perf_event_header *)(void *)to = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_USER,
		.size = (uint16_t)(8 * words),
	};
	to[1] = c->account.id;
	to[2] = sample->pc;
	to[3] = TR_PID | (uint64_t)tr_tid(c->cpu) << 32;
	to[4] = sample->time;
	to[5] = c->cpu;
	to[6] = period;
	if (has_chain) {
		to[7] = 1 + sample->chain_count;
		to[8] = PERF_CONTEXT_USER;
		memcpy(to + 9, sample->chain, sample->chain_count * sizeof(*to));
	}
	ring_commit(&out);
}

void recording_publish(uint32_t cpu, uint64_t count, uint64_t time)
{
	struct trace_region *region = &recording.region;
	struct recording_cpu *c = &recording.cpus[cpu];
	struct tr_event_ledger *ledger = &region->event_ledger[cpu];

	ledger->count = count;
	ledger->residue = count - c->account.period;
	ledger->time_enabled = ledger->time_running = time;
	ring_account_publish(&c->account, ledger);
	ring_publish_ledger(&c->ring, &region->ring_ledger[cpu]);
	region->cpus[cpu].stalls = c->stalls;
	region->cpus[cpu].stall_ns = c->stall_ns;
	region->cpus[cpu].given_up = c->given_up;
}

void recording_end(void)
{
	for (uint32_t cpu = 0; cpu < recording.count; cpu++) {
		struct recording_cpu *c = &recording.cpus[cpu];

		ring_report_lost(&c->ring, &c->account);
		ring_wake(&c->ring, TR_WAKEUP_END);
		ring_publish_ledger(&c->ring, &recording.region.ring_ledger[cpu]);
	}
	trace_region_set_state(&recording.region, TR_COMPLETE);
}
