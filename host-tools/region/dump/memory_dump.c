/* SPDX-License-Identifier: MIT */
#include "host-tools/region/dump/memory_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/util/array.h"
#include "writer/region/region.h"
#include "writer/region/region_check.h"

int memory_dump_add(struct memory_dump *dump, const struct memory_range *range, struct error *error)
{
	if (!ARRAY_ROOM(dump->ranges, dump->count))
		return error_set(error, -ENOMEM, "no memory for %zu ranges", dump->count + 1);
	dump->ranges[dump->count++] = *range;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct memory_range *)a)->address;
	uint64_t y = ((const struct memory_range *)b)->address;

	return (x > y) - (x < y);
}

/* Sorts the ranges and cuts overlaps, so that each address is in one range only. */
static void sort_ranges(struct memory_dump *dump)
{
	uint64_t end = 0;
	size_t kept = 0;

	if (dump->count)
		qsort(dump->ranges, dump->count, sizeof(*dump->ranges), by_address);
	for (size_t i = 0; i < dump->count; i++) {
		struct memory_range range = dump->ranges[i];
		uint64_t cut = range.address < end ? end - range.address : 0;

		if (cut >= range.size)
			continue;
		range.address += cut;
		range.size -= cut;
		if (range.offset != MEMORY_ZEROS)
			range.offset += cut;
		end = range.address + range.size;
		dump->ranges[kept++] = range;
	}
	dump->count = kept;
}

/* Returns the first range that ends after this address, or count if none does. */
static size_t first_behind(const struct memory_dump *dump, uint64_t address)
{
	size_t low = 0, high = dump->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct memory_range *range = &dump->ranges[middle];

		if (range->address <= address && address - range->address >= range->size)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the range that contains this address, or NULL. */
static const struct memory_range *range_of(const struct memory_dump *dump, uint64_t address)
{
	size_t i = first_behind(dump, address);

	return i < dump->count && dump->ranges[i].address <= address ? &dump->ranges[i] : NULL;
}

static int copy_bytes(struct memory_dump *dump, uint64_t address, void *to, size_t size,
                      struct error *error)
{
	const struct memory_range *range = range_of(dump, address);

	(void)error;
	memcpy(to, dump->bytes + range->offset + (address - range->address), size);
	return 0;
}

/* Returns how many of size bytes from address on the file omits; 0: it omits none, or the address
 * does not exist. */
static uint64_t left_out(struct memory_dump *dump, uint64_t address, uint64_t size)
{
	size_t next = first_behind(dump, address);
	uint64_t gap = dump->own && next < dump->count ? dump->ranges[next].address - address : 0;

	gap = gap < size ? gap : size;
	if (gap && !dump->absent)
		dump->first_absent = address;
	dump->absent += (gap + TR_PAGE - 1) / TR_PAGE;
	return gap;
}

int memory_dump_copy(struct memory_dump *dump, uint64_t address, void *to, size_t size,
                     struct error *error)
{
	while (size) {
		const struct memory_range *range = range_of(dump, address);
		uint64_t left = range ? range->size - (address - range->address)
		                      : left_out(dump, address, size);
		size_t now = left < size ? (size_t)left : size;
		int code = 0;

		if (!left)
			return error_set(error, -ENXIO, "the %s has nothing at 0x%" PRIx64,
			                 dump->kind, address);
		if (range && range->offset != MEMORY_ZEROS)
			code = dump->copy(dump, address, to, now, error);
		if (code)
			return code;
		address += now;
		to = (uint8_t *)to + now;
		size -= now;
	}
	return 0;
}

const void *memory_dump_at(const struct memory_dump *dump, uint64_t address, size_t size)
{
	const struct memory_range *range = range_of(dump, address);

	if (dump->own || !range || range->offset == MEMORY_ZEROS ||
	    range->size - (address - range->address) < size)
		return NULL;
	return dump->bytes + range->offset + (address - range->address);
}

/* ---- Regions ---- */

/* Returns the number of bytes from address on without a gap. */
static uint64_t extent(const struct memory_dump *dump, uint64_t address)
{
	const struct memory_range *range = range_of(dump, address),
	                          *end = dump->ranges + dump->count;
	uint64_t to = range->address + range->size;

	/* Omitted zero pages are gaps as well. */
	for (range++; range < end && (dump->own || range->address == to); range++)
		to = range->address + range->size;
	return to - address;
}

/* Returns why the data with the magic at this address is not a region. */
static int examine(struct memory_dump *dump, struct memory_region *region, struct error *error)
{
	struct tr_header *header = &region->header;
	uint64_t at = region->address, available = extent(dump, at);
	int code;

	*header = (struct tr_header){ 0 };
	if (available < sizeof(*header))
		return error_set(error, -EPROTO,
		                 "offset 0x%" PRIx64
		                 ": a header of %zu bytes is cut off after %" PRIu64,
		                 at, sizeof(*header), available);
	code = memory_dump_copy(dump, at, header, sizeof(*header), error);
	if (!code)
		code = region_check_header(header, available, error);
	if (!code)
		code = region_check_tables(header, error);
	if (!code)
		code = region_check_seal(header, error);
	if (code)
		return error_prefix(error, code, "found the magic at 0x%" PRIx64, at);
	if (dump->has_addresses && header->address != at)
		return error_set(error, -EPROTO,
		                 "found the magic at 0x%" PRIx64
		                 ", but it says that its address is 0x%" PRIx64
		                 ": a copy, not the region",
		                 at, header->address);
	/* A dump begins at a page boundary at or above address 0. */
	if (!dump->has_addresses && at && header->address < at)
		return error_set(error, -EPROTO,
		                 "found the magic at 0x%" PRIx64 ", but its address 0x%" PRIx64
		                 " cannot lie there",
		                 at, header->address);
	return 0;
}

struct search {
	struct memory_region *found;
	int count;
	int code; /* the first refusal's error; -ENOENT: none was refused */
	struct error *error;
};

static int look_at(struct memory_dump *dump, struct search *search, uint64_t address)
{
	struct memory_region *region = &search->found[search->count];
	struct error reason = { "" };
	uint64_t magic = 0;
	int code = memory_dump_copy(dump, address, &magic, sizeof(magic), &reason);

	if (code == -ENXIO || (!code && magic != TR_MAGIC))
		return 0; /* the range ends here, or no range is here */
	/* the magic was written last, so read the header after the magic */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!code) {
		region->address = address;
		code = examine(dump, region, &reason);
	}
	if (!code)
		search->count++;
	else if (search->code == -ENOENT) {
		search->code = code;
		*search->error = reason;
	}
	return search->count == MEMORY_REGIONS;
}

static void look_in(struct memory_dump *dump, struct search *search,
                    const struct memory_range *range, uint64_t step)
{
	uint64_t skip = -range->address & (step - 1);

	if (range->offset == MEMORY_ZEROS)
		return;
	for (uint64_t at = skip; at < range->size; at += step) {
		if (look_at(dump, search, range->address + at) || range->size - at <= step)
			return;
	}
}

int memory_dump_find(struct memory_dump *dump, struct memory_region found[MEMORY_REGIONS],
                     struct error *error)
{
	static const uint64_t steps[] = { TR_ALIGN, TR_PAGE };
	struct search search = { .found = found, .code = -ENOENT, .error = error };
	uint64_t bytes = 0;

	for (size_t i = 0; i < dump->count; i++)
		bytes += dump->ranges[i].size;
	error_set(error, -ENOENT,
	          "no trace region: the magic BAREPERF is nowhere in 0x%" PRIx64 " bytes", bytes);
	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]) && !search.count; s++) {
		for (size_t i = 0; i < dump->count && search.count < MEMORY_REGIONS; i++)
			look_in(dump, &search, &dump->ranges[i], steps[s]);
	}
	return search.count ? search.count : search.code;
}

/* ---- Files ---- */

static int add_whole(struct memory_dump *dump, uint64_t base, struct error *error)
{
	struct memory_range whole = { base == UINT64_MAX ? 0 : base, dump->size, 0 };

	dump->kind = "memory dump";
	dump->has_addresses = base != UINT64_MAX;
	if (whole.address + whole.size < whole.address)
		return error_set(error, -EINVAL, "0x%zx bytes at 0x%" PRIx64 " end behind 2^64",
		                 dump->size, base);
	return whole.size ? memory_dump_add(dump, &whole, error) : 0;
}

int memory_dump_raw(struct memory_dump *dump, const void *bytes, size_t size, uint64_t base,
                    struct error *error)
{
	*dump = (struct memory_dump){ .bytes = bytes, .size = size, .copy = copy_bytes };
	return add_whole(dump, base, error);
}

int region_find(const void *bytes, size_t size, uint64_t base, size_t *offset, struct error *error)
{
	struct memory_region *found = calloc(MEMORY_REGIONS, sizeof(*found));
	struct memory_dump dump = { 0 };
	int code;

	if (!found)
		return error_set(error, -ENOMEM, "no memory for headers");
	code = memory_dump_raw(&dump, bytes, size, base, error);
	if (!code)
		code = memory_dump_find(&dump, found, error);
	if (code > 0)
		*offset = (size_t)(found[0].address - (base == UINT64_MAX ? 0 : base));
	memory_dump_close(&dump);
	free(found);
	return code < 0 ? code : 0;
}

/* A private mapping: a reader's stores do not reach the file. */
static int map(struct memory_dump *dump, int fd, struct error *error)
{
	struct stat stat_of;
	void *at;

	if (fstat(fd, &stat_of))
		return error_errno(error, "looking at it");
	if (!S_ISREG(stat_of.st_mode))
		return error_set(error, -EINVAL, "it is no regular file");
	if (!stat_of.st_size)
		return error_set(error, -EPROTO, "it is empty");
	at = mmap(NULL, (size_t)stat_of.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return error_errno(error, "mapping 0x%zx bytes", (size_t)stat_of.st_size);
	dump->bytes = at;
	dump->size = (size_t)stat_of.st_size;
	dump->mapped = true;
	dump->copy = copy_bytes;
	return 0;
}

static int sniff(struct memory_dump *dump, int fd, uint64_t base, struct error *error)
{
	int kind = memory_dump_elf(dump, error);

	if (!kind)
		kind = memory_dump_kdump(dump, fd, error);
	if (kind) {
		sort_ranges(dump);
		dump->has_addresses = true;
		return kind < 0 ? kind : 0;
	}
	return add_whole(dump, base, error);
}

int memory_dump_open(struct memory_dump *dump, const char *path, uint64_t base, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;

	*dump = (struct memory_dump){ 0 };
	if (fd < 0)
		return error_errno(error, "opening %s", path);
	code = map(dump, fd, error);
	if (!code)
		code = sniff(dump, fd, base, error);
	close(fd);
	if (!code)
		return 0;
	memory_dump_close(dump);
	return error_prefix(error, code, "%s", path);
}

void memory_dump_close(struct memory_dump *dump)
{
	if (dump->close)
		dump->close(dump);
	if (dump->mapped)
		munmap((void *)(uintptr_t)dump->bytes, dump->size);
	free(dump->ranges);
	*dump = (struct memory_dump){ 0 };
}
