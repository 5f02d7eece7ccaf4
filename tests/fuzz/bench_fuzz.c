/* SPDX-License-Identifier: MIT */
/* Microbenchmarks, whatever the bytes: a request at the machine, a result at the host, a
 * configuration file, and the text of a request. */
#include <stdlib.h>

#include "host-tools/bench/bench_config.h"
#include "lib/bench/bench_wire.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t values[BENCH_VALUES];

/* All parts of an accepted request lie within its bytes, and the request can be written again. */
static void read_request(const uint8_t *data, size_t size)
{
	static struct bench_request request;
	uint8_t *again;
	size_t whole;

	if (bench_get_request(&request, data, size))
		return;
	if (request.nr_counters > BENCH_COUNTERS || request.nr_writes > BENCH_WRITES)
		abort();
	for (unsigned i = 0; i < BENCH_PARTS; i++) {
		if (request.parts[i].bytes < data || request.parts[i].size > size ||
		    (size_t)(request.parts[i].bytes - data) > size - request.parts[i].size)
			abort();
	}
	again = malloc(size);
	whole = bench_put_request(&request, again, size);
	if (!whole)
		abort();
	free(again);
}

static void read_result(const uint8_t *data, size_t size)
{
	static struct bench_result result;

	result.values = values;
	if (bench_get_result(&result, data, size))
		return;
	if (2ULL * result.counters * result.measurements > BENCH_VALUES ||
	    result.hardware.vendor >= BENCH_VENDORS || !memchr(result.text, 0, sizeof(result.text)))
		abort();
}

static void read_config(const char *text, bool is_msr, bool is_arm)
{
	struct bench_events events = { 0 };
	struct error error = { "" };

	if (bench_config_parse(&events, text, is_msr, is_arm, "file", &error) && !*error.text)
		abort();
	for (size_t i = 0; i < events.count; i++) {
		if (!memchr(events.list[i].name, 0, BENCH_NAME) ||
		    events.list[i].nr_writes > BENCH_WRITES || events.list[i].counter > 31)
			abort();
	}
	bench_config_free(&events);
}

static void read_text(const char *text, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	char *again;
	long got = bench_from_text(bytes, size, text);

	if (got >= 0) {
		again = malloc(BENCH_TEXT((size_t)got));
		bench_to_text(again, bytes, (size_t)got);
		if (strlen(again) != strlen(text))
			abort();
		free(again);
	}
	free(bytes);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const uint8_t code[] = { 0x90, 0xc3 };
	static const char config[] = "# events\nC0.00.CMSK=1.EDG.INV.CTR=2.MSR_RSP0=0x1 INST\n";
	static const char registers[] = "msr_38f=1.msr_186=4300c0 msr_c1 READ\n";
	struct bench_request request = { .measurements = 10, .unroll = 100, .nr_counters = 1 };
	struct bench_result result = { .counters = 1, .measurements = 2, .values = values };
	uint8_t bytes[256];
	size_t size;

	request.counters[0] = (struct bench_counter){ BENCH_GENERAL, 1, 0xc0 };
	request.parts[BENCH_CODE].bytes = code;
	request.parts[BENCH_CODE].size = sizeof(code);
	size = bench_put_request(&request, bytes, sizeof(bytes));
	if (bench_get_request(&request, bytes, size))
		abort();
	fuzz_seed(*argc, *argv, "request", bytes, size);
	size = bench_put_result(&result, bytes, sizeof(bytes));
	if (bench_get_result(&result, bytes, size))
		abort();
	fuzz_seed(*argc, *argv, "result", bytes, size);
	fuzz_seed(*argc, *argv, "config", config, sizeof(config) - 1);
	fuzz_seed(*argc, *argv, "registers", registers, sizeof(registers) - 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	read_request(data, size);
	read_result(data, size);
	read_config(text, false, false);
	read_config(text, false, true);
	read_config(text, true, false);
	read_text(text, size);
	free(text);
	return 0;
}
