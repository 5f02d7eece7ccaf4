/* SPDX-License-Identifier: MIT */
/* Device paths of files: made, measured, and read as text, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/efi/efi_file_path.h"
#include "tests/unit/lib/efi/fake_firmware.h"

#define LONG 300U /* characters of a name whose node length needs both bytes */

static const uint8_t end_node[] = { 0x7f, 0xff, 4, 0 };

static EFI_STATUS EFIAPI pool_allocate(EFI_MEMORY_TYPE type, UINTN size, VOID **buffer)
{
	(void)type;
	*buffer = malloc(size);
	return *buffer ? EFI_SUCCESS : EFI_OUT_OF_RESOURCES;
}

static int begin(void **state)
{
	(void)state;
	fake_firmware_begin();
	fake_services.AllocatePool = pool_allocate;
	return 0;
}

/* Put a file's node of so many bytes with these characters. */
static size_t put_file(uint8_t *at, size_t length, const char *name)
{
	memset(at, 0, length);
	at[0] = at[1] = 4;
	at[2] = (uint8_t)(length & 255);
	at[3] = (uint8_t)(length >> 8);
	for (size_t i = 0; name[i]; i++)
		at[4 + 2 * i] = (uint8_t)name[i];
	return length;
}

static void a_long_name_is_one_node_of_its_length(void **state)
{
	char name[LONG + 1] = "", text[LONG + 2];
	uint8_t *path, expected[4 + 2 * (LONG + 1) + 4];
	size_t size;

	(void)state;
	memset(name, 'x', LONG);
	name[3] = '/';
	path = (uint8_t *)efi_file_path(NULL, name);
	name[3] = '\\';
	size = put_file(expected, 4 + 2 * (LONG + 1), name);
	memcpy(expected + size, end_node, 4);
	assert_memory_equal(path, expected, sizeof(expected));
	assert_int_equal(efi_file_path_size((EFI_DEVICE_PATH *)path), sizeof(expected));
	assert_int_equal(efi_file_path_text((EFI_DEVICE_PATH *)path, text, sizeof(text)), LONG);
	assert_string_equal(text, name);
	assert_int_equal(efi_file_path_text((EFI_DEVICE_PATH *)path, text, LONG), 0);
	free(path);
}

static void a_volume_s_path_is_in_front_of_it(void **state)
{
	uint8_t volume[600], *path;
	size_t front = 300, size = front + 4 + 2 * 4;
	char text[16];

	(void)state;
	memset(volume, 0x7f, sizeof(volume)); /* its bytes are no nodes */
	memcpy(volume, (const uint8_t[]){ 1, 1, 300 & 255, 300 >> 8 }, 4);
	memcpy(volume + front, end_node, 4);
	fake_install(&volume, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID, volume);
	path = (uint8_t *)efi_file_path(&volume, "a/b");
	assert_memory_equal(path, volume, front);
	assert_int_equal(efi_file_path_size((EFI_DEVICE_PATH *)path), size + 4);
	assert_memory_equal(path + size, end_node, 4);
	assert_int_equal(efi_file_path_text((EFI_DEVICE_PATH *)path, text, sizeof(text)), 3);
	assert_string_equal(text, "a\\b");
	free(path);
	assert_null(efi_file_path(text, "a"));
}

/* The text of these nodes, which end at `size`, in memory of their own. */
static size_t text_of(const uint8_t *nodes, size_t size, char *text, size_t capacity)
{
	uint8_t *path = malloc(size + sizeof(end_node)); /* the sanitizer knows its bounds */
	size_t length;

	memcpy(path, nodes, size);
	memcpy(path + size, end_node, sizeof(end_node));
	length = efi_file_path_text((EFI_DEVICE_PATH *)path, text, capacity);
	free(path);
	return length;
}

static void names_are_as_long_as_their_nodes(void **state)
{
	uint8_t nodes[64];
	char text[16];
	size_t size;

	(void)state;
	size = put_file(nodes, 4 + 2 * 2, "ab"); /* no 0 at its end */
	size += put_file(nodes + size, 4 + 2 * 4, "c");
	assert_int_equal(text_of(nodes, size, text, sizeof(text)), 4);
	assert_string_equal(text, "ab\\c");
	size = put_file(nodes, 4 + 2 * 3, "a\\");
	size += put_file(nodes + size, 4 + 2 * 2, "b");
	assert_int_equal(text_of(nodes, size, text, sizeof(text)), 3);
	assert_string_equal(text, "a\\b");
	assert_int_equal(text_of(nodes, size, text, 5), 3);
	assert_int_equal(text_of(nodes, size, text, 4), 0);
}

static void a_node_that_is_too_short_ends_the_path(void **state)
{
	uint8_t nodes[64];
	char text[16];
	size_t size;

	(void)state;
	size = put_file(nodes, 4 + 2 * 2, "a");
	memcpy(nodes + size, (const uint8_t[]){ 4, 4, 3, 0, 'b', 0, 0, 0 }, 8);
	assert_int_equal(text_of(nodes, size + 8, text, sizeof(text)), 1);
	assert_int_equal(efi_file_path_size((EFI_DEVICE_PATH *)nodes), size + 4);
}

static void other_characters_than_ascii_are_no_name(void **state)
{
	static const uint16_t wrong[] = { 0x1f, 0x7f, 0x100, 0x161 };
	uint8_t nodes[64];
	char text[16];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		size_t size = put_file(nodes, 4 + 2 * 2, "a");

		nodes[4] = (uint8_t)(wrong[i] & 255);
		nodes[5] = (uint8_t)(wrong[i] >> 8);
		assert_int_equal(text_of(nodes, size, text, sizeof(text)), 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, begin)
		TEST(a_long_name_is_one_node_of_its_length),
		TEST(a_volume_s_path_is_in_front_of_it),
		TEST(names_are_as_long_as_their_nodes),
		TEST(a_node_that_is_too_short_ends_the_path),
		TEST(other_characters_than_ascii_are_no_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
