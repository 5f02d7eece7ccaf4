/* SPDX-License-Identifier: MIT */
/* Taking perf's records apart. */
#include "writer/perfdata/sample.h"

#include <string.h>

#include "writer/perfdata/perf_file.h"

/* The rest of a record, in words. */
struct cursor {
	const uint64_t *at;
	size_t left;
};

static bool sample_take(struct cursor *cursor, uint64_t *to)
{
	if (!cursor->left)
		return false;
	*to = *cursor->at++;
	cursor->left--;
	return true;
}

static bool sample_take_words(struct cursor *cursor, uint64_t count, const uint64_t **to)
{
	if (count > cursor->left)
		return false;
	*to = cursor->at;
	cursor->at += count;
	cursor->left -= count;
	return true;
}

/* Take a word if sample_type has the bit; false only if the record has ended. */
static bool sample_take_if(struct cursor *cursor, uint64_t sample_type, uint64_t bit, uint64_t *to)
{
	return !(sample_type & bit) || sample_take(cursor, to);
}

static struct cursor sample_cursor(const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	return (struct cursor){ words + 1, record->size / 8 > 0 ? record->size / 8 - 1 : 0 };
}

static bool sample_take_read(struct cursor *cursor, uint64_t format, struct sample *sample)
{
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t words = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	                 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (format & PERF_FORMAT_GROUP) {
		if (!cursor->left || cursor->at[0] > cursor->left)
			return false;
		words += 1 + cursor->at[0] * each;
	} else {
		words += each;
	}
	sample->read_words = words;
	return sample_take_words(cursor, words, &sample->read);
}

static bool sample_take_raw(struct cursor *cursor, struct sample *sample)
{
	const uint64_t *words;
	uint32_t size;

	if (!cursor->left)
		return false;
	memcpy(&size, cursor->at, sizeof(size));
	if (!sample_take_words(cursor, ((uint64_t)size + sizeof(size) + 7) / 8, &words))
		return false;
	sample->raw = (const uint8_t *)words + sizeof(size);
	sample->raw_size = size;
	return true;
}

static void sample_split(uint64_t word, uint32_t *low, uint32_t *high)
{
	*low = (uint32_t)word;
	*high = (uint32_t)(word >> 32);
}

static bool sample_take_branches(struct cursor *cursor, uint64_t format, struct sample *sample)
{
	const uint64_t *words;
	uint64_t hw_idx;

	if (!sample_take(cursor, &sample->nr_branches) ||
	    !sample_take_if(cursor, format, PERF_SAMPLE_BRANCH_HW_INDEX, &hw_idx) ||
	    sample->nr_branches > cursor->left ||
	    !sample_take_words(cursor, 3 * sample->nr_branches, &words))
		return false;
	sample->branches = (const struct perf_branch_entry *)words;
	sample->is_call_stack = format & PERF_SAMPLE_BRANCH_CALL_STACK;
	return true;
}

#define MEMORY                                                                   \
	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | \
	 PERF_SAMPLE_PHYS_ADDR)

/* Skip registers: the word abi, then a word for each bit of mask if abi is not 0. */
static bool sample_skip_registers(struct cursor *cursor, uint64_t mask)
{
	const uint64_t *words;
	uint64_t abi;

	return sample_take(cursor, &abi) &&
	       (!abi || sample_take_words(cursor, (uint64_t)__builtin_popcountll(mask), &words));
}

/* Skip the user's stack: size, bytes, and the number that is valid if there are any. */
static bool sample_skip_stack(struct cursor *cursor)
{
	const uint64_t *words;
	uint64_t size;

	if (!sample_take(cursor, &size))
		return false;
	return !size ||
	       (size / 8 < cursor->left && sample_take_words(cursor, size / 8 + 1, &words));
}

/* Weight, data source and physical address, with the fields before and between them that other
 * tools' files may have. */
static bool sample_take_memory(struct cursor *cursor, const struct perf_event_attr *attr,
                               struct sample *sample)
{
	uint64_t type = attr->sample_type, transaction;

	if ((type & PERF_SAMPLE_REGS_USER &&
	     !sample_skip_registers(cursor, attr->sample_regs_user)) ||
	    (type & PERF_SAMPLE_STACK_USER && !sample_skip_stack(cursor)) ||
	    (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) &&
	     !sample_take(cursor, &sample->weight)) ||
	    !sample_take_if(cursor, type, PERF_SAMPLE_DATA_SRC, &sample->data_src) ||
	    !sample_take_if(cursor, type, PERF_SAMPLE_TRANSACTION, &transaction) ||
	    (type & PERF_SAMPLE_REGS_INTR &&
	     !sample_skip_registers(cursor, attr->sample_regs_intr)))
		return false;
	return sample_take_if(cursor, type, PERF_SAMPLE_PHYS_ADDR, &sample->phys_addr);
}

/* The fields whose sizes vary, which come after all the others. */
static bool sample_parse_tail(struct cursor *cursor, const struct perf_event_attr *attr,
                              struct sample *sample)
{
	uint64_t sample_type = attr->sample_type;

	if (sample_type & PERF_SAMPLE_READ && !sample_take_read(cursor, attr->read_format, sample))
		return false;
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		if (!sample_take(cursor, &sample->chain_length) ||
		    !sample_take_words(cursor, sample->chain_length, &sample->chain))
			return false;
	}
	if (sample_type & PERF_SAMPLE_RAW && !sample_take_raw(cursor, sample))
		return false;
	if (sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    !sample_take_branches(cursor, attr->branch_sample_type, sample))
		return false;
	return !(sample_type & MEMORY) || sample_take_memory(cursor, attr, sample);
}

bool sample_parse(const struct perf_event_header *record, const struct perf_event_attr *attr,
                  struct sample *sample)
{
	uint64_t sample_type = attr->sample_type;
	struct cursor cursor = sample_cursor(record);
	uint64_t tid = 0, cpu = 0;
	uint32_t unused;

	memset(sample, 0, sizeof(*sample));
	if (!sample_take_if(&cursor, sample_type, PERF_SAMPLE_IDENTIFIER, &sample->id) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_IP, &sample->ip) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_TID, &tid) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_TIME, &sample->time) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_ADDR, &sample->addr) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_ID, &sample->id) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_STREAM_ID, &sample->stream_id) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_CPU, &cpu) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_PERIOD, &sample->period))
		return false;
	sample_split(tid, &sample->pid, &sample->tid);
	sample_split(cpu, &sample->cpu, &unused);
	return sample_parse_tail(&cursor, attr, sample);
}

bool sample_parse_trailer(const struct perf_event_header *record, uint64_t sample_type,
                          struct sample *sample)
{
	static const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
	                               PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
	                               PERF_SAMPLE_IDENTIFIER;
	struct cursor cursor = sample_cursor(record);
	size_t words = (size_t)__builtin_popcountll(sample_type & fields);
	uint64_t tid = 0, cpu = 0;
	uint32_t unused;

	memset(sample, 0, sizeof(*sample));
	if (cursor.left < words)
		return false;
	cursor.at += cursor.left - words;
	cursor.left = words;
	if (!sample_take_if(&cursor, sample_type, PERF_SAMPLE_TID, &tid) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_TIME, &sample->time) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_ID, &sample->id) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_STREAM_ID, &sample->stream_id) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_CPU, &cpu) ||
	    !sample_take_if(&cursor, sample_type, PERF_SAMPLE_IDENTIFIER, &sample->id))
		return false;
	sample_split(tid, &sample->pid, &sample->tid);
	sample_split(cpu, &sample->cpu, &unused);
	return true;
}

const char *record_name(uint32_t type)
{
	static const char *const names[] = {
		[PERF_RECORD_MMAP] = "MMAP",
		[PERF_RECORD_LOST] = "LOST",
		[PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT",
		[PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK",
		[PERF_RECORD_READ] = "READ",
		[PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2",
		[PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PERF_RECORD_SWITCH] = "SWITCH",
		/* types of Linux and perf that only their files have */
		[15] = "SWITCH_CPU_WIDE",
		[16] = "NAMESPACES",
		[17] = "KSYMBOL",
		[18] = "BPF_EVENT",
		[19] = "CGROUP",
		[20] = "TEXT_POKE",
		[21] = "AUX_OUTPUT_HW_ID",
		[64] = "HEADER_ATTR",
		[PERF_FILE_RECORD_TRACING_DATA] = "HEADER_TRACING_DATA",
		[69] = "ID_INDEX",
		[72] = "AUXTRACE_ERROR",
		[73] = "THREAD_MAP",
		[74] = "CPU_MAP",
		[75] = "STAT_CONFIG",
		[76] = "STAT",
		[77] = "STAT_ROUND",
		[78] = "EVENT_UPDATE",
		[80] = "HEADER_FEATURE",
		[PERF_FILE_RECORD_COMPRESSED] = "COMPRESSED",
		[82] = "FINISHED_INIT",
		[PERF_FILE_RECORD_COMPRESSED2] = "COMPRESSED2",
		[PERF_FILE_RECORD_BUILD_ID] = "HEADER_BUILD_ID",
		[PERF_FILE_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
		[PERF_FILE_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
		[PERF_FILE_RECORD_AUXTRACE] = "AUXTRACE",
		[PERF_FILE_RECORD_TIME_CONV] = "TIME_CONV",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}
