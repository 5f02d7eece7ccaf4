/* SPDX-License-Identifier: MIT */
/* The SPE decoder on any bytes of an AUX area: it stays inside them, ends, and accounts for each
 * byte. Records and errors come in order, and the data that were repaired for perf decode to as
 * many records. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/seed.h"
#include "writer/perfdata/arm_spe_decode.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int it_holds)
{
	if (!it_holds)
		abort();
}

static size_t decode(const uint8_t *bytes, size_t size, uint64_t position, size_t *errors)
{
	struct spe_decoder decoder = { .bytes = bytes, .size = size, .position = position };
	struct spe_record record;
	size_t records = 0, before = 0;
	int code;

	*errors = 0;
	while ((code = spe_decode(&decoder, &record)) != 0) {
		must(decoder.at > before && decoder.at <= size);
		must(code < 0 ? decoder.error && decoder.error_at < size
		              : record.at + record.size == decoder.at && record.size);
		before = decoder.at;
		records += code > 0;
		*errors += code < 0;
	}
	must(decoder.at == size);
	return records;
}

static bool is_good(const char *name, const uint8_t *bytes, size_t size)
{
	size_t errors;

	(void)name;
	return size && decode(bytes, size, bytes[0], &errors) && !errors;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_require_seeds(*argc, *argv, is_good);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t position = size ? data[0] : 0, errors, left;
	uint8_t *copy = malloc(size + !size);
	size_t records = decode(data, size, position, &errors);

	must(!!copy);
	memcpy(copy, data, size);
	spe_adapt(copy, size, position, false);
	must(decode(copy, size, position, &left) == records && left == errors);
	spe_adapt(copy, size, position, true);
	must(decode(copy, size, position, &left) <= records && !left);
	free(copy);
	return 0;
}
