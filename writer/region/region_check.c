/* SPDX-License-Identifier: MIT */
/* The checks of a region's header and of its tables' places. */
#include "writer/region/region_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "abi/seal.h"

#define MINOR_SEAL 3 /* since version 1.3 */

/* Report a bad header field with its offset. */
#define REFUSE(error, field, ...) \
	check_refuse(error, offsetof(struct tr_header, field), __VA_ARGS__)

static int __attribute__((format(printf, 3, 4)))
check_refuse(struct error *error, size_t offset, const char *format, ...)
{
	struct error reason = { "" };
	va_list args;

	va_start(args, format);
	vsnprintf(reason.text, sizeof(reason.text), format, args);
	va_end(args);
	return error_set(error, -EPROTO, "trace region, offset 0x%zx: %.600s", offset, reason.text);
}

static int check_version(const struct tr_header *header, struct error *error)
{
	if (header->version >> 16 != TR_VERSION >> 16)
		return REFUSE(
		    error, version,
		    "format version %u.%u, this tool reads %u.x: use the bareperf that the "
		    "image was built with",
		    header->version >> 16, header->version & 0xffff, TR_VERSION >> 16);
	if (header->header_size != sizeof(*header))
		return REFUSE(error, header_size, "header size is %u, not %zu", header->header_size,
		              sizeof(*header));
	if (header->page_size != TR_PAGE)
		return REFUSE(error, page_size, "page size is %u, not %u", header->page_size,
		              TR_PAGE);
	return 0;
}

int region_check_header(const struct tr_header *header, uint64_t available, struct error *error)
{
	int code = check_version(header, error);

	if (code)
		return code;
	if (header->size < TR_PAGE || header->size % TR_PAGE)
		return REFUSE(error, size, "region size 0x%" PRIx64 " is no number of pages",
		              header->size);
	if (header->size > available)
		return REFUSE(error, size,
		              "region size is 0x%" PRIx64 " bytes, but only 0x%" PRIx64
		              " are here: truncated",
		              header->size, available);
	if (header->address % TR_PAGE || header->address + header->size < header->address)
		return REFUSE(error, address, "own address 0x%" PRIx64 " is impossible",
		              header->address);
	if (!region_arch_name(header->machine))
		return REFUSE(error, machine, "unknown ELF machine %u", header->machine);
	return 0;
}

int region_check_seal(const struct tr_header *header, struct error *error)
{
	if ((header->version & 0xffff) < MINOR_SEAL || header->seal == tr_header_seal(header))
		return 0;
	return REFUSE(error, seal,
	              "the header's seal is 0x%" PRIx64 ", not 0x%" PRIx64
	              ": it is damaged, or there is no region",
	              header->seal, tr_header_seal(header));
}

int region_check_table(const struct tr_header *header, const struct tr_table *table,
                       const char *name, size_t entry_size, uint32_t max, struct error *error)
{
	/* The table is the caller's copy of a field of this header. */
	size_t where = (size_t)((const uint8_t *)table - (const uint8_t *)header);

	if (!table->count)
		return 0;
	if (table->count > max)
		return check_refuse(error, where, "table of %s has %u entries, at most %u", name,
		                    table->count, max);
	if (table->stride < entry_size || table->stride % 8)
		return check_refuse(error, where,
		                    "table of %s has stride %u for entries of %zu bytes", name,
		                    table->stride, entry_size);
	if (table->offset % 8 || table->offset < sizeof(*header))
		return check_refuse(error, where, "table of %s at 0x%" PRIx64 " is misplaced", name,
		                    table->offset);
	if (table->offset > header->size ||
	    (uint64_t)table->count * table->stride > header->size - table->offset)
		return check_refuse(error, where,
		                    "table of %s at 0x%" PRIx64
		                    " with %u x %u bytes leaves the region of 0x%" PRIx64,
		                    name, table->offset, table->count, table->stride, header->size);
	return 0;
}

static int check_counts(const struct tr_header *header, struct error *error)
{
	if (!header->mailbox.count)
		return REFUSE(error, mailbox, "there is no mailbox");
	if (header->event_ledger.count < header->events.count)
		return REFUSE(error, event_ledger, "%u events, but %u entries in their ledger",
		              header->events.count, header->event_ledger.count);
	if (header->ring_ledger.count < header->rings.count)
		return REFUSE(error, ring_ledger, "%u rings, but %u entries in their ledger",
		              header->rings.count, header->ring_ledger.count);
	if (header->doorbells.count < header->rings.count)
		return REFUSE(error, doorbells, "%u rings, but %u doorbells", header->rings.count,
		              header->doorbells.count);
	return 0;
}

int region_check_tables(const struct tr_header *header, struct error *error)
{
	const struct {
		const struct tr_table *table;
		const char *name;
		size_t size;
		uint32_t max;
	} all[] = {
		{ &header->cpus, "CPUs", sizeof(struct tr_cpu), TR_MAX_CPUS },
		{ &header->events, "events", sizeof(struct tr_event), TR_MAX_EVENTS },
		{ &header->event_ledger, "event ledgers", sizeof(struct tr_event_ledger),
		  TR_MAX_EVENTS },
		{ &header->images, "images", sizeof(struct tr_image), TR_MAX_IMAGES },
		{ &header->rings, "rings", sizeof(struct tr_ring), TR_MAX_RINGS },
		{ &header->ring_ledger, "ring ledgers", sizeof(struct tr_ring_ledger),
		  TR_MAX_RINGS },
		{ &header->doorbells, "doorbells", sizeof(struct tr_doorbell), TR_MAX_RINGS },
		{ &header->mailbox, "mailboxes", sizeof(struct tr_mailbox), 1 },
		{ &header->console, "consoles", sizeof(struct tr_console), 1 },
		{ &header->streams, "streams", sizeof(struct tr_stream), TR_STREAMS },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int code = region_check_table(header, all[i].table, all[i].name, all[i].size,
		                              all[i].max, error);

		if (code)
			return code;
	}
	return check_counts(header, error);
}
