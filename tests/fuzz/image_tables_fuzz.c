/* SPDX-License-Identifier: MIT */
/*
 * An image's tables of commands, with any bytes: commands can be parsed with all tables that are
 * accepted. First byte even: the rest is the file. Odd: the rest are changes to a valid file, from
 * its directory on (tests/fuzz/changes.h).
 */
#include <errno.h>

#include <stdlib.h>

#include "command/command.h"
#include "host-tools/events/event_names.h"
#include "host-tools/events/image_tables.h"
#include "tests/fuzz/changes.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/host-tools/events/tables_file.h"
#include "writer/util/blob.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_all(const struct command_tables *tables)
{
	static const char *const texts[] = {
		"record -e unit/number=7,mask=0xff,period=5/,loads -c 5 -- spin 9",
		"record -e trace// -m ,8 -- program any words",
		"record -e r1ff,unti/nubmer=1/ -- spni",
		"stat -e lodas -- spin",
		"list --then wait",
	};
	static struct command command;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct command_error error;

		if (command_parse(&command, texts[i], tables, &error) &&
		    (!error.what || error.column > strlen(texts[i])))
			abort();
	}
	event_names_any("loads,trace//,cyles", tables->sources.list);
}

/* Whether the tables were accepted. */
static bool load(const void *bytes, size_t size)
{
	struct image_tables image;
	struct error error = { "" };
	int code = image_tables_read(&image, bytes, size, &error);

	if (!code)
		parse_all(&image.tables);
	if (code && (code == -ENOENT) == (*error.text != 0))
		abort();
	image_tables_free(&image);
	return !code;
}

static bool load_changed(const uint8_t *changes, size_t size)
{
	static struct tables_file file;

	tables_file_make(&file);
	fuzz_change((uint8_t *)&file + TABLES_DIRECTORY, TABLES_FILE_SIZE - TABLES_DIRECTORY,
	            changes, size);
	return load(&file, TABLES_FILE_SIZE);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const uint8_t none = 1;

	if (!load_changed(NULL, 0))
		abort();
	fuzz_seed(*argc, *argv, "good", &none, 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] & 1)
		load_changed(data + 1, size - 1);
	else if (size)
		load(data + 1, size - 1);
	return 0;
}
