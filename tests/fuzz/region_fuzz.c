/* SPDX-License-Identifier: MIT */
/*
 * A trace region with any content: `bareperf dump` and a session survive it. Input: the index of a
 * valid region, then a list of patches, so that a short input reaches deep code; or REGION_KINDS,
 * then the region itself, followed by zeros.
 */
#include <string.h>

#include "tests/fuzz/region_readers.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Make the region that the input describes. */
static void make(const uint8_t *data, size_t size)
{
	unsigned kind = data[0] % (REGION_KINDS + 1);
	uint8_t value, *bytes = region_renew(kind % REGION_KINDS);
	size_t place;

	data++;
	size--;
	if (kind == REGION_KINDS) {
		memset(bytes, 0, FIXTURE_SIZE);
		memcpy(bytes, data, size < FIXTURE_SIZE ? size : FIXTURE_SIZE);
		return;
	}
	for (size_t i = 0; region_patch(data, size, i, &place, &value); i++)
		bytes[place] = value;
}

/* Write seeds for this kind in both forms of the input. */
static void put_seeds(int argc, char **argv, enum region_kind kind)
{
	static uint8_t input[1 + FIXTURE_SIZE];
	size_t size = FIXTURE_SIZE;
	char name[16];

	input[0] = (uint8_t)kind;
	make(input, 1);
	region_require_conserved();
	snprintf(name, sizeof(name), "kind-%d", kind);
	fuzz_seed(argc, argv, name, input, 1);

	input[0] = REGION_KINDS;
	memcpy(input + 1, region_renew(kind), FIXTURE_SIZE);
	while (size && !input[size])
		size--;
	make(input, 1 + size);
	region_require_conserved();
	snprintf(name, sizeof(name), "whole-%d", kind);
	fuzz_seed(argc, argv, name, input, 1 + size);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	for (int kind = 0; kind < REGION_KINDS; kind++)
		put_seeds(*argc, *argv, kind);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	make(data, size);
	region_dump();
	region_record();
	region_ask();
	return 0;
}
