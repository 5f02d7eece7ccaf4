/* SPDX-License-Identifier: MIT */
#include "lib/cpio.h"

#include <errno.h>
#include <string.h>

#define MAGIC  "07070" /* followed by 1, or by 2 with checksums */
#define HEADER 110U

/* Indices of the header's numbers */
enum {
	FIELD_INODE = 0,
	FIELD_MODE = 1,
	FIELD_LINKS = 4,
	FIELD_MTIME = 5,
	FIELD_SIZE = 6,
	FIELD_DEVICE = 7, /* the device's major number, followed by its minor number */
	FIELD_NAME_SIZE = 11
};

#define TYPE    0170000U /* the type bits of a mode; POSIX's <cpio.h> */
#define REGULAR 0100000U

/* An entry with its inode and device, which identify a file with several names. */
struct cpio_whole {
	struct cpio_entry entry;
	uint32_t inode, major, minor, links;
};

bool cpio_is_archive(const void *archive, uint64_t size)
{
	const char *magic = archive;

	return size >= HEADER && !memcmp(magic, MAGIC, 5) && (magic[5] == '1' || magic[5] == '2');
}

static bool cpio_number(const char *header, unsigned field, uint32_t *value)
{
	const char *digits = header + 6 + 8U * field;

	*value = 0;
	for (unsigned i = 0; i < 8; i++) {
		char c = digits[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint32_t)digit;
	}
	return true;
}

static uint64_t cpio_padded(uint64_t at)
{
	return (at + 3) & ~3ULL;
}

static const char *cpio_plain(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 1 + strspn(name + 1, "/");
	return name;
}

static int cpio_read(const void *archive, uint64_t size, uint64_t *at, struct cpio_whole *whole)
{
	const char *header = (const char *)archive + *at;
	uint64_t left = *at < size ? size - *at : 0, file;
	struct cpio_entry *entry = &whole->entry;
	uint32_t name_size, file_size;

	if (!cpio_is_archive(header, left) || !cpio_number(header, FIELD_MODE, &entry->mode) ||
	    !cpio_number(header, FIELD_MTIME, &entry->mtime) ||
	    !cpio_number(header, FIELD_SIZE, &file_size) ||
	    !cpio_number(header, FIELD_NAME_SIZE, &name_size) ||
	    !cpio_number(header, FIELD_INODE, &whole->inode) ||
	    !cpio_number(header, FIELD_LINKS, &whole->links) ||
	    !cpio_number(header, FIELD_DEVICE, &whole->major) ||
	    !cpio_number(header, FIELD_DEVICE + 1, &whole->minor))
		return -EINVAL;
	file = cpio_padded((uint64_t)HEADER + name_size);
	if (!name_size || file > left || file_size > left - file || header[HEADER + name_size - 1])
		return -EINVAL;
	entry->name = cpio_plain(header + HEADER);
	entry->linked = false;
	entry->bytes = (const uint8_t *)header + file;
	entry->size = file_size;
	*at += cpio_padded(file + file_size);
	return strcmp(header + HEADER, "TRAILER!!!") != 0;
}

static bool cpio_has_names(const struct cpio_whole *whole)
{
	return whole->links > 1 && (whole->entry.mode & TYPE) == REGULAR;
}

static void cpio_find_bytes(const void *archive, uint64_t size, struct cpio_whole *whole)
{
	struct cpio_whole other;
	uint64_t at = 0;

	while (!whole->entry.size && cpio_read(archive, size, &at, &other) > 0) {
		if (!cpio_has_names(&other) || other.inode != whole->inode ||
		    other.major != whole->major || other.minor != whole->minor)
			continue;
		whole->entry.bytes = other.entry.bytes;
		whole->entry.size = other.entry.size;
	}
	whole->entry.linked = whole->entry.size;
}

int cpio_next(const void *archive, uint64_t size, uint64_t *at, struct cpio_entry *entry)
{
	struct cpio_whole whole;
	int found = cpio_read(archive, size, at, &whole);

	if (found < 0)
		return found;
	if (found && cpio_has_names(&whole))
		cpio_find_bytes(archive, size, &whole);
	*entry = whole.entry;
	return found;
}
