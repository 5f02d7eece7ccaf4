/* SPDX-License-Identifier: MIT */
/* Records in perf's layout: semantics of perf_event_open(2), PERF_RECORD_SAMPLE. */
#include "pmu/sample.h"

#include "pmu/branch_stack.h"
#include "pmu/callchain.h"
#include "pmu/clock/clock.h"
#include "pmu/mark.h"
#include "pmu/read_format.h"
#include "pmu/throttle.h"
#include "pmu/usual_sample.h"
#include "ringbuf/bytes.h"

uint32_t branch_stack_erroneous[TR_MAX_CPUS];

/* Fields that are one u64 each in a sample, whatever their number. */
#define ONE_WORD                                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

/* Fields of one u64 each behind all lists. */
#define LAST_WORDS (PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

/* perf's PERF_MEM_NA: it is not known whether memory was accessed. */
#define MEM_NA (1ULL << 0 | 1ULL << 5 | 1ULL << 19 | 1ULL << 24 | 1ULL << 26)

/* Number of bits set, without a library call on any ISA. */
static unsigned sample_words(uint64_t fields)
{
	unsigned n = 0;

	for (; fields; fields &= fields - 1)
		n++;
	return n;
}

unsigned sample_id_size(uint64_t sample_type)
{
	return 8 * sample_words(sample_type & SAMPLE_ID);
}

/* Of a mark or of the hardware's registers. */
static uint32_t sample_raw_most(void)
{
	uint32_t mark = MARK_SIZE_MAX - MARK_HEAD, registers = 8 * SAMPLE_RAW_WORDS;

	return mark > registers ? mark : registers;
}

uint32_t sample_size_most(const struct perf_event *event)
{
	uint64_t type = event->attr.sample_type;
	uint32_t size = (uint32_t)sizeof(struct perf_event_header) +
	                8 * sample_words(type & (ONE_WORD | LAST_WORDS));

	if (type & PERF_SAMPLE_CALLCHAIN)
		size += 8 * (1 + CALLCHAIN_MAX + 2);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		size += 8 * BRANCH_STACK_WORDS;
	if (type & PERF_SAMPLE_READ)
		size += read_format_size(event);
	if (type & PERF_SAMPLE_RAW)
		size += sample_raw_most();
	return size;
}

/* usual_trailer_put() writes the same words for the usual fields; usual_sample_test compares
 * both. */
uint64_t *sample_id_put(uint64_t *at, const struct perf_event *event, uint64_t time)
{
	uint64_t type = event->attr.sample_type;

	if (type & PERF_SAMPLE_TID)
		*at++ = sample_pair(TR_PID, tr_tid(event->cpu));
	if (type & PERF_SAMPLE_TIME)
		*at++ = time;
	if (type & PERF_SAMPLE_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_CPU)
		*at++ = sample_pair(event->cpu, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = event->account.id;
	return at;
}

void sample_trailer(const struct ring_account *account, void *to)
{
	const struct perf_event *event =
	    (const struct perf_event *)((const char *)account -
	                                offsetof(struct perf_event, account));

	sample_id_put(to, event, clock_here(event->cpu));
}

/* Nearly no sample has these fields, and to count bits takes a loop. */
static inline uint32_t sample_last_size(const struct perf_event *event)
{
	uint64_t last = event->attr.sample_type & LAST_WORDS;

	return RING_RARE(last) ? 8 * sample_words(last) : 0;
}

static inline uint64_t sample_pc(const struct arch_regs *regs, const struct sample_data *data)
{
	return data->precise ? data->precise->place.pc : arch_regs_pc(regs);
}

static bool sample_is_usual(uint64_t type)
{
	return __builtin_expect((type & ONE_WORD) == USUAL_SAMPLE, 1);
}

/* These words are written in three places, for speed: here, in sample_put_unusual() with others
 * between them, and in event_overflow_alone() of usual_sample.h. usual_sample_test checks that the
 * first and the last write the same bytes, cpu_clock_test that the second writes perf's order. */
static inline uint64_t *sample_put_usual(uint64_t *at, const struct perf_event *event,
                                         const struct arch_regs *regs,
                                         const struct sample_data *data)
{
	at[0] = event->account.id;
	at[1] = sample_pc(regs, data);
	at[2] = sample_pair(TR_PID, tr_tid(event->cpu));
	at[3] = data->time;
	at[4] = sample_pair(event->cpu, 0);
	at[5] = data->period;
	return at + USUAL_SAMPLE_WORDS;
}

/* Append the fields of any sample_type, in the kernel's order, which sample_put_usual() has too. */
static __attribute__((noinline)) uint64_t *sample_put_unusual(uint64_t *at,
                                                              const struct perf_event *event,
                                                              const struct arch_regs *regs,
                                                              const struct sample_data *data)
{
	uint64_t type = event->attr.sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_IP)
		*at++ = sample_pc(regs, data);
	if (type & PERF_SAMPLE_TID)
		*at++ = sample_pair(TR_PID, tr_tid(event->cpu));
	if (type & PERF_SAMPLE_TIME)
		*at++ = data->time;
	if (type & PERF_SAMPLE_ADDR)
		*at++ = data->addr;
	if (type & PERF_SAMPLE_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_CPU)
		*at++ = sample_pair(event->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		*at++ = data->period;
	return at;
}

/* The fields of one word each, in perf's order. */
static inline uint64_t *sample_put_words(uint64_t *at, const struct perf_event *event,
                                         const struct arch_regs *regs,
                                         const struct sample_data *data)
{
	if (sample_is_usual(event->attr.sample_type))
		return sample_put_usual(at, event, regs, data);
	return sample_put_unusual(at, event, regs, data);
}

static inline uint32_t sample_misc(const struct sample_data *data)
{
	bool exact = data->precise && !data->precise->inexact;

	return PERF_RECORD_MISC_USER | (exact ? PERF_RECORD_MISC_EXACT_IP : 0);
}

static inline uint64_t *sample_begin(struct ring_output *out, struct perf_event *event,
                                     const struct sample_data *data, uint32_t more)
{
	uint64_t type = event->attr.sample_type;
	uint32_t fields = sample_is_usual(type) ? USUAL_SAMPLE_WORDS
	                                        : sample_words(type & ONE_WORD);
	uint32_t size = (uint32_t)sizeof(struct perf_event_header) + 8 * fields + more;
	uint64_t *at = ring_reserve_sample(out, event->ring, &event->account, size, data->period);

	if (at)
		*at++ = sample_pair(PERF_RECORD_SAMPLE, sample_misc(data) | size << 16);
	return at;
}

/* Unrolled by four, as the loop does little else. */
static inline void sample_put_list(uint64_t *at, const uint64_t *words, unsigned count)
{
	const uint64_t *end = words + count;

	for (; end - words >= 4; words += 4, at += 4) {
		at[0] = words[0];
		at[1] = words[1];
		at[2] = words[2];
		at[3] = words[3];
	}
	for (; words < end; words++) {
		RING_OPAQUE(words);
		*at++ = *words;
	}
}

/* In perf's order. All memory is identity-mapped: a physical address is the linear one. */
static inline void sample_put_last(uint64_t *at, const struct perf_event *event,
                                   const struct sample_data *data)
{
	uint64_t type = event->attr.sample_type;

	if (!RING_RARE(type & LAST_WORDS))
		return;
	if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		*at++ = data->precise ? data->precise->weight : 0;
	if (type & PERF_SAMPLE_DATA_SRC)
		*at++ = data->precise ? data->precise->data_src : MEM_NA;
	if (type & PERF_SAMPLE_PHYS_ADDR)
		*at = data->addr;
}

/* The fields that the end of a sample may have: lists whose lengths are known only afterwards. */
#define LISTS (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK)

/* RAW, from its size on: padding makes it whole words. A sample without any has 4 bytes of 0. */
static unsigned sample_gather_raw(const struct sample_data *data, uint64_t *words)
{
	const uint64_t *raw = data->precise ? data->precise->raw : NULL;
	unsigned count = raw ? (unsigned)((raw[0] & UINT32_MAX) + sizeof(uint32_t)) / 8 : 1;

	words[0] = sizeof(uint32_t);
	for (unsigned i = 0; raw && i < count; i++)
		words[i] = raw[i];
	return count;
}

/* Returns the number of words. */
static inline unsigned sample_gather_lists(const struct perf_event *event,
                                           const struct arch_regs *regs,
                                           const struct sample_data *data, uint64_t *words)
{
	unsigned n = 0;

	if (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		struct callchain_place place = data->precise ? data->precise->place
		                                             : callchain_place_of(regs);

		words[0] = callchain_collect_at(&place, words + 1, event->attr.sample_max_stack);
		n = 1 + (unsigned)words[0];
	}
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		n += sample_gather_raw(data, words + n);
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		n += event->pmu->branch_stack(event, words + n);
	return n;
}

/* A function of its own, so that only samples with such lists use its stack space. */
static __attribute__((noinline)) void sample_output_with_lists(struct perf_event *event,
                                                               const struct arch_regs *regs,
                                                               const struct sample_data *data)
{
	uint64_t words[1 + CALLCHAIN_MAX + 2 + SAMPLE_RAW_WORDS + BRANCH_STACK_WORDS];
	unsigned count = sample_gather_lists(event, regs, data, words);
	bool read = event->attr.sample_type & PERF_SAMPLE_READ;
	uint32_t more = 8 * count + sample_last_size(event) + (read ? read_format_size(event) : 0);
	struct ring_output out;
	uint64_t *at = sample_begin(&out, event, data, more);

	if (!at)
		return;
	at = sample_put_words(at, event, regs, data);
	if (read)
		at = read_format_put(at, event, data->time);
	sample_put_list(at, words, count);
	sample_put_last(at + count, event, data);
	ring_commit(&out);
}

void sample_output(struct perf_event *event, const struct arch_regs *regs,
                   const struct sample_data *data)
{
	struct ring_output out;
	uint32_t more = sample_last_size(event);
	uint64_t *at;

	if (event->attr.sample_type & (LISTS | PERF_SAMPLE_RAW)) {
		sample_output_with_lists(event, regs, data);
		return;
	}
	if (event->attr.sample_type & PERF_SAMPLE_READ)
		more += read_format_size(event);
	at = sample_begin(&out, event, data, more);
	if (!at)
		return;
	at = sample_put_words(at, event, regs, data);
	if (event->attr.sample_type & PERF_SAMPLE_READ)
		at = read_format_put(at, event, data->time);
	sample_put_last(at, event, data);
	ring_commit(&out);
}

uint64_t usual_sample_lists(struct perf_event *event, const struct arch_regs *regs, uint64_t *at)
{
	uint64_t bytes = 0;

	if (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		bytes = usual_sample_chain(&event->usual, regs, at);
	return bytes + 8 * event->pmu->branch_stack(event, at + bytes / 8);
}

void usual_sample_prepare(struct perf_event *event)
{
	uint64_t type = event->attr.sample_type, size = 8 * (1 + USUAL_SAMPLE_WORDS);
	bool has_chain = type & PERF_SAMPLE_CALLCHAIN;
	bool has_branches = type & PERF_SAMPLE_BRANCH_STACK;

	event->usual = (struct usual_sample){
		.most = size + (has_chain ? 8 * (2 + event->attr.sample_max_stack) : 0) +
		        (has_branches ? 8 * BRANCH_STACK_WORDS : 0),
		.header = sample_pair(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER),
		.tid = sample_pair(TR_PID, tr_tid(event->cpu)),
		.cpu = sample_pair(event->cpu, 0),
		.clock = clock_line_of(event->cpu),
		.has_lists = has_chain || has_branches,
		.has_branches = has_branches,
		.has_trailer = event->account.trailer_size && (type & SAMPLE_ID) == USUAL_SAMPLE_ID,
		.chain.max_frames = event->attr.sample_max_stack,
	};
	if (!event->usual.has_lists)
		event->usual.header |= size << 48;
	if ((type & ~(uint64_t)LISTS) != USUAL_SAMPLE)
		event->usual.most = UINT64_MAX / 2;
}

void event_overflow(struct perf_event *event, const struct arch_regs *regs, uint64_t now)
{
	struct sample_data data = {
		.time = clock_stamp_of(event->cpu, now),
		.period = event->count - event->sampled,
	};

	event->sampled = event->count;
	sample_output(event, regs, &data);
	if (throttle_count(&event->throttle, data.time))
		throttle_begin(event, data.time);
}
