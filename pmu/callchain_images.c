/* SPDX-License-Identifier: MIT */
#include "pmu/callchain_images.h"

#include <stddef.h>

/* Sorted by start; they do not overlap. */
static struct callchain_image images[CALLCHAIN_IMAGES_MAX];
static unsigned nr_images; /* 0 while entries are moved: a handler then finds no image */
bool callchain_images_have_begun;

/* The compiler must keep the order of the stores around this one, as a handler on this CPU may read
 * in between. */
static void images_set_count(unsigned count)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&nr_images, count, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void callchain_images_begin(void)
{
	images_set_count(0);
	__atomic_store_n(&callchain_images_have_begun, true, __ATOMIC_RELEASE);
}

void callchain_images_end(void)
{
	__atomic_store_n(&callchain_images_have_begun, false, __ATOMIC_RELEASE);
	images_set_count(0);
}

/* How many of the first count images begin at or below address. */
static unsigned images_below(uint64_t address, unsigned count)
{
	unsigned low = 0, high = count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (images[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void callchain_images_add(const struct callchain_image *image)
{
	unsigned count = nr_images, at = images_below(image->start, count);

	if (count == CALLCHAIN_IMAGES_MAX)
		return;
	images_set_count(0);
	for (unsigned i = count; i > at; i--)
		images[i] = images[i - 1];
	images[at] = *image;
	images_set_count(count + 1);
}

void callchain_images_remove(uint64_t start)
{
	unsigned count = nr_images, at = images_below(start, count);

	if (at == 0 || images[at - 1].start != start)
		return;
	images_set_count(0);
	for (unsigned i = at; i < count; i++)
		images[i - 1] = images[i];
	images_set_count(count - 1);
}

const struct callchain_image *callchain_image_at(uint64_t pc)
{
	unsigned count = __atomic_load_n(&nr_images, __ATOMIC_RELAXED);
	unsigned at = images_below(pc, count);

	return at && pc < images[at - 1].end ? &images[at - 1] : NULL;
}
