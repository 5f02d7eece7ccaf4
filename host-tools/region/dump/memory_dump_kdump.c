/* SPDX-License-Identifier: MIT */
/*
 * Compressed dumps of makedumpfile and QEMU's dump-guest-memory -z, read with libkdumpfile. A dump
 * may be flattened for a pipe: pieces, each with its place in the file. libkdumpfile 0.5 does not
 * read that form, so this code first puts the pieces into their places.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/region/dump/memory_dump.h"

#define FLATTENED        "makedumpfile\0\0\0"
#define FLATTENED_HEADER 4096U
#define MOST_RANGES      (1U << 22)

#ifdef HAVE_LIBKDUMPFILE
#include <libkdumpfile/kdumpfile.h>

struct kdump {
	kdump_ctx_t *context;
	int fd;
};

static void kdump_close(struct memory_dump *dump)
{
	struct kdump *kdump = dump->own;

	kdump_free(kdump->context);
	if (kdump->fd >= 0)
		close(kdump->fd);
	free(kdump);
}

static int kdump_fail(const struct kdump *kdump, const char *doing, struct error *error)
{
	const char *why = kdump->context ? kdump_get_err(kdump->context) : "no memory";

	return error_set(error, -EPROTO, "%s a kdump: %.500s", doing, why ? why : "unknown");
}

static int kdump_copy(struct memory_dump *dump, uint64_t address, void *to, size_t size,
                      struct error *error)
{
	struct kdump *kdump = dump->own;
	size_t got = size;

	if (kdump_read(kdump->context, KDUMP_MACHPHYSADDR, address, to, &got) == KDUMP_OK)
		return 0;
	return kdump_fail(kdump, "reading", error);
}

/* Lists the pages that the file contains. */
static int add_pages(struct memory_dump *dump, kdump_bmp_t *pages, uint64_t page,
                     struct error *error)
{
	kdump_addr_t first = 0, end;
	int code = 0;

	while (!code && kdump_bmp_find_set(pages, &first) == KDUMP_OK) {
		end = first;
		if (kdump_bmp_find_clear(pages, &end) != KDUMP_OK || end <= first ||
		    end > (UINT64_MAX >> 16) || dump->count == MOST_RANGES)
			return error_set(error, -EPROTO, "a kdump whose map of pages is broken");
		code = memory_dump_add(
		    dump, &(struct memory_range){ first * page, (end - first) * page, 0 }, error);
		first = end;
	}
	return code;
}

static int open_kdump(struct memory_dump *dump, struct kdump *kdump, struct error *error)
{
	kdump_attr_t pages = { .type = KDUMP_BITMAP };
	kdump_num_t page = 0;
	int code;

	kdump->context = kdump_new();
	if (!kdump->context || kdump_open_fd(kdump->context, kdump->fd) != KDUMP_OK)
		return kdump_fail(kdump, "opening", error);
	if (kdump_get_number_attr(kdump->context, KDUMP_ATTR_PAGE_SIZE, &page) != KDUMP_OK ||
	    kdump_get_typed_attr(kdump->context, KDUMP_ATTR_FILE_PAGEMAP, &pages) != KDUMP_OK)
		return kdump_fail(kdump, "looking at the pages of", error);
	if (page < TR_PAGE || page > 1U << 16 || page & (page - 1))
		code = error_set(error, -EPROTO, "a kdump with pages of %" PRIu64 " bytes",
		                 (uint64_t)page);
	else
		code = add_pages(dump, pages.val.bitmap, page, error);
	kdump_bmp_decref(pages.val.bitmap);
	return code;
}

/* Owns fd from here on. */
static int read_kdump(struct memory_dump *dump, int fd, struct error *error)
{
	struct kdump *kdump = calloc(1, sizeof(*kdump));
	int code;

	if (!kdump) {
		close(fd);
		return error_set(error, -ENOMEM, "no memory for a kdump");
	}
	kdump->fd = fd;
	dump->own = kdump;
	dump->copy = kdump_copy;
	dump->close = kdump_close;
	code = open_kdump(dump, kdump, error);
	return code ? code : 1;
}
#else
static int read_kdump(struct memory_dump *dump, int fd, struct error *error)
{
	(void)dump;
	close(fd);
	return error_set(error, -ENOTSUP,
	                 "a compressed kdump, and this bareperf was built without libkdumpfile: "
	                 "QEMU's dump-guest-memory writes an ELF core without -z, -l and -s");
}
#endif

/* Makes an unnamed file in a directory with room for a dump. */
static int nameless_file(struct error *error)
{
	const char *directory = getenv("TMPDIR");
	int fd = open(directory && *directory ? directory : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC,
	              0600);

	return fd < 0 ? error_errno(error, "making a temporary file (TMPDIR)") : fd;
}

static int put(int fd, const uint8_t *from, uint64_t size, uint64_t offset, struct error *error)
{
	while (size) {
		ssize_t done = pwrite(fd, from, size, (off_t)offset);

		if (done <= 0)
			return error_errno(error, "unpacking a flattened kdump (TMPDIR)");
		from += done;
		offset += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

/* After the header: {offset, size, bytes} records, big endian, until an offset of -1. */
static int unflatten(const struct memory_dump *dump, int fd, struct error *error)
{
	uint64_t at = FLATTENED_HEADER;

	while (dump->size >= 16 && at <= dump->size - 16) {
		uint64_t piece[2];
		int code;

		memcpy(piece, dump->bytes + at, sizeof(piece));
		at += sizeof(piece);
		if (piece[0] == UINT64_MAX)
			return 0;
		piece[0] = be64toh(piece[0]);
		piece[1] = be64toh(piece[1]);
		if (piece[0] > INT64_MAX || piece[1] > dump->size - at)
			return error_set(error, -EPROTO,
			                 "a flattened kdump whose piece at 0x%" PRIx64 " is broken",
			                 at);
		code = put(fd, dump->bytes + at, piece[1], piece[0], error);
		if (code)
			return code;
		at += piece[1];
	}
	return error_set(error, -EPROTO, "a flattened kdump without its end: cut off");
}

static bool is_kdump(const void *bytes)
{
	return !memcmp(bytes, "KDUMP   ", 8) || !memcmp(bytes, "DISKDUMP", 8);
}

/* Checks the format first, because libkdumpfile would accept other formats as well. */
static bool holds_kdump(int fd)
{
	char magic[8] = "";

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) && is_kdump(magic);
}

int memory_dump_kdump(struct memory_dump *dump, int fd, struct error *error)
{
	bool flat = dump->size >= sizeof(FLATTENED) &&
	            !memcmp(dump->bytes, FLATTENED, sizeof(FLATTENED));
	int own, code;

	if (!flat && (dump->size < 8 || !is_kdump(dump->bytes)))
		return 0;
	dump->kind = "kdump";
	own = flat ? nameless_file(error) : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (own < 0)
		return flat ? own : error_errno(error, "opening it once more");
	code = flat ? unflatten(dump, own, error) : 0;
	if (flat && !code && !holds_kdump(own))
		code = error_set(error, -EPROTO, "a flattened file with no kdump inside");
	if (!code)
		return read_kdump(dump, own, error);
	close(own);
	return code;
}
