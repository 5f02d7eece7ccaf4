/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/region_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_RECORD 1024U

static void must(bool it_holds)
{
	if (!it_holds)
		abort();
}

/* TID, TIME, CPU, IDENTIFIER. */
static void fill_trailer(const struct ring_account *account, void *to)
{
	uint64_t words[4] = { 1 | 1ULL << 32, 5, 0, account->id };

	memcpy(to, words, sizeof(words));
}

static void describe_events(struct fixture *f, unsigned ring)
{
	for (unsigned e = 0; e < FIXTURE_EVENTS; e++) {
		unsigned i = ring * FIXTURE_EVENTS + e;
		struct tr_event *event = &f->region.events[i];

		event->attr = (struct perf_event_attr){
			.type = PERF_TYPE_SOFTWARE,
			.size = PERF_ATTR_SIZE_VER7,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_period = 1000,
			.sample_type = FIXTURE_SAMPLE_TYPE,
			.flags = PERF_ATTR_SAMPLE_ID_ALL,
		};
		event->id = FIXTURE_ID(ring, e);
		event->cpu = ring;
		event->evsel = e;
		event->ring = ring;
		strcpy(event->name, e ? "second" : "first");
		f->accounts[i] = (struct ring_account){
			.id = event->id,
			.trailer_size = 32,
			.trailer = fill_trailer,
		};
	}
}

/* The use of a ring's area. */
struct area {
	uint32_t type; /* perf_event_attr.type of the source that fills it; UINT32_MAX: no area */
	bool overwrite;
};

static void make_area(struct fixture *f, unsigned i, const struct area *area)
{
	struct tr_ring *ring = &f->region.rings[i];
	struct ring_aux_config config = { .area = trace_region_at(&f->region, ring->aux_offset),
		                          .size = FIXTURE_AUX,
		                          .overwrite = area->overwrite };

	f->region.events[i * FIXTURE_EVENTS].attr.type = area->type;
	must(!ring_aux_init(&f->aux[i], &f->rings[i], &f->accounts[i * FIXTURE_EVENTS], &config));
	ring->aux_watermark = f->aux[i].watermark;
}

static void make_ring(struct fixture *f, unsigned i, uint32_t flags, const struct area *area)
{
	struct tr_ring *ring = &f->region.rings[i];
	struct ring_config config = {
		.size = FIXTURE_PAGES * TR_PAGE,
		.flags = flags,
		.max_record = MAX_RECORD,
		.scratch = f->scratch + (size_t)i * RING_LEVELS * MAX_RECORD,
		.owner = &f->owners[i],
	};
	uint64_t needed;

	must(!trace_region_add_ring(&f->region, i, FIXTURE_PAGES,
	                            area->type == UINT32_MAX ? 0 : FIXTURE_AUX / TR_PAGE, ring,
	                            &needed));
	ring->flags = flags;
	ring->owner = i * FIXTURE_EVENTS;
	config.control = trace_region_at(&f->region, ring->control);
	config.data = trace_region_at(&f->region, ring->data_offset);
	f->owners[i] = (struct ring_owner){
		.id = FIXTURE_ID(i, 0),
		.doorbell = &f->region.doorbells[i],
	};
	must(!ring_init(&f->rings[i], &config));
	describe_events(f, i);
	if (area->type != UINT32_MAX)
		make_area(f, i, area);
}

static void describe_machine(struct fixture *f)
{
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		f->region.cpus[i] = (struct tr_cpu){
			.cpu = i,
			.flags = TR_CPU_ONLINE | TR_CPU_TRACED,
			.signature = 0x000906ea,
			.vendor = "GenuineIntel",
			.model = "Test CPU",
			.cache_line = 64,
		};
	}
	f->region.images[0] = (struct tr_image){
		.address = 0x100000,
		.size = 16 * TR_PAGE,
		.link_address = 0x1000,
		.build_id_size = 20,
		.name = "bareperf.efi",
	};
	f->region.header->images.count = 1;
}

static void start_run(struct fixture *f, uint32_t ring_flags, const struct area *area)
{
	must(!trace_region_start_run(&f->region, "record -- test", FIXTURE_RINGS * FIXTURE_EVENTS,
	                             FIXTURE_RINGS));
	for (unsigned i = 0; i < FIXTURE_RINGS; i++)
		make_ring(f, i, i ? ring_flags : 0, area);
	trace_region_set_recording(&f->region);
}

static void init(struct fixture *f, uint32_t ring_flags, const struct area *area)
{
	static const struct region_limits limits = {
		FIXTURE_RINGS, 1, FIXTURE_RINGS * FIXTURE_EVENTS, FIXTURE_RINGS, 4096, 512
	};
	static const struct region_identity identity = { FIXTURE_ADDRESS, 0x5eed, 62, "test" };
	static const struct tr_clock clock = { .frequency = 1000000000, .time_mult = 1 };

	memset(f, 0, sizeof(*f));
	f->fd = memfd_create("fixture", MFD_CLOEXEC);
	must(f->fd >= 0 && !ftruncate(f->fd, FIXTURE_SIZE));
	f->bytes = mmap(NULL, FIXTURE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	must(f->bytes != MAP_FAILED);
	f->scratch = aligned_alloc(8, (size_t)FIXTURE_RINGS * RING_LEVELS * MAX_RECORD);
	must(f->scratch);
	must(!trace_region_init(&f->region, f->bytes, FIXTURE_SIZE, &limits));
	trace_region_open(&f->region, &identity);
	trace_region_set_clock(&f->region, &clock);
	describe_machine(f);
	start_run(f, ring_flags, area);
}

void fixture_init(struct fixture *f, uint32_t ring_flags)
{
	init(f, ring_flags, &(struct area){ .type = UINT32_MAX });
}

void fixture_init_aux(struct fixture *f, uint32_t type, bool overwrite)
{
	init(f, 0, &(struct area){ type, overwrite });
}

void fixture_run_again(struct fixture *f, uint32_t aux_type)
{
	start_run(f, 0, &(struct area){ .type = aux_type });
}

void fixture_free(struct fixture *f)
{
	munmap(f->bytes, FIXTURE_SIZE);
	close(f->fd);
	free(f->scratch);
}

bool fixture_sample(struct fixture *f, unsigned ring, unsigned event, uint64_t ip, uint64_t period,
                    unsigned depth)
{
	struct ring_account *account = &f->accounts[ring * FIXTURE_EVENTS + event];
	uint32_t size = 8 + 8 * (7 + depth);
	struct perf_event_header *header;
	struct ring_output out;
	uint64_t *word;

	f->time += 1000;
	header = ring_reserve_sample(&out, &f->rings[ring], account, size, period);
	if (!header)
		return false;
	*header =
	    (struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (uint16_t)size };
	word = (uint64_t *)(void *)(header + 1);
	*word++ = account->id;
	*word++ = ip;
	*word++ = 1 | (1ULL + ring) << 32;
	*word++ = f->time;
	*word++ = ring;
	*word++ = period;
	*word++ = depth;
	for (unsigned i = 0; i < depth; i++)
		*word++ = i ? ip + 16 * i : PERF_CONTEXT_USER;
	ring_commit(&out);
	return true;
}

bool fixture_piece(struct fixture *f, unsigned ring, const void *bytes, uint64_t size,
                   uint64_t flags)
{
	uint8_t *area = trace_region_at(&f->region, f->region.rings[ring].aux_offset);
	struct ring_aux_output out;

	if (ring_aux_begin(&out, &f->aux[ring], size ? size : 1))
		return false;
	for (uint64_t i = 0; i < size; i++)
		area[(f->aux[ring].head + i) % FIXTURE_AUX] = ((const uint8_t *)bytes)[i];
	ring_aux_flag(&out, flags);
	ring_aux_end(&out, size);
	return true;
}

void fixture_pad(struct fixture *f, unsigned ring, uint64_t size)
{
	struct ring_aux_output out;

	must(!ring_aux_begin(&out, &f->aux[ring], size));
	must(!ring_aux_skip(&out, size));
	ring_aux_end(&out, 0);
}

void fixture_publish(struct fixture *f)
{
	for (unsigned i = 0; i < FIXTURE_RINGS * FIXTURE_EVENTS; i++)
		ring_account_publish(&f->accounts[i], &f->region.event_ledger[i]);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		ring_publish_ledger(&f->rings[i], &f->region.ring_ledger[i]);
		if (f->aux[i].size)
			ring_aux_publish(&f->aux[i], &f->region.ring_ledger[i]);
	}
}

void fixture_complete(struct fixture *f)
{
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		ring_report_lost(&f->rings[i], &f->accounts[i * FIXTURE_EVENTS]);
		ring_wake(&f->rings[i], TR_WAKEUP_END);
	}
	fixture_publish(f);
	trace_region_set_state(&f->region, TR_COMPLETE);
}
