/* SPDX-License-Identifier: MIT */
/* Our CRC-32 equals zlib's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <cmocka.h>

#include "writer/util/crc32.h"

static void the_crc_is_zlibs(void **state)
{
	uint8_t bytes[300];

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i + 7 * i);
	for (unsigned size = 0; size <= sizeof(bytes); size++)
		assert_int_equal(crc32_add(0, bytes, size), crc32(0, bytes, size));
	assert_int_equal(crc32_add(0, "123456789", 9), 0xcbf43926); /* the published check value */
}

static void the_crc_can_be_continued(void **state)
{
	(void)state;
	assert_int_equal(crc32_add(crc32_add(0, "12345", 5), "6789", 4), 0xcbf43926);
	assert_int_equal(crc32_add(0xcbf43926, "", 0), 0xcbf43926);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_crc_is_zlibs),
		cmocka_unit_test(the_crc_can_be_continued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
