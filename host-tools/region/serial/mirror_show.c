/* SPDX-License-Identifier: MIT */
/* Shows a look's staged words to readers: the shown words of channel.h are stored with release,
 * each after all the data that it announces. */
#include "host-tools/region/serial/mirror_plan.h"
#include "writer/region/channel_word.h"

#define WORD       sizeof(uint64_t)
#define STATE      offsetof(struct tr_header, state)
#define MOST_SHOWN (TR_STREAMS + 4U) /* without the rings' heads */
_Static_assert(STATE % WORD == 0 && MIRROR_REPLY % WORD == 0, "they are shown as words of 8 bytes");

/* The shown words without the rings' heads, in their order: the state announces the heads, the
 * reply announces the state, and the magic announces all. */
static size_t mirror_list_shown(const struct mirror_plan *plan, uint64_t words[MOST_SHOWN])
{
	const struct tr_header *header = &plan->layout.header;
	size_t count = 0;

	for (uint32_t i = 0; plan->has_layout && i < header->streams.count; i++)
		words[count++] = header->streams.offset + (uint64_t)i * header->streams.stride;
	if (plan->has_layout && header->console.count)
		words[count++] = header->console.offset;
	words[count++] = STATE;
	if (plan->has_layout)
		words[count++] = header->mailbox.offset + MIRROR_REPLY;
	words[count++] = 0; /* magic */
	return count;
}

static bool mirror_is_one_of(const uint64_t *words, size_t count, uint64_t offset)
{
	for (size_t i = 0; i < count; i++) {
		if (words[i] == offset)
			return true;
	}
	return false;
}

static void mirror_show_word(const struct mirror_plan *plan, uint64_t offset)
{
	channel_store(plan->bytes + offset, plan->stage + offset, WORD);
}

static void mirror_show_promised(const struct mirror_plan *plan, const struct mirror_extent *extent,
                                 const uint64_t *words, size_t count)
{
	for (uint64_t at = extent->offset; at < extent->offset + extent->size; at += WORD) {
		if (!mirror_is_one_of(words, count, at))
			channel_store_words(plan->bytes + at, plan->stage + at, WORD);
	}
}

/* The last run's heads may have been in the place of this run's. Then the place holds a table's
 * bytes, not fetched heads. */
static void mirror_show_no_more(const struct mirror_plan *plan, uint32_t ring)
{
	const struct tr_ring *r = &plan->layout.rings[ring];
	const struct mirror_have *have = &plan->rings[ring];

	channel_store(plan->bytes + r->control + MIRROR_DATA_HEAD, &have->data, WORD);
	if (r->aux_size)
		channel_store(plan->bytes + r->control + MIRROR_AUX_HEAD, &have->aux, WORD);
}

/* In the reverse of the order in which they were fetched: a data_head announces the AUX data that
 * its records report. */
static void mirror_show_heads(const struct mirror_plan *plan)
{
	for (size_t i = plan->staged_count; i-- > 0;) {
		const struct mirror_extent *extent = &plan->staged[i];

		for (uint64_t at = extent->size; extent->heads && at; at -= WORD)
			mirror_show_word(plan, extent->offset + at - WORD);
	}
	for (uint32_t i = 0; plan->has_layout && i < plan->layout.header.rings.count; i++) {
		if (!plan->rings[i].is_due)
			mirror_show_no_more(plan, i);
	}
}

void mirror_show_staged(const struct mirror_plan *plan)
{
	uint64_t words[MOST_SHOWN];
	size_t count = mirror_list_shown(plan, words);

	for (size_t i = 0; i < plan->staged_count; i++) {
		if (!plan->staged[i].heads)
			mirror_show_promised(plan, &plan->staged[i], words, count);
	}
	mirror_show_heads(plan);
	for (size_t i = 0; i < count; i++)
		mirror_show_word(plan, words[i]);
}

void mirror_show_published(const struct mirror_plan *plan, uint64_t offset, const void *from,
                           size_t size)
{
	channel_store(plan->bytes + offset, from, size);
}
