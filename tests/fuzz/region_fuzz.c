/* SPDX-License-Identifier: MIT */
/*
 * Whatever is written into a trace region, `bareperf dump` and a session survive it. Input: which
 * good region, then a list of patches to it, so that few bytes go deep.
 */
#include "tests/fuzz/region_readers.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	for (int kind = 0; kind < REGION_KINDS; kind++) {
		uint8_t input = (uint8_t)kind;
		char name[16];

		region_renew(kind);
		region_require_conserved();
		snprintf(name, sizeof(name), "kind-%d", kind);
		fuzz_seed(*argc, *argv, name, &input, 1);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t place;
	uint8_t value, *bytes;

	if (!size)
		return 0;
	bytes = region_renew(data[0] % REGION_KINDS);
	for (size_t i = 0; region_patch(data + 1, size - 1, i, &place, &value); i++)
		bytes[place] = value;
	region_dump();
	region_record();
	region_ask();
	return 0;
}
