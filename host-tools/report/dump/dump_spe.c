/* SPDX-License-Identifier: MIT */
#include "host-tools/report/dump/dump_spe.h"

#include "abi/clock.h"
#include "host-tools/report/dump/dump_text.h"
#include "writer/perfdata/arm_spe_decode.h"

static void put_word(struct format *f, const char *word)
{
	*f->at++ = ' ';
	format_text(f, word, strlen(word));
}

static void put_instruction(struct dump *dump, const char *name, uint64_t address)
{
	struct format *f = dump->format;

	put_word(f, name);
	*f->at++ = ' ';
	format_hex(f, SPE_INSTRUCTION(address));
	dump_function(f, dump->symbols, SPE_INSTRUCTION(address));
	format_literal(f, " EL");
	format_decimal(f, SPE_EL(address));
}

/* Name the operation. D18.2.7: the classes, and the lowest bit of the subclass of the named
 * classes. */
static const char *operation(const struct spe_record *r)
{
	switch (r->class) {
	case SPE_LOAD_STORE:
		return r->operation & 1 ? "store" : "load";
	case SPE_BRANCH:
		return r->operation & 2   ? "branch, indirect"
		       : r->operation & 1 ? "branch, conditional"
		                          : "branch";
	default:
		return "other";
	}
}

static void put_events(struct format *f, uint64_t events)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = spe_event_name(bit);

		if (!(events >> bit & 1))
			continue;
		if (name) {
			put_word(f, name);
		} else {
			format_literal(f, " EVENT-");
			format_decimal(f, bit);
		}
	}
}

static void put_data(struct dump *dump, const struct spe_record *r)
{
	struct format *f = dump->format;

	if (r->has & SPE_HAS_ADDRESS(SPE_VA)) {
		format_literal(f, " VA ");
		format_hex(f, SPE_DATA(r->address[SPE_VA]));
		dump_function(f, dump->symbols, SPE_DATA(r->address[SPE_VA]));
	}
	if (r->has & SPE_HAS_ADDRESS(SPE_PA)) {
		format_literal(f, " PA ");
		format_hex(f, SPE_DATA(r->address[SPE_PA]));
	}
	if (r->has & SPE_HAS(SPE_DATA_SOURCE)) {
		format_literal(f, " source ");
		format_hex(f, r->source);
	}
}

static void put_latencies(struct format *f, const struct spe_record *r)
{
	static const char *const names[] = { "latency", "issue", "translation" };

	for (unsigned i = 0; i < SPE_COUNTERS; i++) {
		if (!(r->has & SPE_HAS_COUNTER(i)))
			continue;
		put_word(f, names[i]);
		*f->at++ = ' ';
		format_decimal(f, r->counter[i]);
	}
}

static void put_time(struct format *f, const struct dump *dump, const struct spe_record *r)
{
	if (r->has & SPE_HAS(SPE_CONTEXT)) {
		format_literal(f, " context ");
		format_decimal(f, r->context);
	}
	if (!(r->has & SPE_HAS(SPE_TIMESTAMP)))
		return;
	format_literal(f, " time ");
	if (dump->clock.time_mult)
		format_decimal(f, clock_to_ns(&dump->clock, r->timestamp));
	else
		format_hex(f, r->timestamp); /* in cycles: the clock's rate is unknown */
}

/* Whether the filter passes an SPE record. A field that the record lacks is taken from its AUX
 * piece. */
static bool is_wanted(const struct dump *dump, const struct spe_record *r)
{
	struct dump_fields fields = dump->aux;

	if (!dump_filter_is_on(&dump->filter))
		return true;
	if (r->has & SPE_HAS_ADDRESS(SPE_PC))
		dump_field_set(&fields, DUMP_IP, SPE_INSTRUCTION(r->address[SPE_PC]));
	if (r->has & SPE_HAS_ADDRESS(SPE_VA))
		dump_field_set(&fields, DUMP_ADDR, SPE_DATA(r->address[SPE_VA]));
	if (r->has & SPE_HAS(SPE_TIMESTAMP) && dump->clock.time_mult)
		dump_field_set(&fields, DUMP_TIME, clock_to_ns(&dump->clock, r->timestamp));
	return dump_filter_passes(&dump->filter, &fields);
}

static void put_record(struct dump *dump, const struct spe_record *r, uint64_t position)
{
	struct format *f = dump->format;

	format_line(f);
	format_literal(f, ". spe ");
	format_hex(f, position + r->at);
	*f->at++ = ':';
	if (r->has & SPE_HAS_ADDRESS(SPE_PC))
		put_instruction(dump, "PC", r->address[SPE_PC]);
	put_word(f, operation(r));
	if (r->has & SPE_HAS_ADDRESS(SPE_TARGET))
		put_instruction(dump, "to", r->address[SPE_TARGET]);
	put_events(f, r->events);
	put_latencies(f, r);
	put_data(dump, r);
	put_time(f, dump, r);
	*f->at++ = '\n';
}

static void put_error(struct dump *dump, const struct spe_decoder *d)
{
	struct format *f = dump->format;

	if (!dump->spe.errors++)
		dump->spe.error_at = d->position + d->error_at;
	if (dump->quiet)
		return;
	format_line(f);
	format_literal(f, ". spe ");
	format_hex(f, d->position + d->error_at);
	format_literal(f, ": ERROR: ");
	format_text(f, d->error, strlen(d->error));
	*f->at++ = '\n';
}

void dump_spe(struct dump *dump, const uint8_t *bytes, size_t size, uint64_t position)
{
	struct spe_decoder decoder = { .bytes = bytes, .size = size, .position = position };
	struct spe_record record;
	int code;

	dump->spe.pieces++;
	while ((code = spe_decode(&decoder, &record)) != 0) {
		if (code < 0) {
			put_error(dump, &decoder);
			continue;
		}
		dump->spe.records++;
		if (!dump->quiet && is_wanted(dump, &record))
			put_record(dump, &record, position);
	}
}
