/* SPDX-License-Identifier: MIT */
#include "lib/parse/smbios.h"

#include <string.h>

/* 5.2.2: the entry point of version 3 */
#define ENTRY_3         "_SM3_"
#define ENTRY_3_SIZE    24U
#define ENTRY_3_LENGTH  0x0cU
#define ENTRY_3_ADDRESS 0x10U

/* 5.2.1: of version 2 */
#define ENTRY_2         "_SM_"
#define ENTRY_2_SIZE    31U
#define ENTRY_2_LENGTH  0x16U
#define ENTRY_2_ADDRESS 0x18U

#define LONGEST (1U << 20) /* bytes of a table; a longer one is cut off */

/* 6.1.2: a structure; its strings follow, each with a NUL, and one more NUL */
#define HEADER       4U
#define TYPE_SYSTEM  1U /* 7.2 */
#define TYPE_END     127U
#define MANUFACTURER 4U
#define PRODUCT_NAME 5U

struct smbios_table {
	const uint8_t *bytes;
	size_t size;
};

static uint64_t smbios_number(const uint8_t *bytes, unsigned size)
{
	uint64_t number = 0;

	for (unsigned i = size; i > 0; i--)
		number = number << 8 | bytes[i - 1];
	return number;
}

static struct smbios_table smbios_table_at(uint64_t address, uint64_t size, smbios_view_fn view)
{
	size_t length = size < LONGEST ? (size_t)size : LONGEST;

	return (struct smbios_table){ length ? view(address, length) : NULL, length };
}

static struct smbios_table smbios_find(uint64_t entry, smbios_view_fn view)
{
	const uint8_t *bytes = view(entry, ENTRY_3_SIZE);

	if (bytes && !memcmp(bytes, ENTRY_3, sizeof(ENTRY_3) - 1))
		return smbios_table_at(smbios_number(bytes + ENTRY_3_ADDRESS, 8),
		                       smbios_number(bytes + ENTRY_3_LENGTH, 4), view);
	bytes = view(entry, ENTRY_2_SIZE);
	if (bytes && !memcmp(bytes, ENTRY_2, sizeof(ENTRY_2) - 1))
		return smbios_table_at(smbios_number(bytes + ENTRY_2_ADDRESS, 4),
		                       smbios_number(bytes + ENTRY_2_LENGTH, 2), view);
	return (struct smbios_table){ NULL, 0 };
}

/* The offset behind the strings that begin at `at`; the table's size if they do not end. */
static size_t smbios_behind_strings(const struct smbios_table *table, size_t at)
{
	for (; at + 1 < table->size; at++) {
		if (!table->bytes[at] && !table->bytes[at + 1])
			return at + 2;
	}
	return table->size;
}

/* Copy the string of this number, from 1 on; the strings are [at, end). */
static void smbios_copy_string(const struct smbios_table *table, size_t at, size_t end,
                               unsigned number, char text[SMBIOS_TEXT])
{
	size_t length = 0;

	for (; number > 1 && at < end; at++)
		number -= !table->bytes[at];
	for (; number == 1 && at + length < end && table->bytes[at + length] &&
	       length < SMBIOS_TEXT - 1;
	     length++)
		text[length] = (char)table->bytes[at + length];
	text[length] = 0;
}

bool smbios_read_system(uint64_t entry, smbios_view_fn view, struct smbios_system *system)
{
	struct smbios_table table = smbios_find(entry, view);
	size_t at = 0;

	*system = (struct smbios_system){ "", "" };
	while (table.bytes && at + HEADER <= table.size) {
		uint8_t type = table.bytes[at], length = table.bytes[at + 1];
		size_t strings = at + length, end;

		if (length < HEADER || strings > table.size || type == TYPE_END)
			return false;
		end = smbios_behind_strings(&table, strings);
		if (type == TYPE_SYSTEM && length > PRODUCT_NAME) {
			smbios_copy_string(&table, strings, end, table.bytes[at + MANUFACTURER],
			                   system->maker);
			smbios_copy_string(&table, strings, end, table.bytes[at + PRODUCT_NAME],
			                   system->product);
			return true;
		}
		at = end;
	}
	return false;
}

bool smbios_is_apples_vm(const struct smbios_system *system)
{
	static const char product[] = "Apple Virtualization";

	return !strcmp(system->maker, "Apple Inc.") &&
	       !strncmp(system->product, product, sizeof(product) - 1);
}
