/* SPDX-License-Identifier: MIT */
#include "agent/uefi/boot_record.h"

#include <stddef.h>

#include "agent/input/command_line.h"
#include "agent/tables.h"
#include "agent/uefi/boot_until.h"
#include "agent/uefi/refusal.h"
#include "command/command.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"

#define BOOT_RECORD_GUID                                               \
	{                                                              \
		0x6f1b8a52, 0x3f0d, 0x4c83,                            \
		{                                                      \
			0x9d, 0x21, 0x52, 0x0e, 0x7b, 0x64, 0xc9, 0xa5 \
		}                                                      \
	}

/* The protocol between two bareperf images, perhaps of different versions. */
struct boot_record {
	uint64_t size; /* bytes of this structure */
	void(EFIAPI *stop)(void);
	const char *hosting; /* the command that records an image; NULL: the boot is recorded */
};
#define SIZE_LEAST offsetof(struct boot_record, hosting)

static void EFIAPI boot_record_stop(void);

static struct boot_record own = { sizeof(own), boot_record_stop, NULL };
static EFI_GUID guid = BOOT_RECORD_GUID;
static void (*ender)(const char *why);

/* End the recording. ExitBootServices(), `stop' and each end of --until call this. The first call
 * ends the recording and returns true. */
static bool boot_record_is_ended(const char *why)
{
	void (*end)(const char *why) = ender;

	if (!end)
		return false;
	ender = NULL;
	boot_until_end();
	efi_system->BootServices->UninstallProtocolInterface(efi_image, &guid, &own);
	end(why);
	return true;
}

static void boot_record_end(const char *why)
{
	boot_record_is_ended(why);
}

static void EFIAPI boot_record_stop(void)
{
	boot_record_end(NULL);
}

void boot_record_begin(const struct command_until *until, void (*end)(const char *why))
{
	EFI_HANDLE handle = efi_image;

	refusal_note(NULL);
	ender = end;
	if (EFI_ERROR(efi_system->BootServices->InstallProtocolInterface(
	        &handle, &guid, EFI_NATIVE_INTERFACE, &own)) ||
	    boot_until_begin(until, boot_record_end) != 0)
		boot_record_end("ended at once: no memory for the events that would end it");
}

bool boot_record_leaves(void)
{
	return boot_record_is_ended(NULL);
}

static void EFIAPI boot_record_does_not_stop(void)
{
}

void boot_record_hosts(const char *command)
{
	static struct boot_record host = { sizeof(host), boot_record_does_not_stop, NULL };
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_HANDLE handle = efi_image;

	if (host.hosting)
		services->UninstallProtocolInterface(efi_image, &guid, &host);
	host.hosting = command;
	if (command && EFI_ERROR(services->InstallProtocolInterface(&handle, &guid,
	                                                            EFI_NATIVE_INTERFACE, &host)))
		host.hosting = NULL;
}

static bool boot_record_is_hosting(const struct boot_record *other)
{
	return other->size >= sizeof(*other) && other->hosting;
}

bool boot_record_is_elsewhere(bool *stopped)
{
	static char text[COMMAND_MAX_LENGTH + 1];
	static struct command command;
	struct boot_record *other = efi_locate(guid);
	struct command_error error;

	*stopped = false;
	if (!other || other->size < SIZE_LEAST)
		return false;
	if (boot_record_is_hosting(other)) {
		console_printf(
		    "bareperf: another bareperf is recording: `%s'. It ends when that "
		    "program ends (of a shell: exit); then try again\n",
		    other->hosting);
		return true;
	}
	if (command_line_read(text, sizeof(text)) > 0 &&
	    command_parse(&command, text, &image_tables, &error) == 0)
		*stopped = command.verb == COMMAND_STOP;
	if (*stopped)
		other->stop();
	else
		console_printf(
		    "bareperf: bareperf-dxe.efi records this boot: `bareperf.efi stop' "
		    "ends that; then try again\n");
	return true;
}
