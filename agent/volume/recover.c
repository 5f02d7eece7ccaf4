/* SPDX-License-Identifier: MIT */
#include "agent/volume/recover.h"

#include <errno.h>
#include <string.h>

#include "agent/volume/volume.h"
#include "host-tools/region/region_check.h"
#include "host-tools/region/region_salvage.h"
#include "lib/console.h"
#include "lib/efi.h"
#include "lib/memory.h"

#define MOST 4U /* recordings; more are not looked for */

static struct {
	uint64_t address, size;
} finds[MOST];
static unsigned nr_finds;
static struct region recover_region;

/* ---- What an earlier start in this boot has left: a variable that a reset forgets ---- */

static CHAR16 held_name[] = u"BareperfHeld";
static EFI_GUID held_guid = {
	0x7c1f94d2, 0x0a5e, 0x4f63, { 0x9b, 0x27, 0x41, 0xd8, 0x3a, 0x6c, 0xe5, 0x90 }
};

static unsigned held_load(uint64_t addresses[MOST])
{
	UINTN size = MOST * sizeof(*addresses);
	EFI_STATUS status =
	    efi_system->RuntimeServices->GetVariable(held_name, &held_guid, NULL, &size, addresses);

	return EFI_ERROR(status) ? 0 : (unsigned)(size / sizeof(*addresses));
}

static void held_store(void)
{
	uint64_t addresses[MOST];

	for (unsigned i = 0; i < nr_finds; i++)
		addresses[i] = finds[i].address;
	efi_system->RuntimeServices->SetVariable(held_name, &held_guid,
	                                         EFI_VARIABLE_BOOTSERVICE_ACCESS,
	                                         nr_finds * sizeof(*addresses), addresses);
}

/* ---- Finding ---- */

static bool recover_has_magic(uint64_t address)
{
	return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE) == TR_MAGIC;
}

/* Whoever looks next, be it after a reset, finds nothing here. */
static void recover_forget(uint64_t address)
{
	memset((void *)address, 0, sizeof(uint64_t));
	arch_memory_clean((void *)address, sizeof(uint64_t));
}

/* Open recover_region. Why there is nothing to be had of it, empty if that is nothing to talk of;
 * NULL: there is. */
static const char *recover_refuse(struct channel *channel, struct error *error)
{
	const struct region *region = &recover_region;

	if (region_open(&recover_region, channel, error) != 0 ||
	    region_check_seal(&region->header, error) != 0)
		return error->text;
	if (region->header.address != (uintptr_t)channel->bytes)
		return "a copy, which says that it lies elsewhere";
	if (region->header.run == 0 || region_state(region) == TR_BOOTING ||
	    region_state(region) == TR_FAILED)
		return "";
	return NULL;
}

/* There is a magic here, in memory that goes on for so many bytes. */
static void recover_examine(uint64_t address, uint64_t available, bool is_held)
{
	struct channel channel = { .bytes = (void *)address, .size = available };
	struct error error = { "" };
	const char *why = recover_refuse(&channel, &error);
	uint64_t size = recover_region.header.size;

	if (!why && !is_held && !memory_hold(address, size))
		why = "the firmware has taken a part of it";
	if (why) {
		if (*why != 0)
			console_printf("found in RAM, at 0x%lx: no recording: %s\n", address, why);
		recover_forget(address);
		return;
	}
	finds[nr_finds].address = address;
	finds[nr_finds++].size = size;
}

static void recover_look(uint64_t start, uint64_t size)
{
	uint64_t at = start < TR_ALIGN ? TR_ALIGN : (start + TR_ALIGN - 1) & -(uint64_t)TR_ALIGN;

	for (; at + TR_PAGE <= start + size && nr_finds < MOST; at += TR_ALIGN) {
		if (recover_has_magic(at))
			recover_examine(at, start + size - at, false);
	}
}

void recover_find(void)
{
	uint64_t held[MOST], start, size;
	unsigned nr_held = held_load(held);

	for (unsigned i = 0; i < nr_held; i++) {
		if (memory_is_known(held[i], TR_PAGE) && recover_has_magic(held[i]))
			recover_examine(held[i], UINT64_MAX, true);
	}
	for (unsigned i = 0; memory_unused(i, &start, &size); i++)
		recover_look(start, size);
}

/* ---- Writing ---- */

/* One that came to its end, and whose reader had all of it, is nobody's any more. */
static const char *recover_salvage(struct error *error)
{
	uint32_t state = region_state(&recover_region);

	if (region_load(&recover_region, error) != 0 || region_salvage(&recover_region, error) != 0)
		return error->text;
	if ((state == TR_IDLE || state == TR_COMPLETE) && !region_has_unread(&recover_region))
		return "";
	return NULL;
}

static void recover_tell(const struct region *region)
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

/* 1: there is a file; 0: there was nothing to read; or why there is none. */
static int recover_write(uint64_t address, uint64_t size)
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
		recover_tell(&recover_region);
	region_close(&recover_region);
	channel_close(&channel);
	if (why) {
		if (*why != 0)
			console_printf("found in RAM, at 0x%lx: no recording: %s\n", address, why);
		return 0;
	}
	code = volume_save((void *)address, size, NULL, path, &error);
	if (code == 0)
		return 1;
	console_printf(
	    "  it is not recovered: %s\n"
	    "  and stays in RAM, 0x%lx to 0x%lx, until something can be done\n",
	    error.text, address, address + size);
	return code;
}

int recover_save(void)
{
	unsigned left = 0;
	int files = 0, error;

	if (nr_finds == 0)
		return 0;
	error = volume_prepare();
	if (error != 0)
		return error;
	for (unsigned i = 0; i < nr_finds; i++) {
		uint64_t address = finds[i].address, size = finds[i].size;
		int code = recover_write(address, size);

		if (code < 0) {
			error = code;
			finds[left++] = finds[i];
			continue;
		}
		files += code;
		recover_forget(address);
		memory_let_go(address, size);
	}
	nr_finds = left;
	held_store();
	return error != 0 ? error : files;
}
