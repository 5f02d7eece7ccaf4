/* SPDX-License-Identifier: MIT */
/* Prints records as text without printf, since this is the hot path of `bareperf dump`. */
#include "host-tools/report/dump/dump_text.h"

#include "host-tools/report/dump/dump_memory.h"
#include "writer/perfdata/mark_text.h"
#include "writer/perfdata/perf_file.h"
#include "writer/perfdata/sample.h"

/* Get 64-bit word i of a record's body; 0 if it lies behind the record's end. */
static uint64_t word(const struct perf_event_header *record, size_t i)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	return i + 1 < record->size / 8U ? words[i + 1] : 0;
}

static uint32_t low(uint64_t value)
{
	return (uint32_t)value;
}

static uint32_t high(uint64_t value)
{
	return (uint32_t)(value >> 32);
}

static void put_pair(struct format *f, uint32_t left, char between, uint32_t right)
{
	format_decimal(f, left);
	*f->at++ = between;
	format_decimal(f, right);
}

/* Print the text that begins at byte `from` of a record. */
static void put_tail_text(struct format *f, const struct perf_event_header *record, size_t from)
{
	if (from < record->size)
		format_text(f, (const char *)record + from, record->size - from);
}

/* Print "CPU TIME OFFSET [SIZE]: PERF_RECORD_". */
static void put_prefix(struct format *f, const struct perf_event_header *record,
                       const struct dump_context *context, const struct sample *sample)
{
	format_line(f);
	if (context->attr && context->attr->sample_type & PERF_SAMPLE_CPU)
		format_decimal(f, sample->cpu);
	else
		format_literal(f, "-");
	*f->at++ = ' ';
	format_decimal(f, sample->time);
	*f->at++ = ' ';
	format_hex(f, context->offset);
	format_literal(f, " [");
	format_hex(f, record->size);
	format_literal(f, "]: PERF_RECORD_");
}

void dump_function(struct format *f, struct symbols *symbols, uint64_t address)
{
	const char *name = symbols_known(symbols, address);

	if (!name)
		return;
	*f->at++ = ' ';
	format_text(f, name, strlen(name));
}

/* The address for looking up a name at the sample's time. */
static uint64_t dump_place(const struct symbols *symbols, uint64_t address,
                           const struct sample *sample)
{
	return symbols ? symbols_at(symbols, address, sample->time) : address;
}

/* Print a callchain. A caller is looked up by the byte before its return address, since the return
 * address may belong to another function. */
static void put_chain(struct format *f, const struct sample *sample, struct symbols *symbols)
{
	uint64_t caller = 0;

	if (!sample->chain_length)
		return;
	format_literal(f, "... FP chain: nr:");
	format_decimal(f, sample->chain_length);
	*f->at++ = '\n';
	for (uint64_t i = 0; i < sample->chain_length; i++) {
		format_line(f);
		format_literal(f, ".....");
		format_padded(f, i, 3);
		format_literal(f, ": ");
		format_hex16(f, sample->chain[i]);
		if (sample->chain[i] < PERF_CONTEXT_MAX) {
			dump_function(f, symbols,
			              dump_place(symbols, sample->chain[i] - caller, sample));
			caller = 1;
		}
		*f->at++ = '\n';
	}
}

/* Print a branch stack like `perf script -D`: M mispredicted, P predicted, T in a transaction, A
 * its abort. */
static void put_branches(struct format *f, const struct perf_event_attr *attr,
                         const struct sample *sample)
{
	bool calls = attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return;
	if (calls)
		format_literal(f, "... branch callstack: nr:");
	else
		format_literal(f, "... branch stack: nr:");
	format_decimal(f, sample->nr_branches);
	*f->at++ = '\n';
	for (uint64_t i = 0; i < sample->nr_branches; i++) {
		const struct perf_branch_entry *entry = &sample->branches[i];

		format_line(f);
		format_literal(f, ".....");
		format_padded(f, i, 3);
		format_literal(f, ": ");
		format_hex16(f, entry->from);
		format_literal(f, " -> ");
		format_hex16(f, entry->to);
		*f->at++ = ' ';
		format_decimal(f, entry->flags >> PERF_BRANCH_CYCLES & 0xffff);
		format_literal(f, " cycles ");
		for (unsigned flag = 0; flag < 4; flag++)
			if (entry->flags >> flag & 1)
				*f->at++ = "MPTA"[flag];
		*f->at++ = '\n';
	}
}

/* Print a READ record like `perf script -D`: for a group, each member's value by its id. */
static void put_read(struct format *f, const struct perf_event_attr *attr,
                     const struct sample *sample)
{
	bool group = attr->read_format & PERF_FORMAT_GROUP;
	bool ids = attr->read_format & PERF_FORMAT_ID;
	size_t times = !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	               !!(attr->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t each = 1 + ids + !!(attr->read_format & PERF_FORMAT_LOST);
	size_t at = group ? 1 + times : 0, end = group ? sample->read_words : each;

	if (!sample->read_words)
		return;
	format_literal(f, "... sample_read:\n");
	for (; at + each <= end; at += each) {
		size_t id = group ? at + 1 : 1 + times;

		format_line(f);
		format_literal(f, "..... id ");
		format_decimal(f, ids ? sample->read[id] : 0);
		format_literal(f, ", value ");
		format_decimal(f, sample->read[at]);
		*f->at++ = '\n';
	}
}

static void put_mark(struct format *f, const struct perf_event_attr *attr,
                     const struct sample *sample)
{
	char text[MARK_TEXT_MAX];

	if (!mark_text_is(attr) || !mark_text_get(sample, text, sizeof(text)))
		return;
	format_line(f);
	format_literal(f, "... mark: ");
	format_text(f, text, strlen(text));
	*f->at++ = '\n';
}

static void put_sample(struct format *f, const struct perf_event_header *record,
                       const struct dump_context *context, const struct sample *sample)
{
	uint64_t place;

	format_literal(f, "SAMPLE(IP, ");
	format_hex(f, record->misc);
	format_literal(f, "): ");
	put_pair(f, sample->pid, '/', sample->tid);
	format_literal(f, ": ");
	format_hex(f, sample->ip);
	format_literal(f, " period: ");
	format_decimal(f, sample->period);
	format_literal(f, " addr: ");
	format_hex(f, sample->addr);
	format_literal(f, " event: ");
	format_text(f, context->event, strlen(context->event));
	place = dump_place(context->symbols, sample->ip, sample);
	if (symbols_known(context->symbols, place)) {
		format_literal(f, " symbol:");
		dump_function(f, context->symbols, place);
	}
	*f->at++ = '\n';
	put_mark(f, context->attr, sample);
	put_read(f, context->attr, sample);
	put_chain(f, sample, context->symbols);
	put_branches(f, context->attr, sample);
	dump_memory(f, context->attr, sample);
}

static void put_mmap2(struct format *f, const struct perf_event_header *record)
{
	const struct perf_record_mmap2 *mmap2 = (const void *)record;

	if (record->size < sizeof(*mmap2))
		return;
	*f->at++ = ' ';
	put_pair(f, mmap2->pid, '/', mmap2->tid);
	format_literal(f, ": [");
	format_hex(f, mmap2->addr);
	*f->at++ = '(';
	format_hex(f, mmap2->len);
	format_literal(f, ") @ ");
	format_hex(f, mmap2->pgoff);
	format_literal(f, "]: ");
	*f->at++ = mmap2->prot & 1 ? 'r' : '-';
	*f->at++ = mmap2->prot & 2 ? 'w' : '-';
	*f->at++ = mmap2->prot & 4 ? 'x' : '-';
	*f->at++ = ' ';
	put_tail_text(f, record, sizeof(*mmap2));
}

static void put_flag(struct format *f, uint64_t flags, uint64_t flag, const char *name)
{
	if (!(flags & flag))
		return;
	*f->at++ = ' ';
	format_text(f, name, strlen(name));
}

static void put_aux(struct format *f, const struct perf_event_header *record)
{
	uint64_t flags = word(record, 2);

	format_literal(f, " offset: ");
	format_hex(f, word(record, 0));
	format_literal(f, " size: ");
	format_hex(f, word(record, 1));
	format_literal(f, " flags: ");
	format_hex(f, flags);
	put_flag(f, flags, PERF_AUX_FLAG_TRUNCATED, "[T]");
	put_flag(f, flags, PERF_AUX_FLAG_OVERWRITE, "[O]");
	put_flag(f, flags, PERF_AUX_FLAG_PARTIAL, "[P]");
	put_flag(f, flags, PERF_AUX_FLAG_COLLISION, "[C]");
}

static void put_auxtrace(struct format *f, const struct perf_event_header *record)
{
	const struct perf_file_auxtrace *aux = (const void *)record;

	if (record->size < sizeof(*aux))
		return;
	format_literal(f, " size: ");
	format_hex(f, aux->size);
	format_literal(f, " offset: ");
	format_hex(f, aux->offset);
	format_literal(f, " ref: ");
	format_hex(f, aux->reference);
	format_literal(f, " idx: ");
	format_decimal(f, aux->idx);
	format_literal(f, " tid: ");
	format_decimal(f, aux->tid);
	format_literal(f, " cpu: ");
	format_decimal(f, aux->cpu);
}

static void put_lost(struct format *f, const struct perf_event_header *record)
{
	format_literal(f, " id:");
	format_decimal(f, word(record, 0));
	format_literal(f, ": lost:");
	format_decimal(f, word(record, 1));
}

static void put_throttle(struct format *f, const struct perf_event_header *record)
{
	format_literal(f, " time:");
	format_decimal(f, word(record, 0));
	format_literal(f, " id:");
	format_decimal(f, word(record, 1));
	format_literal(f, " stream_id:");
	format_decimal(f, word(record, 2));
}

/* Print the contents of a record that is not a sample. */
static void put_body(struct format *f, const struct perf_event_header *record)
{
	uint64_t first = word(record, 0), second = word(record, 1);

	switch (record->type) {
	case PERF_RECORD_COMM:
		format_literal(f, ": ");
		put_tail_text(f, record, 16);
		*f->at++ = ':';
		put_pair(f, low(first), '/', high(first));
		return;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		format_literal(f, "(");
		put_pair(f, low(first), ':', low(second));
		format_literal(f, "):(");
		put_pair(f, high(first), ':', high(second));
		format_literal(f, ")");
		return;
	case PERF_RECORD_LOST:
		put_lost(f, record);
		return;
	case PERF_RECORD_LOST_SAMPLES:
		format_literal(f, " lost:");
		format_decimal(f, first);
		return;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		put_throttle(f, record);
		return;
	case PERF_RECORD_ITRACE_START:
		format_literal(f, " pid: ");
		format_decimal(f, low(first));
		format_literal(f, " tid: ");
		format_decimal(f, high(first));
		return;
	case PERF_RECORD_MMAP2:
		put_mmap2(f, record);
		return;
	case PERF_RECORD_AUX:
		put_aux(f, record);
		return;
	case PERF_FILE_RECORD_AUXTRACE:
		put_auxtrace(f, record);
		return;
	default:
		return;
	}
}

static void put_name(struct format *f, uint32_t type)
{
	const char *name = record_name(type);

	if (name) {
		format_text(f, name, strlen(name));
		return;
	}
	format_literal(f, "type ");
	format_decimal(f, type);
}

static void put_hex(struct format *f, const struct perf_event_header *record)
{
	const uint8_t *bytes = (const uint8_t *)record;

	for (size_t i = 0; i < record->size; i++) {
		if (i % 16 == 0) {
			format_line(f);
			format_literal(f, ".  ");
			format_hex16(f, i);
			*f->at++ = ':';
		}
		*f->at++ = ' ';
		*f->at++ = "0123456789abcdef"[bytes[i] >> 4];
		*f->at++ = "0123456789abcdef"[bytes[i] & 15];
		if (i % 16 == 15 || i + 1U == record->size)
			*f->at++ = '\n';
	}
}

void dump_record(struct format *format, const struct perf_event_header *record,
                 const struct dump_context *context)
{
	const struct perf_event_attr *attr = context->attr;
	struct sample sample = { 0 };
	bool parsed = false;

	if (attr && record->type == PERF_RECORD_SAMPLE)
		parsed = sample_parse(record, attr, &sample);
	else if (attr && attr->flags & PERF_ATTR_SAMPLE_ID_ALL &&
	         record->type < PERF_FILE_RECORD_FIRST)
		sample_parse_trailer(record, attr->sample_type, &sample);
	put_prefix(format, record, context, &sample);
	if (parsed) {
		put_sample(format, record, context, &sample);
	} else {
		put_name(format, record->type);
		if (record->type == PERF_RECORD_SAMPLE)
			format_literal(format, ": its event is unknown, or it is cut off");
		else
			put_body(format, record);
		*format->at++ = '\n';
	}
	if (context->hex)
		put_hex(format, record);
}
