/* SPDX-License-Identifier: MIT */
/*
 * coreboot's tables with any content, as a physical memory at BASE: nothing is read beyond its end,
 * each name is printable and fits, and the parser ends. The checksums are corrected first, because
 * otherwise no input would get past them.
 */
#include <stdlib.h>

#include "lib/coreboot.h"
#include "tests/fuzz/seed.h"

#define BASE   0x500U
#define HEADER 24U

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *memory; /* on the heap, so that the sanitizer detects reads beyond its end */
static size_t memory_size;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > memory_size || address - BASE > memory_size - size)
		return NULL;
	return memory + (address - BASE);
}

static void tell(void *context, uint64_t ns, const char *name)
{
	unsigned *reported = context;
	size_t length = strnlen(name, FIRMWARE_TIME_NAME);

	(void)ns;
	if (!length || length == FIRMWARE_TIME_NAME || ++*reported > FIRMWARE_TIMES_MAX + 1)
		abort();
	for (size_t i = 0; i < length; i++) {
		if (name[i] < ' ' || name[i] > '~')
			abort();
	}
}

static uint16_t sum_of(const uint8_t *bytes, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += i % 2 ? bytes[i] * 256U : bytes[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint32_t word_at(size_t at)
{
	uint32_t word;

	memcpy(&word, memory + at, sizeof(word));
	return word;
}

static void put_word(size_t at, uint32_t word)
{
	memcpy(memory + at, &word, sizeof(word));
}

/* Correct the checksums. A table may be at each multiple of 64 bytes. */
static void mend(void)
{
	for (size_t at = 0; at + HEADER <= memory_size; at += 64) {
		if (memcmp(memory + at, "LBIO", 4) != 0)
			continue;
		put_word(at + 4, HEADER);
		if (word_at(at + 12) <= memory_size - at - HEADER)
			put_word(at + 16, sum_of(memory + at + HEADER, word_at(at + 12)));
		put_word(at + 8, 0);
		put_word(at + 8, sum_of(memory + at, HEADER));
	}
}

/* The number of times. */
static unsigned read_times(const uint8_t *data, size_t size, const char **wrong)
{
	unsigned reported = 0;
	uint64_t table;

	memory_size = size;
	memory = malloc(size ? size : 1);
	if (!memory)
		abort();
	if (size)
		memcpy(memory, data, size);
	mend();
	table = coreboot_find(view);
	*wrong = coreboot_read(table ? table : BASE, view, tell, &reported);
	free(memory);
	return reported;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/* A valid input: a table that refers to another one, which has two times. It ends at
	 * 0x1000, where low memory ends. */
	static uint8_t good[0xb00];
	static const uint32_t words[][2] = {
		{ 12, 16 },        { 20, 1 },          { 24, 0x11 },  { 28, 16 },
		{ 32, BASE + 64 }, { 76, 16 },         { 84, 1 },     { 88, 0x16 },
		{ 92, 16 },        { 96, BASE + 128 }, { 128, 9 },    { 136, 1000 << 16 | 2 },
		{ 140, 2 },        { 144, 11 },        { 148, 5000 }, { 156, 99 },
		{ 160, 9000 },
	};
	const char *wrong;

	memcpy(good, "LBIO", 4);
	memcpy(good + 64, "LBIO", 4);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		memcpy(good + words[i][0], &words[i][1], sizeof(uint32_t));
	if (read_times(good, sizeof(good), &wrong) != 3 || wrong)
		abort();
	fuzz_seed(*argc, *argv, "times", good, sizeof(good));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *wrong;

	read_times(data, size, &wrong);
	return 0;
}
