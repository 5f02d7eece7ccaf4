/* SPDX-License-Identifier: MIT */
#include "agent/volume/volume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/volume/perf_output_volume.h"
#include "agent/volume/session_machine.h"
#include "agent/volume/volume_file.h"
#include "agent/volume/volume_where.h"
#include "lib/console/console.h"
#include "lib/memory/memory.h"
#include "lib/syscalls.h"
#include "writer/region/region_salvage.h"
#include "writer/session/session.h"

#define FAT_FILE_MAX \
	0xffffffffULL /* bytes; Microsoft's FAT specification: a file's size is 32 bits */
/* bytes: more than the file's other parts take, unless there are very many events */
#define META (1ULL << 20)

/* Several KiB each, too much for the firmware's stack */
static struct session volume_session;
static struct region volume_region;

/* Choose the volume that the name begins with. *name is then the rest, "" if there is none. */
static int volume_of(const char **name, struct error *error)
{
	const char *given = *name ? *name : "", *colon = strchr(given, ':');

	*name = colon ? colon + 1 : given;
	return volume_choose(given, colon ? (size_t)(colon - given) : 0, error);
}

/* The path of -o's name: in \bareperf unless it has a directory. UEFI accepts only '\' as
 * separator. */
static int volume_place(char path[VOLUME_PATH_MAX], const char *name, struct error *error)
{
	unsigned number;
	int code = volume_of(&name, error);

	if (code != 0)
		return code;
	if (*name == 0) {
		code = volume_next_number(&number, error);
		snprintf(path, VOLUME_PATH_MAX, "\\bareperf\\%04u.data", number);
		return code;
	}
	if (strlen(name) + sizeof("\\bareperf\\.part") > VOLUME_PATH_MAX)
		return error_set(error, -ENAMETOOLONG, "%s: too long a name", name);
	snprintf(path, VOLUME_PATH_MAX, "%s%s",
	         !strpbrk(name, "\\/")  ? "\\bareperf\\"
	         : strchr("\\/", *name) ? ""
	                                : "\\",
	         name);
	for (char *at = path; *at != 0; at++)
		*at = *at == '/' ? '\\' : *at;
	return volume_is_free(path, error);
}

/* Check that the volume has room for so many more bytes. */
static int volume_takes(uint64_t size, struct error *error)
{
	struct volume_space space;
	int code = volume_space(&space, error);

	if (code != 0)
		return code;
	if (space.read_only)
		return error_set(error, -EROFS, "the volume is read-only");
	if (size > FAT_FILE_MAX)
		return error_set(error, -EFBIG,
		                 "%lu MiB, and a file on a FAT volume has at most 4096",
		                 size >> 20);
	if (size > space.free)
		return error_set(error, -ENOSPC,
		                 "it takes up to %lu KiB, and the volume has %lu KiB left",
		                 (size + 1023) >> 10, space.free >> 10);
	return 0;
}

/* The writer calls malloc(), which needs a heap. syscalls_init() also needs a clock, which the
 * writer never reads. */
int volume_prepare(void)
{
	static const struct arch_clock no_clock = { .frequency = 1 };
	uint64_t size;
	void *heap;
	int code = memory_firmware_heap();

	memory_heap(&heap, &size);
	if (code == 0)
		syscalls_init(heap, size, &no_clock);
	return code;
}

uint64_t volume_room(const char *name)
{
	struct error ignored = { "" };
	struct volume_space space;

	if (volume_of(&name, &ignored) != 0 || volume_space(&space, &ignored) != 0 ||
	    space.free == UINT64_MAX)
		return UINT64_MAX;
	return space.free > META ? space.free - META : 0;
}

int volume_check(uint64_t region_size, const char *name, struct error *error)
{
	char path[VOLUME_PATH_MAX];
	int code = volume_place(path, name, error);

	return code != 0 ? code : volume_takes(region_size + META, error);
}

/* A reader may have taken some records; a ledger of version 1.3 or later shows how many. */
static int volume_begin(const struct session_options *options, struct error *error)
{
	struct session_options to = *options;
	int code = region_load(&volume_region, error);

	to.others_read = code == 0 && region_was_read(&volume_region);
	if (code == 0)
		code = session_begin(&volume_session, &volume_region, &to, error);
	if (code == -EPROTO && to.others_read)
		code = session_begin(&volume_session, &volume_region, options, error);
	return code;
}

/* Run one session over the region, as the host tool does. */
static int volume_run_session(const struct channel *channel, const char *path, struct error *error)
{
	const struct session_options options = { .host = &session_machine, .output = path };
	struct channel still;
	int code = channel_open_still(&still, channel->bytes, channel->size, error);

	if (code != 0)
		return code;
	code = region_open(&volume_region, &still, error);
	if (code == 0)
		code = volume_begin(&options, error);
	if (code == 0) {
		code = session_finish(&volume_session, false, error);
		if (code != 0 && volume_session.writer.failed == 0)
			code = -EPROTO; /* the file is complete, except for corrupt rings */
		session_end(&volume_session);
	}
	region_close(&volume_region);
	channel_close(&still);
	return code;
}

int volume_save(const void *region, uint64_t size, const char *name, char path[VOLUME_PATH_MAX],
                struct error *error)
{
	const struct channel bytes = { .bytes = (void *)(uintptr_t)region, .size = size };
	struct perf_output_plan plan = { .is_measured = false };
	int code = volume_place(path, name, error);

	perf_output_set_plan(&plan);
	if (code == 0)
		code = volume_run_session(&bytes, path, error);
	if (code == -EPROTO && plan.size != 0)
		code = 0; /* reported after the file is written */
	if (code == 0)
		code = volume_takes(plan.size, error);
	if (code != 0)
		return code;
	plan.is_measured = true;
	console_printf("writing %s, %lu KiB\n", path, (plan.size + 1023) >> 10);
	return volume_run_session(&bytes, path, error);
}

/* The file keeps a failure: volume_file_finish() returns it. */
static void volume_put(void *context, const char *text, size_t length)
{
	struct error ignored = { "" };

	volume_file_append(context, text, length, &ignored);
}

int volume_write_text(const char *path, const char *ending,
                      void (*print)(void *context, print_put_fn put, void *put_context),
                      void *context, struct error *error)
{
	struct volume_file *file;
	char name[VOLUME_PATH_MAX];
	int code;

	volume_with_ending(name, path, ending);
	code = volume_file_create(&file, name, error);
	if (code != 0)
		return code;
	print(context, volume_put, file);
	return volume_file_finish(file, error);
}

/* Compose the path of a file beside path, without empty parts ("./", "//"). */
static int volume_place_beside(char to[VOLUME_PATH_MAX], const char *path, const char *name,
                               struct error *error)
{
	size_t end, length;

	volume_with_ending(to, path, "");
	end = strlen(to);
	for (const char *at = name; *at != 0; at += length + (at[length] != 0)) {
		length = strcspn(at, "/\\");
		if (length == 0 || (length == 1 && *at == '.'))
			continue;
		if (length == 2 && at[0] == '.' && at[1] == '.')
			return error_set(error, -EINVAL, "%s: .. leads to other files", name);
		if (end + 1 + length + sizeof(".part") > VOLUME_PATH_MAX)
			return error_set(error, -ENAMETOOLONG, "%s: too long a name", name);
		to[end++] = '\\';
		memcpy(to + end, at, length);
		end += length;
		to[end] = 0;
	}
	return 0;
}

int volume_write_beside(const char *path, const char *name, const void *bytes, uint64_t size,
                        char to[VOLUME_PATH_MAX], struct error *error)
{
	struct volume_file *file;
	int code = volume_place_beside(to, path, name, error);

	if (code == 0)
		code = volume_takes(size, error);
	if (code == 0)
		code = volume_file_create(&file, to, error);
	if (code != 0)
		return code;
	volume_file_append(file, bytes, size, error);
	return volume_file_finish(file, error);
}
