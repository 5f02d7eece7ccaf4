/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "writer/perfdata/arm_spe_decode.h"

/* Every kind of packet, made from the manual's tables. */
static const uint8_t load[] = {
	0xb0, 0x4c, 0x52, 0x3b, 0x5c, 0,    0, 0, 0xa0, /* PC 0x5c3b524c, NS, EL1 */
	0x64, 0x01, 0,    0,    0,                      /* CONTEXTIDR_EL1 1 */
	0x52, 0x1e, 0x08,                               /* events 1 to 4 and 11 */
	0x49, 0x00,                                     /* a load */
	0x98, 0x1b, 0x00, 0x99, 0x01, 0x00,             /* latency 27, issue 1 */
	0x9a, 0x02, 0x01,                               /* translation 258 */
	0xb2, 0xf0, 0x4b, 0x3e, 0x48, 0,    0, 0, 0x5a, /* VA with a tag */
	0xb3, 0xf0, 0x4b, 0x3e, 0x48, 0,    0, 0, 0x80, /* PA, NS */
	0x43, 0x0d,                                     /* data source */
	0x71, 0x00, 0xc0, 0x15, 0x04, 0,    0, 0, 0,    /* timestamp 0x415c000 */
};
static const uint8_t branch[] = {
	0xb0, 0x10, 0x52, 0x3b, 0x5c, 0, 0, 0, 0xc0,    /* PC, NS, EL2 */
	0x42, 0x42,                                     /* events, one byte: 1 and 6 */
	0x4a, 0x01,                                     /* a conditional branch */
	0xb1, 0x00, 0x52, 0x3b, 0x5c, 0, 0, 0, 0xc0,    /* its target */
	0x20, 0xb4, 1,    2,    3,    4, 5, 6, 7,    8, /* previous target, extended header */
	0x01,
};

static struct spe_decoder over(const uint8_t *bytes, size_t size)
{
	return (struct spe_decoder){ .bytes = bytes, .size = size };
}

static void a_load_s_packets_are_read(void **state)
{
	struct spe_decoder d = over(load, sizeof(load));
	struct spe_record r;

	(void)state;
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_int_equal(r.at, 0);
	assert_int_equal(r.size, sizeof(load));
	assert_int_equal(SPE_INSTRUCTION(r.address[SPE_PC]), 0x5c3b524c);
	assert_int_equal(SPE_EL(r.address[SPE_PC]), 1);
	assert_true(SPE_NS(r.address[SPE_PC]));
	assert_int_equal(r.context, 1);
	assert_int_equal(r.events, 0x81e);
	assert_int_equal(r.class, SPE_LOAD_STORE);
	assert_int_equal(r.operation, 0);
	assert_int_equal(r.counter[SPE_TOTAL], 27);
	assert_int_equal(r.counter[SPE_ISSUE], 1);
	assert_int_equal(r.counter[SPE_TRANSLATION], 258);
	assert_int_equal(SPE_DATA(r.address[SPE_VA]), 0x483e4bf0);
	assert_int_equal(SPE_DATA(r.address[SPE_PA]), 0x483e4bf0);
	assert_int_equal(r.source, 0x0d);
	assert_int_equal(r.timestamp, 0x415c000);
	assert_false(r.has & SPE_HAS_ADDRESS(SPE_TARGET));
	assert_int_equal(spe_decode(&d, &r), 0);
}

static void a_branch_s_packets_are_read(void **state)
{
	struct spe_decoder d = over(branch, sizeof(branch));
	struct spe_record r;

	(void)state;
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_int_equal(SPE_EL(r.address[SPE_PC]), 2);
	assert_int_equal(r.events, 0x42);
	assert_int_equal(r.class, SPE_BRANCH);
	assert_int_equal(r.operation, 1);
	assert_int_equal(SPE_INSTRUCTION(r.address[SPE_TARGET]), 0x5c3b5200);
	/* the extension's index is 0: the packet's own header says address 4 */
	assert_true(r.address[SPE_PREVIOUS_TARGET] == 0x0807060504030201ULL);
	assert_false(r.has & SPE_HAS(SPE_TIMESTAMP));
	assert_string_equal(spe_event_name(6), "NOT-TAKEN");
	assert_null(spe_event_name(12));
	assert_null(spe_event_name(63));
}

static void padding_and_alignment_are_passed_over(void **state)
{
	uint8_t bytes[128] = { 0 };
	struct spe_decoder d = over(bytes, sizeof(bytes));
	struct spe_record r;

	(void)state;
	bytes[3] = 0x25; /* aligned to a multiple of 64 ... */
	memset(bytes + 5, 0xff, 20);
	memcpy(bytes + 48, branch, sizeof(branch));
	d.position = 16; /* ... of the buffer: the position is 16, so 48 more bytes here */
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_int_equal(r.at, 48);
	assert_int_equal(r.size, sizeof(branch));
	assert_int_equal(spe_decode(&d, &r), 0);
}

static void bytes_that_are_no_packet_are_reported_with_their_place(void **state)
{
	uint8_t bytes[256] = { 0 };
	struct spe_decoder d = over(bytes, sizeof(bytes));
	struct spe_record r;

	(void)state;
	memcpy(bytes, branch, sizeof(branch));
	memset(bytes + 64, 0xff, 10);
	memcpy(bytes + 128, load, sizeof(load));
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_int_equal(spe_decode(&d, &r), -EPROTO);
	assert_int_equal(d.error_at, 64);
	assert_non_null(d.error);
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_int_equal(r.at, 128);
	assert_int_equal(spe_decode(&d, &r), 0);
}

static void a_record_that_is_cut_off_is_an_error(void **state)
{
	(void)state;
	for (size_t size = 1; size < sizeof(load); size++) {
		/* in memory of its own, so that a read beyond the end is detected */
		uint8_t *bytes = malloc(size);
		struct spe_decoder d = over(bytes, size);
		struct spe_record r;

		assert_non_null(bytes);
		memcpy(bytes, load, size);
		assert_int_equal(spe_decode(&d, &r), -EPROTO);
		assert_int_equal(spe_decode(&d, &r), 0);
		free(bytes);
	}
}

static void ns_is_cleared_for_perf_and_the_level_stays(void **state)
{
	uint8_t bytes[sizeof(load) + sizeof(branch)];
	struct spe_decoder d = over(bytes, sizeof(bytes));
	struct spe_record r;

	(void)state;
	memcpy(bytes, load, sizeof(load));
	memcpy(bytes + sizeof(load), branch, sizeof(branch));
	spe_adapt(bytes, sizeof(bytes), 0, false);
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_false(SPE_NS(r.address[SPE_PC]));
	assert_int_equal(SPE_EL(r.address[SPE_PC]), 1);
	assert_true(SPE_NS(r.address[SPE_PA])); /* the data do not change */
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_false(SPE_NS(r.address[SPE_TARGET]));
	assert_int_equal(SPE_EL(r.address[SPE_TARGET]), 2);
}

static void a_partial_record_at_the_end_becomes_padding(void **state)
{
	uint8_t bytes[sizeof(load) + 20];
	struct spe_decoder d = over(bytes, sizeof(bytes));
	struct spe_record r;

	(void)state;
	memcpy(bytes, load, sizeof(load));
	memcpy(bytes + sizeof(load), load, 20);
	spe_adapt(bytes, sizeof(bytes), 0, false);
	assert_int_equal(bytes[sizeof(load)], load[0]);
	spe_adapt(bytes, sizeof(bytes), 0, true);
	assert_int_equal(spe_decode(&d, &r), 1);
	assert_int_equal(spe_decode(&d, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_s_packets_are_read),
		cmocka_unit_test(a_branch_s_packets_are_read),
		cmocka_unit_test(padding_and_alignment_are_passed_over),
		cmocka_unit_test(bytes_that_are_no_packet_are_reported_with_their_place),
		cmocka_unit_test(a_record_that_is_cut_off_is_an_error),
		cmocka_unit_test(ns_is_cleared_for_perf_and_the_level_stays),
		cmocka_unit_test(a_partial_record_at_the_end_becomes_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
