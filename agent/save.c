/* SPDX-License-Identifier: MIT */
#include "agent/save.h"

#include <errno.h>
#include <string.h>

#include "agent/summary.h"
#include "agent/volume/kept.h"
#include "agent/volume/volume.h"
#include "lib/console/console.h"

static int save_one(const struct kept *kept, const char *name)
{
	const void *region = (const void *)(uintptr_t)kept->address;
	struct error error = { "" };
	char path[VOLUME_PATH_MAX];
	int code = volume_save(region, kept->size, name, path, &error);

	if (code) {
		console_printf("bareperf: 0x%lx stays in RAM: %s\n", kept->address, error.text);
		return code;
	}
	summary_of_file(region, kept->size, path);
	console_printf("written: %s; its memory is freed\n", path);
	kept_free(kept->address, kept->size);
	return 0;
}

int save_kept(const struct command *command)
{
	struct kept list[KEPT_MAX];
	unsigned count = kept_list(list);
	int code;

	if (!count) {
		console_printf("bareperf: no recording is kept in RAM since the last reset\n");
		return -ENOENT;
	}
	code = volume_prepare();
	if (code) {
		console_printf("bareperf: no memory to write a file\n");
		return code;
	}
	for (unsigned i = command->output ? count - 1 : 0; i < count; i++) {
		int one = save_one(&list[i], command->output);

		code = one ? one : code;
	}
	return code;
}
