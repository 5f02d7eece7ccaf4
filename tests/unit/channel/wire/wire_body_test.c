/* SPDX-License-Identifier: MIT */
/* Bodies: every struct comes back unchanged, shorter bodies are refused, longer ones are accepted,
 * and nothing beyond a count's limit is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "channel/wire/wire.h"

/* put, then get of every length: from the full length on, get succeeds and the struct's `fields`
 * are equal. */
#define COMES_BACK(name, value, ...)                                          \
	do {                                                                  \
		uint8_t body[WIRE_BODY_MAX + 1];                              \
		struct wire_##name back;                                      \
		size_t size = wire_put_##name(body, &(value), ##__VA_ARGS__); \
                                                                              \
		assert_in_range(size, WIRE_HEAD, WIRE_BODY_MAX);              \
		for (size_t less = 0; less < size; less++) {                  \
			uint8_t *cut = malloc(less ? less : 1);               \
                                                                              \
			assert_non_null(cut);                                 \
			memcpy(cut, body, less);                              \
			assert_false(wire_get_##name(cut, less, &back));      \
			free(cut);                                            \
		}                                                             \
		body[size] = 0xee;                                            \
		memset(&back, 0, sizeof(back));                               \
		assert_true(wire_get_##name(body, size, &back));              \
		assert_memory_equal(&back, &(value), sizeof(back));           \
		assert_true(wire_get_##name(body, size + 1, &back));          \
	} while (0)

/* Each byte has another value, padding between fields is 0. */
#define FILL(field)                                                                      \
	do {                                                                             \
		for (size_t i_ = 0; i_ < sizeof(field); i_++)                            \
			((uint8_t *)&(field))[i_] = (uint8_t)(0x81 + i_ * 7 + __LINE__); \
	} while (0)

static void hello_and_its_answer_come_back(void **state)
{
	static struct wire_hello hello;
	static struct wire_welcome welcome;

	(void)state;
	FILL(hello.version);
	FILL(hello.nonce);
	hello.probes = WIRE_PROBE_MAX;
	for (unsigned i = 0; i < WIRE_PROBE_MAX; i++)
		hello.probe[i] = welcome.probe[i] = (uint8_t)i;
	COMES_BACK(hello, hello);
	FILL(welcome.version);
	FILL(welcome.host_nonce);
	FILL(welcome.nonce);
	FILL(welcome.region_size);
	FILL(welcome.address);
	FILL(welcome.burst);
	FILL(welcome.burst_us);
	FILL(welcome.baud);
	FILL(welcome.baud_max);
	FILL(welcome.machine);
	FILL(welcome.gets);
	welcome.probes = WIRE_PROBE_MAX;
	COMES_BACK(welcome, welcome);
}

static void questions_come_back(void **state)
{
	struct wire_get get;
	struct wire_clear clear;
	struct wire_baud baud = { 0 };

	(void)state;
	memset(&get, 0, sizeof(get));
	FILL(get.tag);
	get.size = WIRE_GET_MAX;
	FILL(get.offset);
	COMES_BACK(get, get, WIRE_ENCODED);
	memset(&clear, 0, sizeof(clear));
	FILL(clear.number);
	clear.count = WIRE_BELLS_MAX;
	FILL(clear.offsets);
	COMES_BACK(clear, clear);
	FILL(baud.baud);
	COMES_BACK(baud, baud);
}

static void answers_come_back(void **state)
{
	struct wire_done done;
	struct wire_status status;

	(void)state;
	memset(&done, 0, sizeof(done));
	FILL(done.number);
	done.status = -22;
	FILL(done.set);
	COMES_BACK(done, done);
	memset(&status, 0, sizeof(status));
	FILL(status.nonce);
	FILL(status.heartbeat);
	FILL(status.run);
	FILL(status.state);
	FILL(status.reply);
	FILL(status.console_head);
	FILL(status.rings);
	FILL(status.damaged);
	FILL(status.overruns);
	COMES_BACK(status, status);
}

static void bytes_to_be_stored_come_back_from_inside_the_body(void **state)
{
	uint8_t bytes[WIRE_PUT_MAX], body[WIRE_BODY_MAX];
	struct wire_put put = { 0x01020304, 0, 0x8899aabbccddeeff, bytes }, back;

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (uint16_t size = 1; size <= WIRE_PUT_MAX; size++) {
		size_t length;

		put.size = size;
		length = wire_put_put(body, &put);
		assert_true(wire_get_put(body, length, &back));
		assert_int_equal(back.number, put.number);
		assert_int_equal(back.offset, put.offset);
		assert_int_equal(back.size, size);
		assert_memory_equal(back.bytes, bytes, size);
		assert_false(wire_get_put(body, length - 1, &back));
	}
}

static void data_has_its_content_behind_its_head(void **state)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_data data = { 0x1234, 0x5678, WIRE_RAW_MAX }, back;
	struct wire_head head;

	(void)state;
	assert_int_equal(wire_put_data(body, &data, WIRE_ENCODED, WIRE_DATA_MAX), WIRE_BODY_MAX);
	assert_true(wire_get_data(body, WIRE_DATA_HEAD, &back));
	assert_memory_equal(&back, &data, sizeof(data));
	assert_false(wire_get_data(body, WIRE_DATA_HEAD - 1, &back));
	assert_true(wire_get_head(body, WIRE_HEAD, &head));
	assert_int_equal(head.type, WIRE_DATA);
	assert_int_equal(head.flags, WIRE_ENCODED);
}

static void the_head_has_the_number_that_it_is_given_last(void **state)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_head head;

	(void)state;
	assert_int_equal(wire_put_bye(body), WIRE_HEAD);
	wire_put_sequence(body, 0xfedc);
	assert_true(wire_get_head(body, WIRE_HEAD, &head));
	assert_int_equal(head.type, WIRE_BYE);
	assert_int_equal(head.sequence, 0xfedc);
	assert_false(wire_get_head(body, WIRE_HEAD - 1, &head));
}

/* A body of the greatest length, with `count` at `at`. */
static bool takes_count(bool (*get)(const uint8_t *), unsigned at, uint16_t count)
{
	uint8_t body[WIRE_BODY_MAX] = { 0 };

	body[at] = (uint8_t)count;
	body[at + 1] = (uint8_t)(count >> 8);
	return get(body);
}

static bool takes_hello(const uint8_t *body)
{
	struct wire_hello hello;

	return wire_get_hello(body, WIRE_BODY_MAX, &hello);
}

static bool takes_clear(const uint8_t *body)
{
	struct wire_clear clear;

	return wire_get_clear(body, WIRE_BODY_MAX, &clear);
}

static bool takes_put(const uint8_t *body)
{
	struct wire_put put;

	return wire_get_put(body, WIRE_BODY_MAX, &put);
}

static bool takes_data(const uint8_t *body)
{
	struct wire_data data;

	return wire_get_data(body, WIRE_BODY_MAX, &data);
}

static bool takes_get(const uint8_t *body)
{
	struct wire_get get;

	return wire_get_get(body, WIRE_BODY_MAX, &get);
}

static void counts_out_of_their_bounds_are_refused(void **state)
{
	(void)state;
	assert_true(takes_count(takes_hello, WIRE_HEAD + 12, WIRE_PROBE_MAX));
	assert_true(takes_count(takes_hello, WIRE_HEAD + 12, 0));
	assert_false(takes_count(takes_hello, WIRE_HEAD + 12, WIRE_PROBE_MAX + 1));
	assert_true(takes_count(takes_clear, WIRE_HEAD + 4, WIRE_BELLS_MAX));
	assert_false(takes_count(takes_clear, WIRE_HEAD + 4, WIRE_BELLS_MAX + 1));
	assert_false(takes_count(takes_clear, WIRE_HEAD + 4, 0));
	assert_true(takes_count(takes_put, WIRE_HEAD + 4, WIRE_PUT_MAX));
	assert_false(takes_count(takes_put, WIRE_HEAD + 4, WIRE_PUT_MAX + 1));
	assert_false(takes_count(takes_put, WIRE_HEAD + 4, 0));
	assert_true(takes_count(takes_data, WIRE_HEAD + 4, WIRE_RAW_MAX));
	assert_false(takes_count(takes_data, WIRE_HEAD + 4, WIRE_RAW_MAX + 1));
	assert_false(takes_count(takes_data, WIRE_HEAD + 4, 0));
	assert_true(takes_count(takes_get, WIRE_HEAD + 2, 1));
	assert_false(takes_count(takes_get, WIRE_HEAD + 2, 0));
	assert_true(takes_count(takes_get, WIRE_HEAD + 4, WIRE_GET_MAX >> 16));
	assert_false(takes_count(takes_get, WIRE_HEAD + 4, (WIRE_GET_MAX >> 16) + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_and_its_answer_come_back),
		cmocka_unit_test(questions_come_back),
		cmocka_unit_test(answers_come_back),
		cmocka_unit_test(bytes_to_be_stored_come_back_from_inside_the_body),
		cmocka_unit_test(data_has_its_content_behind_its_head),
		cmocka_unit_test(the_head_has_the_number_that_it_is_given_last),
		cmocka_unit_test(counts_out_of_their_bounds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
