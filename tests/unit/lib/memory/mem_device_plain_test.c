/* SPDX-License-Identifier: MIT */
/*
 * Accesses to the trace region while it is Device memory, which faults on accesses that are not
 * aligned to their size. The sources under test are compiled so that each load and store calls a
 * function here (gcc's -fsanitize=kernel-address with calls), which counts those in the region that
 * would fault.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/trace_region.h"
#include "ringbuf/region_writer.h"
#include "ringbuf/stream.h"

enum { REGION = 1 << 17, MOST = 40, OFFSETS = 16, WIDEST = 8 };

static _Alignas(TR_PAGE) unsigned char region[REGION];
static unsigned char ordinary[REGION];
/* volatile: gcc assumes that memcpy() changes neither. */
static volatile unsigned faults;
static volatile uint64_t accesses;

static void see(uintptr_t address, size_t size)
{
	/* a struct is copied with the widest access that its size allows */
	size_t width = size & -size;

	if (address < (uintptr_t)region || address >= (uintptr_t)region + sizeof(region))
		return;
	accesses++;
	if (address % (width < WIDEST ? width : WIDEST) != 0)
		faults++;
}

/* gcc chooses the names. */
#define SEEN(kind, size)                                       \
	void __asan_##kind##size##_noabort(uintptr_t address); \
	void __asan_##kind##size##_noabort(uintptr_t address)  \
	{                                                      \
		see(address, size);                            \
	}
#define SEEN_RANGE(kind)                                               \
	void __asan_##kind##N_noabort(uintptr_t address, size_t size); \
	void __asan_##kind##N_noabort(uintptr_t address, size_t size)  \
	{                                                              \
		see(address, size);                                    \
	}
// NOLINTBEGIN(bugprone-reserved-identifier)
SEEN(load, 1)
SEEN(load, 2)
SEEN(load, 4)
SEEN(load, 8)
SEEN(load, 16)
SEEN(store, 1)
SEEN(store, 2)
SEEN(store, 4)
SEEN(store, 8)
SEEN(store, 16)
SEEN_RANGE(load)
SEEN_RANGE(store)
void __asan_handle_no_return(void);
void __asan_handle_no_return(void)
{
}
// NOLINTEND(bugprone-reserved-identifier)

static void begin(void)
{
	faults = 0;
	accesses = 0;
}

static void none_faulted(void)
{
	assert_true(accesses > 0);
	assert_int_equal(faults, 0);
}

static void unaligned_accesses_are_seen(void **state)
{
	struct __attribute__((packed)) word {
		uint64_t bits;
	};

	unsigned char *volatile at = region + 4;

	(void)state;
	begin();
	((struct word *)(void *)at)->bits = 1;
	assert_int_equal(faults, 1);
	at = ordinary + 4;
	((struct word *)(void *)at)->bits = 1;
	assert_int_equal(faults, 1);
}

static void copies_are_aligned_on_both_sides(void **state)
{
	(void)state;
	begin();
	for (size_t to = 0; to < OFFSETS; to++)
		for (size_t from = 0; from < OFFSETS; from++)
			for (size_t size = 0; size < MOST; size++) {
				memcpy(region + to, ordinary + from, size);
				memcpy(ordinary + to, region + from, size);
				memmove(region + to, region + from, size);
			}
	none_faulted();
}

static void filling_and_comparing_are_aligned(void **state)
{
	(void)state;
	begin();
	for (size_t to = 0; to < OFFSETS; to++)
		for (size_t size = 0; size < 8 * MOST; size++) {
			memset(region + to, 1, size);
			assert_int_equal(memcmp(region + to, region + to, size), 0);
		}
	none_faulted();
}

static void a_stream_of_any_pieces_is_aligned(void **state)
{
	struct stream stream;
	struct tr_stream *shared = (struct tr_stream *)(void *)region;

	(void)state;
	begin();
	stream_init(&stream, shared, region + TR_PAGE, TR_PAGE, TR_PAGE);
	for (size_t size = 1; size < MOST; size++) {
		stream_make_room(&stream, size);
		assert_int_equal(stream_put(&stream, ordinary + size % WIDEST, size), size);
	}
	none_faulted();
}

static void a_region_is_made_and_opened_aligned(void **state)
{
	struct region_limits limits = { .cpus = 3,
		                        .images = 5,
		                        .events = 7,
		                        .rings = 3,
		                        .console_size = 4096,
		                        .stream_size = 4096 };
	struct trace_region writer;

	(void)state;
	begin();
	assert_int_equal(trace_region_init(&writer, region, sizeof(region), &limits), 0);
	trace_region_open(&writer, &(struct region_identity){ .producer = "odd" });
	trace_region_set_clock(&writer, &(struct tr_clock){ .time_mult = 3 });
	assert_int_equal(trace_region_start_run(&writer, "record -- calltree", 7, 3), 0);
	trace_region_set_message(&writer, -1, "a message");
	trace_region_set_recording(&writer);
	none_faulted();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unaligned_accesses_are_seen),
		cmocka_unit_test(copies_are_aligned_on_both_sides),
		cmocka_unit_test(filling_and_comparing_are_aligned),
		cmocka_unit_test(a_stream_of_any_pieces_is_aligned),
		cmocka_unit_test(a_region_is_made_and_opened_aligned),
	};

	return cmocka_run_group_tests_name("device memory", tests, NULL, NULL);
}
