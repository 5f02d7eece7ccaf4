/* SPDX-License-Identifier: MIT */
#include "agent/volume/recover.h"

#include <errno.h>
#include <string.h>

#include "agent/volume/kept.h"
#include "agent/volume/volume.h"
#include "lib/console/console.h"
#include "lib/memory/memory.h"
#include "writer/region/region_check.h"
#include "writer/region/region_salvage.h"

#define MOST 4U /* the most recordings to look for */

static struct kept finds[KEPT_MAX];
static unsigned nr_finds;
static struct region recover_region;

/* ---- Finding ---- */

static bool recover_has_magic(uint64_t address)
{
	return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE) == TR_MAGIC;
}

/* Open recover_region. Returns NULL if it has a recording; else the reason, or "" if the reason is
 * not worth a message. */
static const char *recover_refuse(struct channel *channel, struct error *error)
{
	const struct region *region = &recover_region;

	if (region_open(&recover_region, channel, error) != 0 ||
	    region_check_seal(&region->header, error) != 0)
		return error->text;
	if (region->header.address != (uintptr_t)channel->bytes)
		return "a copy of a region with another address";
	if (region->header.run == 0 || region_state(region) == TR_BOOTING ||
	    region_state(region) == TR_FAILED)
		return "";
	return NULL;
}

static void recover_report_refusal(uint64_t address, const char *why)
{
	if (*why != 0)
		console_printf("found in RAM, at 0x%lx: no recording: %s\n", address, why);
}

/* Examine a magic that was found in free memory, of which available bytes follow. */
static void recover_examine(uint64_t address, uint64_t available)
{
	struct channel channel = { .bytes = (void *)address, .size = available };
	struct error error = { "" };
	const char *why = recover_refuse(&channel, &error);
	uint64_t size = recover_region.header.size;

	if (!why && !memory_hold(address, size))
		why = "the firmware has taken a part of it";
	if (!why) {
		kept_add(address, size, true);
		finds[nr_finds++] = (struct kept){ address, size, true };
		return;
	}
	recover_report_refusal(address, why);
	/* so that the next start does not report it again */
	memset((void *)address, 0, sizeof(uint64_t));
	arch_memory_clean((void *)address, sizeof(uint64_t));
}

static void recover_look(uint64_t start, uint64_t size)
{
	uint64_t at = start < TR_ALIGN ? TR_ALIGN : (start + TR_ALIGN - 1) & -(uint64_t)TR_ALIGN;

	for (; at + TR_PAGE <= start + size && nr_finds < MOST; at += TR_ALIGN) {
		if (recover_has_magic(at))
			recover_examine(at, start + size - at);
	}
}

void recover_find(void)
{
	struct kept list[KEPT_MAX];
	unsigned count = kept_list(list);
	uint64_t start, size;

	for (unsigned i = 0; i < count; i++) {
		if (list[i].is_found && memory_is_known(list[i].address, TR_PAGE) &&
		    recover_has_magic(list[i].address))
			finds[nr_finds++] = list[i]; /* found by an earlier start */
	}
	for (unsigned i = 0; memory_unused(i, &start, &size); i++)
		recover_look(start, size);
}

/* ---- Writing ---- */

/* Returns the reason why a recording is not written. One that is complete and was read to its end
 * is dropped without a message. */
static const char *recover_salvage(struct error *error)
{
	uint32_t state = region_state(&recover_region);

	if (region_load(&recover_region, error) != 0 || region_salvage(&recover_region, error) != 0)
		return error->text;
	if ((state == TR_IDLE || state == TR_COMPLETE) && !region_has_unread(&recover_region))
		return "";
	return NULL;
}

static void recover_report(const struct region *region)
{
	static char command[sizeof(region->header.command)],
	    message[sizeof(region->header.message)];

	region_printable(command, sizeof(command), region->header.command,
	                 sizeof(region->header.command));
	region_message(region, message);
	console_printf(
	    "found in RAM, at 0x%lx: a recording of an earlier start, in state %s\n"
	    "  %s\n",
	    region->header.address, region_state_name(region_state(region)), command);
	if (*message != 0)
		console_printf("  %s\n", message);
}

/* Returns 1 if a file was written, 0 if there was nothing to write, or a negative errno. */
static int recover_write(uint64_t address, uint64_t size, recover_saved_fn saved)
{
	char path[VOLUME_PATH_MAX];
	struct channel channel;
	struct error error = { "" };
	const char *why = NULL;
	int code = channel_open_still(&channel, (void *)address, size, &error);

	if (code != 0)
		return code;
	if (region_open(&recover_region, &channel, &error) != 0)
		why = error.text;
	if (!why)
		why = recover_salvage(&error);
	if (!why)
		recover_report(&recover_region);
	region_close(&recover_region);
	channel_close(&channel);
	if (why) {
		recover_report_refusal(address, why);
		return 0;
	}
	code = volume_save((void *)address, size, NULL, path, &error);
	if (code == 0) {
		saved((void *)address, size, path);
		return 1;
	}
	console_printf(
	    "  it could not be recovered: %s\n"
	    "  and stays in RAM, 0x%lx to 0x%lx: each further start and the command save try "
	    "again\n",
	    error.text, address, address + size);
	return code;
}

int recover_save(recover_saved_fn saved)
{
	int files = 0, code = nr_finds != 0 ? volume_prepare() : 0;

	if (code != 0)
		return code;
	for (unsigned i = 0; i < nr_finds; i++) {
		int one = recover_write(finds[i].address, finds[i].size, saved);

		if (one >= 0)
			kept_free(finds[i].address, finds[i].size);
		files += one > 0;
		code = one < 0 ? one : code;
	}
	return code != 0 ? code : files;
}
