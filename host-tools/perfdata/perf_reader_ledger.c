/* SPDX-License-Identifier: MIT */
/* Finds the ledger in a perf.data file, or the reason why there is none. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host-tools/perfdata/perf_reader.h"
#include "writer/perfdata/perf_footer.h"

/* Tools that rewrite a file keep the name of the tool that made it. */
static bool is_ours(const struct perf_reader *reader)
{
	char version[16];

	perf_reader_string(reader, PERF_FILE_VERSION, version, sizeof(version));
	return !strncmp(version, "bareperf ", 9);
}

static int check_footer(const struct perf_reader *reader, const struct perf_footer *footer,
                        uint64_t at, struct error *error)
{
	if (footer->magic != PERF_FOOTER_MAGIC)
		return error_set(error, -EPROTO,
		                 "no footer at offset 0x%" PRIx64
		                 ", where the header says that bareperf's is: damaged",
		                 at);
	if (footer->version != PERF_FOOTER_VERSION)
		return error_set(error, -EPROTO,
		                 "footer at offset 0x%" PRIx64
		                 ": version %u, and "
		                 "this bareperf knows %u alone",
		                 at, footer->version, PERF_FOOTER_VERSION);
	if (footer->offset > at || footer->size > at - footer->offset ||
	    perf_footer_crc(footer, reader->bytes + footer->offset) != footer->crc)
		return error_set(error, -EPROTO,
		                 "the ledger at offset 0x%" PRIx64 " with 0x%" PRIx64
		                 " bytes is damaged: its CRC is another",
		                 footer->offset, footer->size);
	return 0;
}

int perf_reader_ledger(const struct perf_reader *reader, const uint8_t **bytes, size_t *size,
                       struct error *error)
{
	const struct perf_file_section *place = &reader->header.event_types;
	struct perf_footer footer;

	if (!place->offset && !place->size)
		return is_ours(reader) && !reader->stream ? PERF_LEDGER_REWRITTEN
		                                          : PERF_LEDGER_NONE;
	if (place->size != sizeof(footer)) {
		if (!is_ours(reader))
			return PERF_LEDGER_NONE; /* Linux 2.6's perf writes a table of event types
			                            here */
		return error_set(error, -EPROTO,
		                 "the header's footer of 0x%" PRIx64
		                 " bytes makes no sense: damaged",
		                 place->size);
	}
	if (place->offset > reader->size || reader->size - place->offset < sizeof(footer))
		return error_set(error, -EPROTO,
		                 "cut off at offset 0x%zx; its end with the ledger was "
		                 "at 0x%" PRIx64,
		                 reader->size, place->offset + sizeof(footer));
	memcpy(&footer, reader->bytes + place->offset, sizeof(footer));
	if (check_footer(reader, &footer, place->offset, error))
		return -EPROTO;
	*bytes = reader->bytes + footer.offset;
	*size = footer.size;
	return PERF_LEDGER_WHOLE;
}
