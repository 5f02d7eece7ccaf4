/* SPDX-License-Identifier: MIT */
/*
 * A region that changes while it is read: a checked value may have changed at a second read, so the
 * code must not read it twice. Input: as for region_fuzz. A thread applies and reverts the patches
 * as fast as it can, until dump, session and the other readers are done.
 */
#include <pthread.h>
#include <string.h>

#include "tests/fuzz/region_readers.h"
#include "tests/fuzz/seed.h"

#define LOOKS   4
#define PATCHES 64U

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	uint8_t *at;
	uint8_t was, becomes;
} patches[PATCHES];
static size_t count;
static int stop;

static void *spoil(void *nothing)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (size_t i = 0; i < count; i++)
			__atomic_store_n(patches[i].at, patches[i].becomes, __ATOMIC_RELAXED);
		for (size_t i = 0; i < count; i++)
			__atomic_store_n(patches[i].at, patches[i].was, __ATOMIC_RELAXED);
	}
	return nothing;
}

static void read_spoilt(void)
{
	pthread_t thread;

	__atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
	if (pthread_create(&thread, NULL, spoil, NULL))
		abort();
	for (int i = 0; i < LOOKS; i++)
		region_dump();
	region_record();
	region_ask();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t place;
	uint8_t *bytes;

	if (!size)
		return 0;
	bytes = region_renew(data[0] % REGION_KINDS);
	for (count = 0; count < PATCHES; count++) {
		if (!region_patch(data + 1, size - 1, count, &place, &patches[count].becomes))
			break;
		patches[count].at = bytes + place;
		patches[count].was = bytes[place];
	}
	read_spoilt();
	return 0;
}

/* Patch byte `byte` of word `word` in the first ring's records of this type. */
static size_t patch_records(uint8_t *to, const uint8_t *bytes, uint32_t type, size_t word,
                            size_t byte, uint8_t value)
{
	size_t rings = region_rings_begin(), at = rings + TR_PAGE, used = 0;

	while (used < PATCHES) {
		struct perf_event_header header;
		size_t place = at + 8 * word + byte;

		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < 8 || at + header.size > rings + 2 * TR_PAGE)
			break;
		if (header.type == type) {
			uint8_t *patch = to + REGION_PATCH * used++;

			for (unsigned i = 0; i < 3; i++)
				patch[i] = (uint8_t)(place >> 8 * i);
			patch[3] = value;
		}
		at += header.size;
	}
	return REGION_PATCH * used;
}

/* For each kind: AUX pieces that grow by 2^32, AUX pieces elsewhere, samples' callchains that grow;
 * and a ring whose records change their sizes. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct {
		uint32_t type;
		uint8_t word, byte, value;
	} seeds[] = {
		{ PERF_RECORD_AUX, 2, 4, 1 },
		{ PERF_RECORD_AUX, 1, 4, 1 },
		{ PERF_RECORD_SAMPLE, 7, 0, 200 },
		{ PERF_RECORD_SAMPLE, 0, 7, 1 },
	};
	uint8_t input[1 + REGION_PATCH * PATCHES];

	for (int kind = 0; kind < REGION_KINDS; kind++) {
		const uint8_t *bytes = region_renew(kind);

		for (size_t s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++) {
			char name[16];
			size_t size;

			input[0] = (uint8_t)kind;
			size = 1 + patch_records(input + 1, bytes, seeds[s].type, seeds[s].word,
			                         seeds[s].byte, seeds[s].value);
			snprintf(name, sizeof(name), "kind-%d-%zu", kind, s);
			if (size > 1) /* the ring has records of this type */
				fuzz_seed(*argc, *argv, name, input, size);
		}
	}
	return 0;
}
