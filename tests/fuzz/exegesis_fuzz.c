/* SPDX-License-Identifier: MIT */
/* llvm-exegesis's YAML, whatever the bytes: reading, the pieces of its code, and writing. */
#include <stdlib.h>
#include <string.h>

#include "host-tools/bench/exegesis/exegesis_code.h"
#include "host-tools/bench/exegesis/exegesis_file.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char seed[] =
    "---\nmode: latency\nkey:\n  instructions:\n    - 'ADD64rr RBP RBP RDI'\n  config: ''\n"
    "llvm_triple: x86_64-pc-linux-gnu\nmeasurements: []\nerror: skipped\n"
    "assembled_snippet: 5548BD00000000000000004801FD4801FD5DC3\n...\n"
    "---\nmode: uops\nkey:\n  instructions: ['ADDXri X17 X17', nop]\n"
    "llvm_triple: aarch64-unknown-linux-gnu\nmeasurements: []\nerror: ''\n"
    "assembled_snippet: 110080D2310200911F2003D5310200911F2003D5\n...\n";

/* A snippet lies within its code. */
static void divide(struct exegesis_point *point)
{
	struct exegesis_pieces pieces;
	struct error error = { "" };

	if (exegesis_code_divide(&pieces, &point->code, point->instructions, point->machine,
	                         &error)) {
		if (!*error.text)
			abort();
		return;
	}
	if (!pieces.body_size || pieces.body_at > point->code.size ||
	    pieces.body_size > point->code.size - pieces.body_at ||
	    pieces.setup_at + pieces.setup_size > pieces.body_at)
		abort();
}

static void write_again(struct exegesis_file *file)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct exegesis_file again;
	struct error error = { "" };

	if (exegesis_file_write(file, out, &error))
		abort();
	fclose(out);
	if (exegesis_file_parse(&again, (const uint8_t *)text, size, "again", &error) ||
	    again.count != file->count)
		abort();
	exegesis_file_free(&again);
	free(text);
}

static bool read_file(const uint8_t *data, size_t size)
{
	struct exegesis_file file;
	struct error error = { "" };
	bool good = !exegesis_file_parse(&file, data, size, "file", &error);

	if (!good && !*error.text)
		abort();
	for (size_t i = 0; good && i < file.count; i++) {
		divide(&file.points[i]);
		if (exegesis_set_error(&file.points[i], "a 'reason': #1") ||
		    exegesis_add_value(&file.points[i], "latency", 1.5, 3) ||
		    exegesis_add_value(&file.points[i], "a: [key]", -1, 1e300))
			abort();
	}
	if (good)
		write_again(&file);
	exegesis_file_free(&file);
	return good;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (!read_file((const uint8_t *)seed, sizeof(seed) - 1))
		abort();
	fuzz_seed(*argc, *argv, "benchmarks", seed, sizeof(seed) - 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_file(data, size);
	return 0;
}
